// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving and doubling: partners are a power of two apart.
//
// 2^m is the highest power of two that is not above the number of ranks N, and r = N - 2^m. Of the
// first r pairs of ranks the even one gives its data to the odd one before, and gets the result
// from it at the end. So 2^m ranks take part, with the numbers q = 0, 1, ...
#include "int.h"

struct team {
	uint32_t m, size; // size = 2^m
	uint32_t pairs;   // r
	uint32_t q;       // of this rank, or GRAPH_NONE: it takes no part
	uint32_t last;    // RECV that the next SEND waits for
	uint32_t end;     // the step in which the result comes back
	bool whole; // blocks are those of all ranks; else there is one for each that takes part
};

static struct team team_of(struct emit *e, bool whole)
{
	struct team t = {.last = GRAPH_NONE, .whole = whole};

	while (2u << t.m <= e->ranks)
		t.m++;
	t.size = 1u << t.m;
	t.pairs = e->ranks - t.size;
	t.end = 2 * t.m + 1;
	t.q = e->rank < 2 * t.pairs ? e->rank / 2 : e->rank - t.pairs;
	if (e->rank < 2 * t.pairs && e->rank % 2 == 0)
		t.q = GRAPH_NONE;
	e->blocks = whole ? e->ranks : t.size;
	return t;
}

static uint32_t rank_of(const struct team *t, uint32_t q)
{
	return q < t->pairs ? 2 * q + 1 : q + t->pairs;
}

// The first block of q. The blocks of a pair belong to the rank of the two that takes part.
static uint32_t block_of(const struct team *t, uint32_t q)
{
	if (!t->whole)
		return q;
	return q < t->pairs ? 2 * q : q + t->pairs;
}

// A pair's even rank gives blocks to the odd one, which adds them or stores them.
static void fold(struct emit *e, struct team *t, uint32_t first, uint32_t n, bool adds)
{
	if (e->rank >= 2 * t->pairs)
		return;
	if (t->q == GRAPH_NONE)
		emit_send(e, e->rank + 1, 0, first, n, GRAPH_NONE);
	else
		t->last = emit_recv(e, e->rank - 1, 0, first, n, adds, GRAPH_NONE);
}

// The result comes back.
static void unfold(struct emit *e, struct team *t, uint32_t first, uint32_t n)
{
	if (e->rank >= 2 * t->pairs)
		return;
	if (t->q == GRAPH_NONE)
		emit_recv(e, e->rank + 1, t->end, first, n, false, GRAPH_NONE);
	else
		emit_send(e, e->rank - 1, t->end, first, n, t->last);
}

// Exchanges blocks with a partner: `give` and `take` are numbers of ranks that take part, `n` of
// them from there on.
static void exchange(struct emit *e, struct team *t, uint32_t bit, uint32_t step, uint32_t give,
	uint32_t take, uint32_t n, bool adds)
{
	uint32_t partner = rank_of(t, t->q ^ bit), after = t->last;

	emit_send(e, partner, step, block_of(t, give), block_of(t, give + n) - block_of(t, give),
		after);
	t->last = emit_recv(e, partner, step, block_of(t, take),
		block_of(t, take + n) - block_of(t, take), adds, after);
}

// The partner is half of the rest away; a rank keeps the half in which it is.
static void halve(struct emit *e, struct team *t)
{
	uint32_t lo = 0, step = 1;

	for (uint32_t bit = t->size / 2; t->q != GRAPH_NONE && bit; bit /= 2) {
		uint32_t keep = lo + (t->q & bit ? bit : 0), give = lo + (t->q & bit ? 0 : bit);

		exchange(e, t, bit, step++, give, keep, bit, true);
		lo = keep;
	}
}

// A rank sends all blocks that it has; the nearest partner comes first.
static void gather(struct emit *e, struct team *t)
{
	uint32_t step = t->m + 1;

	for (uint32_t bit = 1; t->q != GRAPH_NONE && bit < t->size; bit *= 2) {
		uint32_t have = t->q & ~(bit - 1);

		exchange(e, t, bit, step++, have, have ^ bit, bit, false);
	}
}

void doubling_all_reduce(struct emit *e)
{
	struct team t = team_of(e, false);

	e->blocks = 1;
	fold(e, &t, 0, 1, true);
	for (uint32_t k = 0; t.q != GRAPH_NONE && k < t.m; k++) {
		uint32_t partner = rank_of(&t, t.q ^ 1u << k), after = t.last;

		emit_send(e, partner, k + 1, 0, 1, after);
		t.last = emit_recv(e, partner, k + 1, 0, 1, true, after);
	}
	unfold(e, &t, 0, 1);
}

void halving_reduce_scatter(struct emit *e)
{
	struct team t = team_of(e, true);

	fold(e, &t, 0, e->ranks, true);
	halve(e, &t);
	unfold(e, &t, e->rank & ~1u, 1);
}

void doubling_all_gather(struct emit *e)
{
	struct team t = team_of(e, true);

	fold(e, &t, e->rank & ~1u, 1, false);
	gather(e, &t);
	unfold(e, &t, 0, e->ranks);
}

void halving_doubling_all_reduce(struct emit *e)
{
	struct team t = team_of(e, false);

	fold(e, &t, 0, t.size, true);
	halve(e, &t);
	gather(e, &t);
	unfold(e, &t, 0, t.size);
}
