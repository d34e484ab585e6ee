// SPDX-License-Identifier: BSD-3-Clause
// NCCL's binary trees: sums go up to the root, the result comes down.
#include "int.h"

static uint32_t tree_child(uint32_t ranks, uint32_t rank, uint32_t half)
{
	for (; half; half /= 2)
		if (rank + half < ranks)
			return rank + half;
	return GRAPH_NONE;
}

// The first tree. Of a rank's number the lowest bit that is set says its level.
static struct collective_tree first_tree(uint32_t ranks, uint32_t rank)
{
	uint32_t b = rank & -rank, up;

	if (!rank) {
		uint32_t top = 1;

		while (top * 2ull < ranks)
			top *= 2;
		return (struct collective_tree){
			GRAPH_NONE, {ranks > 1 ? top : GRAPH_NONE, GRAPH_NONE}};
	}
	up = (rank - b) | 2 * b;
	return (struct collective_tree){up < ranks ? up : rank - b,
		{b > 1 ? rank - b / 2 : GRAPH_NONE, tree_child(ranks, rank, b / 2)}};
}

struct collective_tree collective_tree_of(uint32_t ranks, uint32_t rank, bool second)
{
	bool odd = ranks % 2;
	struct collective_tree t;
	uint32_t *all[] = {&t.parent, &t.child[0], &t.child[1]};

	if (!second)
		return first_tree(ranks, rank);
	t = first_tree(ranks, odd ? (rank + ranks - 1) % ranks : ranks - 1 - rank);
	for (unsigned i = 0; i < 3; i++)
		if (*all[i] != GRAPH_NONE)
			*all[i] = odd ? (*all[i] + 1) % ranks : ranks - 1 - *all[i];
	return t;
}

// The sums of the children go up; the result comes from the parent and goes down. Block and tags
// belong to the tree.
static void reduce_along(struct emit *e, const struct collective_tree *t, uint32_t block)
{
	uint32_t up = 2 * block, from[2], last = GRAPH_NONE, sum;

	for (unsigned i = 0; i < 2; i++)
		from[i] = t->child[i] == GRAPH_NONE
				  ? GRAPH_NONE
				  : emit_recv(e, t->child[i], up, block, 1, true, GRAPH_NONE);
	if (t->parent != GRAPH_NONE) {
		sum = emit_send(e, t->parent, up, block, 1, from[0]);
		emit_edge(e, from[1], sum);
		last = emit_recv(e, t->parent, up + 1, block, 1, false, GRAPH_NONE);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (t->child[i] == GRAPH_NONE)
			continue;
		sum = emit_send(
			e, t->child[i], up + 1, block, 1, last == GRAPH_NONE ? from[0] : last);
		if (last == GRAPH_NONE)
			emit_edge(e, from[1], sum);
	}
}

void tree_all_reduce(struct emit *e)
{
	struct collective_tree t = collective_tree_of(e->ranks, e->rank, false);

	e->blocks = 1;
	reduce_along(e, &t, 0);
}

void double_tree_all_reduce(struct emit *e)
{
	e->blocks = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct collective_tree t = collective_tree_of(e->ranks, e->rank, i);

		reduce_along(e, &t, i);
	}
}
