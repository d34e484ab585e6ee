// SPDX-License-Identifier: BSD-3-Clause
// quench sweep: many virtual runs, a process each, and one table of what came out.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "jobs.h"
#include "sweep_run.h"

static const char usage[] =
	"usage: quench sweep SCENARIO... [--vary PATH=A,B,C]... [options]\n"
	"Runs each scenario with every combination of the values in virtual time and prints one table.\n"
	"\n"
	"  --vary PATH=A,B,C  an option of the scenario and the values it takes; several: all combinations\n"
	"  --set PATH=VALUE   the same in all runs, as in quench run\n"
	"  --column PATH      one more column: any figure of docs/measuring.md by its path\n"
	"  --plot X,Y         sweep.svg: the runs by two columns of sweep.csv, and their Pareto front\n"
	"  --duration T       run for T instead of the scenario's duration\n"
	"  --seed N           the seed of all runs (--vary seed=1,2,3 takes several)\n"
	"  --jobs N           runs at once (default: one for each processor)\n"
	"  --out DIR          where sweep.csv, sweep.json and junit.xml go (runs/sweep-SCENARIO, or the next .2,\n"
	"                     .3 ... that is free); --force takes a used one\n"
	"  --files            each run's own folder, too: DIR/SCENARIO,NAME=VALUE\n"
	"  --csv              print CSV instead of the table\n"
	"  --quiet            no table, no progress\n"
	"\n"
	"examples:\n"
	"  quench sweep first-light --vary flows.incast.control=none,dcqcn --vary seed=1,2,3\n"
	"  quench sweep first-light --vary switches.s1.classes.3.wred.max=50KB,100KB,200KB,400KB \\\n"
	"      --column queue.s1:r.3.std_bytes\n"
	"  quench sweep first-light --vary controls.dcqcn.ai_rate=20Mbps,40Mbps,80Mbps,160Mbps \\\n"
	"      --vary controls.dcqcn.rate_timer=55us,110us,300us --plot utilization_percent,queue_p99_bytes\n"
	"  quench sweep bench-incast --duration 10ms --vary 'flows.incast.from=h1..2,h1..4,h1..8'\n"
	"\n"
	"exit status: 0 all runs passed, 1 a verdict failed, 2 bad input for one run or all, or output that\n"
	"fails; 130, 143 or 129 where SIGINT, SIGTERM or SIGHUP ended it: the table has what is done\n";

static int parse_jobs(struct sweep_run *s, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n < 1 || n > JOBS_MAX) {
		fprintf(stderr, "quench sweep: --jobs '%s': 1..%d\n", text, JOBS_MAX);
		return -EINVAL;
	}
	s->jobs = (unsigned)n;
	return 0;
}

static int own_option(struct sweep_run *s, int opt, const char *value)
{
	struct err err;
	int rc = 0;

	switch (opt) {
	case 'v':
		rc = sweep_vary(&s->plan, value, &err);
		break;
	case 'C':
		rc = sweep_column(&s->plan, value, &err);
		break;
	case 'j':
		return parse_jobs(s, value);
	case 'P':
		s->plot = value;
		break;
	case 'F':
		s->files = true;
		break;
	case 'V':
		s->csv = true;
		break;
	default:
		return session_option(&s->all, opt, value);
	}
	if (rc)
		fprintf(stderr, "quench sweep: %s\n", err.text);
	return rc;
}

// Options up to the scenarios. `status` is what to leave with where there is nothing to run.
static bool read_options(struct sweep_run *s, int argc, char **argv, int *status)
{
	static const struct option options[] = {{"vary", 1, 0, 'v'}, {"column", 1, 0, 'C'},
		{"jobs", 1, 0, 'j'}, {"files", 0, 0, 'F'}, {"csv", 0, 0, 'V'}, {"plot", 1, 0, 'P'},
		{"duration", 1, 0, 'd'}, {"seed", 1, 0, 's'}, {"out", 1, 0, 'o'},
		{"set", 1, 0, 'S'}, {"quiet", 0, 0, 'q'}, {"force", 0, 0, 'f'}, {"help", 0, 0, 'h'},
		{0}};
	int opt;

	opterr = 0;
	*status = EXIT_INPUT;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			*status = EXIT_DONE;
			return false;
		}
		if (own_option(s, opt, opt == '?' ? argv[optind - 1] : optarg))
			return false;
	}
	if (optind < argc)
		return true;
	fputs("quench sweep: which scenario? `quench run --list` shows some\n", stderr);
	return false;
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep_run s = {0};
	int status;

	session_args(&s.all, argc, argv);
	sweep_init(&s.plan, NULL, 0);
	if (read_options(&s, argc, argv, &status)) {
		s.plan.scenario = (const char *const *)argv + optind;
		s.plan.n_scenarios = (unsigned)(argc - optind);
		status = sweep_run(&s);
	}
	for (unsigned i = 0; i < s.all.n_set; i++)
		free((char *)s.all.set[i].path);
	free(s.dir);
	sweep_free(&s.plan);
	return status;
}
