// SPDX-License-Identifier: BSD-3-Clause
// quench run: a scenario on one clock or both; --list shows the scenarios that come with quench.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runner.h"
#include "session/session.h"

#define TEXT_COLUMN 34 // of `run --list`; longer names have a line of their own

// The first sentence of the scenario's opening comment, without the SPDX line.
static void describe(const char *path, char *text, size_t size)
{
	char line[256], *end = NULL;
	size_t at = 0;
	FILE *f;

	*text = 0;
	f = fopen(path, "r");
	while (f && !end && at < size && fgets(line, sizeof(line), f) && line[0] == '#') {
		if (strstr(line, "SPDX"))
			continue;
		line[strcspn(line, "\n")] = 0;
		at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " " : "",
			line + 1 + strspn(line + 1, " "));
		end = strstr(text, ". ");
	}
	if (end)
		*end = 0;
	if (f)
		fclose(f);
}

// Words of a text behind the names, in lines of 100. On a terminal that is another's business.
static void print_wrapped(const char *text)
{
	size_t column = TEXT_COLUMN;
	bool first = true;

	if (term_folds()) {
		puts(text);
		return;
	}

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column + n > 100) {
			printf("\n%*s", TEXT_COLUMN, "");
			column = TEXT_COLUMN;
			first = true;
		}
		printf("%s%.*s", first ? "" : " ", (int)n, text);
		first = false;
		column += n + 1;
		text += n + strspn(text + n, " ");
	}
	putchar('\n');
}

static void print_scenario(void *arg, const char *name, const char *path)
{
	char text[400];

	(void)arg;
	describe(path, text, sizeof(text));
	if (strlen(name) < TEXT_COLUMN)
		printf("%-*s", TEXT_COLUMN, name);
	else
		printf("%s\n%*s", name, TEXT_COLUMN, "");
	print_wrapped(text);
}

static int list_scenarios(void)
{
	char dir[PATH_MAX];

	if (scenario_each(print_scenario, NULL))
		return EXIT_DONE;
	scenario_config(dir, sizeof(dir), "");
	tell("quench run: the scenarios that come with quench are not in %s; "
	     "QUENCH_DATA names the folder that has them in config/",
		dir);
	return EXIT_INPUT;
}

struct run_args {
	struct session s; // the first
	bool list;
};

static int run_main(int argc, char **argv)
{
	struct run_args a = {0};
	int at = args_read(&runner_run, &a, session_args(&a.s, argc, argv), argv);

	if (at <= 0 || a.list) {
		session_free(&a.s);
		return at < 0 ? EXIT_INPUT : a.list ? list_scenarios() : EXIT_DONE;
	}
	a.s.path = scenario_name(argv[at]);
	return session_run(&a.s);
}

static const struct args_option list_option = {.name = "list",
	.alone = true,
	ARGS_AT(struct run_args, list),
	.help = "Lists the scenarios that come with quench."};

const struct args_command runner_run = {
	.name = "run",
	.summary = "run a scenario in virtual time or on poll-mode lcores",
	.about = "Runs a scenario, prints tables of its results, and writes a folder with all "
		 "figures. SCENARIO is a file, the name of one that comes with quench, or `-` for "
		 "standard input.",
	.options = ARGS_OPTIONS(&session_clock, &session_duration, &session_seed, &session_settings,
		&session_record, &session_out, &session_force, &session_hdr, &session_report,
		&session_references, &session_dilate, &session_workers, &session_no_huge,
		&session_allow_storm, &session_quiesce, &session_instance, &session_nodes,
		&session_dut, &session_counters, &session_start, &session_wait_parts,
		&session_parts_key, &session_strict, &session_trust, &session_quiet, &list_option),
	.operands = ARGS_OPERANDS({.name = "SCENARIO", .fill = ARGS_SCENARIO}),
	.wanted = "name one scenario (`quench run --list` shows those that come with quench)",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench run first-light --report",
		"quench run incast-8to1-100g --duration 10ms --set warmup=5ms",
		"quench run compare/3-dcqcn-paper --duration 80ms --out runs/paper",
		"quench run first-light --clock real -- --lcores 0,1",
		"quench import config_db.json | quench run - --duration 10ms"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = run_main,
};
