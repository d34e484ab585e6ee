// SPDX-License-Identifier: BSD-3-Clause
// Terms that the generators of graphs share: the kinds of collectives, their algorithms, and the
// place where a graph goes.
#pragma once

#include "goal/goal.h"

enum collective_kind {
	COLLECTIVE_ALL_REDUCE,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALL_GATHER,
	COLLECTIVE_ALL_TO_ALL,
	COLLECTIVE_BROADCAST, // from rank 0
	COLLECTIVE_KINDS,
};

enum collective_algorithm {
	COLLECTIVE_RING,
	COLLECTIVE_DOUBLING,
	COLLECTIVE_HALVING,
	COLLECTIVE_HALVING_DOUBLING, // Rabenseifner's
	COLLECTIVE_PAIRWISE,
	COLLECTIVE_AT_ONCE,
	COLLECTIVE_BINOMIAL,
	COLLECTIVE_TREE,        // NCCL's binary tree
	COLLECTIVE_DOUBLE_TREE, // NCCL's two trees, each with half of the bytes
	COLLECTIVE_ALGORITHMS,
};

#define COLLECTIVE_RANKS 65536u // at most

// The blocks of a part of the vector that a message carries. ALL_TO_ALL: block from * ranks + to.
struct collective_data {
	uint32_t part;
	uint32_t first, n;
	bool adds; // RECV: it adds them to the rank's own blocks, and does not replace these
};

// Where a generator puts its graph. Each call returns 0 or -errno, which ends the generator.
// Ranks come from 0 on, and the operations of a rank have the numbers 0, 1, ...
struct collective_sink {
	int (*rank)(void *arg, uint32_t rank);
	// `data`: NULL for CALCs, and where the bytes have no meaning.
	int (*op)(void *arg, const struct goal_op *op, const struct collective_data *data);
	int (*edge)(void *arg, uint32_t from, uint32_t to);
	void *arg;
};
