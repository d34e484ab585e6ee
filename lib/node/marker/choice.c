// SPDX-License-Identifier: BSD-3-Clause
// What the marker chooses among frames that leave a queue together: the decisions first, which
// change nothing, and then what comes of them.
#include "cn/cn.h"
#include "int.h"

#include "base/hint.h"

// What n frames find where `qlen_bytes` stand there yet, and which of them the marker takes for
// ECT; `alike` at their head agree in pkt_word.
INLINE uint64_t find_lengths(const struct sw_cls *k, struct pkt *const *burst, unsigned n,
	unsigned alike, uint32_t qlen_bytes, uint32_t extra, uint32_t *sees)
{
	unsigned takes = 1u << ECN_ECT0 | 1u << ECN_ECT1 | k->mark_any << ECN_NOT_ECT, i;
	uint32_t bytes = burst[0]->len + extra, without = -(uint32_t)k->excludes_frame;
	uint64_t ect = takes >> pkt_ecn(burst[0]) & 1 ? red_frames(alike) : 0;

	for (i = 0; i < alike; i++, qlen_bytes -= bytes)
		sees[i] = qlen_bytes - (bytes & without);
	for (; i < n; i++, qlen_bytes -= bytes) {
		bytes = burst[i]->len + extra;
		sees[i] = qlen_bytes - (bytes & without);
		ect |= (uint64_t)(takes >> pkt_ecn(burst[i]) & 1) << i;
	}
	return ect;
}

void sw_choose(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	unsigned n, unsigned alike, uint32_t qlen_bytes, struct sw_choice *c)
{
	const struct sw_cls *k = &sw->cls[cls];
	const struct red_avg *a = o->out[cls].avg;
	uint64_t ect, marked = 0;

	ect = find_lengths(k, burst, n, alike, qlen_bytes, sw->queue_extra, c->sees);
	for (unsigned i = 0; a && i < n; i++) // it does not change with what leaves
		c->sees[i] = red_avg_bytes(a);
	for (unsigned i = 0; UNLIKELY(k->wred == SW_WRED_H3C) && i < n; i++)
		marked |= (uint64_t)sw_marks_above(k, burst[i], c->sees[i]) << i;
	while (n && c->sees[n - 1] <= k->red.kmin_bytes)
		n--;
	c->rng = o->rng;
	if (n)
		marked |= red_wants_burst(&k->red, &c->rng, c->sees, n, ect);
	c->looked_at = n;
	c->ect = ect;
	c->marked = marked;
}

unsigned sw_choice_until_cnp(
	const struct sw *sw, struct pkt *const *burst, unsigned n, struct sw_choice *c, tstamp now)
{
	uint64_t ask = 0;

	for (uint64_t left = c->marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		ask |= (uint64_t)(burst[i]->kind == PKT_DATA) << i;
	}
	fast_cnp_marked_burst(sw->fast_cnp, burst, ask, c->said, now);
	for (uint64_t left = ask; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		if (c->said[i].verdict == FAST_CNP_SEND)
			return i + 1;
	}
	return n;
}

static unsigned ones(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(x * 0x0101010101010101 >> 56);
}

// Frames up to i.
static uint64_t up_to(unsigned i)
{
	return UINT64_MAX >> (63 - i);
}

// The first mark and the last one are noted, each as the number of ECT frames that the marker has
// seen, `before` of them before these. All before a marked one were above Kmin, as it was. A mark
// of H3C's third zone, before there were any, is no first one.
static void note_marks(struct red_curve *curve, uint64_t before, const struct sw_choice *c)
{
	for (uint64_t m = c->marked; m && !curve->first_marked; m &= m - 1)
		red_curve_marked(
			curve, before + ones(c->ect & up_to((unsigned)__builtin_ctzll(m))));
	curve->last_marked =
		before + ones(c->ect & up_to(63 - (unsigned)__builtin_clzll(c->marked)));
}

void sw_choice_done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	struct sw_out *s = &o->out[cls];
	bool tells = k->hooks & SW_HOOK_MARK;

	o->rng = c->rng;
	if (s->curve && c->looked_at) {
		red_curve_add_burst(
			s->curve, &k->red, c->sees, c->looked_at, c->ect, c->marked & c->ect);
		if (c->marked)
			note_marks(s->curve, sw_out_ect(s), c);
	}
	if (UNLIKELY(k->mark_any))
		by_ecn = (by_ecn & ~0xffu) + ((by_ecn & 0xff) << 8 * ECN_ECT0);
	for (unsigned i = 0; i <= ECN_CE; i++)
		s->seen_frames[i] += by_ecn >> 8 * i & 0xff;
	for (uint64_t left = c->marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint32_t sees = c->sees[i];

		if (tells && burst[i]->kind == PKT_DATA &&
			sw_fast_cnp_tell(sw, o, burst[i], &c->said[i], sees, now))
			continue;
		sw_mark_ce(sw, o, burst[i], sees, now);
	}
}
