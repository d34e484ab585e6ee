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
#include "run/scene.h"
#include "run/units.h"

#define MAX_SETS 256

static const char usage[] =
	"usage: quench check SCENARIO [--dot] [--set path=value]...\n"
	"Prints every value of a scenario with its unit and where it comes from, the thresholds and headroom\n"
	"that follow, the topology with its paths, and warnings. Exit status 2 where something is wrong.\n"
	"  --dot              the topology for graphviz instead: quench check FILE --dot | dot -Tsvg >net.svg\n"
	"  --set path=value   as if the file said so: --set switches.s1.classes.3.wred.max=200KB\n";

static char *size_text(uint64_t n, char *buf, size_t size)
{
	return units_format(UNITS_SIZE, n, buf, size);
}

static void print_group(const struct scene_node *n, unsigned port, unsigned cls)
{
	const struct mmu_pg_params *pg = &n->u.sw.port[port].pg[cls];
	char xoff[32], xon[32], offset[32], headroom[32], reserved[32];
	char rule[32] = "static";

	if (pg->threshold == MMU_DYNAMIC)
		snprintf(rule, sizeof(rule), "2^%d free", pg->dynamic_th);
	else if (n->port[port].share[cls])
		snprintf(rule, sizeof(rule), "%s", n->port[port].share[cls]);
	printf("%-20s %5u  %-9s  %-13s  %10s  %10s  %10s  %10s  %10s\n", n->port[port].name, cls,
		pg->lossless ? "lossless" : "lossy", rule,
		size_text(scene_xoff(&n->u.sw, port, cls), xoff, sizeof(xoff)),
		pg->lossless ? size_text(pg->xon_bytes, xon, sizeof(xon)) : "-",
		pg->lossless ? size_text(pg->xon_offset_bytes, offset, sizeof(offset)) : "-",
		size_text(pg->headroom_bytes, headroom, sizeof(headroom)),
		size_text(pg->reserved_bytes, reserved, sizeof(reserved)));
}

// Groups that some flow uses, and all that are lossless.
static bool is_used(const struct scene *s, const struct scene_node *n, unsigned port, unsigned cls)
{
	bool used = n->u.sw.port[port].pg[cls].lossless;

	for (unsigned i = 0; i < s->n_flows && !used; i++)
		used = s->flow[i]->cls == cls;
	for (unsigned i = 0; i < s->n_sources && !used; i++)
		used = s->source[i]->gen.cls == cls;
	return used;
}

static void print_thresholds(const struct scene *s)
{
	printf("\nThresholds (octets with FCS; XOFF of a class that is alone in the switch)\n");
	printf("%-20s %5s  %-9s  %-13s  %10s  %10s  %10s  %10s  %10s\n", "port", "class", "kind",
		"rule", "xoff", "xon", "xon_offset", "headroom", "reserved");
	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned p = 0; n->kind == SCENE_SW && p < n->n_ports; p++) {
			for (unsigned c = 0; c < PKT_CLASSES; c++) {
				if (is_used(s, n, p, c))
					print_group(n, p, c);
			}
		}
	}
}

// Egress queues that have a limit or octets of their own.
static void print_queues(const struct scene *s)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned k = 0; n->kind == SCENE_SW && k < n->n_ports * PKT_CLASSES; k++) {
			unsigned port = k / PKT_CLASSES, cls = k % PKT_CLASSES;
			const struct mmu_queue_params *q = &n->u.sw.port[port].queue[cls];
			char limit[32] = "-", reserved[32];

			if (!q->limited && !q->reserved_bytes)
				continue;
			if (!head)
				printf("\nEgress queues (octets of whole cells)\n%-20s %5s  %-15s  %10s"
				       "  %10s\n",
					"port", "class", "pool", "limit", "reserved");
			head = true;
			if (q->limited && q->threshold == MMU_DYNAMIC)
				snprintf(limit, sizeof(limit), "2^%d free", q->dynamic_th);
			else if (q->limited)
				size_text(q->static_bytes, limit, sizeof(limit));
			printf("%-20s %5u  %-15s  %10s  %10s\n", n->port[port].name, cls,
				q->lossless ? "egress_lossless" : "egress_lossy", limit,
				size_text(q->reserved_bytes, reserved, sizeof(reserved)));
		}
	}
}

static void print_all(const struct scene *s)
{
	fputs(s->resolved, stdout);
	print_thresholds(s);
	print_queues(s);
	check_np(s);
	check_iqcn(s);
	printf("\nTopology (a port, its link, and the hosts that are reached by it)\n");
	topo_print(s, stdout);
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
	enum { DOT = 1, SET, REFERENCE, REGISTERS, HELP };
	static const struct option options[] = {
		{"dot", no_argument, NULL, DOT},
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
	bool dot = false;

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
	if (scene_load(&s, session_find(argv[optind], room, sizeof(room)), &opts, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	dot ? topo_dot(s, stdout) : print_all(s);
	scene_free(s);
	return 0;
}
