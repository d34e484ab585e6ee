// SPDX-License-Identifier: BSD-3-Clause
// The tree of a timing wheel of few numbers: its instants, reckoned from a base.
#include "base/wheel_tree.h"

#include <errno.h>

// Builds the tree again, with its instants relative to `base`.
static void tree_rebase(struct wheel *w, tstamp base)
{
	w->base = base;
	for (uint32_t id = 0; id < w->ids; id++)
		if (w->place[id] != WHEEL_NONE)
			wtree_set(&w->tree, id, w->heap[id + 1].at - base);
}

// Sets an item's instant, and its leaf. The tree cannot tell instants apart that are too far from
// the base.
static void tree_set(struct wheel *w, uint32_t id, tstamp at)
{
	w->heap[id + 1].at = at;
	w->place[id] = (id + 1) | WHEEL_HELD;
	if (at < w->base)
		tree_rebase(w, at);
	else
		wtree_put(&w->tree, id, at - w->base);
}

static void tree_clear(struct wheel *w, uint32_t id)
{
	w->place[id] = WHEEL_NONE;
	wtree_set(&w->tree, id, TSTAMP_NEVER);
}

static void tree_find_first(struct wheel *w)
{
	tstamp least = TSTAMP_NEVER;

	if (w->tree.min >= wtree_never(&w->tree)) {
		for (uint32_t id = 0; id < w->ids; id++)
			if (w->place[id] != WHEEL_NONE)
				least = tstamp_min(least, w->heap[id + 1].at);
		tree_rebase(w, least);
	}
	*w->first = (struct wheel_item){.at = w->base + w->tree.min, .id = w->tree.leaf};
}

void wheel_tree_put(struct wheel *w, uint32_t id, tstamp at)
{
	if (w->all++ == 1)
		tree_set(w, w->first->id, w->first->at);
	tree_set(w, id, at);
	tree_find_first(w);
}

// An item goes from others.
static void tree_take_out(struct wheel *w, uint32_t id)
{
	tree_clear(w, id);
	tree_find_first(w);
	if (--w->all > 1)
		return;
	tree_clear(w, w->first->id);
	w->place[w->first->id] = WHEEL_HELD;
}

void wheel_tree_move(struct wheel *w, uint32_t id, tstamp at)
{
	if (at == TSTAMP_NEVER) {
		tree_take_out(w, id);
		return;
	}
	tree_set(w, id, at);
	tree_find_first(w);
}

int wheel_tree_grow(struct wheel *w, uint32_t ids)
{
	struct wtree tree;

	if (wtree_init(&tree, ids))
		return -ENOMEM;
	wtree_fini(&w->tree);
	w->tree = tree;
	if (w->all > 1)
		tree_rebase(w, w->base);
	return 0;
}

// A number's instant stands behind what is put into the row before it.
void wheel_tree_leave(struct wheel *w)
{
	uint32_t all = w->all;

	wtree_fini(&w->tree);
	if (all < 2)
		return;
	w->all = w->n = 0;
	w->first->at = TSTAMP_NEVER;
	for (uint32_t id = 0; w->all < all; id++) {
		tstamp at = w->heap[id + 1].at;

		if (w->place[id] == WHEEL_NONE)
			continue;
		w->place[id] = WHEEL_NONE;
		wheel_set(w, id, at);
	}
}
