// SPDX-License-Identifier: BSD-3-Clause
// Which DSCPs share the queue of a lossy class. Frames of one queue come out in the order in which
// they arrived. Of two queues, one overtakes the other in one of the two orders.
#include "int.h"

#include <errno.h>
#include <math.h>

#define LEN   1020
#define DEPTH 64 // frames of each of two senders: more bytes than a queue sends in one turn
#define LEAST 8
#define LATE  4 // frames that two senders may bring in another order
#define DSCPS 64

// Frames of DSCP `first` fill the queue, and one frame of each DSCP of the bitmap follows them.
struct round {
	uint8_t first;
	uint64_t last;
};

// Two senders fill the queue at the line rate; then in[1] sends the frames that must stay behind.
static void build_rounds(
	struct probe *p, unsigned cls, const struct round *round, unsigned n, uint32_t depth)
{
	const struct probe_cfg *cfg = p->cfg;
	tstamp at = 0;

	probe_list_new(p, "order");
	for (unsigned i = 0; i < n; i++) {
		struct tester_item data = probe_data(p, cfg->in[0], cfg->out[0], cls, depth);

		data.at = at;
		data.len = LEN;
		data.tos = (uint8_t)(round[i].first << 2 | ECN_ECT0);
		probe_add(p, cfg->in[0], data);
		data.source = PROBE_SOURCE(cfg->in[1], 0);
		data.after = probe_add(p, cfg->in[1], data);
		data.at = 0;
		data.count = 1;
		data.len = PROBE_SHORT;
		data.source = PROBE_SOURCE(cfg->in[1], 1);
		for (uint64_t left = round[i].last; left; left &= left - 1) {
			data.tos = (uint8_t)(__builtin_ctzll(left) << 2 | ECN_ECT0);
			data.after = probe_add(p, cfg->in[1], data);
		}
		at += 2 * depth * probe_wire(p, LEN) + DSCPS * probe_wire(p, PROBE_SHORT) +
		      probe_release_time(p);
	}
	p->list.step.tail = at / n;
}

// The DSCPs of a round whose frames came after all frames of the first DSCP. None, if a frame of
// the first DSCP was lost. `number`: of the first frame that follows in this round.
static uint64_t stayed_behind(const struct probe *p, const struct lab_seen *s,
	const struct round *round, unsigned k, uint32_t depth, uint32_t number)
{
	const unsigned from[] = {PROBE_SOURCE(p->cfg->in[0], 0), PROBE_SOURCE(p->cfg->in[1], 0)};
	const unsigned follows = PROBE_SOURCE(p->cfg->in[1], 1);
	const uint32_t end = number + (uint32_t)__builtin_popcountll(round->last);
	uint32_t before = 0;
	uint64_t behind = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent || e->frame != TESTER_OURS)
			continue;
		if ((e->source == from[0] || e->source == from[1]) && e->number / depth == k)
			before++;
		else if (e->source == follows && e->number >= number && e->number < end &&
			 before + LATE > 2 * depth)
			behind |= 1ull << (e->tos >> 2);
	}
	return before == 2 * depth ? behind & round->last : 0;
}

// Does the rounds: kept[i] has the DSCPs that stayed behind in round i.
static int keep_order(struct probe *p, unsigned cls, const struct round *round, unsigned n,
	uint32_t depth, uint64_t *kept)
{
	struct lab_sight sight;
	uint32_t number = 0;
	const char *why;
	int rc;

	build_rounds(p, cls, round, n, depth);
	rc = probe_count(p, &sight, &why);
	if (rc)
		return rc;
	for (unsigned i = 0; i < n; i++) {
		kept[i] =
			stayed_behind(p, &sight.port[p->cfg->out[0]], &round[i], i, depth, number);
		number += (uint32_t)__builtin_popcountll(round[i].last);
	}
	return probe_clear(p);
}

// DSCPs that no class is known to have.
static uint64_t free_dscps(const struct probe *p)
{
	uint64_t taken = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		taken |= p->found->dscps[c];
		if (p->cfg->dscp[c] < DSCPS)
			taken |= 1ull << p->cfg->dscp[c];
	}
	return ~taken;
}

// Frames of each sender that the queue surely takes. 0: too few to tell an order.
static uint32_t depth_of(const struct probe *p, unsigned cls)
{
	double limit = found_value(p->found, cls, PROBE_TAIL_LIMIT);
	uint32_t fits = isnan(limit) ? DEPTH : (uint32_t)(limit / 2 / (LEN + PKT_FCS));

	return fits < LEAST ? 0 : fits < DEPTH ? fits : DEPTH;
}

int probe_order(struct probe *p, unsigned cls)
{
	uint8_t own = p->cfg->dscp[cls];
	uint32_t depth = depth_of(p, cls);
	uint64_t shared = 1ull << own, kept[DSCPS];
	struct round round[DSCPS] = {{own, free_dscps(p)}};
	unsigned n = 0;
	int rc = 0;

	if (p->cfg->n_in < 2 || !depth)
		return 0;
	if (probe_is_rough(p)) {
		found_state(p->found, cls, PROBE_DSCPS, FOUND_INVALID, 0,
			"loops are too long to tell an order of frames");
		return 0;
	}
	if (round[0].last)
		rc = keep_order(p, cls, round, 1, depth, kept);
	for (uint64_t left = round[0].last && !rc ? kept[0] : 0; left; left &= left - 1)
		round[n++] = (struct round){(uint8_t)__builtin_ctzll(left), 1ull << own};
	if (!rc && n)
		rc = keep_order(p, cls, round, n, depth, kept);
	if (rc)
		return rc == -EAGAIN ? 0 : rc;
	for (unsigned i = 0; i < n; i++)
		shared |= (uint64_t)(kept[i] != 0) << round[i].first;
	p->found->dscps[cls] = shared;
	found_is(p->found, cls, PROBE_DSCPS, __builtin_popcountll(shared), 0);
	return 0;
}
