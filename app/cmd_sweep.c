// SPDX-License-Identifier: BSD-3-Clause
// quench sweep: many virtual runs, a process each, and one table of what came out.
#include <stdlib.h>

#include "cmd.h"
#include "jobs.h"
#include "sweep_run.h"

static int take_vary(void *to, const char *value, struct err *err)
{
	return sweep_vary(&((struct sweep_run *)to)->plan, value, err);
}

static int take_column(void *to, const char *value, struct err *err)
{
	return sweep_column(&((struct sweep_run *)to)->plan, value, err);
}

static int run(int argc, char **argv)
{
	struct sweep_run s = {0};
	int at, status;

	session_args(&s.all, argc, argv);
	sweep_init(&s.plan, NULL, 0);
	at = args_read(&cmd_sweep, &s, argc, argv);
	status = at < 0 ? EXIT_INPUT : EXIT_DONE;
	if (at > 0) {
		for (int i = at; i < argc; i++)
			argv[i] = (char *)session_name(argv[i]);
		s.plan.scenario = (const char *const *)argv + at;
		s.plan.n_scenarios = (unsigned)(argc - at);
		status = sweep_run(&s);
	}
	session_free(&s.all);
	free(s.dir);
	sweep_free(&s.plan);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "vary", .value = "PATH=A,B,C", .kind = ARGS_CALL, .fill = ARGS_SETTING,
		.take = take_vary,
		.help = "Varies an option of the scenario over these values. Several of them give "
			"all combinations."),
	&session_settings,
	ARGS_ROW(.name = "column", .value = "PATH", .kind = ARGS_CALL, .fill = ARGS_FIGURE,
		.take = take_column,
		.help = "Adds a column: any figure of docs/measuring.md by its path."),
	ARGS_ROW(.name = "plot", .value = "X,Y", .kind = ARGS_TEXT, .fill = ARGS_COLUMNS,
		ARGS_AT(struct sweep_run, plot),
		.help = "Draws sweep.svg: the runs by two columns of sweep.csv, and their Pareto "
			"front."),
	&session_duration,
	ARGS_ROW(.name = "seed", .value = "N", .kind = ARGS_NUMBER,
		ARGS_AT(struct sweep_run, all.seed),
		.given = offsetof(struct sweep_run, all.has_seed),
		.help = "Takes this seed for all runs; `--vary seed=1,2,3` takes several."),
	ARGS_ROW(.name = "jobs", .value = "N", .kind = ARGS_NUMBER, .min = 1, .max = JOBS_MAX,
		ARGS_AT(struct sweep_run, jobs),
		.help = "Runs so many at once. Without it there is one for each processor."),
	ARGS_ROW(.name = "out", .value = "DIR", .kind = ARGS_TEXT, .fill = ARGS_FOLDER,
		ARGS_AT(struct sweep_run, all.out),
		.help = "Writes sweep.csv, sweep.json and junit.xml into this folder. Without it "
			"that is runs/sweep-SCENARIO, or the next .2, .3 and so on that is free."),
	&session_force,
	ARGS_ROW(.name = "files", ARGS_AT(struct sweep_run, files),
		.help = "Writes the folder of each run too: DIR/SCENARIO,NAME=VALUE."),
	ARGS_ROW(.name = "csv", ARGS_AT(struct sweep_run, csv),
		.help = "Prints CSV instead of the table."),
	&session_quiet,
	NULL,
};

const struct args_command cmd_sweep = {
	.name = "sweep",
	.summary = "run many scenarios or values in virtual time: one table",
	.about = "Runs each scenario with every combination of the values in virtual time and "
		 "prints one table. SCENARIO is a file, the name of one that comes with quench, "
		 "or `-` for standard input.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "SCENARIO", .fill = ARGS_SCENARIO, .many = true}),
	.wanted = "which scenario? `quench run --list` shows some",
	.examples = ARGS_WORDS(
		"quench sweep first-light --vary flows.incast.control=none,dcqcn --vary seed=1,2,3",
		"quench sweep first-light"
		" --vary switches.s1.classes.3.wred.max=50KB,100KB,200KB,400KB"
		" --column queue.s1:r.3.std_bytes",
		"quench sweep first-light"
		" --vary controls.dcqcn.ai_rate=20Mbps,40Mbps,80Mbps,160Mbps"
		" --vary controls.dcqcn.rate_timer=55us,110us,300us"
		" --plot utilization_percent,queue_p99_bytes",
		"quench sweep bench-incast --duration 10ms"
		" --vary 'flows.incast.from=h1..2,h1..4,h1..8'"),
	.statuses = ARGS_VERDICT | ARGS_SIGNAL,
	.run = run,
};
