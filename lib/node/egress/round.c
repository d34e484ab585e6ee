// SPDX-License-Identifier: BSD-3-Clause
// Frames of several classes that a port sends in turn: as many as scheduler and wire let go at
// once. Those of a class have their buffer given back together, as in leave.c, though frames of
// other classes leave between them.
#include "int.h"
#include "marker/marker.h"

#include "base/hint.h"

#include <string.h>

// Frames of one class, ingress port and group that leave in a row, as far as their class goes.
struct stretch {
	const struct pkt *p; // one of them
	unsigned cls;
	struct leaving sum;
};

// What leaves in a round.
struct round {
	unsigned n;
	bool as_came; // all frames leave so
	// Whether what comes of a frame depends on the order in which frames leave: a group may
	// come back to XON, here or in the shard that has received it.
	bool in_order;
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
	r->in_order |=
		sw->port[p->in_port].away || sw->mmu.pg[p->in_port * MMU_PGS + sw_pg(sw, p)].xoff;
	return s;
}

// Whether the two give their buffer back together.
INLINE bool same_group(const struct sw *sw, const struct pkt *p, const struct pkt *q)
{
	return p->in_port == q->in_port && (!sw->mapped || p->pg == q->pg);
}

// n linked frames of a class leave, p and those behind it. *s is what leaves before them; NULL: no
// frame does.
ASIDE void see_each(const struct sw *sw, struct round *r, struct stretch *s, const struct pkt *p,
	unsigned cls, unsigned n)
{
	while (n) {
		const struct pkt *first = p;
		unsigned from = n;

		do {
			p = p->next;
			n--;
		} while (n && pkt_word(p) == pkt_word(first) && p->pg == first->pg);
		if (!s || !same_group(sw, first, s->p))
			s = begin_stretch(sw, r, first, cls);
		leaving_add(sw, &s->sum, first, from - n);
		r->as_came &= pkt_is_as_came(first);
		r->by_ecn[cls] += (from - n) << 8 * pkt_ecn(first);
	}
}

// What leaves of a class. Frames that are alike may be of several groups where these are mapped.
INLINE void see_class(
	const struct sw *sw, struct round *r, const struct eport_turns *t, unsigned cls)
{
	const struct pkt *p = t->first;
	unsigned alike = UNLIKELY(sw->mapped) ? 0 : t->alike;
	struct stretch *s = NULL;

	r->by_ecn[cls] = 0;
	if (LIKELY(alike)) {
		s = begin_stretch(sw, r, p, cls);
		leaving_add(sw, &s->sum, p, alike);
		r->as_came &= pkt_is_as_came(p);
		r->by_ecn[cls] = alike << 8 * pkt_ecn(p);
		p = t->other;
	}
	if (alike < t->frames)
		see_each(sw, r, s, p, cls, t->frames - alike);
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

// Gives back the buffer of the frames of a round, which stand in `burst`.
INLINE void release_round(struct sw *sw, struct sw_port *o, struct pkt *const *burst,
	const struct eport_round *e, struct round *r, tstamp now)
{
	r->n = 0;
	r->as_came = true;
	r->in_order = false;
	for (unsigned left = e->classes; left; left &= left - 1)
		see_class(sw, r, &e->q[__builtin_ctz(left)], (unsigned)__builtin_ctz(left));
	if (UNLIKELY(r->in_order)) {
		release_in_order(sw, o, burst, e->n, now);
		return;
	}
	for (unsigned i = 0; i < r->n; i++)
		leaving_release(sw, r->of[i].p, o->index, (int)r->of[i].cls, &r->of[i].sum, now);
}

// The classes of which something is to be decided about frames that leave.
static unsigned deciding(const struct sw *sw, const struct sw_port *o, unsigned classes)
{
	unsigned decide = 0;

	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		decide |= (unsigned)(o->e.q[c].bytes > sw->cls[c].tx_calm_bytes) << c;
	}
	return decide;
}

static void count_seen(
	const struct sw *sw, struct sw_port *o, const struct round *r, unsigned classes)
{
	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		if (sw->cls[c].mark == SW_MARK_DEQUEUE)
			sw_seen(&o->out[c], r->by_ecn[c]);
	}
}

// What a frame finds in its queue, `*qlen` bytes, which it leaves.
INLINE uint32_t frame_sees(
	const struct sw *sw, const struct sw_cls *k, const struct pkt *p, uint32_t *qlen)
{
	uint32_t bytes = p->len + sw->queue_extra, sees = *qlen;

	*qlen -= bytes;
	return sees - (k->excludes_frame ? bytes : 0);
}

// What is decided about frames of `classes` (bitmap) that have left, each of which found `qlen` in
// its queue less those before it. Returns which of them were chosen (bitmap).
ASIDE uint64_t decide(struct sw *sw, struct sw_port *o, unsigned classes, uint32_t *qlen,
	struct pkt *const *burst, unsigned n, tstamp now)
{
	uint64_t marked = 0;

	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];
		const struct sw_cls *k = &sw->cls[p->cls];
		uint32_t sees;

		if (!(classes >> p->cls & 1))
			continue;
		sees = frame_sees(sw, k, p, &qlen[p->cls]);
		if (k->tx_look == SW_LOOK_PLAIN ? sw_marker(k, o, p, sees)
						: sw_wred_tx(sw, o, p, sees, now)) {
			sw_mark(sw, o, p, sees, now);
			marked |= 1ull << i;
		}
	}
	return marked;
}

// Whether a mark may make a CNP of Fast CNP.
static bool tells(const struct sw *sw, unsigned decides)
{
	unsigned hooks = 0;

	for (unsigned left = decides; left; left &= left - 1)
		hooks |= sw->cls[__builtin_ctz(left)].hooks;
	return hooks & SW_HOOK_MARK;
}

// Of n frames that may leave those up to the first whose mark makes a CNP; 0: none makes one. About
// frames of `classes` (bitmap) something is decided; `qlen` is as in decide.
ASIDE unsigned until_cnp(const struct sw *sw, const struct sw_port *o, unsigned classes,
	const uint32_t *qlen, struct pkt *const *burst, unsigned n, tstamp now)
{
	struct prng rng = o->rng;
	uint32_t behind[PKT_CLASSES];
	struct sw_choice c;

	memcpy(behind, qlen, sizeof(behind));
	c.marked = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct pkt *p = burst[i];
		const struct sw_cls *k = &sw->cls[p->cls];
		bool marks;

		if (!(classes >> p->cls & 1))
			continue;
		marks = sw_would_mark(k, o, &rng, p, frame_sees(sw, k, p, &behind[p->cls]));
		c.marked |= (uint64_t)(marks && k->hooks & SW_HOOK_MARK) << i;
	}
	return sw_choice_until_cnp(sw, burst, n, &c, now);
}

// While a queue is heavily congested, iQCN looks whether it still is before each frame. The buffer
// takes a CNP before the next frame leaves, or has its turn: PFC may go first then.
unsigned sw_tx_round(struct sw *sw, struct sw_port *o, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, struct eport_gates *gates, tstamp now)
{
	unsigned decides = deciding(sw, o, classes);
	bool may_tell = tells(sw, decides);
	uint64_t marked = 0;
	uint32_t qlen[PKT_CLASSES];
	struct eport_round e;
	struct round r;

	if (o->heavy & classes)
		return 0;
	max = max < SW_BURST ? max : SW_BURST;
	if (UNLIKELY(may_tell) && max > o->look_ahead)
		max = o->look_ahead;
	eport_see_round(&o->e, cls, classes, burst, max, gates, &e, now);
	if (!e.n)
		return 0;
	for (unsigned left = decides; left; left &= left - 1)
		qlen[__builtin_ctz(left)] = o->e.q[__builtin_ctz(left)].bytes;
	if (UNLIKELY(may_tell)) {
		unsigned n = until_cnp(sw, o, decides, qlen, burst, e.n, now);

		sw_look_ahead(o, n);
		if (n && n < e.n)
			eport_see_round(&o->e, cls, classes, burst, n, gates, &e, now);
	}
	eport_take_round(&o->e, &e, gates, now);
	release_round(sw, o, burst, &e, &r, now);
	if (decides)
		marked = decide(sw, o, decides, qlen, burst, e.n, now);
	if (r.as_came)
		leaving_as_came(sw, burst, red_frames(e.n) & ~marked);
	count_seen(sw, o, &r, classes & ~decides);
	return e.n;
}
