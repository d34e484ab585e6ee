// SPDX-License-Identifier: BSD-3-Clause
// The fabric between the shards of a switch: frames one way, credits of the buffer the other,
// addresses to all.
#include "fabric.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define RING_SLOTS 2048
#define LEAST_LEN  14 // octets of the shortest frame that can be told from none
#define LEARN_ROOM 64 // free slots that are left to frames and credits

// Frames that the buffer holds and credits for as many are all that can be under way one way.
static struct sw_ring *ring_new(uint64_t buffer_bytes)
{
	struct sw_ring *r = aligned_alloc(64, sizeof(*r));
	uint64_t most = 2 * (buffer_bytes / (LEAST_LEN + PKT_FCS) + 1);

	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->mask = RING_SLOTS - 1;
	r->backlog_size = (uint32_t)most;
	r->slot = calloc(RING_SLOTS, sizeof(*r->slot));
	r->backlog = calloc(most, sizeof(*r->backlog));
	return r;
}

static void ring_free(struct sw_ring *r)
{
	if (!r)
		return;
	free(r->slot);
	free(r->backlog);
	free(r);
}

static uint32_t ring_room(struct sw_ring *r)
{
	if (r->put - r->tail_seen > r->mask)
		r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	return r->mask + 1 - (r->put - r->tail_seen);
}

static void ring_put(struct sw_ring *r, const struct sw_msg *m)
{
	if (r->waits == r->waits_from && ring_room(r)) {
		r->slot[r->put++ & r->mask] = *m;
		return;
	}
	if (r->waits == r->waits_from)
		r->waits = r->waits_from = 0;
	assert(r->waits - r->waits_from < r->backlog_size);
	if (r->waits == r->backlog_size) {
		r->waits -= r->waits_from;
		memmove(r->backlog, r->backlog + r->waits_from, r->waits * sizeof(*r->backlog));
		r->waits_from = 0;
	}
	r->backlog[r->waits++] = *m;
}

// The consumer sees all that was put, as far as the ring has room.
static void ring_push(struct sw_ring *r)
{
	while (r->waits != r->waits_from && ring_room(r))
		r->slot[r->put++ & r->mask] = r->backlog[r->waits_from++];
	atomic_store_explicit(&r->head, r->put, memory_order_release);
}

// The oldest message, or NULL.
static const struct sw_msg *ring_first(struct sw_ring *r)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (r->head_seen == tail)
		r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
	return r->head_seen == tail ? NULL : &r->slot[tail & r->mask];
}

static void ring_took(struct sw_ring *r)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
}

struct sw_fabric *sw_fabric_new(const struct sw_params *p)
{
	struct sw_fabric *f = aligned_alloc(64, sizeof(*f));

	if (!f)
		return NULL;
	memset(f, 0, sizeof(*f));
	f->n = p->shards;
	f->hop_ps = p->hop_ps;
	for (unsigned i = 0; i < f->n; i++)
		for (unsigned k = 0; k < f->n; k++) {
			if (i == k)
				continue;
			f->ring[i][k] = ring_new(p->buffer_bytes);
			if (f->ring[i][k] && f->ring[i][k]->slot && f->ring[i][k]->backlog)
				continue;
			sw_fabric_free(f);
			return NULL;
		}
	return f;
}

void sw_fabric_free(struct sw_fabric *f)
{
	for (unsigned i = 0; f && i < f->n; i++)
		for (unsigned k = 0; k < f->n; k++)
			ring_free(f->ring[i][k]);
	free(f);
}

static struct sw_ring *ring_to(const struct sw *sw, unsigned port)
{
	return sw->fabric->ring[sw->shard][port % sw->fabric->n];
}

void sw_fabric_frame(
	struct sw *sw, const struct sw_port *o, struct pkt *p, bool untagged, tstamp now)
{
	const struct sw_msg m = {
		.when = now + sw->fabric->hop_ps,
		.p = p,
		.port = o->index,
		.kind = SW_MSG_FRAME,
		.cls = p->cls,
		.untagged = untagged,
	};

	ring_put(ring_to(sw, o->index), &m);
}

// Whether the last message that was put, and not handed over, tells of frames like these.
static bool joins(struct sw_ring *r, const struct sw_msg *m)
{
	struct sw_msg *last = &r->slot[(r->put - 1) & r->mask];

	if (r->put == atomic_load_explicit(&r->head, memory_order_relaxed) ||
		r->waits != r->waits_from || last->kind != SW_MSG_CREDIT || last->when != m->when ||
		last->port != m->port || last->cls != m->cls || last->pg != m->pg ||
		last->reason != m->reason || last->len != m->len || last->frames == UINT16_MAX)
		return false;
	last->frames++;
	last->bytes += m->bytes;
	return true;
}

void sw_fabric_credit(struct sw *sw, const struct pkt *p, unsigned reason, tstamp now)
{
	struct sw_ring *r = ring_to(sw, p->in_port);
	const struct sw_msg m = {
		.when = now + sw->fabric->hop_ps,
		.bytes = p->len + sw->queue_extra,
		.frames = 1,
		.len = p->len,
		.port = p->in_port,
		.kind = SW_MSG_CREDIT,
		.cls = p->cls,
		.pg = (uint8_t)sw_pg(sw, p),
		.reason = (uint8_t)reason,
	};

	if (!joins(r, &m))
		ring_put(r, &m);
}

bool sw_fabric_learn(struct sw *sw, uint64_t key, unsigned port, tstamp now)
{
	const struct sw_fabric *f = sw->fabric;
	const struct sw_msg m = {
		.when = now + f->hop_ps,
		.key = key,
		.port = (uint16_t)port,
		.kind = SW_MSG_LEARN,
	};
	bool all = true;

	for (unsigned k = 0; k < f->n; k++) {
		struct sw_ring *r = f->ring[sw->shard][k];

		if (!r)
			continue;
		if (r->waits == r->waits_from && ring_room(r) > LEARN_ROOM)
			ring_put(r, &m);
		else
			all = false;
	}
	return all;
}

// Frames that this shard has admitted are gone: their buffer is free, and their group may come to
// XON.
static void credited(struct sw *sw, const struct sw_msg *m, tstamp now)
{
	struct sw_port *in = &sw->port[m->port];

	if (m->reason == SW_FORWARDED)
		in->cls[m->cls].s.forwarded_frames += m->frames;
	else
		sw_count_lost(in, m->cls, m->pg, m->reason, m->frames, m->len);
	mmu_lease_look(&sw->lease, &sw->mmu);
	if (mmu_release(&sw->mmu, m->port, m->pg, m->bytes))
		sw_xon(sw, in, m->pg, now);
	mmu_lease_give(&sw->lease, &sw->mmu);
}

static void take(struct sw *sw, const struct sw_msg *m, tstamp now)
{
	if (m->kind == SW_MSG_FRAME)
		sw_arrived(sw, m->p, m->port, m->untagged, now);
	else if (m->kind == SW_MSG_CREDIT)
		credited(sw, m, now);
	else
		sw_fdb_told(sw, m->key, m->port, m->when - sw->fabric->hop_ps, now);
}

void sw_fabric_rx(struct sw *sw, tstamp now)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned k = 0; k < f->n; k++) {
		struct sw_ring *r = f->ring[k][sw->shard];
		const struct sw_msg *m;

		while (r && (m = ring_first(r)) && (m->when <= now || !f->hop_ps)) {
			take(sw, m, now);
			ring_took(r);
		}
	}
}

void sw_fabric_push(struct sw *sw)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned k = 0; k < f->n; k++) {
		struct sw_ring *r = f->ring[sw->shard][k];

		if (r && (r->put != atomic_load_explicit(&r->head, memory_order_relaxed) ||
				 r->waits != r->waits_from))
			ring_push(r);
	}
}

tstamp sw_fabric_deadline(const struct sw *sw)
{
	const struct sw_fabric *f = sw->fabric;
	tstamp at = TSTAMP_NEVER;

	for (unsigned k = 0; k < f->n; k++) {
		const struct sw_msg *m = k == sw->shard ? NULL : ring_first(f->ring[k][sw->shard]);

		if (m)
			at = tstamp_min(at, m->when);
	}
	return at;
}

static void each_of(
	const struct sw_ring *r, void (*fn)(void *arg, const struct sw_msg *m), void *arg)
{
	for (uint32_t i = atomic_load(&r->tail); i != r->put; i++)
		fn(arg, &r->slot[i & r->mask]);
	for (uint32_t i = r->waits_from; i != r->waits; i++)
		fn(arg, &r->backlog[i]);
}

void sw_fabric_each(const struct sw *sw, void (*fn)(void *arg, const struct sw_msg *m), void *arg)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned i = 0; f && i < f->n; i++)
		for (unsigned k = 0; k < f->n; k++)
			if (f->ring[i][k])
				each_of(f->ring[i][k], fn, arg);
}

// A frame on the fabric.
struct crossing {
	void (*fn)(void *arg, const struct pkt *p);
	void *arg;
};

static void one_crossing(void *arg, const struct sw_msg *m)
{
	const struct crossing *c = arg;

	if (m->kind == SW_MSG_FRAME)
		c->fn(c->arg, m->p);
}

void sw_each_crossing(const struct sw *sw, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	struct crossing c = {fn, arg};

	sw_fabric_each(sw, one_crossing, &c);
}
