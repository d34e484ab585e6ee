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
	"SCENARIO is a file, or the name of one that comes with quench: --list shows them.\n"
	"\n"
	"  --clock virtual|real|both  virtual time (default), poll-mode lcores, or one after the other\n"
	"  --duration T               run for T instead of the scenario's duration: 20ms, 2s\n"
	"  --seed N                   another seed for all random decisions\n"
	"  --set PATH=VALUE           one option of the scenario, as in --set switches.s1.buffer=8MB\n"
	"  --out DIR                  the run folder; --force takes a used one. Else runs/NAME-CLOCK-SEED, or\n"
	"                             where that is used .2, .3 ...; runs/latest points to the newest\n"
	"  --dilate N                 real clock: the nodes' time runs N times slower (links in memory)\n"
	"  --no-huge                  real clock: do without hugepages\n"
	"  --instance NAME            real clock: its name for `quench reg` (the scenario's)\n"
	"  --strict                   exit status 3 where the instrument broke its own timing\n"
	"  --quiet                    no table, no progress\n"
	"\n"
	"examples:\n"
	"  quench run first-light\n"
	"  quench run incast-8to1-100g --duration 10ms --set warmup=5ms\n"
	"  quench run compare/3-dcqcn-paper --duration 60ms --out runs/paper\n"
	"  quench run first-light --clock real -- --lcores 0,1\n"
	"\n"
	"exit status: 0 done, 1 a verdict failed or firmware crashed, 2 bad input or output that fails,\n"
	"3 timing broken (with --strict); 130, 143 or 129 where SIGINT, SIGTERM or SIGHUP ended it: its results are written, and\n"
	"a second signal ends it at once\n";

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

// Words of a text from column 26 on, in lines of 100.
static void print_wrapped(const char *text)
{
	size_t column = 26;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column + n > 100) {
			printf("\n%26s", "");
			column = 26;
		}
		printf("%.*s ", (int)n, text);
		column += n + 1;
		text += n + strspn(text + n, " ");
	}
	putchar('\n');
}

static bool is_scenario(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".yaml");
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

// The scenarios of a folder, by the names that they are run by: the file's without .yaml, behind the names of the
// folders that it is in. Returns how many.
static unsigned list_folder(const char *under)
{
	char path[PATH_MAX], text[400];
	struct dirent **e;
	unsigned listed = 0;
	int n;

	session_config(path, sizeof(path), under);
	n = scandir(path, &e, is_shown, alphasort);
	for (int i = 0; i < n; i++) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s%s%s", under, *under ? "/" : "", e[i]->d_name);
		free(e[i]);
		if (!is_scenario(name)) {
			listed += list_folder(name);
			continue;
		}
		session_config(path, sizeof(path), name);
		describe(path, text, sizeof(text));
		printf("%-26.*s", (int)strlen(name) - 5, name);
		print_wrapped(text);
		listed++;
	}
	if (n >= 0)
		free(e);
	return listed;
}

static int list(void)
{
	char dir[PATH_MAX];

	if (list_folder(""))
		return EXIT_DONE;
	session_config(dir, sizeof(dir), "");
	fprintf(stderr,
		"quench run: the scenarios that come with quench are not in %s; QUENCH_DATA names "
		"the folder that has them in config/\n",
		dir);
	return EXIT_INPUT;
}

int cmd_run(int argc, char **argv)
{
	static const struct option options[] = {SESSION_OPTIONS, {"list", 0, 0, 'l'}, {0}};
	struct session s = {0};
	int opt, own = session_args(&s, argc, argv);

	opterr = 0;
	while ((opt = getopt_long(own, argv, "", options, NULL)) != -1) {
		if (opt == 'l')
			return list();
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_DONE;
		}
		if (session_option(&s, opt, opt == '?' ? argv[optind - 1] : optarg))
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
