// SPDX-License-Identifier: BSD-3-Clause
// What marker, average and drop curve decide about frames that leave a queue together, or join it:
// the decisions first, which change nothing, and then what comes of them.
#include "buffer/buffer.h"
#include "cn/cn.h"
#include "int.h"

#include "base/hint.h"

// Those of n frames (bitmap) whose codepoint is in the bitmap `takes`. `differ`: the bits of
// pkt_word in which some of them is not like the first one.
INLINE uint64_t frames_with(unsigned takes, struct pkt *const *burst, unsigned n, uint64_t differ)
{
	uint64_t with = 0;

	if (LIKELY(!(differ & pkt_word_ecn())))
		return takes >> pkt_ecn(burst[0]) & 1 ? red_frames(n) : 0;
#pragma GCC unroll 4
	for (unsigned i = 0; takes && i < n; i++)
		with |= (uint64_t)(takes >> pkt_ecn(burst[i]) & 1) << i;
	return with;
}

// What n frames find in a queue of `qlen_bytes` which they leave, or join, one after the other.
INLINE void find_lengths(const struct sw_cls *k, struct pkt *const *burst, unsigned n,
	uint64_t differ, uint32_t qlen_bytes, uint32_t extra, bool join, uint32_t *sees)
{
	uint32_t bytes = burst[0]->len + extra, without = -(uint32_t)k->excludes_frame;
	uint32_t first = qlen_bytes + (join ? bytes : 0) - (bytes & without);

	if (LIKELY(!(differ & pkt_word_len()))) {
		for (unsigned i = 0; i < n; i++)
			sees[i] = join ? first + i * bytes : first - i * bytes;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		bytes = burst[i]->len + extra;
		qlen_bytes += join ? bytes : 0;
		sees[i] = qlen_bytes - (bytes & without);
		qlen_bytes -= join ? 0 : bytes;
	}
}

// The marker draws for n frames, of which c->ect and c->sees are known.
INLINE void draw(const struct sw_cls *k, const struct sw_port *o, unsigned n, struct sw_choice *c)
{
	uint64_t marked = 0;

	while (n && c->sees[n - 1] <= k->red.kmin_bytes)
		n--;
	c->rng = o->rng;
	if (n)
		marked = red_wants_burst(&k->red, &c->rng, c->sees, n, c->ect);
	c->from = 0;
	c->to = n;
	c->marked = marked;
}

// The average of a queue does not change with what leaves: all frames find the same.
static void draw_by_average(const struct sw_cls *k, const struct sw_port *o, uint32_t sees,
	unsigned n, struct sw_choice *c)
{
	for (unsigned i = 0; i < n; i++)
		c->sees[i] = sees;
	c->rng = o->rng;
	c->from = 0;
	c->to = sees > k->red.kmin_bytes ? n : 0;
	c->marked = red_wants_alike(&k->red, &c->rng, sees, n, c->ect);
}

void sw_choose(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	unsigned n, uint64_t differ, uint32_t qlen_bytes, struct sw_choice *c)
{
	const struct sw_cls *k = &sw->cls[cls];
	const struct red_avg *a = o->out[cls].avg;

	c->ect = frames_with(marker_takes(k), burst, n, differ);
	if (a) {
		draw_by_average(k, o, red_avg_bytes(a), n, c);
		return;
	}
	find_lengths(k, burst, n, differ, qlen_bytes, sw->queue_extra, false, c->sees);
	draw(k, o, n, c);
}

void sw_choose_cars(const struct sw *sw, const struct sw_port *o, int cls, const eport_car *car,
	unsigned n, uint32_t qlen_bytes, struct sw_choice *c)
{
	const struct sw_cls *k = &sw->cls[cls];
	unsigned takes = marker_takes(k);

	c->ect = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t bytes = eport_car_len(car[i]) + sw->queue_extra;

		c->sees[i] = qlen_bytes - (k->excludes_frame ? bytes : 0);
		qlen_bytes -= bytes;
		c->ect |= (uint64_t)(takes >> eport_car_ecn(car[i]) & 1) << i;
	}
	draw(k, o, n, c);
}

// The queue with a frame that finds `sees`: the tail limit counts it, whatever the curves do.
INLINE uint32_t bytes_with(
	const struct sw *sw, const struct sw_cls *k, const struct pkt *p, uint32_t sees)
{
	return sees + (k->excludes_frame ? p->len + sw->queue_extra : 0);
}

// Decides about n frames one after the other, where some may be refused: those in `may` (bitmap) by
// the drop curve. c->sees has what they find as long as none is, and a frame that is refused does
// not lengthen the queue that the next one finds. The curve draws for a frame before the marker
// does, if that is asked, and both before the next frame. Where the tail limit is not reached
// (`limited`), or the queue keeps no average, the loop is without that.
INLINE void draw_each(const struct sw *sw, const struct sw_port *o, const struct sw_cls *k,
	struct pkt *const *burst, unsigned n, uint64_t may, const bool limited, const bool averages,
	struct sw_choice *c, tstamp now)
{
	struct prng own = c->rng; // in registers
	uint64_t marked = 0, refused = 0, asks = k->mark == SW_MARK_ENQUEUE ? c->ect : 0;
	uint32_t less = 0; // of what was refused
	struct red_avg avg;

	if (averages)
		avg = *o->out[burst[0]->cls].avg;
	for (unsigned i = 0; i < n; i++) {
		uint32_t found = c->sees[i] - less, sees = found;
		bool above = limited && bytes_with(sw, k, burst[i], found) > k->tail_limit;
		bool drops = above;

		if (averages && !above) {
			sw_avg_wake(k, o, &avg, burst[i], now);
			sees = red_avg_learn(&avg, k->wred_exponent, found);
		}
		if (!above && may >> i & 1)
			drops = sw_curve_drops(k, &own, sees);
		c->sees[i] = sees;
		if (UNLIKELY(drops)) {
			uint32_t bytes = burst[i]->len + sw->queue_extra;

			c->sees[i] = found - (k->excludes_frame ? 0 : bytes);
			c->above |= (uint64_t)above << i;
			refused |= 1ull << i;
			less += bytes;
		} else if (asks >> i & 1) {
			marked |= (uint64_t)red_wants(&k->red, &own, sees) << i;
		}
	}
	if (averages)
		c->avg = avg;
	c->rng = own;
	c->marked = marked;
	c->refused = refused;
	c->ect &= ~refused;
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

unsigned marker_first_cnp(const struct sw *sw, struct pkt *const *burst, unsigned n,
	uint64_t marked, struct sw_choice *c, tstamp now)
{
	uint64_t ask = 0;

	for (uint64_t left = marked; left; left &= left - 1) {
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

// Decides about n frames that join, as if no mark made a CNP.
static void choose_joining(const struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, uint64_t differ, struct sw_choice *c, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	bool marks = k->mark == SW_MARK_ENQUEUE, averages = k->wred_exponent, limited;
	uint64_t may = 0;

	c->rng = o->rng;
	c->marked = c->refused = c->above = 0;
	c->from = 0;
	c->to = n;
	c->ect = frames_with(marker_takes(k), burst, n, differ);
	find_lengths(k, burst, n, differ, o->e.q[cls].bytes, sw->queue_extra, true, c->sees);
	limited = bytes_with(sw, k, burst[n - 1], c->sees[n - 1]) > k->tail_limit;
	if (averages || c->sees[n - 1] > k->wred_drop.kmin_bytes)
		may = frames_with(sw_drops_ecn(k), burst, n, differ);
	if (averages)
		draw_each(sw, o, k, burst, n, may, true, true, c, now);
	else if (limited)
		draw_each(sw, o, k, burst, n, may, true, false, c, now);
	else if (may)
		draw_each(sw, o, k, burst, n, may, false, false, c, now);
	if (!marks)
		return;
	while (!averages && c->from < n && c->sees[c->from] <= k->red.kmin_bytes)
		c->from++;
	if (!averages && !limited && !may)
		draw_marks(k, n, c);
}

unsigned sw_choose_joining(const struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, uint64_t differ, struct sw_choice *c, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	unsigned calm;

	choose_joining(sw, o, cls, burst, n, differ, c, now);
	if (k->mark != SW_MARK_ENQUEUE || !(k->hooks & SW_HOOK_MARK))
		return n;
	calm = marker_first_cnp(sw, burst, n, c->marked, c, now);
	if (UNLIKELY(calm && calm < n)) // c->said stays what it is
		choose_joining(sw, o, cls, burst, calm, differ, c, now);
	return calm;
}

unsigned sw_choice_until_cnp(
	const struct sw *sw, struct pkt *const *burst, unsigned n, struct sw_choice *c, tstamp now)
{
	unsigned i = marker_first_cnp(sw, burst, n, c->marked, c, now);

	return i < n ? i + 1 : 0;
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

// Drops frame i, which was refused.
static void refuse(struct sw *sw, const struct sw_port *o, const struct sw_cls *k, struct pkt *p,
	unsigned i, const struct sw_choice *c, tstamp now)
{
	bool above = c->above >> i & 1;
	uint32_t with = above || k->excludes_frame ? 0 : p->len + sw->queue_extra;

	sw_drop(sw, p, above ? SW_DROP_TAIL : SW_DROP_WRED, o->index, c->sees[i] + with, now);
}

// What comes of the decisions. Frames from `from` on have found more than Kmin; in_order: their
// lengths fall or rise all the way, or are one average. `refused`: none of those that leave is.
INLINE void done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, unsigned from, bool in_order, uint64_t refused, const struct sw_choice *c,
	tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	struct sw_out *s = &o->out[cls];
	bool tells = k->hooks & SW_HOOK_MARK;

	o->rng = c->rng;
	if (s->curve && c->to > from) {
		if (in_order && s->avg)
			marker_add_average(s->curve, &k->red, c->sees[0],
				c->ect & red_frames(c->to), c->marked & c->ect);
		else if (in_order)
			red_curve_add_burst(s->curve, &k->red, c->sees + from, c->to - from,
				c->ect >> from, (c->marked & c->ect) >> from);
		else
			add_averages(s->curve, &k->red, c);
		if (c->marked)
			marker_note_marks(s->curve, sw_out_ect(s), c->ect, c->marked);
	}
	sw_marker_seen(k, s, by_ecn);
	for (uint64_t left = c->marked | refused; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint32_t sees = c->sees[i];

		if (refused >> i & 1) {
			refuse(sw, o, k, burst[i], i, c, now);
			continue;
		}
		if (tells && burst[i]->kind == PKT_DATA &&
			sw_fast_cnp_tell(sw, o, burst[i], &c->said[i], sees, now))
			continue;
		sw_mark_ce(sw, o, burst[i], sees, now);
	}
}

void sw_choice_done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now)
{
	done(sw, o, cls, burst, by_ecn, 0, true, 0, c, now);
}

void sw_choice_joined(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	bool averages = o->out[cls].avg != NULL;

	if (averages)
		*o->out[cls].avg = c->avg;
	if (k->mark == SW_MARK_ENQUEUE) {
		done(sw, o, cls, burst, by_ecn, c->from, !averages, c->refused, c, now);
		return;
	}
	o->rng = c->rng;
	for (uint64_t left = c->refused; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		refuse(sw, o, k, burst[i], i, c, now);
	}
}
