// SPDX-License-Identifier: BSD-3-Clause
// The strongest tree: each queue is below the vertex to which it owes most of its time; rings come
// last.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#define NO_EDGE UINT32_MAX

// `up`, by queue: the edge to its parent. `child`, by queue and then by root: the edge to its first
// child. `next`, by edge: the edge to the next child.
struct links {
	uint32_t *up, *child, *last, *next;
};

static uint32_t parent_of(const struct lineage *l, const struct lineage_edge *e)
{
	return e->root == LINEAGE_NONE ? e->to : l->queues.n + e->root;
}

// Edges come the longest first, so that the first one of a queue is its strongest.
static void choose_parents(struct lineage *l, struct links *k)
{
	for (uint32_t i = 0; i < l->edges.n; i++) {
		struct lineage_edge *e = &l->edge[i];
		uint32_t parent = parent_of(l, e);

		if (k->up[e->queue] != NO_EDGE)
			continue;
		e->strongest = true;
		k->up[e->queue] = i;
		if (k->child[parent] == NO_EDGE)
			k->child[parent] = i;
		else
			k->next[k->last[parent]] = i;
		k->last[parent] = i;
	}
}

static bool add_tree_row(struct lineage *l, struct lineage_row row)
{
	struct lineage_row *r = lineage_grow(l, &l->rows, sizeof(*r));

	if (r)
		*r = row;
	return r;
}

// Adds a row for each vertex below `vertex`, in depth-first order, so that a vertex comes after its
// parent. Clears the `up` link of each: a queue that keeps its link is in no tree yet. The stack
// holds, for each depth, the edge to follow next. False: memory is out.
static bool add_below(struct lineage *l, struct links *k, uint32_t vertex)
{
	uint32_t *at;

	l->stack.n = 0;
	if (!(at = lineage_grow(l, &l->stack, sizeof(*at))))
		return false;
	*at = k->child[vertex];
	while (l->stack.n) {
		uint32_t edge = ((uint32_t *)l->stack.at)[l->stack.n - 1];
		const struct lineage_edge *e = &l->edge[edge];

		if (edge == NO_EDGE) {
			l->stack.n--;
			continue;
		}
		((uint32_t *)l->stack.at)[l->stack.n - 1] = k->next[edge];
		if (e->queue == vertex)
			continue;
		k->up[e->queue] = NO_EDGE;
		if (!add_tree_row(l, (struct lineage_row){l->stack.n, e->queue, LINEAGE_NONE, e->to,
					     e->ps}) ||
			!(at = lineage_grow(l, &l->stack, sizeof(*at))))
			return false;
		*at = k->child[e->queue];
	}
	return true;
}

// The queue that the path upward from another queue meets a second time.
static uint32_t in_ring(const struct lineage *l, const struct links *k, uint32_t queue)
{
	uint32_t slow = queue, fast = queue;

	// The hare and the tortoise.
	do {
		slow = l->edge[k->up[slow]].to;
		fast = l->edge[k->up[l->edge[k->up[fast]].to]].to;
	} while (slow != fast);
	return slow;
}

// The queue of the ring that was paused for the longest time.
static uint32_t top_of(const struct lineage *l, const struct links *k, uint32_t queue)
{
	uint32_t top = in_ring(l, k, queue), q = top, from = top;

	while ((q = l->edge[k->up[q]].to) != from)
		if (queue_at(l, q)->ps > queue_at(l, top)->ps ||
			(queue_at(l, q)->ps == queue_at(l, top)->ps && q < top))
			top = q;
	return top;
}

// Lists the trees of roots, the largest first, then the trees of rings, from which no path leads to
// a root.
static int list_rows(struct lineage *l, struct links *k)
{
	for (uint32_t i = 0; i < l->roots.n; i++) {
		const struct lineage_row row = {
			0, LINEAGE_NONE, i, LINEAGE_NONE, root_at(l, i)->ps};
		uint32_t vertex = l->queues.n + i;

		if (k->child[vertex] != NO_EDGE &&
			(!add_tree_row(l, row) || !add_below(l, k, vertex)))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < l->edges.n; i++) {
		const struct lineage_edge *e = &l->edge[i];
		uint32_t top;

		if (k->up[e->queue] == NO_EDGE)
			continue;
		top = top_of(l, k, e->queue);
		e = &l->edge[k->up[top]];
		k->up[top] = NO_EDGE;
		if (!add_tree_row(l, (struct lineage_row){0, top, LINEAGE_NONE, e->to, e->ps}) ||
			!add_below(l, k, top))
			return -ENOMEM;
	}
	return 0;
}

int tree_finish(struct lineage *l)
{
	uint32_t n = l->queues.n + l->roots.n;
	size_t size = (l->queues.n + 2ul * n + l->edges.n + 1) * sizeof(uint32_t);
	uint32_t *at = malloc(size);
	struct links k = {at, at + l->queues.n, at + l->queues.n + n, at + l->queues.n + 2ul * n};
	int ret;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < size / sizeof(*at); i++)
		at[i] = NO_EDGE;
	choose_parents(l, &k);
	ret = list_rows(l, &k);
	free(at);
	return ret;
}
