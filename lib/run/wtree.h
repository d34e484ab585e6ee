// SPDX-License-Identifier: BSD-3-Clause
// Winner tree: the smallest of a fixed set of instants, the lowest slot first where they are equal.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

struct wtree {
	uint32_t size; // leaves, a power of two from 2
	tstamp *key;   // of each leaf, TSTAMP_NEVER where unused
	uint32_t *win; // win[1] is the smallest leaf; win[size + i] is i
};

// A tree of at least n leaves, all TSTAMP_NEVER. 0 or -ENOMEM.
int wtree_init(struct wtree *t, uint32_t n);
void wtree_fini(struct wtree *t);

static inline uint32_t wtree_slot(const struct wtree *t)
{
	return t->win[1];
}

static inline tstamp wtree_min(const struct wtree *t)
{
	return t->key[t->win[1]];
}

// Sets one leaf; O(log n), less where an inner winner stays.
static inline void wtree_set(struct wtree *t, uint32_t leaf, tstamp key)
{
	uint32_t i = (t->size + leaf) / 2;

	t->key[leaf] = key;
	for (; i; i /= 2) {
		uint32_t l = t->win[2 * i], r = t->win[2 * i + 1];
		uint32_t w = t->key[l] <= t->key[r] ? l : r;

		if (w == t->win[i] && w != leaf)
			return;
		t->win[i] = w;
	}
}
