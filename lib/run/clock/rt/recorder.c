// SPDX-License-Identifier: BSD-3-Clause
// The recorder's side of the real clock: events and captured frames of all lcores, samples,
// warm-up.
//
// If scene time may slip, the only worker is the recorder's thread: the scene stands still
// meanwhile, so that nothing is lost and samples are of their very instant. Otherwise the main
// lcore is: it reads the event rings up to the events that the workers have handed over, and
// samples counters while they run (each has one writer and is read whole).
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

#define LEAST_WALL PS_PER_MS

// If lcores run on while a sample is taken, its rows come no closer than LEAST_WALL.
static tstamp period(const struct scene *s, unsigned dilate, bool waits)
{
	tstamp least = waits ? 0 : LEAST_WALL / dilate;

	if (!s->sample)
		return TSTAMP_NEVER;
	return s->sample >= least ? s->sample : (least + s->sample - 1) / s->sample * s->sample;
}

static void lend_port(struct rt_recorder *r, unsigned node, unsigned port, const struct rt_end *e)
{
	record_lend_refused(r->rec, node, port, &e->refused_ps);
	if (e->dev)
		record_lend_dated(
			r->rec, node, port, &e->dev->stamps.stamped, &e->dev->stamps.unstamped);
}

int rt_recorder_init(struct rt_recorder *r, struct rt_world *world, const struct record_opts *opts,
	unsigned dilate, bool waits, struct err *err)
{
	const struct scene *s = world->scene;

	*r = (struct rt_recorder){.world = world, .warmup = s->warmup, .net = *world->net};
	rt_taps_init(&r->taps, world);
	r->net.here = calloc(s->n_nodes, sizeof(struct net_node));
	r->seen = calloc(world->n_lcores, sizeof(*r->seen));
	if (!r->net.here || !r->seen)
		return err_set(err, -ENOMEM, "no memory for %u nodes", s->n_nodes);
	memcpy(r->net.here, world->net->here, s->n_nodes * sizeof(struct net_node));
	r->next_sample = r->period = period(s, dilate, waits);
	int rc = record_open(&r->rec, s, &r->net, opts, err);

	for (unsigned i = 0; !rc && i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports && !s->node[i].lane; p++)
			lend_port(r, i, p, rt_world_end(world, i, p));
	return rc;
}

tstamp rt_recorder_next(const struct rt_recorder *r)
{
	return r->warm ? r->next_sample : tstamp_min(r->next_sample, r->warmup);
}

static void take_events(struct rt_recorder *r, struct rt_node *n, bool tapped)
{
	struct ev_ring *ring = &net_node(&r->net, n->index)->events;

	*ring = n->read; // shards of a switch have one each
	ring->head = atomic_load_explicit(&n->ev_given, memory_order_acquire);
	ring->lost = n->net->events.lost;
	if (ring->head == ring->tail)
		return;
	if (tapped)
		rt_taps_events(&r->taps, r->rec, n->index, ring);
	record_drain(r->rec, n->index);
	n->read = *ring;
	atomic_store_explicit(&n->ev_taken, ring->tail, memory_order_release);
}

// Looks up which frames the lcores have handed over by now.
static void look_at_seen(struct rt_recorder *r)
{
	for (unsigned i = 0; i < r->world->n_lcores; i++) {
		struct rt_seen_ring *ring =
			atomic_load_explicit(&r->world->lcore[i]->seen, memory_order_acquire);

		r->seen[i] = (struct rt_seen_span){.ring = ring};
		if (!ring)
			continue;
		r->seen[i].at = atomic_load_explicit(&ring->tail, memory_order_relaxed);
		r->seen[i].end = atomic_load_explicit(&ring->given, memory_order_acquire);
	}
}

// The span whose first frame is the earliest; NULL: none has a frame.
static struct rt_seen_span *earliest_seen(const struct rt_recorder *r)
{
	struct rt_seen_span *first = NULL;
	tstamp t = TSTAMP_NEVER;

	for (unsigned i = 0; i < r->world->n_lcores; i++) {
		struct rt_seen_span *s = &r->seen[i];

		if (s->at == s->end || (first && rt_seen_at(s->ring, s->at)->t >= t))
			continue;
		first = s;
		t = rt_seen_at(s->ring, s->at)->t;
	}
	return first;
}

// Takes these frames, after their events.
static void take_seen(struct rt_recorder *r, bool tapped)
{
	struct rt_seen_span *from;

	while ((from = earliest_seen(r))) {
		const struct rt_seen *s = rt_seen_at(from->ring, from->at);

		record_frame(r->rec, s->node, s->port, s->dir, &s->pkt, s->t);
		if (tapped)
			rt_taps_frame(&r->taps, s);
		atomic_store_explicit(&from->ring->tail, ++from->at, memory_order_release);
	}
}

static void in_flight(void *rec, const struct pkt *p)
{
	record_in_flight(rec, p);
}

void rt_recorder_in_flight(struct rt_recorder *r)
{
	record_in_flight_begin(r->rec);
	rt_world_each_in_flight(r->world, in_flight, r->rec);
}

void rt_recorder_turn(struct rt_recorder *r, tstamp safe, tstamp now)
{
	bool tapped;

	// Events from this instant on count in the window. Earlier events may still be handed in
	// after this call.
	if (!r->warm && now >= r->warmup) {
		r->warm = true;
		rt_recorder_in_flight(r);
		record_warm(r->rec, now);
	}
	tapped = rt_taps_turn_begin(&r->taps);
	look_at_seen(r);
	for (unsigned i = 0; i < r->world->n_lcores; i++) {
		struct rt_lcore *lc = r->world->lcore[i];

		for (unsigned k = 0; k < lc->n_nodes; k++)
			take_events(r, &lc->node[k], tapped);
	}
	take_seen(r, tapped);
	if (tapped)
		rt_taps_turn_end(&r->taps, now);
	record_sort(r->rec, safe);
	if (now >= record_steady_due(r->rec))
		record_steady_take(r->rec, now);
	if (now < r->next_sample)
		return;
	record_sample(r->rec, now);
	r->next_sample += ((now - r->next_sample) / r->period + 1) * r->period;
}

uint64_t rt_recorder_lost(const struct rt_recorder *r)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < r->world->n_lcores; i++) {
		const struct rt_lcore *lc = r->world->lcore[i];

		for (unsigned k = 0; k < lc->n_nodes; k++)
			lost += lc->node[k].net->events.lost;
	}
	return lost;
}

uint64_t rt_recorder_unseen(const struct rt_recorder *r)
{
	const struct scene *s = r->world->scene;
	uint64_t lost = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].capture)
				lost += rt_world_unseen(r->world, i, p);
	return lost;
}

void rt_recorder_fini(struct rt_recorder *r)
{
	if (r->world)
		rt_taps_fini(&r->taps);
	free(r->net.here);
	free(r->seen);
	r->net.here = NULL;
	r->seen = NULL;
}
