// SPDX-License-Identifier: BSD-3-Clause
// Pauses: their begin and end, what they owe directly, and the bill of each at its end.
#include "int.h"

#include <stdlib.h>

// Time that a queue has been paused by now.
static tstamp paused_ps(const struct lineage *l, const struct queue *q)
{
	return q->ps + (q->pause == LINEAGE_NONE ? 0 : l->now - pause_at(l, q->pause)->from);
}

// Appends a part to the parts of the queue's pause. Only the newest parts are remembered, so that a
// pause of many refreshes needs no search.
static void append_part(struct lineage *l, struct queue *q, const struct lineage_part *part)
{
	struct lineage_pause *p = pause_at(l, q->pause);
	struct lineage_part *new = lineage_grow(l, &l->parts, sizeof(*new));
	uint32_t number = l->parts.n - 1;

	if (!new)
		return;
	*new = *part;
	if (p->part == LINEAGE_NONE)
		p->part = q->look_part = number;
	else
		part_at(l, q->last_part)->next = number;
	q->last_part = number;
	if (++q->n_look > PARTS_LOOKED) {
		q->look_part = part_at(l, q->look_part)->next;
		q->n_look--;
	}
}

static void add_part(struct lineage *l, struct queue *q, struct lineage_part part)
{
	bool none = pause_at(l, q->pause)->part == LINEAGE_NONE;

	if (!part.ps)
		return;
	tally_add(l, &l->edges, q->number,
		part.queue == LINEAGE_NONE ? part.root | TO_ROOT : part.queue, part.ps);
	for (uint32_t i = none ? LINEAGE_NONE : q->look_part; i != LINEAGE_NONE;
		i = part_at(l, i)->next) {
		struct lineage_part *p = part_at(l, i);

		if (p->queue == part.queue && p->root == part.root) {
			p->ps += part.ps;
			p->pause = part.pause;
			return;
		}
	}
	append_part(l, q, &part);
}

// Adds the time since the last call to the parts of the pause: to each holder's pauses, or, for the
// time in which the holder could send, to its egress port.
static void make_parts(struct lineage *l, struct queue *q)
{
	const struct xoff *x = q->cause;
	tstamp took = l->now - q->since;
	uint64_t so_far = 0;

	for (unsigned i = 0; took && i < x->n; i++) {
		const struct held *h = &x->held[i];
		struct lineage_part part = {.ps = carry(took, &so_far, h->share, WHOLE),
			.queue = LINEAGE_NONE,
			.root = h->root,
			.pause = LINEAGE_NONE,
			.next = LINEAGE_NONE};

		if (h->queue != LINEAGE_NONE) {
			struct queue *by = queue_at(l, h->queue);
			tstamp paused = paused_ps(l, by) - q->held_ps[i], all = part.ps;

			part.ps = all - fixed_muldiv(all, paused, took);
			part.root = lineage_egress_root(l, h->queue);
			add_part(l, q, part);
			part.ps = all - part.ps;
			part.queue = h->queue;
			part.root = LINEAGE_NONE;
			part.pause = by->newest;
		}
		add_part(l, q, part);
	}
	q->since = l->now;
	for (unsigned i = 0; i < x->n; i++)
		if (x->held[i].queue != LINEAGE_NONE)
			q->held_ps[i] = paused_ps(l, queue_at(l, x->held[i].queue));
}

void pause_renew(struct lineage *l, struct queue *q, struct xoff *cause)
{
	struct ring *left;

	make_parts(l, q);
	left = ring_leave(l, q);
	xoff_put(q->cause);
	q->cause = cause;
	pause_at(l, q->pause)->renewed++;
	make_parts(l, q);
	ring_join(l, q, left);
}

// The roots of the pause are what its queue's account has got while it lasted.
static void bill(struct lineage *l, struct queue *q)
{
	const struct account *a;

	vertex_run(l, &q->v);
	a = q->v.sum;
	for (uint32_t i = 0; a && i < a->n; i++) {
		tstamp ps = account_since(a, q->begun, i);

		if (!ps)
			continue;
		tally_add(l, &l->bills, q->number, a->time[i].root, ps);
		root_at(l, a->time[i].root)->ps += ps;
	}
	account_put(q->begun);
	q->begun = NULL;
}

void pause_end(struct lineage *l, struct queue *q, enum lineage_end end)
{
	struct lineage_pause *p = pause_at(l, q->pause);
	struct ring *left;

	make_parts(l, q);
	bill(l, q);
	left = ring_leave(l, q);
	p->to = l->now;
	p->end = end;
	q->ps += p->to - p->from;
	l->ps += p->to - p->from;
	q->pause = LINEAGE_NONE;
	xoff_put(q->cause);
	q->cause = NULL;
	ring_join(l, q, left);
}

static void begin_pause(struct lineage *l, struct queue *q)
{
	struct xoff *cause = xoff_arrived(l, q->number, &q->episode);
	struct lineage_pause *p = cause ? lineage_grow(l, &l->pauses, sizeof(*p)) : NULL;

	if (!p) {
		xoff_put(cause);
		return;
	}
	*p = (struct lineage_pause){
		.from = l->now, .queue = q->number, .previous = q->newest, .part = LINEAGE_NONE};
	vertex_run(l, &q->v);
	q->begun = account_get(q->v.sum);
	q->cause = cause;
	q->pause = q->newest = l->pauses.n - 1;
	q->since = l->now;
	q->n_look = 0;
	make_parts(l, q);
	ring_join(l, q, NULL);
}

// The queue whose pause begins or ends at t; NULL: there is none.
static struct queue *queue_of_event(struct lineage *l, uint32_t port, unsigned cls, tstamp t)
{
	xoff_settle(l);
	l->now = tstamp_max(l->now, t);
	return port < l->ports.n && cls < CLASSES && !l->failed ? queue_at(l, port * CLASSES + cls)
								: NULL;
}

void lineage_paused(struct lineage *l, uint32_t port, unsigned cls, tstamp t)
{
	struct queue *q = queue_of_event(l, port, cls, t);

	if (!q)
		return;
	if (q->pause != LINEAGE_NONE) {
		l->odd++;
		pause_end(l, q, LINEAGE_UNTOLD);
	}
	begin_pause(l, q);
}

void lineage_resumed(struct lineage *l, uint32_t port, unsigned cls, enum lineage_end end, tstamp t)
{
	struct queue *q = queue_of_event(l, port, cls, t);

	if (q && q->pause == LINEAGE_NONE)
		l->odd++;
	else if (q)
		pause_end(l, q, end);
}
