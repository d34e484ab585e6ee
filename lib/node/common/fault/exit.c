// SPDX-License-Identifier: BSD-3-Clause
// The frames that go on: their order, and the held frames that are due.
#include "int.h"

static void on_put(struct fault *f, struct pkt *p)
{
	p->next = NULL;
	if (f->on)
		f->on_last->next = p;
	else
		f->on = p;
	f->on_last = p;
	f->n_on++;
}

// A frame has gone on: those that wait for it are due when no other one is missing.
static void line_pass(struct fault *f, struct line *line, uint64_t seq, tstamp now)
{
	for (struct held *it = line->first, *next; it; it = next) {
		next = it->next;
		if (it->seq < seq && !--it->behind)
			holds_move(&f->holds, it, it->until <= now ? 0 : it->until);
	}
}

// A frame goes on, and behind it the frames that have waited for it only.
void exit_go_on(struct fault *f, struct pkt *p, struct pair *pair, uint64_t seq, tstamp now)
{
	for (;;) {
		struct held due;

		on_put(f, p);
		line_pass(f, &f->waits, seq, now);
		if (pair)
			line_pass(f, &pair->waits, seq, now);
		if (holds_due(&f->holds))
			return;
		due = holds_take(&f->holds, f->holds.heap[0]);
		p = due.pkt;
		pair = due.pair;
		seq = due.seq;
	}
}

static void exit_held(struct fault *f, tstamp now)
{
	struct held due = holds_take(&f->holds, f->holds.heap[0]);

	exit_go_on(f, due.pkt, due.pair, due.seq, now);
}

void exit_release(struct fault *f, tstamp now)
{
	for (;;) {
		tstamp due = tstamp_min(holds_due(&f->holds), f->forges);

		if (due > now || due == TSTAMP_NEVER)
			return;
		if (holds_due(&f->holds) == due)
			exit_held(f, now);
		else
			forge_next(f);
	}
}
