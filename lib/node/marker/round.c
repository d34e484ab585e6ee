// SPDX-License-Identifier: BSD-3-Clause
// What marker and average decide about frames of several classes that leave in turn: in the order
// in which they leave, for that is the order in which the marker draws; and what comes of it, for
// each class at once.
#include "cn/cn.h"
#include "int.h"

#include "base/hint.h"

// What frames of a round draw for.
struct drawing {
	uint64_t draws; // bitmap: those that draw; others get a mark or get none
	uint64_t odds[SW_BURST];
};

// Finds the frames of each class.
INLINE void find_classes(
	unsigned classes, struct pkt *const *burst, unsigned n, uint64_t of[PKT_CLASSES])
{
	for (unsigned left = classes; left; left &= left - 1)
		of[__builtin_ctz(left)] = 0;
	for (unsigned i = 0; i < n; i++)
		of[burst[i]->cls] |= 1ull << i;
}

// Frames `of` of a queue find `sees` and less, each `bytes` less than the one before it.
INLINE void find_lengths(const struct red_cfg *red, uint64_t of, uint32_t sees, uint32_t bytes,
	uint32_t *to, uint64_t *odds)
{
	for (uint64_t left = of; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		to[i] = sees;
		odds[i] = red_odds(red, sees);
		sees -= bytes;
	}
}

// The same of frames that have several lengths.
ASIDE void find_each_length(const struct sw *sw, const struct sw_cls *k, struct pkt *const *burst,
	uint64_t of, uint32_t qlen_bytes, uint32_t *to, uint64_t *odds)
{
	for (uint64_t left = of; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint32_t bytes = burst[i]->len + sw->queue_extra;

		to[i] = qlen_bytes - (k->excludes_frame ? bytes : 0);
		odds[i] = red_odds(&k->red, to[i]);
		qlen_bytes -= bytes;
	}
}

// Those of frames of several codepoints that are in the bitmap `takes`.
ASIDE uint64_t frames_with(unsigned takes, struct pkt *const *burst, uint64_t of)
{
	uint64_t with = 0;

	for (uint64_t left = of; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		with |= (uint64_t)(takes >> pkt_ecn(burst[i]) & 1) << i;
	}
	return with;
}

// ECT frames of a queue some of which may find more than Kmax, or no more than Kmin.
ASIDE void draw_by_length(
	const struct red_cfg *red, uint64_t ect, struct sw_choice *c, struct drawing *d)
{
	for (uint64_t left = ect; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint32_t sees = c->sees[i];

		c->marked |= (uint64_t)(sees > red->kmax_bytes) << i;
		d->draws |= (uint64_t)(sees > red->kmin_bytes && sees <= red->kmax_bytes) << i;
	}
}

// What the marker of a class asks of its frames `of`, which find lengths that fall, or an average.
// If none of them finds more than Kmin, only what the first one finds is noted.
INLINE void ask(const struct sw *sw, const struct sw_cls *k, const struct red_avg *a,
	const struct eport_turns *t, struct pkt *const *burst, uint64_t of, uint32_t qlen_bytes,
	struct sw_choice *c, struct drawing *d)
{
	uint32_t bytes = t->first->len + sw->queue_extra;
	uint32_t most = a ? red_avg_bytes(a) : qlen_bytes - (k->excludes_frame ? bytes : 0), least;
	unsigned takes = marker_takes(k);
	uint64_t ect;

	c->sees[__builtin_ctzll(of)] = most;
	if (most <= k->red.kmin_bytes)
		return;
	if (!a && UNLIKELY(t->differ & pkt_word_len()))
		find_each_length(sw, k, burst, of, qlen_bytes, c->sees, d->odds);
	else
		find_lengths(&k->red, of, most, a ? 0 : bytes, c->sees, d->odds);
	if (UNLIKELY(t->differ & pkt_word_ecn()))
		ect = frames_with(takes, burst, of);
	else
		ect = takes >> pkt_ecn(t->first) & 1 ? of : 0;
	c->ect |= ect;
	least = c->sees[63 - __builtin_clzll(of)];
	if (LIKELY(most <= k->red.kmax_bytes && least > k->red.kmin_bytes))
		d->draws |= ect;
	else
		draw_by_length(&k->red, ect, c, d);
}

// Those that draw, of n frames, do so one after the other: which of them get a mark. *behind: the
// generator then.
INLINE uint64_t draw(
	const struct drawing *d, unsigned n, const struct prng *from, struct prng *behind)
{
	struct prng own = *from; // in registers
	uint64_t wants = 0;

	if (LIKELY(d->draws == red_frames(n))) {
		for (unsigned i = 0; i < n; i++)
			wants = wants >> 1 | (uint64_t)red_draws(d->odds[i], &own)
						     << (RED_BURST - 1);
		wants >>= RED_BURST - n;
	} else {
		for (uint64_t left = d->draws; left; left &= left - 1) {
			unsigned i = (unsigned)__builtin_ctzll(left);

			wants |= (uint64_t)red_draws(d->odds[i], &own) << i;
		}
	}
	*behind = own;
	return wants;
}

void sw_choose_round(const struct sw *sw, const struct sw_port *o, unsigned decides,
	struct pkt *const *burst, const struct eport_round *e, struct sw_round_choice *c)
{
	struct drawing d;

	find_classes(e->classes, burst, e->n, c->of);
	c->all.ect = c->all.marked = d.draws = 0;
	for (unsigned left = decides; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);
		const struct sw_cls *k = &sw->cls[cls];

		if (k->mark != SW_MARK_DEQUEUE || !c->of[cls])
			continue;
		ask(sw, k, o->out[cls].avg, &e->q[cls], burst, c->of[cls], o->e.q[cls].bytes,
			&c->all, &d);
	}
	c->all.marked |= draw(&d, e->n, &o->rng, &c->all.rng);
}

unsigned sw_round_until_cnp(const struct sw *sw, unsigned classes, struct pkt *const *burst,
	unsigned n, struct sw_round_choice *c, tstamp now)
{
	uint64_t of = 0;
	unsigned i;

	if (!c->all.marked)
		return 0;
	for (unsigned left = classes; left; left &= left - 1)
		of |= c->of[__builtin_ctz(left)];
	c->told = c->all.marked & of;
	i = marker_first_cnp(sw, burst, n, c->told, &c->all, now);

	return i < n ? i + 1 : 0;
}

// ECT frames that leave find lengths that fall; those at the end may find no more than Kmin.
static void add_lengths(struct red_curve *curve, const struct red_cfg *red, const uint32_t *sees,
	uint64_t ect, uint64_t marked)
{
	for (uint64_t left = ect; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		if (sees[i] <= red->kmin_bytes)
			break;
		red_curve_add(curve, red, sees[i], marked >> i & 1);
	}
}

// What the curve of a class keeps of its frames `of`.
static void keep_curve(
	const struct sw_cls *k, const struct sw_out *s, uint64_t of, const struct sw_choice *c)
{
	uint64_t ect = c->ect & of, marked = c->marked & of;

	if (!(ect | marked)) // what they find is not noted where the marker is asked nothing
		return;
	if (s->avg)
		marker_add_average(
			s->curve, &k->red, c->sees[__builtin_ctzll(of)], ect, marked & ect);
	else
		add_lengths(s->curve, &k->red, c->sees, ect, marked);
	if (marked)
		marker_note_marks(s->curve, sw_out_ect(s), ect, marked);
}

void sw_round_done(struct sw *sw, struct sw_port *o, unsigned decides, struct pkt *const *burst,
	const struct sw_round_choice *c, tstamp now)
{
	o->rng = c->all.rng;
	for (unsigned left = o->e.cfg->monitor ? decides : 0; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);

		if (o->out[cls].curve)
			keep_curve(&sw->cls[cls], &o->out[cls], c->of[cls], &c->all);
	}
	for (uint64_t left = c->all.marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint32_t sees = c->all.sees[i];

		if (c->told >> i & 1 && burst[i]->kind == PKT_DATA &&
			sw_fast_cnp_tell(sw, o, burst[i], &c->all.said[i], sees, now))
			continue;
		sw_mark_ce(sw, o, burst[i], sees, now);
	}
}
