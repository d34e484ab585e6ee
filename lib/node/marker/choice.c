// SPDX-License-Identifier: BSD-3-Clause
// What marker, average and drop curve decide about frames that leave a queue together, or join it:
// the decisions first, which change nothing, and then what comes of them.
#include "cn/cn.h"
#include "int.h"

#include "base/hint.h"

// The codepoints (bitmap) that the marker takes for ECT.
INLINE unsigned marker_takes(const struct sw_cls *k)
{
	return 1u << ECN_ECT0 | 1u << ECN_ECT1 | k->mark_any << ECN_NOT_ECT;
}

// Those of n frames (bitmap) whose codepoint is in the bitmap `takes`. `differ`: the bits of
// pkt_word in which some of them is not like the first one.
INLINE uint64_t frames_with(unsigned takes, struct pkt *const *burst, unsigned n, uint64_t differ)
{
	uint64_t with = 0;

	if (LIKELY(!(differ & pkt_word_ecn())))
		return takes >> pkt_ecn(burst[0]) & 1 ? red_frames(n) : 0;
	for (unsigned i = 0; takes && i < n; i++)
		with |= (uint64_t)(takes >> pkt_ecn(burst[i]) & 1) << i;
	return with;
}

// What n frames find in a queue of `qlen_bytes` which they leave, or join, one after the other.
INLINE void find_lengths(const struct sw_cls *k, struct pkt *const *burst, unsigned n,
	uint64_t differ, uint32_t qlen_bytes, uint32_t extra, bool join, uint32_t *sees)
{
	uint32_t bytes = burst[0]->len + extra, without = -(uint32_t)k->excludes_frame;

	for (unsigned i = 0; !(differ & pkt_word_len()) && i < n; i++) {
		qlen_bytes += join ? bytes : 0;
		sees[i] = qlen_bytes - (bytes & without);
		qlen_bytes -= join ? 0 : bytes;
	}
	for (unsigned i = 0; differ & pkt_word_len() && i < n; i++) {
		bytes = burst[i]->len + extra;
		qlen_bytes += join ? bytes : 0;
		sees[i] = qlen_bytes - (bytes & without);
		qlen_bytes -= join ? 0 : bytes;
	}
}

// Frames of H3C's third zone.
static uint64_t marked_above(
	const struct sw_cls *k, struct pkt *const *burst, unsigned n, const uint32_t *sees)
{
	uint64_t marked = 0;

	for (unsigned i = 0; UNLIKELY(k->wred == SW_WRED_H3C) && i < n; i++)
		marked |= (uint64_t)sw_marks_above(k, burst[i], sees[i]) << i;
	return marked;
}

// The marker draws for n frames, of which c->ect and c->sees are known. Those in `marked` (bitmap)
// have a mark without it.
INLINE void draw(const struct sw_cls *k, const struct sw_port *o, unsigned n, uint64_t marked,
	struct sw_choice *c)
{
	while (n && c->sees[n - 1] <= k->red.kmin_bytes)
		n--;
	c->rng = o->rng;
	if (n)
		marked |= red_wants_burst(&k->red, &c->rng, c->sees, n, c->ect);
	c->from = 0;
	c->to = n;
	c->marked = marked;
}

void sw_choose(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	unsigned n, uint64_t differ, uint32_t qlen_bytes, struct sw_choice *c)
{
	const struct sw_cls *k = &sw->cls[cls];
	const struct red_avg *a = o->out[cls].avg;

	c->ect = frames_with(marker_takes(k), burst, n, differ);
	find_lengths(k, burst, n, differ, qlen_bytes, sw->queue_extra, false, c->sees);
	for (unsigned i = 0; a && i < n; i++) // it does not change with what leaves
		c->sees[i] = red_avg_bytes(a);
	draw(k, o, n, marked_above(k, burst, n, c->sees), c);
}

void sw_choose_cars(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	const eport_car *car, unsigned n, uint32_t qlen_bytes, struct sw_choice *c)
{
	const struct sw_cls *k = &sw->cls[cls];
	unsigned takes = marker_takes(k);
	uint64_t marked = 0;

	c->ect = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t bytes = eport_car_len(car[i]) + sw->queue_extra;

		c->sees[i] = qlen_bytes - (k->excludes_frame ? bytes : 0);
		qlen_bytes -= bytes;
		c->ect |= (uint64_t)(takes >> eport_car_ecn(car[i]) & 1) << i;
	}
	for (unsigned i = 0; UNLIKELY(k->wred == SW_WRED_H3C) && i < n; i++)
		if (eport_car_ecn(car[i]) == ECN_NOT_ECT)
			marked |= (uint64_t)sw_marks_above(k, burst[i], c->sees[i]) << i;
	draw(k, o, n, marked, c);
}

// How many of n frames join before the drop curve drops one of those in `may`, and which of them
// the marker chooses, if it is asked: both draw for a frame before they do for the next one.
static unsigned draw_each(
	const struct sw_cls *k, unsigned n, uint64_t may, bool marks, struct sw_choice *c)
{
	struct prng own = c->rng; // in registers
	uint64_t marked = 0, asks = marks ? c->ect : 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		if (may >> i & 1 && sw_curve_drops(k, &own, c->sees[i]))
			break;
		if (asks >> i & 1)
			marked |= (uint64_t)red_wants(&k->red, &own, c->sees[i]) << i;
	}
	c->rng = own;
	c->marked = marked;
	return i;
}

// The marker alone decides.
static void draw_marks(const struct sw_cls *k, unsigned n, struct sw_choice *c)
{
	unsigned from = c->from;

	if (from < n)
		c->marked =
			red_wants_burst(&k->red, &c->rng, c->sees + from, n - from, c->ect >> from)
			<< from;
}

// The average learns of n frames that join, the first of which may find it idle; it is what they
// see.
static void learn(const struct sw_cls *k, const struct sw_port *o, const struct pkt *p, unsigned n,
	struct sw_choice *c, tstamp now)
{
	struct red_avg a = *o->out[p->cls].avg;

	sw_avg_wake(k, o, &a, p, now);
	for (unsigned i = 0; i < n; i++)
		c->sees[i] = red_avg_learn(&a, k->wred_exponent, c->sees[i]);
	c->avg = a;
}

// The first frame whose mark makes a CNP of Fast CNP; n: there is none.
static unsigned first_cnp(
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
			return i;
	}
	return n;
}

// The tail limit counts the frame that joins, whatever the curves do.
static unsigned within_tail_limit(const struct sw_cls *k, struct pkt *const *burst, unsigned n,
	uint32_t extra, const uint32_t *sees)
{
	while (n &&
		sees[n - 1] + (k->excludes_frame ? burst[n - 1]->len + extra : 0) > k->tail_limit)
		n--;
	return n;
}

// Decides about n frames that join, as far as all of them do. Returns how many do before one that
// does not, or whose mark makes a CNP. If that is n, *c has what is decided about them.
static unsigned choose_joining(const struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, uint64_t differ, struct sw_choice *c, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	bool marks = k->mark == SW_MARK_ENQUEUE;
	unsigned fit;
	uint64_t may = 0;

	c->ect = frames_with(marker_takes(k), burst, n, differ);
	find_lengths(k, burst, n, differ, o->e.q[cls].bytes, sw->queue_extra, true, c->sees);
	fit = within_tail_limit(k, burst, n, sw->queue_extra, c->sees);
	if (UNLIKELY(fit < n))
		return fit;
	if (k->wred_exponent)
		learn(k, o, burst[0], n, c, now);
	c->rng = o->rng;
	c->marked = 0;
	c->from = 0;
	c->to = n;
	while (!k->wred_exponent && c->from < n && c->sees[c->from] <= k->red.kmin_bytes)
		c->from++;
	if (k->wred_exponent || c->sees[n - 1] > k->wred_drop.kmin_bytes)
		may = frames_with(sw_drops_ecn(k), burst, n, differ);
	if (may || (marks && k->wred_exponent)) {
		unsigned joined = draw_each(k, n, may, marks, c);

		if (joined < n)
			return joined;
	} else if (marks) {
		draw_marks(k, n, c);
	}
	if (!marks)
		return n;
	c->marked |= marked_above(k, burst, n, c->sees);
	return k->hooks & SW_HOOK_MARK ? first_cnp(sw, burst, n, c, now) : n;
}

unsigned sw_choose_joining(const struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, uint64_t differ, struct sw_choice *c, tstamp now)
{
	for (unsigned asked = 0; n && n != asked;) {
		asked = n;
		n = choose_joining(sw, o, cls, burst, n, differ, c, now);
	}
	return n;
}

unsigned sw_choice_until_cnp(
	const struct sw *sw, struct pkt *const *burst, unsigned n, struct sw_choice *c, tstamp now)
{
	unsigned i = first_cnp(sw, burst, n, c, now);

	return i < n ? i + 1 : n;
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
INLINE void note_marks(struct red_curve *curve, uint64_t before, const struct sw_choice *c)
{
	for (uint64_t m = c->marked; m && !curve->first_marked; m &= m - 1)
		red_curve_marked(
			curve, before + ones(c->ect & up_to((unsigned)__builtin_ctzll(m))));
	curve->last_marked =
		before + ones(c->ect & up_to(63 - (unsigned)__builtin_clzll(c->marked)));
}

// What the marker has decided about lengths that an average makes of those that rise: they are in
// no order, and some may not be above Kmin.
static void add_averages(
	struct red_curve *curve, const struct red_cfg *red, const struct sw_choice *c)
{
	for (uint64_t left = c->ect & red_frames(c->to); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		if (c->sees[i] > red->kmin_bytes)
			red_curve_add(curve, red, c->sees[i], c->marked >> i & 1);
	}
}

// What comes of the decisions. Frames from `from` on have found more than Kmin; in_order: their
// lengths fall or rise all the way.
INLINE void done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, unsigned from, bool in_order, const struct sw_choice *c, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	struct sw_out *s = &o->out[cls];
	bool tells = k->hooks & SW_HOOK_MARK;

	o->rng = c->rng;
	if (s->curve && c->to > from) {
		if (in_order)
			red_curve_add_burst(s->curve, &k->red, c->sees + from, c->to - from,
				c->ect >> from, (c->marked & c->ect) >> from);
		else
			add_averages(s->curve, &k->red, c);
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

void sw_choice_done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now)
{
	done(sw, o, cls, burst, by_ecn, 0, true, c, now);
}

void sw_choice_joined(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now)
{
	bool averages = o->out[cls].avg != NULL;

	if (averages)
		*o->out[cls].avg = c->avg;
	if (sw->cls[cls].mark == SW_MARK_ENQUEUE)
		done(sw, o, cls, burst, by_ecn, c->from, !averages, c, now);
	else
		o->rng = c->rng;
}
