// SPDX-License-Identifier: BSD-3-Clause
// quench check: a scenario resolved, its thresholds, paths and warnings; or its topology.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cmd.h"
#include "session.h"
#include "tell.h"
#include "term.h"
#include "topo.h"
#include "algo/rdma_ip_reg.h"
#include "scene/scene.h"
#include "schema/schema.h"

struct check_args {
	struct session s; // the first
	bool dot, full, reference, registers;
};

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
	printf("\n%u queue pairs, %u open-loop sources, %u events; longest frame %u bytes; at "
	       "most %llu packets at once\n",
		s->n_flows, s->n_sources, s->n_events, s->max_frame,
		(unsigned long long)s->max_packets);
	check_trust(s);
	session_warnings(s, NULL, stdout);
}

static int print_reference(void)
{
	char *text = scene_reference();

	term_plain();
	if (text)
		fputs(text, stdout);
	free(text);
	return text ? EXIT_DONE : EXIT_INPUT;
}

static int print_registers(void)
{
	static char page[1 << 15];

	term_plain();
	rdma_ip_reg_doc(page, sizeof(page));
	fputs(page, stdout);
	return EXIT_DONE;
}

static int check(const struct check_args *a, const char *scenario)
{
	struct scene_opts opts = {.set = a->s.set, .n_set = a->s.n_set};
	struct scene *s;
	struct err err;

	if (session_load(&s, session_name(scenario), &opts, &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	if (a->dot) {
		term_plain();
		topo_dot(s, stdout);
	} else {
		print_all(s, a->full);
	}
	scene_free(s);
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	struct check_args a = {0};
	int at = args_read(&cmd_check, &a, argc, argv), status = EXIT_DONE;

	if (at <= 0)
		status = at ? EXIT_INPUT : EXIT_DONE;
	else if (a.reference)
		status = print_reference();
	else if (a.registers)
		status = print_registers();
	else
		status = check(&a, argv[at]);
	session_free(&a.s);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "full", ARGS_AT(struct check_args, full),
		.help = "Prints every line of long tables; without it their first lines stand for "
			"all."),
	ARGS_ROW(.name = "dot", ARGS_AT(struct check_args, dot),
		.help = "Prints the topology for graphviz instead."),
	&session_settings,
	ARGS_ROW(.name = "reference", .alone = true, ARGS_AT(struct check_args, reference),
		.help = "Prints a scenario that has every option with its meaning: "
			"config/reference.yaml."),
	ARGS_ROW(.name = "registers", .alone = true, ARGS_AT(struct check_args, registers),
		.help = "Prints the registers of the RDMA IP as a page: docs/registers.md."),
	NULL,
};

const struct args_command cmd_check = {
	.name = "check",
	.summary = "show a scenario with every value resolved, or what is wrong with it",
	.about = "Prints every value of a scenario with its unit and where it comes from, the "
		 "thresholds and headroom that follow, the topology with its paths, and "
		 "warnings. SCENARIO is a file, the name of one that comes with quench, or `-` "
		 "for standard input.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "SCENARIO", .fill = ARGS_SCENARIO}),
	.wanted = "name one scenario",
	.examples = ARGS_WORDS("quench check victim",
		"quench check first-light --set switches.s1.classes.3.wred.max=200KB",
		"quench check unfairness --dot | dot -Tsvg > topology.svg"),
	.run = run,
};
