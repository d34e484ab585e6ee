// SPDX-License-Identifier: BSD-3-Clause
// quench run: a scenario on one clock or both; --list shows the scenarios that come with quench.
#include <dirent.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "session.h"

static const char usage[] =
	"usage: quench run SCENARIO [options] [-- EAL arguments]\n"
	"       quench run --list\n"
	"\n"
	"  --clock virtual|real|both  virtual time (default), poll-mode lcores, or one after the other\n"
	"  --duration T               run for T instead of the scenario's duration: 20ms, 2s\n"
	"  --seed N                   another seed for all random decisions\n"
	"  --set PATH=VALUE           one option of the scenario, as in --set switches.s1.buffer=8MB\n"
	"  --out DIR                  the run folder (runs/NAME-CLOCK-SEED); --force takes a used one\n"
	"  --dilate N                 real clock: the nodes' time runs N times slower (links in memory)\n"
	"  --no-huge                  real clock: do without hugepages\n"
	"  --strict                   exit status 3 where the instrument broke its own timing\n"
	"  --quiet                    no table, no progress\n"
	"\n"
	"examples:\n"
	"  quench run config/first-light.yaml\n"
	"  quench run config/incast-8to1-100g.yaml --duration 10ms --set flows.incast.control=none\n"
	"  quench run config/first-light.yaml --clock real -- --lcores 0,1\n"
	"\n"
	"exit status: 0 done, 1 a verdict failed, 2 bad input, 3 timing broken (with --strict)\n";

// The first line of the scenario's opening comment, without the SPDX line.
static void describe(const char *dir, const char *file, char *text, size_t size)
{
	char path[2 * PATH_MAX], line[256];
	FILE *f;

	*text = 0;
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) && line[0] == '#') {
		if (strstr(line, "SPDX"))
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(text, size, "%s", line + 1 + strspn(line + 1, " "));
		break;
	}
	if (f)
		fclose(f);
}

static int is_scenario(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && !strcmp(e->d_name + n - 5, ".yaml");
}

static int list(void)
{
	struct dirent **e;
	char dir[PATH_MAX];
	int n;

	if (!session_config(dir, sizeof(dir), "") ||
		(n = scandir(dir, &e, is_scenario, alphasort)) < 0) {
		fputs("quench run: the scenarios that come with quench were not found\n", stderr);
		return EXIT_INPUT;
	}
	for (int i = 0; i < n; i++) {
		char text[200];

		describe(dir, e[i]->d_name, text, sizeof(text));
		printf("%-28s %s\n", e[i]->d_name, text);
		free(e[i]);
	}
	free(e);
	return EXIT_DONE;
}

int cmd_run(int argc, char **argv)
{
	static const struct option options[] = {SESSION_OPTIONS, {"list", 0, 0, 'l'}, {0}};
	struct session s = {0};
	int opt, own = session_args(&s, argc, argv);

	while ((opt = getopt_long(own, argv, "", options, NULL)) != -1) {
		if (opt == 'l')
			return list();
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_DONE;
		}
		if (session_option(&s, opt, optarg))
			return EXIT_INPUT;
	}
	if (optind != own - 1) {
		fputs(optind < own ? "quench run: one scenario at a time\n"
				   : "quench run: which scenario? `quench run --list` shows some\n",
			stderr);
		return EXIT_INPUT;
	}
	s.path = argv[optind];
	return session_run(&s);
}
