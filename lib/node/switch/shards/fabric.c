// SPDX-License-Identifier: BSD-3-Clause
// The fabric between the shards of a switch: frames one way, credits of the buffer the other,
// addresses to all.
#include "shards.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"

#define MSG_ENTRIES (1 + SW_MSG_WORDS / SW_ENTRY_WORDS) // at most
#define LEAST_LEN   14 // octets of the shortest frame that can be told from none

_Static_assert(SW_BURST <= SW_MSG_WORDS && SW_HDR_WORDS <= SW_MSG_WORDS, "sw_msg.n");

// A backlog has an entry for each frame that the buffer can hold, and no more credits than that are
// under way. A frame that waits alone takes one entry, and a message of several takes no more
// entries than it has frames. Frames that a shard receives for another one never wait in a backlog,
// for they are read only while the ring has room for them (sw_rx_room).
static struct sw_ring *ring_new(const struct sw_params *p)
{
	const size_t entries = SW_RING_ENTRIES + MSG_ENTRIES - 1;
	const size_t bytes = sizeof(struct sw_ring) + entries * sizeof(union sw_entry);
	const size_t whole = (bytes + SW_APART - 1) / SW_APART * SW_APART;
	uint64_t most = p->buffer_bytes / (LEAST_LEN + p->framing.queue_extra) + 1;
	struct sw_ring *r = aligned_alloc(SW_APART, whole);

	if (!r)
		return NULL;
	// In virtual time most of the ring is hardly ever touched. On the real clock all of it is
	// touched here, so that no page fault happens later. A backlog is large and hardly ever
	// needed, so its pages are touched at first use.
	memset(r, 0, p->hop_ps ? sizeof(*r) : whole);
	r->hop_ps = p->hop_ps;
	r->timed = p->hop_ps != 0;
	r->backlog = (uint32_t)most;
	r->credits.slot = malloc(most * sizeof(*r->slot));
	r->others.slot = malloc(most * sizeof(*r->slot));
	return r;
}

static bool ring_is_whole(const struct sw_ring *r)
{
	return r && r->credits.slot && r->others.slot;
}

static void ring_free(struct sw_ring *r)
{
	if (!r)
		return;
	free(r->credits.slot);
	free(r->others.slot);
	free(r);
}

// The message that was put last, or the last waiting credit, while only the producer can see it;
// else NULL.
static struct sw_msg *ring_last(struct sw_ring *r)
{
	if (sw_backlog_waits(&r->credits))
		return &r->credits.slot[r->credits.to - 1].m;
	if (r->put == r->pushed || sw_backlog_waits(&r->others))
		return NULL;
	return &r->slot[r->last & SW_RING_MASK].m;
}

// The next `n` entries of a backlog.
static union sw_entry *backlog_take(struct sw_backlog *b, uint32_t size, uint32_t n)
{
	if (!sw_backlog_waits(b))
		b->to = b->from = 0;
	assert(b->to - b->from + n <= size);
	if (b->to + n > size) {
		b->to -= b->from;
		memmove(b->slot, b->slot + b->from, b->to * sizeof(*b->slot));
		b->from = 0;
	}
	b->to += n;
	return &b->slot[b->to - n];
}

// The place for the next message, of n entries. Callers write it in place, which is faster than a
// copy.
static struct sw_msg *ring_next(struct sw_ring *r, enum sw_msg_kind kind, uint32_t n)
{
	if (UNLIKELY(!sw_ring_is_clear(r) || sw_ring_room(r, n) < n))
		return &backlog_take(
			kind == SW_MSG_CREDIT ? &r->credits : &r->others, r->backlog, n)
				->m;
	r->last = r->put;
	r->put += n;
	return &r->slot[r->last & SW_RING_MASK].m;
}

// The backlog whose message goes next; NULL: both are empty. Credits go first, unless messages have
// an order in time: then the earlier message does.
static struct sw_backlog *next_waiting(struct sw_ring *r)
{
	if (!sw_backlog_waits(&r->credits))
		return sw_backlog_waits(&r->others) ? &r->others : NULL;
	if (!r->hop_ps || !sw_backlog_waits(&r->others))
		return &r->credits;
	return r->others.slot[r->others.from].m.when <= r->credits.slot[r->credits.from].m.when
		       ? &r->others
		       : &r->credits;
}

void sw_ring_push(struct sw_ring *r)
{
	struct sw_backlog *b;

	while ((b = next_waiting(r))) {
		uint32_t n = sw_msg_entries(&b->slot[b->from].m);

		if (sw_ring_room(r, n) < n)
			break;
		memcpy(&r->slot[r->put & SW_RING_MASK], &b->slot[b->from], n * sizeof(*b->slot));
		r->last = r->put;
		r->put += n;
		b->from += n;
	}
	atomic_store_explicit(&r->head, r->put, memory_order_release);
	r->pushed = r->put;
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
			f->ring[i][k] = ring_new(p);
			if (ring_is_whole(f->ring[i][k]))
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

void sw_fabric_join(struct sw *sw, struct sw_fabric *f, unsigned k)
{
	sw->fabric = f;
	sw->shard = k;
	for (unsigned i = 0; i < f->n; i++)
		if (i != k)
			sw->peer[sw->n_peers++] =
				(struct sw_peer){.from = f->ring[i][k], .to = f->ring[k][i]};
}

void sw_fabric_frame(
	struct sw *sw, const struct sw_port *o, struct pkt *p, bool untagged, tstamp now)
{
	struct sw_ring *r = sw_ring_to(sw, o->index);

	*ring_next(r, SW_MSG_FRAME, 1) = (struct sw_msg){
		.when = now + r->hop_ps,
		.p = p,
		.port = o->index,
		.kind = SW_MSG_FRAME,
		.cls = p->cls,
		.untagged = untagged,
	};
}

void sw_fabric_frames(struct sw *sw, enum sw_msg_kind kind, const struct sw_port *in,
	const uint64_t *word, unsigned n, tstamp now)
{
	unsigned out = sw_msg_out(*word);
	struct sw_ring *r = sw_ring_to(sw, kind == SW_MSG_RX ? in->index : out);
	struct sw_msg *m;

	if (n == 1 && kind == SW_MSG_BURST) {
		sw_fabric_frame(sw, &sw->port[out], sw_msg_pkt(*word), false, now);
		return;
	}
	m = ring_next(r, kind, sw_entries(n));
	*m = (struct sw_msg){
		.when = now + r->hop_ps,
		.port = in->index,
		.kind = (uint8_t)kind,
		.n = (uint8_t)n,
	};
	memcpy(sw_msg_word(m), word, n * sizeof(*word));
}

// The message that was put last, if it is a credit for like frames and is not published yet; else
// NULL.
static struct sw_msg *joined(
	struct sw_ring *r, const struct sw_left *l, unsigned reason, tstamp when)
{
	struct sw_msg *last = ring_last(r);

	if (!last || last->kind != SW_MSG_CREDIT || (r->hop_ps && last->when != when) ||
		last->port != l->in_port || last->cls != l->cls || last->pg != l->pg ||
		last->reason != reason)
		return NULL;
	return last;
}

void sw_fabric_credit(struct sw *sw, const struct sw_left *l, unsigned reason, tstamp now)
{
	struct sw_ring *r = sw_ring_to(sw, l->in_port);
	tstamp when = now + r->hop_ps;
	struct sw_msg *m = joined(r, l, reason, when);

	if (!m) {
		m = ring_next(r, SW_MSG_CREDIT, 1);
		*m = (struct sw_msg){
			.when = when,
			.port = l->in_port,
			.kind = SW_MSG_CREDIT,
			.cls = l->cls,
			.pg = l->pg,
			.reason = (uint8_t)reason,
		};
	}
	m->frames += l->frames;
	m->bytes += l->bytes;
	m->held += l->held;
}

bool sw_fabric_learn(struct sw *sw, uint64_t key, unsigned port, tstamp now)
{
	bool all = true;

	for (unsigned k = 0; k < sw->n_peers; k++) {
		struct sw_ring *r = sw->peer[k].to;

		if (sw_ring_is_clear(r) && sw_ring_room(r, SW_LEARN_ROOM + 1) > SW_LEARN_ROOM)
			*ring_next(r, SW_MSG_LEARN, 1) = (struct sw_msg){
				.when = now + r->hop_ps,
				.key = key,
				.port = (uint16_t)port,
				.kind = SW_MSG_LEARN,
			};
		else
			all = false;
	}
	return all;
}

bool sw_fabric_flow(
	struct sw *sw, enum sw_msg_kind kind, unsigned port, const struct pkt *p, tstamp now)
{
	struct sw_ring *r = sw_ring_to(sw, port);
	uint32_t entries = sw_entries(SW_HDR_WORDS), need = SW_LEARN_ROOM + entries;
	struct sw_msg *m;

	if (!sw_ring_is_clear(r) || sw_ring_room(r, need) < need)
		return false;
	m = ring_next(r, kind, entries);
	*m = (struct sw_msg){
		.when = now + r->hop_ps,
		.qpn = p->u.rc.qpn,
		.frame_len = p->len,
		.tos = p->tos,
		.port = (uint16_t)port,
		.kind = (uint8_t)kind,
		.n = SW_HDR_WORDS,
	};
	memcpy(sw_msg_word(m), p->hdr, sizeof(*p->hdr));
	return true;
}

// Calls `fn` for the messages at `slot`, from..to; a message with several frames is split into one
// for each frame.
static void each_message(const union sw_entry *slot, uint32_t mask, uint32_t from, uint32_t to,
	void (*fn)(void *arg, const struct sw_msg *m), void *arg)
{
	while (from != to) {
		const struct sw_msg *m = &slot[from & mask].m;

		if (!sw_msg_several(m))
			fn(arg, m);
		for (unsigned i = 0; sw_msg_several(m) && i < m->n; i++) {
			struct sw_msg one = *m;

			one.kind = m->kind == SW_MSG_RX ? SW_MSG_RX : SW_MSG_FRAME;
			one.p = sw_msg_pkt(sw_msg_word_of(m)[i]);
			fn(arg, &one);
		}
		from += sw_msg_entries(m);
	}
}

void sw_fabric_each(const struct sw *sw, void (*fn)(void *arg, const struct sw_msg *m), void *arg)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned i = 0; f && i < f->n; i++)
		for (unsigned k = 0; k < f->n; k++) {
			const struct sw_ring *r = f->ring[i][k];

			if (!r)
				continue;
			each_message(r->slot, SW_RING_MASK, atomic_load(&r->tail), r->put, fn, arg);
			each_message(r->credits.slot, UINT32_MAX, r->credits.from, r->credits.to,
				fn, arg);
			each_message(
				r->others.slot, UINT32_MAX, r->others.from, r->others.to, fn, arg);
		}
}
