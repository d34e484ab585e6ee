// SPDX-License-Identifier: BSD-3-Clause
// A graph as GOAL text.
#include <inttypes.h>
#include <stdio.h>

#include "int.h"

// A label for an operation that others wait for, or that waits.
static void put_label(const struct graph *g, uint32_t rank, uint32_t number, FILE *to)
{
	const char *name = graph_name(g, rank, &graph_ops(g, rank)[number]);

	if (*name)
		fputs(name, to);
	else
		fprintf(to, "o%" PRIu32, number);
}

static void put_number(uint32_t n, FILE *to)
{
	if (n == GRAPH_ANY)
		fputs("-1", to);
	else
		fprintf(to, "%" PRIu32, n);
}

static void put_op(const struct graph *g, uint32_t rank, uint32_t number, FILE *to)
{
	const struct graph_op *o = &graph_ops(g, rank)[number];

	if (o->name || o->needs || o->edge != GRAPH_NONE) {
		put_label(g, rank, number, to);
		fputs(": ", to);
	}
	if (o->kind == GRAPH_CALC) {
		fprintf(to, "calc %llu", (o->amount + PS_PER_NS - 1) / PS_PER_NS);
	} else {
		bool send = o->kind == GRAPH_SEND;

		fprintf(to, "%s %" PRIu64 "b %s ", send ? "send" : "recv", o->amount,
			send ? "to" : "from");
		put_number(o->peer, to);
		if (o->tag) {
			fputs(" tag ", to);
			put_number(o->tag, to);
		}
	}
	if (o->cpu)
		fprintf(to, " cpu %u", o->cpu);
	if (o->nic)
		fprintf(to, " nic %u", o->nic);
	putc('\n', to);
}

static void put_edges(const struct graph *g, uint32_t rank, uint32_t number, FILE *to)
{
	const struct graph_op *o = &graph_ops(g, rank)[number];
	const struct graph_edge *edges = graph_edges(g, rank);

	for (uint32_t e = GRAPH_NONE; (e = graph_next(edges, o, e)) != GRAPH_NONE;) {
		put_label(g, rank, edges[e].to, to);
		fputs(edges[e].at_start ? " irequires " : " requires ", to);
		put_label(g, rank, number, to);
		putc('\n', to);
	}
}

bool goal_print(const struct graph *g, FILE *to)
{
	fprintf(to, "num_ranks %" PRIu32 "\n", g->n_ranks);
	for (uint32_t r = 0; r < g->n_ranks; r++) {
		fprintf(to, "rank %" PRIu32 " {\n", r);
		for (uint32_t i = 0; i < g->rank[r].n_ops; i++)
			put_op(g, r, i, to);
		for (uint32_t i = 0; i < g->rank[r].n_ops; i++)
			put_edges(g, r, i, to);
		fputs("}\n", to);
	}
	return !fflush(to) && !ferror(to);
}
