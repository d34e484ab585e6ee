// SPDX-License-Identifier: BSD-3-Clause
// How the peer answers to XOFF that the port sent: when it stops, how much comes until then, how
// long it is silent, and when it goes on.
#include "int.h"

// Whether the class sent when XOFF left: then its silence says something.
static bool was_busy(const struct row *r)
{
	const struct asking *a = &r->asking;

	return a->longest_known && a->gap_from + r->longest_wire >= a->begin;
}

// A gap between two frames of the class has ended; the longest one is the silence.
static void gap_ended(struct row *r, tstamp first)
{
	struct asking *a = &r->asking;
	tstamp gap = tstamp_since(first, r->last);

	if (r->last == TSTAMP_NEVER || (a->longest_known && gap <= a->gap_to - a->gap_from))
		return;
	a->longest_known = true;
	a->gap_from = r->last;
	a->gap_to = r->last + gap;
	a->gap_came = a->came;
	a->before = r->last_wire;
}

static void stop_known(const struct outside *o, struct row *r)
{
	const struct asking *a = &r->asking;

	hist_add(&r->answer.stop, tstamp_since(a->gap_from, a->x + 2 * o->p.delay), 1);
	hist_add(&r->answer.silence, a->gap_to - a->gap_from, 1);
}

static void hold_known(struct row *r)
{
	struct outside_answer *to = &r->answer;
	const struct asking *a = &r->asking;
	int64_t error = (int64_t)(a->gap_to - a->gap_from + a->before / 2) - (int64_t)a->asked;

	if (!to->holds || error < to->hold_least)
		to->hold_least = error;
	if (!to->holds || error > to->hold_most)
		to->hold_most = error;
	to->holds++;
	to->hold_sum += error;
}

// The quanta have run out, and the peer has gone on, or another answer begins.
static void ran_out(const struct outside *o, struct row *r)
{
	struct asking *a = &r->asking;

	a->open = false;
	if (!was_busy(r)) {
		r->answer.idle++;
		return;
	}
	if (a->gap_to - a->gap_from < a->asked / 2) {
		r->answer.ignored++;
		hist_add(&r->answer.after, a->came, 1);
		return;
	}
	hist_add(&r->answer.after, a->gap_came, 1);
	stop_known(o, r);
	if (a->xoffs == 1)
		hold_known(r);
}

// The first frame behind XON begins at `first`. The gap before it is the silence if XON lies in it
// and the frame is late enough to be an answer to XON.
static void went_on(const struct outside *o, struct row *r, tstamp first)
{
	struct asking *a = &r->asking;

	a->open = false;
	a->longest_known = false;
	gap_ended(r, first);
	if (!was_busy(r)) {
		r->answer.idle++;
		return;
	}
	if (r->last > a->xon || first < a->xon + 2 * o->p.delay || first == r->last) {
		r->answer.ignored++;
		return;
	}
	stop_known(o, r);
	hist_add(&r->answer.resume, first - a->xon - 2 * o->p.delay, 1);
}

static void row_xoff(
	const struct outside *o, struct row *r, unsigned quanta, tstamp begin, tstamp end)
{
	struct asking *a = &r->asking;

	if (a->open && a->xon != TSTAMP_NEVER)
		a->open = false; // nothing came behind XON
	else if (a->open && begin >= a->until)
		ran_out(o, r);
	if (a->open) {
		a->xoffs++;
		a->until = begin + quanta * o->quantum;
		return;
	}
	r->answer.xoffs++;
	*a = (struct asking){.open = true,
		.begin = begin,
		.x = end,
		.until = begin + quanta * o->quantum,
		.asked = quanta * o->quantum,
		.xoffs = 1,
		.xon = TSTAMP_NEVER};
}

static void row_xon(const struct outside *o, struct row *r, tstamp begin, tstamp end)
{
	struct asking *a = &r->asking;

	if (!a->open || a->xon != TSTAMP_NEVER)
		return;
	if (begin >= a->until) {
		ran_out(o, r);
		return;
	}
	hist_add(&r->answer.after, a->came, 1);
	a->xon = end;
}

static void row_told(
	const struct outside *o, struct row *r, unsigned quanta, tstamp begin, tstamp end)
{
	if (quanta)
		row_xoff(o, r, quanta, begin, end);
	else
		row_xon(o, r, begin, end);
}

void answer_pfc(struct outside *o, const struct pkt *p, tstamp begin, tstamp end)
{
	if (p->kind == PKT_PAUSE) {
		row_told(o, &o->row[OUTSIDE_LINK], p->u.pfc.quanta[0], begin, end);
		return;
	}
	for (unsigned left = p->u.pfc.enable; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);

		row_told(o, &o->row[cls], p->u.pfc.quanta[cls], begin, end);
	}
}

static void row_came(
	const struct outside *o, struct row *r, uint64_t bytes, tstamp wire, tstamp now)
{
	struct asking *a = &r->asking;
	tstamp first = now - tstamp_min(wire, now);

	if (r->last != TSTAMP_NEVER)
		first = tstamp_max(first, tstamp_min(r->last, now));
	if (a->open && a->xon != TSTAMP_NEVER) {
		if (first >= a->xon)
			went_on(o, r, first);
	} else if (a->open) {
		gap_ended(r, first);
		if (first >= a->until)
			ran_out(o, r);
		else
			a->came += bytes;
	}
	r->last = now;
	r->last_wire = wire;
	r->longest_wire = tstamp_max(r->longest_wire, wire);
}

void answer_frame(struct outside *o, const struct pkt *p, unsigned cls, tstamp now)
{
	uint64_t bytes = p->len + (uint64_t)o->p.wire_extra;
	tstamp wire = outside_wire(o, p);

	row_came(o, &o->row[cls], bytes, wire, now);
	row_came(o, &o->row[OUTSIDE_LINK], bytes, wire, now);
}
