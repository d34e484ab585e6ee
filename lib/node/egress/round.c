// SPDX-License-Identifier: BSD-3-Clause
// Frames of several classes that a port sends in turn: as many as scheduler and wire let go at
// once. Those of a class have their buffer given back together, as in leave.c, though frames of
// other classes leave between them.
#include "int.h"
#include "marker/marker.h"

#include "base/hint.h"

// What the frames of a round that have not given their buffer back have in sum, by class. The last
// ones of a class, which are alike, are counted only.
struct round {
	unsigned open; // bitmap: classes that have some
	bool as_came;  // all frames leave so
	struct round_cls {
		const struct pkt *p; // of the last ones
		uint64_t word;       // pkt_word of it; 0: the class has none
		unsigned n;          // of them
		unsigned pg;
		uint32_t by_ecn;    // of all frames that have given it back
		struct leaving sum; // of those before them
	} cls[PKT_CLASSES];
};

// n frames like p are the last ones.
INLINE void begin_run(struct round *r, struct round_cls *k, const struct pkt *p, unsigned n)
{
	k->p = p;
	k->word = pkt_word(p);
	k->n = n;
	k->pg = p->pg;
	r->as_came &= pkt_is_as_came(p);
}

INLINE void add_last(const struct sw *sw, struct round_cls *k)
{
	leaving_add(sw, &k->sum, k->p, k->n);
}

static void close_class(struct sw *sw, struct sw_port *o, struct round *r, unsigned cls, tstamp now)
{
	struct round_cls *k = &r->cls[cls];

	add_last(sw, k);
	r->open &= ~(1u << cls);
	k->word = 0;
	k->by_ecn += k->sum.by_ecn;
	leaving_release(sw, k->p, o->index, (int)cls, &k->sum, now);
}

static void close_all(struct sw *sw, struct sw_port *o, struct round *r, tstamp now)
{
	for (unsigned left = r->open; left; left &= left - 1)
		close_class(sw, o, r, (unsigned)__builtin_ctz(left), now);
}

// Whether what comes of a frame depends on the order in which frames leave: its group may come back
// to XON, here or in the shard that has received it.
INLINE bool order_matters(const struct sw *sw, const struct pkt *p)
{
	return sw->port[p->in_port].away || sw->mmu.pg[p->in_port * MMU_PGS + sw_pg(sw, p)].xoff;
}

// n frames like p are of another ingress port or group than those of their class before them.
static void begin_group(struct sw *sw, struct sw_port *o, struct round *r, const struct pkt *p,
	unsigned n, tstamp now)
{
	struct round_cls *k = &r->cls[p->cls];
	bool alone = order_matters(sw, p);

	if (alone)
		close_all(sw, o, r, now);
	else if (k->word)
		close_class(sw, o, r, p->cls, now);
	r->open |= 1u << p->cls;
	k->sum = (struct leaving){0};
	begin_run(r, k, p, n);
	if (alone)
		close_class(sw, o, r, p->cls, now);
}

// Gives back the buffer of n frames. Those of one class that have one ingress port and group in a
// row give it back together.
INLINE void release_round(struct sw *sw, struct sw_port *o, struct pkt *const *burst, unsigned n,
	struct round *r, tstamp now)
{
	for (unsigned i = 0; i < n;) {
		const struct pkt *p = burst[i];
		struct round_cls *k = &r->cls[p->cls];
		uint64_t word = pkt_word(p);
		unsigned from = i++;

		while (i < n && pkt_word(burst[i]) == word && burst[i]->pg == p->pg)
			i++;
		if (k->word == word && k->pg == p->pg) {
			k->n += i - from;
		} else if (k->word && k->p->in_port == p->in_port &&
			   (!sw->mapped || k->pg == p->pg)) {
			add_last(sw, k);
			begin_run(r, k, p, i - from);
		} else {
			begin_group(sw, o, r, p, i - from, now);
		}
	}
	close_all(sw, o, r, now);
}

INLINE void begin(struct round *r, unsigned classes)
{
	r->open = 0;
	r->as_came = true;
	for (unsigned left = classes; left; left &= left - 1)
		r->cls[__builtin_ctz(left)].word = r->cls[__builtin_ctz(left)].by_ecn = 0;
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
			sw_seen(&o->out[c], r->cls[c].by_ecn);
	}
}

// What is decided about frames of `classes` (bitmap) that have left, each of which found `qlen` in
// its queue less those before it.
ASIDE void decide(struct sw *sw, struct sw_port *o, unsigned classes, uint32_t *qlen,
	struct pkt *const *burst, unsigned n, tstamp now)
{
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];
		const struct sw_cls *k = &sw->cls[p->cls];
		uint32_t bytes = p->len + sw->queue_extra, sees = qlen[p->cls];

		if (!(classes >> p->cls & 1))
			continue;
		qlen[p->cls] -= bytes;
		sees -= k->excludes_frame ? bytes : 0;
		if (k->tx_look == SW_LOOK_PLAIN ? sw_marker(k, o, p, sees)
						: sw_wred_tx(sw, o, p, sees, now))
			sw_mark(sw, o, p, sees, now);
	}
}

// Whether a mark may make a CNP of Fast CNP, which the buffer takes before the next frame leaves.
static bool tells(const struct sw *sw, unsigned decides)
{
	unsigned hooks = 0;

	for (unsigned left = decides; left; left &= left - 1)
		hooks |= sw->cls[__builtin_ctz(left)].hooks;
	return hooks & SW_HOOK_MARK;
}

// While a queue is heavily congested, iQCN looks whether it still is before each frame.
unsigned sw_tx_round(struct sw *sw, struct sw_port *o, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, tstamp now)
{
	unsigned decides = deciding(sw, o, classes);
	uint32_t qlen[PKT_CLASSES];
	struct eport_round e;
	struct round r;

	if (o->heavy & classes || tells(sw, decides))
		return 0;
	max = max < SW_BURST ? max : SW_BURST;
	eport_see_round(&o->e, cls, classes, burst, max, &e, now);
	if (!e.n)
		return 0;
	begin(&r, classes);
	for (unsigned left = decides; left; left &= left - 1)
		qlen[__builtin_ctz(left)] = o->e.q[__builtin_ctz(left)].bytes;
	eport_take_round(&o->e, &e, now);
	release_round(sw, o, burst, e.n, &r, now);
	if (decides)
		decide(sw, o, decides, qlen, burst, e.n, now);
	else if (r.as_came)
		leaving_as_came(sw, burst, red_frames(e.n));
	count_seen(sw, o, &r, classes & ~decides);
	return e.n;
}
