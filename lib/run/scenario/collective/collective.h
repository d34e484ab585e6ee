// SPDX-License-Identifier: BSD-3-Clause
// Collectives as graphs of a job: for each rank the messages that an algorithm sends and receives,
// and what each waits for.
#pragma once

#include "pattern.h"
#include "sink.h"

#define COLLECTIVE_CHANNELS 64u // at most
#define COLLECTIVE_CHUNKS   65536u
#define COLLECTIVE_OPS      (1u << 26) // of all ranks; patterns have the same bound

struct collective_params {
	enum collective_kind kind;
	enum collective_algorithm algorithm; // one that the kind has
	uint32_t ranks;                      // from 2 on
	// ALL_REDUCE, BROADCAST: of the vector that each rank has. REDUCE_SCATTER, ALL_GATHER: of
	// the whole vector. ALL_TO_ALL: from each rank to each other one. From 1 on.
	uint64_t bytes;
	// The vector is cut into channels, and each of them into chunks; each part runs the
	// algorithm by itself. Channel c has the NIC number c. From 1 on.
	uint32_t channels, chunks;
};

// Names as scenarios say them: "all_reduce", "halving_doubling".
const char *collective_kind_name(enum collective_kind kind);
const char *collective_algorithm_name(enum collective_algorithm algorithm);

// Whether the kind has this algorithm.
bool collective_has(enum collective_kind kind, enum collective_algorithm algorithm);

// The algorithm that a kind has where none is named.
enum collective_algorithm collective_usual(enum collective_kind kind);

// Makes the graph. -EINVAL: a value is out of range, or the kind lacks the algorithm; -E2BIG: there
// are more than COLLECTIVE_OPS operations; -errno of the sink.
int collective_make(const struct collective_params *p, const struct collective_sink *to);

// The sink that builds a graph of goal_init(), for p->ranks ranks.
struct collective_sink collective_into(struct goal *g);

// The bus bandwidth that nccl-tests define is bytes / time times this factor: 2(N-1)/N,
// (N-1)/N or 1. For ALL_TO_ALL the bytes are N * `bytes`.
double collective_bus_factor(enum collective_kind kind, uint32_t ranks);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The parent and the children of a rank in NCCL's binary tree. GRAPH_NONE: there is none.
struct collective_tree {
	uint32_t parent, child[2];
};

// `second`: the other tree of the pair, which has the leaves of the first as inner ranks.
struct collective_tree collective_tree_of(uint32_t ranks, uint32_t rank, bool second);

#pragma GCC visibility pop
