// SPDX-License-Identifier: BSD-3-Clause
// Winner tree: the smallest of a fixed set of instants, the lowest leaf first where they are equal.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hint.h"
#include "base/tstamp.h"

// A winner tree (tournament tree) of instants: it finds the earliest of n leaves. Each node has
// four children, so few levels lie between a leaf and the root. A word holds an instant in its high
// bits and the number of the leaf in its low bits. So the smaller word is the earlier instant, and
// of equal instants the leaf with the lower number. No branch depends on data, and no load depends
// on the load before it.
struct wtree {
	tstamp min;    // the smallest; as good as never from wtree_never on
	uint32_t leaf; // the leaf that has it
	// of a leaf's number, the low ones of a word; 0: there is one leaf, and no word
	uint32_t bits;
	uint32_t first; // place of leaf 0
	uint64_t *word; // the root's children 0..3; those of node i: 4 i + 4 .. 4 i + 7
};

// A tree of at least n leaves, none with an instant. 0 or -ENOMEM.
int wtree_init(struct wtree *t, uint32_t n);
void wtree_fini(struct wtree *t);

// The latest instant that the tree can hold. Later instants become this one, and a leaf without an
// instant has it.
static inline tstamp wtree_never(const struct wtree *t)
{
	return TSTAMP_NEVER >> t->bits;
}

static inline uint64_t wtree_less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// wtree_set or wtree_put.
INLINE void wtree_replace(struct wtree *t, uint32_t leaf, tstamp at, bool looks)
{
	uint64_t k, i, *w = t->word;

	if (!t->bits) {
		t->min = at;
		return;
	}
	k = tstamp_min(at, wtree_never(t)) << t->bits | leaf;
	i = t->first + leaf;
	for (;;) {
		w[i] = k;
		k = wtree_less(k, wtree_less(w[i ^ 1], wtree_less(w[i ^ 2], w[i ^ 3])));
		if (i < 4)
			break;
		i = i / 4 - 1;
		if (looks && w[i] == k)
			return;
	}
	t->min = k >> t->bits;
	t->leaf = (uint32_t)k & ((1u << t->bits) - 1);
}

// Sets one leaf, TSTAMP_NEVER: it has no instant. O(log n).
static inline void wtree_set(struct wtree *t, uint32_t leaf, tstamp at)
{
	wtree_replace(t, leaf, at, false);
}

// Sets a leaf's instant like wtree_set(), for a leaf that is mostly not the first among its
// neighbours, before and after: it ends at the first node that does not change.
static inline void wtree_put(struct wtree *t, uint32_t leaf, tstamp at)
{
	wtree_replace(t, leaf, at, true);
}

// The instant of one leaf.
static inline tstamp wtree_at(const struct wtree *t, uint32_t leaf)
{
	return t->bits ? t->word[t->first + leaf] >> t->bits : t->min;
}
