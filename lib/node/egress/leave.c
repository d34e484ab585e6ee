// SPDX-License-Identifier: BSD-3-Clause
// Frames that leave a queue together: as many as scheduler and wire let go at once. The buffer is
// given back and the marker asked once for all of them where nothing has to be decided about each.
#include "int.h"
#include "marker/marker.h"
#include "pause/pause.h"
#include "shards/shards.h"

#include "base/hint.h"

void leaving_release(struct sw *sw, const struct pkt *p, unsigned out, int cls,
	const struct leaving *l, tstamp now)
{
	struct sw_port *in = &sw->port[p->in_port];
	unsigned pg = sw_pg(sw, p);
	bool xon;

	if (UNLIKELY(in->away)) {
		sw_buffer_credit(sw, p, out, l->n, now);
		return;
	}
	sw_in(sw, in, (unsigned)cls)[SW_IN_FORWARDED] += l->n;
	if (UNLIKELY(sw->two_sided)) {
		xon = mmu_leave_burst(&sw->pools, p->in_port, pg, out, (unsigned)cls, l->held);
	} else if (UNLIKELY(sw->fabric)) {
		mmu_lease_look(&sw->lease, &sw->mmu);
		xon = mmu_release(&sw->mmu, p->in_port, pg, l->bytes);
		mmu_lease_give(&sw->lease, &sw->mmu);
	} else {
		xon = mmu_release(&sw->mmu, p->in_port, pg, l->bytes);
	}
	if (UNLIKELY(xon))
		sw_xon(sw, in, pg, now);
}

// Bytes that have to stay in a queue for iQCN not to find it relieved; all of them where its frames
// leave one by one, since they are of H3C's third zone.
static uint32_t to_keep(const struct sw_cls *k, const struct sw_port *o, int cls)
{
	if (LIKELY(!(k->hooks & (SW_HOOK_HEAVY | SW_HOOK_ZONE))))
		return 0;
	if (o->zone >> cls & 1)
		return o->e.q[cls].bytes;
	return k->hooks & SW_HOOK_HEAVY && o->heavy >> cls & 1 ? k->heavy_off_bytes + 1 : 0;
}

// Whether n frames are of one priority group, and the whole cells that they hold. `differ`: the
// bits of pkt_word in which some of them is not like the first one.
ASIDE bool look_at_cells(const struct sw *sw, int cls, struct pkt *const *burst, unsigned n,
	uint64_t differ, uint32_t *held)
{
	const struct pkt *first = burst[0];
	bool groups = sw->several_groups >> cls & 1; // like frames may be in several
	unsigned pgs = 0;
	uint32_t cells = 0;

	for (unsigned i = 0; groups && i < n; i++)
		pgs |= burst[i]->pg ^ first->pg;
	if (differ & pkt_word_len())
		for (unsigned i = 0; i < n; i++)
			cells += mmu_cells(&sw->pools_cfg, burst[i]->len + sw->queue_extra);
	else
		cells = n * mmu_cells(&sw->pools_cfg, first->len + sw->queue_extra);
	*held = cells;
	return !pgs;
}

static uint32_t count_ecn(struct pkt *const *burst, unsigned n, uint64_t differ)
{
	uint32_t by_ecn = 0;

	if (LIKELY(!(differ & pkt_word_ecn())))
		return n << 8 * pkt_ecn(burst[0]);
	for (unsigned i = 0; i < n; i++)
		by_ecn += 1u << 8 * pkt_ecn(burst[i]);
	return by_ecn;
}

// Whether frames that leave have one ingress port. Where another shard has received them, they are
// alike, too.
INLINE bool leave_as_one(const struct sw *sw, const struct pkt *first, uint64_t differ)
{
	return !(differ & pkt_word_in_port()) &&
	       (!differ || LIKELY(!sw->port[first->in_port].away));
}

// Gives back the buffer of n frames of several ingress ports or groups. Those in a row that have
// one of each give it back together. Returns how many frames have which codepoint.
ASIDE uint32_t release_in_parts(struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, tstamp now)
{
	uint32_t by_ecn = 0;

	for (unsigned from = 0, to; from < n; from = to) {
		const struct pkt *p = burst[from];
		uint64_t word = pkt_word(p);
		struct leaving l = {0};

		for (to = from + 1;
			to < n && pkt_word(burst[to]) == word && burst[to]->pg == p->pg;)
			to++;
		leaving_add(sw, &l, p, to - from);
		for (; to < n && !sw->port[p->in_port].away; to++) {
			const struct pkt *next = burst[to];

			if (next->in_port != p->in_port || sw_pg(sw, next) != sw_pg(sw, p))
				break;
			leaving_add(sw, &l, next, 1);
		}
		leaving_release(sw, p, o->index, cls, &l, now);
		by_ecn += l.by_ecn;
	}
	return by_ecn;
}

// Gives back the buffer of n frames, which had `bytes` of the queue. Returns how many of them have
// which codepoint.
INLINE uint32_t release_burst(struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, uint64_t differ, uint32_t bytes, tstamp now)
{
	struct leaving l = {.n = n, .bytes = bytes};

	bool one = leave_as_one(sw, burst[0], differ);

	if (UNLIKELY(sw->two_sided || sw->several_groups))
		one = one && look_at_cells(sw, cls, burst, n, differ, &l.held);
	if (UNLIKELY(!one))
		return release_in_parts(sw, o, cls, burst, n, now);
	l.by_ecn = count_ecn(burst, n, differ);
	leaving_release(sw, burst[0], o->index, cls, &l, now);
	return l.by_ecn;
}

// Frames of a queue leave together where the marker decides about each, or an average learns that
// nothing is left. A CNP of Fast CNP is taken by the buffer before the next frame leaves, so that
// the frame whose mark makes it is the last one.
ASIDE unsigned give_chosen(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst,
	unsigned max, uint32_t keep, struct rate_gate *gate, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	bool marks = k->mark == SW_MARK_DEQUEUE, tells = marks && k->hooks & SW_HOOK_MARK;
	uint32_t qlen = o->e.q[cls].bytes, by_ecn;
	struct eport_run r;
	struct sw_choice c;

	c.marked = 0;
	if (tells && max > o->look_ahead)
		max = o->look_ahead;
	eport_see_burst(&o->e, cls, burst, max, keep, gate, &r, now);
	if (marks)
		sw_choose(sw, o, cls, burst, r.n, r.differ, qlen, &c);
	if (tells) {
		unsigned n = sw_choice_until_cnp(sw, burst, r.n, &c, now);

		sw_look_ahead(o, n);
		if (n && n < r.n) {
			eport_see_burst(&o->e, cls, burst, n, keep, gate, &r, now);
			sw_choose(sw, o, cls, burst, n, r.differ, qlen, &c);
		}
	}
	eport_take_burst(&o->e, cls, &r, gate, now);
	by_ecn = release_burst(sw, o, cls, burst, r.n, r.differ, qlen - r.left, now);
	if (o->out[cls].avg && !o->e.q[cls].head) // it learns when nothing is left
		red_avg_empty(o->out[cls].avg, now);
	if (pkt_are_as_came(burst[0], r.differ))
		leaving_as_came(sw, burst, red_frames(r.n) & ~c.marked);
	if (marks)
		sw_choice_done(sw, o, cls, burst, by_ecn, &c, now);
	return r.n;
}

// Gives frames of the train at the head of a queue, all of which another shard has received. It
// touches those that the marker has chosen, and no others.
ASIDE unsigned give_cars(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst,
	unsigned max, uint32_t keep, struct rate_gate *gate, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	const struct pkt *like = o->e.q[cls].head;
	uint32_t qlen = o->e.q[cls].bytes;
	bool decides = qlen > k->tx_calm_bytes;
	struct eport_sum sum;
	struct sw_choice c;
	unsigned n = eport_get_cars(&o->e, cls, burst, max, keep, gate, &sum, now);
	uint32_t bytes = sum.len + n * sw->queue_extra, held = bytes;

	c.marked = 0;
	if (decides)
		sw_choose_cars(sw, o, cls, sum.car, n, qlen, &c);
	for (uint64_t left = c.marked; left; left &= left - 1)
		__builtin_prefetch(burst[__builtin_ctzll(left)], 1);
	if (UNLIKELY(sw->two_sided)) {
		held = sw_buffer_cars(sw, sum.car, n);
		mmu_leave_queue(&sw->pools, o->index, (unsigned)cls, held);
	}
	sw_fabric_credit_held(sw, like, n, bytes, held, SW_FORWARDED, now);
	if (decides)
		sw_choice_done(sw, o, cls, burst, sum.by_ecn, &c, now);
	else if (k->mark == SW_MARK_DEQUEUE)
		sw_seen(&o->out[cls], sum.by_ecn);
	if (sum.as_came)
		leaving_as_came(sw, burst, red_frames(n) & ~c.marked);
	return n;
}

unsigned sw_tx_burst(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max,
	struct rate_gate *gate, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	struct eport_q *q = &o->e.q[cls];
	uint32_t qlen = q->bytes, keep = to_keep(k, o, cls), by_ecn;
	uint64_t differ;
	unsigned n;

	if (UNLIKELY(keep) && qlen < keep + q->head->len + sw->queue_extra)
		return 0;
	max = max < SW_BURST ? max : SW_BURST;
	if (UNLIKELY(q->head->kind == EPORT_TRAIN)) {
		n = give_cars(sw, o, cls, burst, max, keep, gate, now);
	} else if (qlen > k->tx_calm_bytes) {
		n = give_chosen(sw, o, cls, burst, max, keep, gate, now);
	} else {
		n = eport_get_burst(&o->e, cls, burst, max, keep, gate, &differ, now);
		by_ecn = release_burst(sw, o, cls, burst, n, differ, qlen - q->bytes, now);
		if (k->mark == SW_MARK_DEQUEUE)
			sw_seen(&o->out[cls], by_ecn);
		if (pkt_are_as_came(burst[0], differ))
			leaving_as_came(sw, burst, red_frames(n));
	}
	return n;
}
