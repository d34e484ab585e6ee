// SPDX-License-Identifier: BSD-3-Clause
// What the marker chooses among frames that leave a queue together: the decisions first, which
// change nothing, and then what comes of them.
#include "cn/cn.h"
#include "int.h"

#include "base/hint.h"

INLINE bool is_ect(unsigned ecn)
{
	return ecn == ECN_ECT0 || ecn == ECN_ECT1;
}

// The first n frames, 1 to 64.
INLINE uint64_t first_ones(unsigned n)
{
	return UINT64_MAX >> (64 - n);
}

// All frames find the same length, as an average does not change with what leaves.
static void choose_at(const struct sw_cls *k, struct pkt *const *burst, unsigned n, unsigned alike,
	uint32_t sees, struct sw_choice *c)
{
	uint64_t ect = is_ect(sw_marker_ecn(k, burst[0])) ? first_ones(alike) : 0, marked = 0;
	struct prng rng = c->rng;
	uint64_t odds;

	c->sees[0] = sees;
	if (sees <= k->red.kmin_bytes)
		return;
	for (unsigned i = alike; i < n; i++)
		ect |= (uint64_t)is_ect(sw_marker_ecn(k, burst[i])) << i;
	c->ect = ect;
	if (sees > k->red.kmax_bytes) {
		for (unsigned i = 0; i < n; i++)
			marked |= (uint64_t)sw_marks_above(k, burst[i], sees) << i;
		c->marked = marked | ect;
		return;
	}
	odds = red_odds(&k->red, sees);
	for (unsigned i = 0; i < n; i++)
		if (LIKELY(ect >> i & 1))
			marked |= (uint64_t)red_draws(odds, &rng) << i;
	c->marked = marked;
	c->rng = rng;
}

static void choose_each(const struct sw_cls *k, struct pkt *const *burst, unsigned n,
	uint32_t qlen_bytes, uint32_t extra, struct sw_choice *c)
{
	uint64_t ect = 0, marked = 0, bit = 1;
	const struct red_cfg red = k->red;
	struct prng rng = c->rng;

	for (unsigned i = 0; i < n; i++, bit <<= 1) {
		const struct pkt *p = burst[i];
		uint32_t bytes = p->len + extra;
		uint32_t sees = qlen_bytes - (k->excludes_frame ? bytes : 0);

		qlen_bytes -= bytes;
		c->sees[i] = sees;
		if (sees <= red.kmin_bytes)
			continue;
		if (!is_ect(sw_marker_ecn(k, p))) {
			marked |= sw_marks_above(k, p, sees) ? bit : 0;
			continue;
		}
		ect |= bit;
		marked |= red_wants(&red, &rng, sees) ? bit : 0;
	}
	c->ect = ect;
	c->marked = marked;
	c->rng = rng;
}

void sw_choose(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	unsigned n, unsigned alike, uint32_t qlen_bytes, struct sw_choice *c)
{
	const struct sw_cls *k = &sw->cls[cls];
	const struct red_avg *a = o->out[cls].avg;

	c->rng = o->rng;
	c->ect = c->marked = 0;
	c->averaged = a != NULL;
	if (a)
		choose_at(k, burst, n, alike, red_avg_bytes(a), c);
	else
		choose_each(k, burst, n, qlen_bytes, sw->queue_extra, c);
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

// Where the marker has its lengths, decisions above Kmin count in the curve.
static void count_curve(
	struct red_curve *curve, const struct red_cfg *red, const struct sw_choice *c)
{
	if (c->averaged && c->ect)
		red_curve_add_burst(curve, red, c->sees[0], ones(c->ect), ones(c->ect & c->marked));
	if (c->averaged)
		return;
	for (uint64_t left = c->ect; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		red_curve_add(curve, red, c->sees[i], c->marked >> i & 1);
	}
}

// The first mark and the last one are noted, each as the number of ECT frames that the marker has
// seen, `before` of them before these. All before a marked one were above Kmin, as it was. A mark
// of H3C's third zone, before there were any, is no first one.
static void note_marks(struct red_curve *curve, uint64_t before, const struct sw_choice *c)
{
	for (uint64_t m = c->marked; m && !curve->first_marked; m &= m - 1)
		red_curve_marked(
			curve, before + ones(c->ect & up_to((unsigned)__builtin_ctzll(m))));
	if (c->marked)
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
	if (s->curve) {
		count_curve(s->curve, &k->red, c);
		note_marks(s->curve, sw_out_ect(s), c);
	}
	if (UNLIKELY(k->mark_any))
		by_ecn = (by_ecn & ~0xffu) + ((by_ecn & 0xff) << 8 * ECN_ECT0);
	for (unsigned i = 0; i <= ECN_CE; i++)
		s->seen_frames[i] += by_ecn >> 8 * i & 0xff;
	for (uint64_t left = c->marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint32_t sees = c->sees[c->averaged ? 0 : i];

		if (tells && burst[i]->kind == PKT_DATA &&
			sw_fast_cnp_tell(sw, o, burst[i], &c->said[i], sees, now))
			continue;
		sw_mark_ce(sw, o, burst[i], sees, now);
	}
}
