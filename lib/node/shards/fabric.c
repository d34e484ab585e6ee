// SPDX-License-Identifier: BSD-3-Clause
// The fabric between the shards of a switch: frames one way, credits of the buffer the other,
// addresses to all.
#include "shards.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"

#define RING_ENTRIES 2048
#define LEAST_LEN    14 // octets of the shortest frame that can be told from none

// The buffer holds so many frames at most, each of which takes two entries at most, and no more
// credits than that are under way.
static struct sw_ring *ring_new(const struct sw_params *p)
{
	struct sw_ring *r = aligned_alloc(64, sizeof(*r));
	uint64_t most = p->buffer_bytes / (LEAST_LEN + PKT_FCS) + 1;

	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->mask = RING_ENTRIES - 1;
	r->timed = p->hop_ps != 0;
	r->slot = aligned_alloc(64, RING_ENTRIES * sizeof(*r->slot));
	if (r->slot)
		memset(r->slot, 0, RING_ENTRIES * sizeof(*r->slot));
	r->credits.size = (uint32_t)most;
	r->others.size = (uint32_t)(2 * most);
	r->credits.slot = calloc(r->credits.size, sizeof(*r->slot));
	r->others.slot = calloc(r->others.size, sizeof(*r->slot));
	return r;
}

static bool ring_is_whole(const struct sw_ring *r)
{
	return r && r->slot && r->credits.slot && r->others.slot;
}

static void ring_free(struct sw_ring *r)
{
	if (!r)
		return;
	free(r->slot);
	free(r->credits.slot);
	free(r->others.slot);
	free(r);
}

// Where the message that was put last stands, of credits that wait the last one, while it is the
// producer's alone; else NULL.
static struct sw_msg *ring_last(struct sw_ring *r)
{
	if (sw_backlog_waits(&r->credits))
		return &r->credits.slot[r->credits.to - 1].m;
	if (r->put == atomic_load_explicit(&r->head, memory_order_relaxed) ||
		sw_backlog_waits(&r->others))
		return NULL;
	return &r->slot[r->last & r->mask].m;
}

// The next `n` entries of a backlog.
static union sw_entry *backlog_take(struct sw_backlog *b, uint32_t n)
{
	if (!sw_backlog_waits(b))
		b->to = b->from = 0;
	assert(b->to - b->from + n <= b->size);
	if (b->to + n > b->size) {
		b->to -= b->from;
		memmove(b->slot, b->slot + b->from, b->to * sizeof(*b->slot));
		b->from = 0;
	}
	b->to += n;
	return &b->slot[b->to - n];
}

// Copies words to entries from `at` on, of a ring or a backlog.
static inline void words_put(
	union sw_entry *to, uint32_t mask, uint32_t at, const uint64_t *word, unsigned n)
{
	for (; n > SW_ENTRY_WORDS; n -= SW_ENTRY_WORDS, word += SW_ENTRY_WORDS)
		memcpy(to[at++ & mask].word, word, sizeof(to->word));
	memcpy(to[at & mask].word, word, n * sizeof(*word));
}

// Puts a message, and behind it its words.
static void ring_put(struct sw_ring *r, const struct sw_msg *m, const uint64_t *word)
{
	uint32_t n = sw_msg_entries(m), mask = r->mask, at = r->put;
	union sw_entry *to = r->slot;

	if (LIKELY(sw_ring_is_clear(r) && sw_ring_room(r, n) >= n)) {
		r->last = at;
		r->put += n;
	} else {
		to = backlog_take(m->kind == SW_MSG_CREDIT ? &r->credits : &r->others, n);
		at = 0;
		mask = UINT32_MAX;
	}
	to[at & mask].m = *m;
	if (n > 1)
		words_put(to, mask, at + 1, word, sw_msg_words(m));
}

// Where what comes next waits: a credit, unless messages have an order in time; NULL: nothing does.
static struct sw_backlog *next_waiting(struct sw_ring *r)
{
	if (!sw_backlog_waits(&r->credits))
		return sw_backlog_waits(&r->others) ? &r->others : NULL;
	if (!r->timed || !sw_backlog_waits(&r->others))
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
		r->last = r->put;
		for (; n; n--)
			r->slot[r->put++ & r->mask] = b->slot[b->from++];
	}
	atomic_store_explicit(&r->head, r->put, memory_order_release);
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

	ring_put(sw_ring_to(sw, o->index), &m, NULL);
}

void sw_fabric_burst(
	struct sw *sw, unsigned port, struct sw_msg *m, const uint64_t *word, tstamp now)
{
	m->when = now + sw->fabric->hop_ps;
	ring_put(sw_ring_to(sw, port), m, word);
}

// What n like frames of `bytes` in all hold of the buffer.
static inline uint32_t held_by(const struct sw *sw, unsigned n, uint32_t bytes)
{
	return UNLIKELY(sw->two_sided) ? n * mmu_cells(&sw->pools_cfg, bytes / n) : bytes;
}

// Whether the last message that was put, and not handed over, tells of frames like these.
static bool joins(struct sw_ring *r, const struct sw_msg *m)
{
	struct sw_msg *last = ring_last(r);

	if (!last || last->kind != SW_MSG_CREDIT || (r->timed && last->when != m->when) ||
		last->port != m->port || last->cls != m->cls || last->pg != m->pg ||
		last->reason != m->reason)
		return false;
	last->frames += m->frames;
	last->bytes += m->bytes;
	last->held += m->held;
	return true;
}

void sw_fabric_credit_held(struct sw *sw, const struct pkt *p, unsigned n, uint32_t bytes,
	uint32_t held, unsigned reason, tstamp now)
{
	struct sw_ring *r = sw_ring_to(sw, p->in_port);
	const struct sw_msg m = {
		.when = now + sw->fabric->hop_ps,
		.bytes = bytes,
		.frames = n,
		.port = p->in_port,
		.kind = SW_MSG_CREDIT,
		.cls = p->cls,
		.pg = (uint8_t)sw_pg(sw, p),
		.reason = (uint8_t)reason,
		.held = held,
	};

	if (!joins(r, &m))
		ring_put(r, &m, NULL);
}

void sw_fabric_credit(
	struct sw *sw, const struct pkt *p, unsigned n, uint32_t bytes, unsigned reason, tstamp now)
{
	sw_fabric_credit_held(sw, p, n, bytes, held_by(sw, n, bytes), reason, now);
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
		if (sw_ring_is_clear(r) && sw_ring_room(r, SW_LEARN_ROOM + 1) > SW_LEARN_ROOM)
			ring_put(r, &m, NULL);
		else
			all = false;
	}
	return all;
}

bool sw_fabric_flow(
	struct sw *sw, enum sw_msg_kind kind, unsigned port, const struct pkt *p, tstamp now)
{
	struct sw_ring *r = sw_ring_to(sw, port);
	uint64_t word[SW_HDR_WORDS];
	const struct sw_msg m = {
		.when = now + sw->fabric->hop_ps,
		.qpn = p->u.rc.qpn,
		.frame_len = p->len,
		.tos = p->tos,
		.port = (uint16_t)port,
		.kind = (uint8_t)kind,
		.n = SW_HDR_WORDS,
	};
	uint32_t need = SW_LEARN_ROOM + sw_msg_entries(&m);

	if (!sw_ring_is_clear(r) || sw_ring_room(r, need) < need)
		return false;
	memcpy(word, p->hdr, sizeof(word));
	ring_put(r, &m, word);
	return true;
}

// Messages at `slot` from..to, each of several frames as one of its own.
static void each_of(const union sw_entry *slot, uint32_t mask, uint32_t from, uint32_t to,
	void (*fn)(void *arg, const struct sw_msg *m), void *arg)
{
	while (from != to) {
		const struct sw_msg *m = &slot[from & mask].m;

		if (!sw_msg_several(m))
			fn(arg, m);
		for (unsigned i = 0; sw_msg_several(m) && i < m->n; i++) {
			uint32_t at = (from + 1 + i / SW_ENTRY_WORDS) & mask;
			uint64_t word = slot[at].word[i % SW_ENTRY_WORDS];
			struct sw_msg one = *m;

			one.kind = m->kind == SW_MSG_RX ? SW_MSG_RX : SW_MSG_FRAME;
			one.p = m->kind == SW_MSG_TRAIN ? eport_car_pkt(word)
							: (struct pkt *)(uintptr_t)word;
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
			each_of(r->slot, r->mask, atomic_load(&r->tail), r->put, fn, arg);
			each_of(r->credits.slot, UINT32_MAX, r->credits.from, r->credits.to, fn,
				arg);
			each_of(r->others.slot, UINT32_MAX, r->others.from, r->others.to, fn, arg);
		}
}
