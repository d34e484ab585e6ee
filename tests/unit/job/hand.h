// SPDX-License-Identifier: BSD-3-Clause
// Graphs that a test makes by hand.
#pragma once

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

#define HAND_RANKS 16
#define HAND_OPS   1024 // of a rank

struct hand {
	struct graph_op op[HAND_RANKS][HAND_OPS];
	struct graph_edge edge[HAND_RANKS][8 * HAND_OPS];
	struct graph_rank rank[HAND_RANKS];
	struct graph graph;
};

static inline struct hand *hand_new(uint32_t n_ranks)
{
	struct hand *h = calloc(1, sizeof(*h));

	assert(h && n_ranks <= HAND_RANKS);
	h->graph = (struct graph){.rank = h->rank,
		.op = h->op[0],
		.edge = h->edge[0],
		.name = "",
		.n_ranks = n_ranks};
	for (uint32_t i = 0; i < n_ranks; i++) {
		h->rank[i].op = i * (uint64_t)HAND_OPS;
		h->rank[i].edge = i * 8ull * HAND_OPS;
	}
	return h;
}

static inline uint32_t hand_op(struct hand *h, uint32_t rank, enum graph_kind kind, uint64_t amount,
	uint32_t peer, uint32_t tag)
{
	struct graph_rank *r = &h->rank[rank];

	assert(r->n_ops < HAND_OPS);
	h->op[rank][r->n_ops] = (struct graph_op){.amount = amount,
		.peer = peer,
		.tag = tag,
		.edge = GRAPH_NONE,
		.kind = (uint8_t)kind};
	if (kind == GRAPH_SEND)
		h->rank[peer].incoming++;
	if (kind == GRAPH_RECV) {
		r->n_recvs++;
		r->n_any += peer == GRAPH_ANY || tag == GRAPH_ANY;
	}
	if (kind == GRAPH_CALC && !r->n_cpus)
		r->n_cpus = 1;
	h->graph.n_ops++;
	return r->n_ops++;
}

// A CALC with a CPU.
static inline uint32_t hand_calc(struct hand *h, uint32_t rank, tstamp ps, uint16_t cpu)
{
	uint32_t op = hand_op(h, rank, GRAPH_CALC, ps, 0, 0);

	h->op[rank][op].cpu = cpu;
	if (cpu >= h->rank[rank].n_cpus)
		h->rank[rank].n_cpus = cpu + 1u;
	return op;
}

static inline void hand_edge(
	struct hand *h, uint32_t rank, uint32_t from, uint32_t to, bool at_start)
{
	struct graph_op *op = h->op[rank];
	struct graph_edge *e = h->edge[rank];
	uint32_t n = h->rank[rank].n_edges++;

	assert(from < to && n < 8 * HAND_OPS);
	e[n] = (struct graph_edge){.next = n, .to = to, .at_start = at_start};
	if (op[from].edge != GRAPH_NONE) {
		e[n].next = e[op[from].edge].next;
		e[op[from].edge].next = n;
	}
	op[from].edge = n;
	op[to].needs++;
}

static inline void hand_needs(struct hand *h, uint32_t rank, uint32_t to, uint32_t from)
{
	hand_edge(h, rank, from, to, false);
}
