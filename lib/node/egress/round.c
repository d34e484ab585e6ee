// SPDX-License-Identifier: BSD-3-Clause
// Frames of several classes that a port sends in turn: as many as scheduler and wire let go at
// once. Those of a class have their buffer given back together, as in leave.c, though frames of
// other classes leave between them.
#include "int.h"
#include "marker/marker.h"

#include "base/hint.h"

// Frames of one class, ingress port and group that leave in a row, as far as their class goes.
struct stretch {
	const struct pkt *p; // one of them
	unsigned cls;
	struct leaving sum; // but for by_ecn
};

// What leaves in a round.
struct round {
	unsigned n;
	bool as_came; // all frames leave so
	bool away;    // another shard has received some
	bool xoff;    // some are of groups in XOFF
	struct stretch of[SW_BURST];
	uint32_t by_ecn[PKT_CLASSES]; // frames by codepoint, 8 bits each
};

INLINE struct stretch *begin_stretch(
	const struct sw *sw, struct round *r, const struct pkt *p, unsigned cls)
{
	struct stretch *s = &r->of[r->n++];

	s->p = p;
	s->cls = cls;
	s->sum = (struct leaving){0};
	if (UNLIKELY(sw->fabric))
		r->away |= sw->port[p->in_port].away;
	r->xoff |= sw->mmu.pg[p->in_port * MMU_PGS + sw_pg(sw, p)].xoff;
	return s;
}

// Whether two frames of a class give their buffer back together. `groups`: it has several.
INLINE bool same_group(const struct pkt *p, const struct pkt *q, bool groups)
{
	return p->in_port == q->in_port && (!groups || p->pg == q->pg);
}

// n linked frames of a class leave, p and those behind it. *s is what leaves before them; NULL: no
// frame does.
INLINE void see_each(const struct sw *sw, struct round *r, struct stretch *s, const struct pkt *p,
	unsigned cls, unsigned n, bool groups)
{
	while (n) {
		const struct pkt *first = p;
		uint64_t word = pkt_word(p);
		unsigned from = n;

		do {
			p = p->next;
			n--;
		} while (n && pkt_word(p) == word && p->pg == first->pg);
		if (!s || !same_group(first, s->p, groups))
			s = begin_stretch(sw, r, first, cls);
		leaving_add_bytes(sw, &s->sum, first, from - n);
		r->as_came &= pkt_is_as_came(first);
		r->by_ecn[cls] += (from - n) << 8 * pkt_ecn(first);
	}
}

// The same of what is left of a class.
ASIDE void see_others(const struct sw *sw, struct round *r, struct stretch *s, const struct pkt *p,
	unsigned cls, unsigned n)
{
	see_each(sw, r, s, p, cls, n, false);
}

// What leaves of a class.
INLINE void see_class(
	const struct sw *sw, struct round *r, const struct eport_turns *t, unsigned cls)
{
	const struct pkt *p = t->first;
	struct stretch *s = NULL;

	r->by_ecn[cls] = 0;
	if (LIKELY(t->alike)) {
		s = begin_stretch(sw, r, p, cls);
		leaving_add_bytes(sw, &s->sum, p, t->alike);
		r->as_came &= pkt_is_as_came(p);
		r->by_ecn[cls] = t->alike << 8 * pkt_ecn(p);
	}
	if (t->alike < t->frames)
		see_others(sw, r, s, t->other, cls, t->frames - t->alike);
}

// What leaves of a class whose frames may be of several groups: those that are alike, too.
ASIDE void see_groups(
	const struct sw *sw, struct round *r, const struct eport_turns *t, unsigned cls)
{
	r->by_ecn[cls] = 0;
	see_each(sw, r, NULL, t->first, cls, t->frames, true);
}

// What leaves in a round.
INLINE void see_all(const struct sw *sw, struct round *r, const struct eport_round *e)
{
	r->n = 0;
	r->as_came = true;
	r->away = r->xoff = false;
	for (unsigned left = e->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		if (UNLIKELY(sw->several_groups >> c & 1))
			see_groups(sw, r, &e->q[c], c);
		else
			see_class(sw, r, &e->q[c], c);
	}
}

// Gives back the buffer of n frames in the order in which they leave.
ASIDE void release_in_order(
	struct sw *sw, struct sw_port *o, struct pkt *const *burst, unsigned n, tstamp now)
{
	for (unsigned from = 0, to; from < n; from = to) {
		const struct pkt *p = burst[from];
		struct leaving alike = {0};

		for (to = from + 1; to < n; to++)
			if (pkt_word(burst[to]) != pkt_word(p) || burst[to]->pg != p->pg)
				break;
		leaving_add(sw, &alike, p, to - from);
		leaving_release(sw, p, o->index, p->cls, &alike, now);
	}
}

// Bytes of the buffer that frames have.
static uint32_t held_by(const struct sw *sw, const struct leaving *l)
{
	return sw->two_sided ? l->held : l->bytes;
}

// What leaves of the groups in XOFF, each of which has its place here.
struct groups {
	unsigned n;
	uint8_t at[SW_BURST]; // where a group of this hash stands, + 1; 0: nowhere
	uint32_t group[SW_BURST], bytes[SW_BURST];
};

_Static_assert(SW_BURST == 64, "a hash has six bits");

static void add_to_group(struct groups *g, uint32_t group, uint32_t bytes)
{
	unsigned h = group * 0x9e3779b1u >> 26;

	while (g->at[h] && g->group[g->at[h] - 1] != group)
		h = (h + 1) % SW_BURST;
	if (!g->at[h]) {
		g->group[g->n] = group;
		g->bytes[g->n] = 0;
		g->at[h] = (uint8_t)++g->n;
	}
	g->bytes[g->at[h] - 1] += bytes;
}

// Whether a group in XOFF may come back to XON in some orders of the frames of a round, and not in
// others. In a shard, what is free depends on its lease, which may change with each frame.
ASIDE bool xon_by_order(const struct sw *sw, const struct round *r)
{
	struct groups g;
	uint64_t all = 0;

	if (sw->fabric)
		return true;
	g.n = 0;
	clear_small(g.at, sizeof(g.at));
	for (unsigned i = 0; i < r->n; i++)
		all += held_by(sw, &r->of[i].sum);
	for (unsigned i = 0; i < r->n; i++) {
		const struct pkt *p = r->of[i].p;
		uint32_t group = p->in_port * MMU_PGS + sw_pg(sw, p);

		if (mmu_may_resume(&sw->mmu.pg[group], all))
			add_to_group(&g, group, held_by(sw, &r->of[i].sum));
	}
	for (unsigned i = 0; i < g.n; i++)
		if (mmu_xon_by_order(
			    &sw->mmu, g.group[i] / MMU_PGS, g.group[i] % MMU_PGS, g.bytes[i], all))
			return true;
	return false;
}

// Gives back the buffer of the frames of a round, which stand in `burst`. Another shard hears of
// its frames in the order in which they leave.
INLINE void release_round(struct sw *sw, struct sw_port *o, struct pkt *const *burst,
	const struct eport_round *e, struct round *r, tstamp now)
{
	see_all(sw, r, e);
	if (UNLIKELY(r->away || (r->xoff && xon_by_order(sw, r)))) {
		release_in_order(sw, o, burst, e->n, now);
		return;
	}
	for (unsigned i = 0; i < r->n; i++)
		leaving_release(sw, r->of[i].p, o->index, (int)r->of[i].cls, &r->of[i].sum, now);
}

// Bitmaps of classes: those about whose frames something is to be decided when they leave, and of
// these those of whose marks Fast CNP may make CNPs.
struct deciding {
	unsigned classes, tell;
};

INLINE struct deciding deciding(const struct sw *sw, const struct sw_port *o, unsigned classes)
{
	struct deciding d = {0};

	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		const struct sw_cls *k = &sw->cls[c];
		unsigned decides = (unsigned)(o->e.q[c].bytes > k->tx_calm_bytes) << c;

		d.classes |= decides;
		d.tell |= k->hooks & SW_HOOK_MARK ? decides : 0;
	}
	return d;
}

// Counts what the markers have looked at.
static void count_seen(
	const struct sw *sw, struct sw_port *o, const struct round *r, unsigned classes)
{
	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		if (sw->cls[c].mark == SW_MARK_DEQUEUE)
			sw_marker_seen(&sw->cls[c], &o->out[c], r->by_ecn[c]);
	}
}

// Averages learn where nothing is left, before a CNP may bring a CNM there. `classes` has all that
// keep one.
static void learn_empty(const struct sw_port *o, unsigned classes, tstamp now)
{
	for (unsigned left = classes & ~(unsigned)o->e.nonempty; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		if (o->out[c].avg)
			red_avg_empty(o->out[c].avg, now);
	}
}

// Marks of classes `tell` may make CNPs: the round, of `max` frames at most, ends with the first
// frame whose mark makes one. The turn has not gone on then, for the CNP may be what comes next.
ASIDE void end_with_cnp(const struct sw *sw, struct sw_port *o, int cls, struct deciding d,
	struct pkt **burst, unsigned max, const struct eport_gates *gates, struct eport_round *e,
	struct sw_round_choice *c, tstamp now)
{
	unsigned n = sw_round_until_cnp(sw, d.tell, burst, e->n, c, now);

	sw_look_ahead(o, n);
	if (!n || n == max)
		return;
	eport_see_round(&o->e, cls, e->classes, burst, n, gates, e, now);
	sw_choose_round(sw, o, d.classes, burst, e, c);
}

// While a queue is heavily congested, iQCN looks whether it still is before each frame. Frames of
// H3C's third zone leave one by one. The buffer takes a CNP before the next frame leaves, or has
// its turn: PFC may go first then.
unsigned sw_tx_round(struct sw *sw, struct sw_port *o, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, struct eport_gates *gates, tstamp now)
{
	struct deciding d = deciding(sw, o, classes);
	struct sw_round_choice c;
	struct eport_round e;
	struct round r;

	if ((o->heavy | o->zone) & classes)
		return 0;
	max = max < SW_BURST ? max : SW_BURST;
	if (UNLIKELY(d.tell) && max > o->look_ahead)
		max = o->look_ahead;
	eport_see_round(&o->e, cls, classes, burst, max, gates, &e, now);
	if (!e.n)
		return 0;
	c.all.marked = c.told = 0;
	if (d.classes)
		sw_choose_round(sw, o, d.classes, burst, &e, &c);
	if (UNLIKELY(d.tell))
		end_with_cnp(sw, o, cls, d, burst, max, gates, &e, &c, now);
	eport_take_round(&o->e, &e, gates, now);
	release_round(sw, o, burst, &e, &r, now);
	if (r.as_came)
		leaving_as_came(sw, burst, red_frames(e.n) & ~c.all.marked);
	if (d.classes) {
		learn_empty(o, d.classes, now);
		sw_round_done(sw, o, d.classes, burst, &c, now);
	}
	count_seen(sw, o, &r, classes);
	return e.n;
}
