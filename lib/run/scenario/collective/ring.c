// SPDX-License-Identifier: BSD-3-Clause
// The ring: in each step a rank sends a chunk to the next rank and gets one from the rank before.
#include "int.h"

// k + n, in 0..ranks-1; n is at least -ranks.
static uint32_t around(const struct emit *e, uint32_t k, int64_t n)
{
	return (uint32_t)(((int64_t)k + n + e->ranks) % e->ranks);
}

// ranks - 1 steps. In step k the rank sends chunk `from` - k, which it got in step k - 1.
// Returns the last RECV.
static uint32_t go_round(struct emit *e, uint32_t step, uint32_t from, bool adds, uint32_t after)
{
	uint32_t next = around(e, e->rank, 1), before = around(e, e->rank, -1);

	for (uint32_t k = 0; k + 1 < e->ranks; k++) {
		emit_send(e, next, step + k, around(e, from, -(int64_t)k), 1, after);
		after = emit_recv(
			e, before, step + k, around(e, from, -(int64_t)k - 1), 1, adds, GRAPH_NONE);
	}
	return after;
}

void ring_reduce_scatter(struct emit *e)
{
	e->blocks = e->ranks;
	go_round(e, 0, e->rank, true, GRAPH_NONE);
}

void ring_all_gather(struct emit *e)
{
	e->blocks = e->ranks;
	go_round(e, 0, around(e, e->rank, 1), false, GRAPH_NONE);
}

void ring_all_reduce(struct emit *e)
{
	uint32_t last;

	e->blocks = e->ranks;
	last = go_round(e, 0, e->rank, true, GRAPH_NONE);
	go_round(e, e->ranks - 1, around(e, e->rank, 1), false, last);
}
