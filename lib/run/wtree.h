// SPDX-License-Identifier: BSD-3-Clause
// Winner tree: the smallest of a fixed set of instants, the lowest slot first where they are equal.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

// Instant and leaf as one number: the smaller is the earlier, and of equals the lower leaf.
typedef unsigned __int128 wtree_key;

// An update is a chain of minima with siblings whose places are known beforehand: no branch depends on
// data, no load on the load before.
struct wtree {
	uint32_t size;  // leaves, a power of two from 2
	wtree_key *win; // win[1] is the smallest; win[size + i] is leaf i
};

// A tree of at least n leaves, all TSTAMP_NEVER. 0 or -ENOMEM.
int wtree_init(struct wtree *t, uint32_t n);
void wtree_fini(struct wtree *t);

static inline uint32_t wtree_slot(const struct wtree *t)
{
	return (uint32_t)t->win[1];
}

static inline tstamp wtree_min(const struct wtree *t)
{
	return (tstamp)(t->win[1] >> 64);
}

static inline tstamp wtree_at(const struct wtree *t, uint32_t leaf)
{
	return (tstamp)(t->win[t->size + leaf] >> 64);
}

// Sets one leaf; O(log n).
static inline void wtree_set(struct wtree *t, uint32_t leaf, tstamp key)
{
	wtree_key k = (wtree_key)key << 64 | leaf, *win = t->win;

	for (uint32_t i = t->size + leaf; i; i /= 2) {
		wtree_key sibling = win[i ^ 1];

		win[i] = k;
		k = sibling < k ? sibling : k;
	}
}
