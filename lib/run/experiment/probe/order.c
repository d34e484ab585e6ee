// SPDX-License-Identifier: BSD-3-Clause
// Which DSCPs share the queue of a lossy class. Frames of one queue come out in the order in which
// they arrived. Of two queues, one overtakes the other in one of the two orders.
#include "int.h"

#include <errno.h>
#include <math.h>

#define LEN   1020
#define DEPTH 64 // frames of each of two senders: more bytes than a queue sends in its turn
#define LEAST 8
#define LATE  4 // frames that two senders may bring in another order
#define DSCPS 64

// Two DSCPs: frames of `first` fill the queue, and a frame of `last` follows them.
struct pair {
	uint8_t first, last;
};

// Two senders fill the queue at the line rate; then in[1] sends the frame that must stay behind.
static void build_pairs(
	struct probe *p, unsigned cls, const struct pair *pair, unsigned n, uint32_t depth)
{
	const struct probe_cfg *cfg = p->cfg;
	tstamp fill = depth * probe_wire(p, LEN), each = 2 * fill + p->transit + 2 * probe_w(p);

	probe_list_new(p, "order");
	for (unsigned i = 0; i < n; i++) {
		struct tester_item data = probe_data(p, cfg->in[0], cfg->out[0], cls, depth);

		data.at = i * each;
		data.len = LEN;
		data.tos = (uint8_t)(pair[i].first << 2 | ECN_ECT0);
		probe_add(p, cfg->in[0], data);
		data.source = PROBE_SOURCE(cfg->in[1], 0);
		data.after = probe_add(p, cfg->in[1], data);
		data.at = 0;
		data.count = 1;
		data.tos = (uint8_t)(pair[i].last << 2 | ECN_ECT0);
		data.source = PROBE_SOURCE(cfg->in[1], 1);
		probe_add(p, cfg->in[1], data);
	}
	p->list.step.tail = each;
}

// Frames of the first DSCP of pair k that came behind its last frame. -1: that one never came, or
// one of the others did not.
static int overtaken(const struct probe *p, const struct lab_seen *s, unsigned k, uint32_t depth)
{
	const struct probe_cfg *cfg = p->cfg;
	unsigned before = 0, behind = 0;
	bool came = false;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent || e->frame != TESTER_OURS)
			continue;
		if (e->source == PROBE_SOURCE(cfg->in[1], 1)) {
			came |= e->number == k;
		} else if ((e->source == PROBE_SOURCE(cfg->in[0], 0) ||
				   e->source == PROBE_SOURCE(cfg->in[1], 0)) &&
			   e->number / depth == k) {
			before += !came;
			behind += came;
		}
	}
	return came && before + behind == 2 * depth ? (int)behind : -1;
}

// Does the pairs; bit i of *kept: the order of pair i stayed.
static int keep_order(struct probe *p, unsigned cls, const struct pair *pair, unsigned n,
	uint32_t depth, uint64_t *kept)
{
	struct lab_sight sight;
	const char *why;
	int rc;

	*kept = 0;
	if (!n)
		return 0;
	build_pairs(p, cls, pair, n, depth);
	rc = probe_count(p, &sight, &why);
	if (rc)
		return rc;
	for (unsigned i = 0; i < n; i++) {
		int behind = overtaken(p, &sight.port[p->cfg->out[0]], i, depth);

		*kept |= (uint64_t)(behind >= 0 && behind < LATE) << i;
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
	uint64_t kept, shared = 1ull << own;
	struct pair pair[DSCPS];
	unsigned n = 0, m = 0;
	int rc;

	if (p->cfg->n_in < 2 || !depth)
		return 0;
	for (uint64_t left = free_dscps(p); left; left &= left - 1)
		pair[n++] = (struct pair){own, (uint8_t)__builtin_ctzll(left)};
	rc = keep_order(p, cls, pair, n, depth, &kept);
	for (unsigned i = 0; !rc && i < n; i++)
		if (kept >> i & 1)
			pair[m++] = (struct pair){pair[i].last, own};
	if (!rc)
		rc = keep_order(p, cls, pair, m, depth, &kept);
	if (rc)
		return rc == -EAGAIN ? 0 : rc;
	for (unsigned i = 0; i < m; i++)
		shared |= (kept >> i & 1) << pair[i].first;
	p->found->dscps[cls] = shared;
	found_is(p->found, cls, PROBE_DSCPS, __builtin_popcountll(shared), 0);
	return 0;
}
