// SPDX-License-Identifier: BSD-3-Clause
// Frames of several DWRR classes leave in turn: the state of the round stands apart while it is
// seen, and goes into the port at once.
#include "eport.h"

#include "base/hint.h"

static void begin(const struct eport *e, uint8_t classes, struct eport_round *r)
{
	r->classes = classes;
	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		const struct eport_q *q = &e->q[c];

		r->q[c] = (struct eport_turns){
			.head = q->head, .deficit = q->deficit, .left = q->bytes};
	}
}

// The turn goes on to the next class that can send, as in eport_pick_dwrr. False: none can in a
// round of all.
static bool next_class(const struct eport_cfg *c, struct eport_round *r, unsigned ready)
{
	unsigned t = r->turn;

	for (unsigned left = ready; left; left &= ~(1u << t)) {
		struct eport_turns *q;
		int32_t bytes;

		t = eport_next_turn(ready, t);
		q = &r->q[t];
		bytes = q->head->len + c->framing.queue_extra;
		q->deficit += q->deficit < bytes ? c->quantum[t] : 0;
		if (q->deficit >= bytes) {
			r->turn = (uint8_t)t;
			return true;
		}
	}
	r->turn = (uint8_t)t;
	return false;
}

static inline bool is_frame(const struct pkt *p)
{
	return p->kind != EPORT_TRAIN;
}

// What of the configuration a frame needs. It stands on the stack, so that no store makes it be
// read again.
struct framing {
	byte_ps ps;
	rate_t whole_ns; // the rate, where wire times are cut to whole ns; else 0
	uint32_t queue_extra, wire_extra;
};

INLINE tstamp wire_time(const struct framing *f, uint32_t len)
{
	uint32_t bytes = len + f->wire_extra;

	return UNLIKELY(f->whole_ns) ? rate_simulator_time(f->whole_ns, bytes)
				     : rate_time(f->ps, bytes);
}

// Frames of the class whose turn it is leave as long as its credit lasts. The first one may.
// Returns where the burst ends then.
INLINE struct pkt **serve(const struct framing *f, struct eport_round *r, struct pkt **to,
	struct pkt **end, tstamp until)
{
	struct eport_turns *q = &r->q[r->turn];
	struct pkt *p = q->head, **from = to;
	int32_t credit = q->deficit, bytes = (int32_t)(p->len + f->queue_extra);
	tstamp tat = r->tat;

	do {
		*to++ = p;
		tat += wire_time(f, p->len);
		credit -= bytes;
		p = p->next;
		if (!p)
			break;
		bytes = (int32_t)(p->len + f->queue_extra);
	} while (credit >= bytes && tat <= until && to < end && is_frame(p));
	q->frames += (uint32_t)(to - from);
	q->left -= (uint32_t)(q->deficit - credit);
	q->deficit = p ? credit : 0; // an emptied queue starts anew
	q->head = p;
	r->tat = tat;
	return to;
}

// Where it ends between two frames that the wire is free for, the turn may have gone on already:
// who calls picks again at this instant, and goes on from there.
void eport_see_round(const struct eport *e, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, struct eport_round *r, tstamp now)
{
	const struct eport_cfg *c = e->cfg;
	const struct framing f = {.ps = c->ps,
		.whole_ns = c->framing.whole_ns ? c->rate : 0,
		.queue_extra = c->framing.queue_extra,
		.wire_extra = c->framing.wire_extra};
	tstamp until = now + c->tolerance_ps;
	struct pkt **to = burst, **end = burst + max;
	unsigned ready = classes;

	r->n = 0;
	r->turn = (uint8_t)cls;
	r->tat = tstamp_max(e->tat, now);
	if (!is_frame(e->q[cls].head))
		return;
	begin(e, classes, r);
	do {
		const struct pkt *next;

		to = serve(&f, r, to, end, until);
		next = r->q[r->turn].head;
		if (next && !is_frame(next)) // its turn may not be over
			break;
		ready &= ~((unsigned)!next << r->turn);
	} while (to < end && r->tat <= until && ready & (ready - 1) && next_class(c, r, ready) &&
		 is_frame(r->q[r->turn].head));
	r->n = (unsigned)(to - burst);
}

static void leave(struct eport *e, unsigned cls, const struct eport_turns *t, tstamp now)
{
	struct eport_q *q = &e->q[cls];
	uint32_t bytes = q->bytes - t->left;

	q->deficit = t->deficit;
	if (!t->frames)
		return;
	eport_q_account(e, cls, now);
	q->tx_frames += t->frames;
	q->tx_bytes += bytes - t->frames * e->cfg->framing.queue_extra + t->frames * PKT_FCS;
	q->head = t->head;
	q->bytes = t->left;
	q->frames -= t->frames;
	if (!q->head)
		e->nonempty &= (uint16_t) ~(1u << cls);
}

void eport_take_round(struct eport *e, const struct eport_round *r, tstamp now)
{
	if (now > e->tat && !e->starved)
		e->lost_ps += now - e->tat;
	e->tat = r->tat;
	e->turn = r->turn;
	for (unsigned left = r->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		leave(e, c, &r->q[c], now);
	}
	e->starved = !(e->nonempty & ~(unsigned)e->blocked);
}
