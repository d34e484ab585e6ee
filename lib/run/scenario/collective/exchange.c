// SPDX-License-Identifier: BSD-3-Clause
// Each rank with each other: pairwise, where a step waits for the one before, or all at once. And
// the binomial tree of a broadcast.
#include "int.h"

static bool is_power(uint32_t n)
{
	return !(n & (n - 1));
}

void pairwise_reduce_scatter(struct emit *e)
{
	uint32_t after = GRAPH_NONE;

	e->blocks = e->ranks;
	for (uint32_t k = 1; k < e->ranks; k++) {
		uint32_t to = (e->rank + k) % e->ranks;

		emit_send(e, to, k - 1, to, 1, after);
		after = emit_recv(
			e, (e->rank + e->ranks - k) % e->ranks, k - 1, e->rank, 1, true, after);
	}
}

void pairwise_all_gather(struct emit *e)
{
	uint32_t after = GRAPH_NONE;

	e->blocks = e->ranks;
	for (uint32_t k = 1; k < e->ranks; k++) {
		uint32_t from = (e->rank + e->ranks - k) % e->ranks;

		emit_send(e, (e->rank + k) % e->ranks, k - 1, e->rank, 1, after);
		after = emit_recv(e, from, k - 1, from, 1, false, after);
	}
}

// The blocks of an all-to-all: one for each pair of ranks.
static uint32_t pair_block(const struct emit *e, uint32_t from, uint32_t to)
{
	return from * e->ranks + to;
}

void pairwise_all_to_all(struct emit *e)
{
	uint32_t after = GRAPH_NONE;

	e->blocks = 1;
	for (uint32_t k = 1; k < e->ranks; k++) {
		uint32_t to = (e->rank + k) % e->ranks;
		uint32_t from = (e->rank + e->ranks - k) % e->ranks;

		if (is_power(e->ranks))
			to = from = e->rank ^ k;
		emit_send(e, to, k - 1, pair_block(e, e->rank, to), 1, after);
		after = emit_recv(e, from, k - 1, pair_block(e, from, e->rank), 1, false, after);
	}
}

void at_once_all_to_all(struct emit *e)
{
	e->blocks = 1;
	for (uint32_t k = 1; k < e->ranks; k++) {
		uint32_t from = (e->rank + e->ranks - k) % e->ranks;

		emit_recv(e, from, 0, pair_block(e, from, e->rank), 1, false, GRAPH_NONE);
	}
	for (uint32_t k = 1; k < e->ranks; k++) {
		uint32_t to = (e->rank + k) % e->ranks;

		emit_send(e, to, 0, pair_block(e, e->rank, to), 1, GRAPH_NONE);
	}
}

void binomial_broadcast(struct emit *e)
{
	uint32_t k = 0, after = GRAPH_NONE;

	e->blocks = 1;
	if (e->rank) {
		while (2ull << k <= e->rank)
			k++;
		after = emit_recv(e, e->rank - (1u << k), k, 0, 1, false, GRAPH_NONE);
		k++;
	}
	// One receiver after the other: a SEND waits for the end of the SEND before.
	for (; e->rank + (1ull << k) < e->ranks; k++)
		after = emit_send(e, e->rank + (1u << k), k, 0, 1, after);
}
