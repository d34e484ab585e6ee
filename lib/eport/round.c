// SPDX-License-Identifier: BSD-3-Clause
// Frames of several DWRR classes leave in turn: the state of the round stands apart while it is
// seen, and goes into the port at once.
#include "eport.h"

#include <string.h>

#include "base/hint.h"
#include "leave.h"

// The part of the configuration that a frame needs. It stands on the stack, so that no store makes
// the compiler read it again.
struct framing {
	byte_ps ps;
	rate_t whole_ns; // the rate, where wire times are cut to whole ns; else 0
	uint32_t queue_extra, wire_extra;
};

static inline bool is_frame(const struct pkt *p)
{
	return p->kind != EPORT_TRAIN;
}

// Notes p as the next frame of a class; it is not like the frame before it.
INLINE void next_is(const struct framing *f, struct eport_turns *q, const struct pkt *p)
{
	uint32_t on_wire = p->len + f->wire_extra;

	q->word = pkt_word(p);
	q->bytes = (int32_t)(p->len + f->queue_extra);
	q->time = UNLIKELY(f->whole_ns) ? rate_simulator_time(f->whole_ns, on_wire)
					: rate_time(f->ps, on_wire);
}

// Counts the bytes of frames that have left and are like the next one.
INLINE void count_bytes(struct eport_turns *q)
{
	q->left -= (q->frames - q->counted) * (uint32_t)q->bytes;
	q->counted = q->frames;
}

#define MOST_FRAMES UINT16_MAX // of a round

// How many frames pass a gate before it closes, where each of them holds it up for `each`.
static inline unsigned frames_pass(const struct rate_gate *g, tstamp each)
{
	if (g->at > g->until)
		return 0;
	return 1 + eport_leave_begin(g->at, g->until, each, MOST_FRAMES);
}

// Computes how p passes the gates: p is the next frame of a class, and not like the frame before
// it.
static void next_at_gates(const struct framing *f, const struct rate_gate *all,
	const struct rate_gate *own, struct eport_turns *q, const struct pkt *p)
{
	uint32_t on_wire = p->len + f->wire_extra;
	unsigned most = MOST_FRAMES;

	q->all_time = rate_time(all->ps, on_wire);
	for (unsigned i = 0; i < EPORT_OWN_GATES; i++) {
		unsigned pass;

		q->own_time[i] = rate_time(own[i].ps, on_wire);
		pass = frames_pass(&own[i], q->own_time[i]);
		most = pass < most ? pass : most;
	}
	q->closed = q->frames + most;
}

// The frames of a class that have left and have not been counted, which have one length, have
// passed its own gates.
INLINE void count_at_gates(struct rate_gate *own, const struct eport_turns *q)
{
	for (unsigned i = 0; i < EPORT_OWN_GATES; i++)
		own[i].at += (q->frames - q->counted) * q->own_time[i];
}

// The next frame differs from the frames that have left, which were all alike. `own`: the gates of
// its class, `all` the gate of all classes; NULL: there are none.
ASIDE void next_is_other(const struct framing *f, const struct rate_gate *all,
	struct rate_gate *own, struct eport_turns *q, const struct pkt *p)
{
	uint64_t word = pkt_word(p), differs = q->word ^ word;

	q->differ |= differs;
	if (!q->other) {
		q->other = p;
		q->alike = q->frames;
	}
	q->word = word;
	if (LIKELY(!(differs & pkt_word_len())))
		return;
	if (all)
		count_at_gates(own, q);
	count_bytes(q);
	next_is(f, q, p);
	if (all)
		next_at_gates(f, all, own, q, p);
}

static void begin(const struct eport *e, const struct framing *f, struct eport_round *r)
{
	struct eport_turns *before = &r->q[31 - __builtin_clz(r->classes)];

	for (unsigned left = r->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		const struct eport_q *q = &e->q[c];
		struct eport_turns *t = &r->q[c];

		t->first = t->head = q->head;
		t->other = NULL;
		t->differ = 0;
		t->deficit = q->deficit;
		t->left = q->bytes;
		t->frames = t->counted = 0;
		t->quantum = e->cfg->quantum[c];
		next_is(f, t, q->head);
		before->then = t;
		before = t;
	}
}

static void begin_gates(
	const struct framing *f, struct eport_round *r, const struct eport_gates *gates)
{
	r->gates.all = gates->all;
	for (unsigned left = r->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		memcpy(r->gates.own[c], gates->own[c], sizeof(r->gates.own[c]));
		next_at_gates(f, &gates->all, gates->own[c], &r->q[c], r->q[c].head);
	}
}

// An emptied queue starts anew, and has no turns any more.
ASIDE void end_turns(struct eport_turns *q)
{
	struct eport_turns *before = q;

	q->deficit = 0;
	while (before->then != q)
		before = before->then;
	before->then = q->then;
}

// Gives the turn to a class, as in eport_take_turn().
INLINE bool take_turn(struct eport_turns *q)
{
	q->deficit += q->deficit < q->bytes ? q->quantum : 0;
	return q->deficit >= q->bytes;
}

// The class behind *q that can send, as in eport_pick_dwrr. False: none can in a round of all.
INLINE bool next_class(struct eport_turns **q)
{
	struct eport_turns *first = (*q)->then;

	do {
		*q = (*q)->then;
		if (LIKELY(take_turn(*q)))
			return true;
	} while ((*q)->then != first);
	return false;
}

// The place in the burst, when the wire is free behind it, and when the gate of all classes is
// open.
struct place {
	struct pkt **to, **end;
	tstamp tat, until;
	tstamp all, all_until;
};

static inline bool is_open(const struct place *at)
{
	return at->tat <= at->until && at->to < at->end;
}

// Lets frames of the class whose turn it is leave as long as its credit lasts. The first one may.
// Returns whether another class may send after them.
INLINE bool serve(const struct framing *f, struct eport_round *r, struct eport_turns *q,
	struct place *at, bool gated)
{
	struct pkt *p = q->head;
	int32_t credit = q->deficit, bytes = q->bytes;
	uint64_t word = q->word;
	tstamp time = q->time, all_time = gated ? q->all_time : 0;
	uint32_t n = 0, pass = gated ? q->closed - q->frames : 0;
	bool open;

	do {
		*at->to++ = p;
		at->tat += time;
		at->all += all_time;
		credit -= bytes;
		n++;
		p = p->next;
		if (UNLIKELY(!p || pkt_word(p) != word)) {
			q->frames += n;
			pass -= n;
			n = 0;
			if (!p)
				break;
			next_is_other(
				f, gated ? &r->gates.all : NULL, r->gates.own[q - r->q], q, p);
			word = q->word;
			bytes = q->bytes;
			time = q->time;
			if (gated) {
				all_time = q->all_time;
				pass = q->closed - q->frames;
			}
			if (UNLIKELY(!is_frame(p)))
				break;
		}
	} while (credit >= bytes && is_open(at) &&
		 (!gated || (n < pass && at->all <= at->all_until)));
	open = !gated || (n < pass && at->all <= at->all_until);
	q->frames += n;
	q->head = p;
	q->deficit = credit;
	if (UNLIKELY(!p)) {
		end_turns(q);
		// A class that is alone is picked in another way.
		return open && is_open(at) && q->then != q->then->then;
	}
	return open && is_open(at) &&
	       LIKELY(is_frame(p)); // before a train its turn may not be over
}

// If the round ends between two frames for which the wire is free, the turn may have moved on
// already: the caller picks again at this instant, and goes on from there.
INLINE void see_round(const struct eport *e, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, const struct eport_gates *gates, struct eport_round *r, tstamp now)
{
	const struct eport_cfg *c = e->cfg;
	const struct framing f = {.ps = c->ps,
		.whole_ns = c->framing.whole_ns ? c->rate : 0,
		.queue_extra = c->framing.queue_extra,
		.wire_extra = c->framing.wire_extra};
	struct place at = {.to = burst,
		.end = burst + max,
		.tat = tstamp_max(e->tat, now),
		.until = now + c->tolerance_ps,
		.all = gates ? gates->all.at : 0,
		.all_until = gates ? gates->all.until : 0};
	struct eport_turns *q = &r->q[cls];

	r->n = 0;
	r->classes = classes;
	if (!is_frame(e->q[cls].head))
		return;
	begin(e, &f, r);
	if (gates)
		begin_gates(&f, r, gates);
	while (serve(&f, r, q, &at, gates != NULL) && next_class(&q) && is_frame(q->head))
		;
	for (unsigned left = classes; left; left &= left - 1) {
		struct eport_turns *t = &r->q[__builtin_ctz(left)];

		if (gates)
			count_at_gates(r->gates.own[t - r->q], t);
		count_bytes(t);
		t->alike = t->other ? t->alike : t->frames;
	}
	if (gates)
		r->gates.all.at = at.all;
	r->turn = (uint8_t)(q - r->q);
	r->tat = at.tat;
	r->n = (unsigned)(at.to - burst);
}

// A function of its own, so that only gated rounds pay for the stack that it needs.
ASIDE void see_round_gated(const struct eport *e, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, const struct eport_gates *gates, struct eport_round *r, tstamp now)
{
	see_round(e, cls, classes, burst, max, gates, r, now);
}

void eport_see_round(const struct eport *e, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, const struct eport_gates *gates, struct eport_round *r, tstamp now)
{
	if (UNLIKELY(gates != NULL))
		see_round_gated(e, cls, classes, burst, max, gates, r, now);
	else
		see_round(e, cls, classes, burst, max, NULL, r, now);
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

static void gates_passed(struct eport_gates *gates, const struct eport_round *r)
{
	gates->all = r->gates.all;
	gates->passed = 0;
	for (unsigned left = r->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		if (!r->q[c].frames)
			continue;
		memcpy(gates->own[c], r->gates.own[c], sizeof(gates->own[c]));
		gates->passed |= (uint8_t)(1u << c);
	}
}

void eport_take_round(
	struct eport *e, const struct eport_round *r, struct eport_gates *gates, tstamp now)
{
	if (now > e->tat)
		eport_idled(e, now);
	e->tat = r->tat;
	e->turn = r->turn;
	for (unsigned left = r->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		leave(e, c, &r->q[c], now);
	}
	e->starved = !(e->nonempty & ~(unsigned)e->blocked);
	if (gates)
		gates_passed(gates, r);
}
