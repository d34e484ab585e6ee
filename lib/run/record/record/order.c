// SPDX-License-Identifier: BSD-3-Clause
// The events of all nodes in one order, before they go into files.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evsort.h"

// The number of events that are held back before the older half is written. An event that a node
// reports late (a timer of a queue pair that waits) can still be put in its place.
#define EV_HOLD 32768

// Makes room for one more event. Events that have been written are not removed before their memory
// is needed.
static bool make_room(struct record *r)
{
	size_t n = r->ev_cap ? r->ev_cap * 2 : 2 * EV_HOLD;
	struct ev *ev;

	if (r->first_ev) {
		r->n_ev -= r->first_ev;
		memmove(r->ev, r->ev + r->first_ev, r->n_ev * sizeof(*r->ev));
		r->first_ev = 0;
		return true;
	}
	ev = realloc(r->ev, n * sizeof(*ev));
	if (ev)
		r->ev = ev;
	struct ev *room = ev ? realloc(r->ev_room, n * sizeof(*room)) : NULL;

	if (!room) {
		record_fail(r, -ENOMEM, "no memory for %zu events", n);
		return false;
	}
	r->ev_room = room;
	r->ev_cap = n;
	return true;
}

// An event of a type of r->held.
static void hold_event(struct record *r, const struct ev *e)
{
	if (record_want_held(r, e) && (r->n_ev < r->ev_cap || make_room(r)))
		r->ev[r->n_ev++] = *e;
}

// An event of the recorder's own about a node.
void record_ev_own(struct record *r, const struct ev *e, unsigned node)
{
	struct ev own = *e;

	own.node = node;
	if (r->held >> e->type & 1)
		hold_event(r, &own);
}

// Takes the events of a node. Figures only need the events of one flow or port in order, and a node
// reports these in order. Only events for a file wait for the events of other nodes.
void record_drain(struct record *r, unsigned node)
{
	struct ev_ring *ring = &net_node(r->net, node)->events;
	struct ev *const slot = ring->slot;
	const uint32_t head = ring->head, mask = ring->mask;
	const uint64_t held = r->held;

	for (uint32_t at = ring->tail; at != head; at++) {
		struct ev *e = &slot[at & mask];

		e->node = node;
		r->take[e->type](r, e);
		if (held >> e->type & 1)
			hold_event(r, e);
	}
	ring->tail = head;
}

// Writes the first n.
static void release(struct record *r, size_t n)
{
	for (const struct ev *e = &r->ev[r->first_ev], *end = e + n; e < end; e++)
		record_event_put(r, e);
	r->first_ev += n;
}

void record_sort(struct record *r, tstamp safe)
{
	size_t n = r->n_ev - r->first_ev;
	struct ev *e;

	record_files_look(r, safe);
	if (n < EV_HOLD)
		return;
	e = &r->ev[r->first_ev];
	evsort(e, n, r->ev_room);
	n -= EV_HOLD / 2;
	while (n && e[n - 1].t >= safe)
		n--;
	release(r, n);
}

void record_ev_finish(struct record *r)
{
	size_t n;

	for (unsigned i = 0; i < r->net->n_nodes; i++)
		record_drain(r, i);
	n = r->n_ev - r->first_ev;
	if (!n)
		return;
	evsort(&r->ev[r->first_ev], n, r->ev_room);
	release(r, n);
}
