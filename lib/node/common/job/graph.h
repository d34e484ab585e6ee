// SPDX-License-Identifier: BSD-3-Clause
// A job as a graph in memory: the operations of each rank, and which of them wait for which.
//
// The arrays of all ranks stand one behind the other, in the order in which the ranks were made.
// They may be mapped files. Nobody writes a graph that is complete. Numbers of operations, edges
// and names begin at 0 in each rank.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

#define GRAPH_NONE    UINT32_MAX   // no operation, no edge
#define GRAPH_ANY     UINT32_MAX   // RECV: any source, any tag
#define GRAPH_RANKS   (1u << 20)   // of a graph, at most
#define GRAPH_OPS     (1u << 30)   // of a rank, at most; the same bound holds for its edges
#define GRAPH_CPUS    4096         // numbers of CPUs are less
#define GRAPH_BYTES   (1ull << 40) // of a message, at most
#define GRAPH_CALC_PS (1ull << 62) // ps of a CALC, at most

enum graph_kind {
	GRAPH_SEND, // ends when its bytes have been handed over
	GRAPH_RECV, // ends when it has started and its message is whole
	GRAPH_CALC, // occupies its CPU for a time
};

// An operation starts when nothing that it needs is missing. SEND and RECV take no time of a CPU.
// CALCs of one CPU run one after the other, in the order in which they could start.
struct graph_op {
	uint64_t amount; // SEND, RECV: bytes of payload; CALC: ps
	uint32_t peer;   // SEND: the rank that it goes to; RECV: the source, or GRAPH_ANY
	uint32_t tag;    // RECV: or GRAPH_ANY
	uint32_t needs;  // edges that end here
	uint32_t edge;   // the last edge that begins here, or GRAPH_NONE
	uint32_t name;   // where its label begins in the names of the rank; 0: it has none
	uint16_t cpu;
	uint8_t kind; // enum graph_kind
	uint8_t nic;
};

// The edges that begin at one operation form a circle: the next one of the last is the first. An
// edge always leads to an operation with a higher number, so that a graph has no cycle.
struct graph_edge {
	uint32_t next;
	uint32_t to : 31;      // the operation that waits
	uint32_t at_start : 1; // it waits for the start of the other operation, not for its end
};

_Static_assert(sizeof(struct graph_op) == 32, "two operations fill a cache line");
_Static_assert(sizeof(struct graph_edge) == 8, "the bits of an edge are packed");

// Where the arrays of a rank begin, and how long they are.
struct graph_rank {
	uint64_t op, edge, name;
	uint32_t n_ops, n_edges;
	uint32_t n_cpus;   // the highest number of a CPU, and 1; 0: the rank has no CALC
	uint32_t n_recvs;  // its RECVs
	uint32_t n_any;    // its RECVs of any source or any tag
	uint32_t incoming; // SENDs of all ranks to this one
};

struct graph {
	const struct graph_rank *rank; // [n_ranks]
	const struct graph_op *op;
	const struct graph_edge *edge;
	const char *name; // labels, each with a NUL behind it; the first byte of a rank's is a NUL
	uint32_t n_ranks;
	uint64_t n_ops; // of all ranks
};

static inline const struct graph_op *graph_ops(const struct graph *g, uint32_t rank)
{
	return g->op + g->rank[rank].op;
}

static inline const struct graph_edge *graph_edges(const struct graph *g, uint32_t rank)
{
	return g->edge + g->rank[rank].edge;
}

// The label of an operation, "" where it has none.
static inline const char *graph_name(const struct graph *g, uint32_t rank, const struct graph_op *o)
{
	return o->name ? g->name + g->rank[rank].name + o->name : "";
}

// Walks the edges of an operation in the order in which they were made: `at` is GRAPH_NONE at
// first. Returns the next one, or GRAPH_NONE behind the last.
static inline uint32_t graph_next(
	const struct graph_edge *edges, const struct graph_op *o, uint32_t at)
{
	if (o->edge == GRAPH_NONE || at == o->edge)
		return GRAPH_NONE;
	return edges[at == GRAPH_NONE ? o->edge : at].next;
}
