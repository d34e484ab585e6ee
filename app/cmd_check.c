// SPDX-License-Identifier: BSD-3-Clause
// quench check: a scenario resolved, its thresholds, paths and warnings; or its topology.
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cmd.h"
#include "session.h"
#include "topo.h"
#include "algo/hw_reg.h"
#include "report/report.h"
#include "scene/scene.h"
#include "schema/schema.h"

#define MAX_SETS 256

static const char usage[] =
	"usage: quench check SCENARIO [--full] [--dot] [--set path=value]...\n"
	"Prints every value of a scenario with its unit and where it comes from, the thresholds and headroom\n"
	"that follow, the topology with its paths, and warnings. Exit status 2 where something is wrong.\n"
	"  --full             every line of tables that are long; without it their first lines stand for all\n"
	"  --dot              the topology for graphviz instead: quench check FILE --dot | dot -Tsvg >net.svg\n"
	"  --set path=value   as if the file said so: --set switches.s1.classes.3.wred.max=200KB\n";

static void print_topology(const struct scene *s, FILE *f)
{
	fprintf(f, "\nTopology (a port, its link, and the hosts that are reached by it)\n");
	topo_print(s, f);
}

static void print_all(const struct scene *s, bool full)
{
	fputs(s->resolved, stdout);
	check_part(s, full, check_thresholds);
	check_part(s, full, check_queues);
	check_part(s, full, check_np);
	check_part(s, full, check_iqcn);
	check_part(s, full, print_topology);
	printf("\n%u queue pairs, %u open-loop sources, %u events; longest frame %u octets; at most %llu "
	       "packets at once\n",
		s->n_flows, s->n_sources, s->n_events, s->max_frame,
		(unsigned long long)s->max_packets);
	check_trust(s);
	session_warnings(s, NULL, stdout);
}

static int print_reference(void)
{
	char *text = scene_reference();

	if (text)
		fputs(text, stdout);
	free(text);
	return text ? 0 : 2;
}

static int print_registers(void)
{
	static char page[1 << 15];

	hw_reg_doc(page, sizeof(page));
	fputs(page, stdout);
	return 0;
}

int cmd_check(int argc, char **argv)
{
	enum { DOT = 1, FULL, SET, REFERENCE, REGISTERS, HELP };
	static const struct option options[] = {
		{"dot", no_argument, NULL, DOT},
		{"full", no_argument, NULL, FULL},
		{"set", required_argument, NULL, SET},
		{"reference", no_argument, NULL, REFERENCE}, // how config/reference.yaml is made
		{"registers", no_argument, NULL, REGISTERS}, // how docs/registers.md is made
		{"help", no_argument, NULL, HELP},
		{0},
	};
	struct scene_set set[MAX_SETS];
	struct scene_opts opts = {.set = set};
	char room[PATH_MAX];
	struct scene *s;
	struct err err;
	bool dot = false, full = false;

	optind = 1;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		char *eq = c == SET ? strchr(optarg, '=') : NULL;

		if (c == HELP)
			return fputs(usage, stdout), 0;
		if (c == REFERENCE)
			return print_reference();
		if (c == REGISTERS)
			return print_registers();
		dot |= c == DOT;
		full |= c == FULL;
		if (c == '?' || (c == SET && (!eq || opts.n_set == MAX_SETS))) {
			fprintf(stderr,
				"quench check: '%s' is not right; see quench check --help\n",
				c == SET ? optarg : argv[optind - 1]);
			return 2;
		}
		if (eq) {
			*eq = 0;
			set[opts.n_set++] = (struct scene_set){optarg, eq + 1};
		}
	}
	if (argc - optind != 1) {
		fprintf(stderr, "quench check: name one scenario; see quench check --help\n");
		return 2;
	}
	if (scene_load(&s, session_find(argv[optind], room, sizeof(room)), &opts, &err) ||
		report_expects_check(s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	if (dot)
		topo_dot(s, stdout);
	else
		print_all(s, full);
	scene_free(s);
	return 0;
}
