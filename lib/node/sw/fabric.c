// SPDX-License-Identifier: BSD-3-Clause
// The fabric between the shards of a switch: frames one way, credits of the buffer the other,
// addresses to all.
#include "fabric.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#include "base/hint.h"

#define RING_ENTRIES 2048
#define LEAST_LEN    14             // octets of the shortest frame that can be told from none
#define LEARN_ROOM   64             // free entries that are left to frames and credits
#define AHEAD        36             // entries that are fetched ahead: two messages of a whole burst
#define AT_ONCE      (4 * SW_BURST) // frames and credits that are taken of a shard in one call

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

static inline bool waits(const struct sw_backlog *b)
{
	return b->from != b->to;
}

// Whether nothing waits for room.
static inline bool ring_is_clear(const struct sw_ring *r)
{
	return !waits(&r->credits) && !waits(&r->others);
}

static uint32_t ring_room(struct sw_ring *r, uint32_t want)
{
	uint32_t room = r->mask + 1 - (r->put - r->tail_seen);

	if (room >= want)
		return room;
	r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	return r->mask + 1 - (r->put - r->tail_seen);
}

// Where the message that was put last stands, of credits that wait the last one, while it is the
// producer's alone; else NULL.
static struct sw_msg *ring_last(struct sw_ring *r)
{
	if (waits(&r->credits))
		return &r->credits.slot[r->credits.to - 1].m;
	if (r->put == atomic_load_explicit(&r->head, memory_order_relaxed) || waits(&r->others))
		return NULL;
	return &r->slot[r->last & r->mask].m;
}

// The next `n` entries of a backlog.
static union sw_entry *backlog_take(struct sw_backlog *b, uint32_t n)
{
	if (!waits(b))
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

// Puts a message, and behind it the words of its frames.
static void ring_put(struct sw_ring *r, const struct sw_msg *m, const uint64_t *word)
{
	uint32_t n = sw_msg_entries(m), mask = r->mask, at = r->put;
	union sw_entry *to = r->slot;

	if (LIKELY(ring_is_clear(r) && ring_room(r, n) >= n)) {
		r->last = at;
		r->put += n;
	} else {
		to = backlog_take(m->kind == SW_MSG_CREDIT ? &r->credits : &r->others, n);
		at = 0;
		mask = UINT32_MAX;
	}
	to[at & mask].m = *m;
	if (n > 1)
		words_put(to, mask, at + 1, word, m->n);
}

// Where what comes next waits: a credit, unless messages have an order in time; NULL: nothing does.
static struct sw_backlog *next_waiting(struct sw_ring *r)
{
	if (!waits(&r->credits))
		return waits(&r->others) ? &r->others : NULL;
	if (!r->timed || !waits(&r->others))
		return &r->credits;
	return r->others.slot[r->others.from].m.when <= r->credits.slot[r->credits.from].m.when
		       ? &r->others
		       : &r->credits;
}

// The consumer sees all that was put, as far as the ring has room.
static void ring_push(struct sw_ring *r)
{
	struct sw_backlog *b;

	while ((b = next_waiting(r))) {
		uint32_t n = sw_msg_entries(&b->slot[b->from].m);

		if (ring_room(r, n) < n)
			break;
		r->last = r->put;
		for (; n; n--)
			r->slot[r->put++ & r->mask] = b->slot[b->from++];
	}
	atomic_store_explicit(&r->head, r->put, memory_order_release);
}

// Where the oldest message stands, or NULL.
static const struct sw_msg *ring_first(struct sw_ring *r)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (r->head_seen == tail)
		r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
	return r->head_seen == tail ? NULL : &r->slot[tail & r->mask].m;
}

static void ring_took(struct sw_ring *r, uint32_t n)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	atomic_store_explicit(&r->tail, tail + n, memory_order_release);
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

	ring_put(ring_to(sw, o->index), &m, NULL);
}

void sw_fabric_burst(
	struct sw *sw, unsigned port, struct sw_msg *m, const uint64_t *word, tstamp now)
{
	m->when = now + sw->fabric->hop_ps;
	ring_put(ring_to(sw, port), m, word);
}

// Each may need a message of its own, and tell of an address.
bool sw_rx_room(const struct sw *sw, unsigned port, unsigned n)
{
	struct sw_ring *r = ring_to(sw, port);
	uint32_t need = LEARN_ROOM + 3 * n;

	return ring_is_clear(r) && ring_room(r, need) >= need;
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

void sw_fabric_credit(
	struct sw *sw, const struct pkt *p, unsigned n, uint32_t bytes, unsigned reason, tstamp now)
{
	struct sw_ring *r = ring_to(sw, p->in_port);
	const struct sw_msg m = {
		.when = now + sw->fabric->hop_ps,
		.bytes = bytes,
		.frames = n,
		.port = p->in_port,
		.kind = SW_MSG_CREDIT,
		.cls = p->cls,
		.pg = (uint8_t)sw_pg(sw, p),
		.reason = (uint8_t)reason,
		.held = held_by(sw, n, bytes),
	};

	if (!joins(r, &m))
		ring_put(r, &m, NULL);
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
		if (ring_is_clear(r) && ring_room(r, LEARN_ROOM + 1) > LEARN_ROOM)
			ring_put(r, &m, NULL);
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
		sw_in(sw, in, m->cls)[SW_IN_FORWARDED] += m->frames;
	else
		sw_count_lost(in, m->cls, m->pg, m->reason, m->frames,
			m->bytes - m->frames * sw->queue_extra);
	if (sw_buffer_credited(sw, m->port, m->pg, m->held))
		sw_xon(sw, in, m->pg, now);
}

// The words of the frames of the message that stands at `at`.
static void words_get(const struct sw_ring *r, uint32_t at, uint64_t *word, unsigned n)
{
	for (; n > SW_ENTRY_WORDS; n -= SW_ENTRY_WORDS, word += SW_ENTRY_WORDS)
		memcpy(word, r->slot[++at & r->mask].word, SW_ENTRY_WORDS * sizeof(*word));
	memcpy(word, r->slot[++at & r->mask].word, n * sizeof(*word));
}

// The lines of frames are another lcore's: where each will be touched, all are asked for at once.
static void take_burst(struct sw *sw, const struct sw_ring *r, const struct sw_msg *m, tstamp now)
{
	uint32_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t word[SW_BURST];
	struct pkt *p[SW_BURST];

	words_get(r, at, word, m->n);
	if (m->kind == SW_MSG_TRAIN && sw_arrived_train(sw, m, word, now))
		return;
	for (unsigned i = 0; i < m->n; i++) {
		p[i] = m->kind == SW_MSG_TRAIN ? eport_car_pkt(word[i])
					       : (struct pkt *)(uintptr_t)word[i];
		__builtin_prefetch(p[i], 1);
	}
	if (m->kind == SW_MSG_RX)
		sw_handed_over(sw, m, p, now);
	else
		sw_arrived_burst(sw, m, p, now);
}

static void take(struct sw *sw, const struct sw_ring *r, const struct sw_msg *m, tstamp now)
{
	if (m->kind == SW_MSG_FRAME)
		sw_arrived(sw, m->p, m->port, m->untagged, now);
	else if (sw_msg_entries(m) > 1)
		take_burst(sw, r, m, now);
	else if (m->kind == SW_MSG_CREDIT)
		credited(sw, m, now);
	else
		sw_fdb_told(sw, m->key, m->port, m->when - sw->fabric->hop_ps, now);
}

// A line that another lcore has written takes longer to come than all that is done with it.
void sw_fabric_ahead(struct sw *sw)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned k = 0; k < f->n; k++) {
		struct sw_ring *r = f->ring[k][sw->shard];
		uint32_t tail, n;

		if (!r)
			continue;
		tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
		r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
		n = r->head_seen - tail < AHEAD ? r->head_seen - tail : AHEAD;
		for (uint32_t i = 0; i < n; i += SW_LINE / sizeof(union sw_entry))
			__builtin_prefetch(&r->slot[(tail + i) & r->mask]);
	}
}

void sw_fabric_rx(struct sw *sw, tstamp now)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned k = 0; k < f->n; k++) {
		struct sw_ring *r = f->ring[k][sw->shard];
		unsigned left = AT_ONCE;
		const struct sw_msg *m;

		while (r && (m = ring_first(r)) && (f->hop_ps ? m->when <= now : left)) {
			uint32_t entries = sw_msg_entries(m);
			unsigned n = entries > 1 ? m->n : 1;

			take(sw, r, m, now);
			ring_took(r, entries);
			left -= n < left ? n : left;
		}
	}
}

void sw_fabric_push(struct sw *sw)
{
	const struct sw_fabric *f = sw->fabric;

	for (unsigned k = 0; k < f->n; k++) {
		struct sw_ring *r = f->ring[sw->shard][k];

		if (r && (r->put != atomic_load_explicit(&r->head, memory_order_relaxed) ||
				 !ring_is_clear(r)))
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

// Messages at `slot` from..to, each of several frames as one of its own.
static void each_of(const union sw_entry *slot, uint32_t mask, uint32_t from, uint32_t to,
	void (*fn)(void *arg, const struct sw_msg *m), void *arg)
{
	while (from != to) {
		const struct sw_msg *m = &slot[from & mask].m;

		if (sw_msg_entries(m) == 1)
			fn(arg, m);
		for (unsigned i = 0; sw_msg_entries(m) > 1 && i < m->n; i++) {
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

// A frame on the fabric.
struct crossing {
	void (*fn)(void *arg, const struct pkt *p);
	void *arg;
};

static void one_crossing(void *arg, const struct sw_msg *m)
{
	const struct crossing *c = arg;

	if (m->kind == SW_MSG_FRAME || m->kind == SW_MSG_RX)
		c->fn(c->arg, m->p);
}

struct handing {
	unsigned port;
	uint64_t frames;
};

static void add_handing(void *arg, const struct sw_msg *m)
{
	struct handing *h = arg;

	h->frames += m->kind == SW_MSG_RX && m->in == h->port;
}

uint64_t sw_rx_handing(const struct sw *sw, unsigned port)
{
	struct handing h = {.port = port};

	sw_fabric_each(sw, add_handing, &h);
	return h.frames;
}

void sw_each_crossing(const struct sw *sw, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	struct crossing c = {fn, arg};

	sw_fabric_each(sw, one_crossing, &c);
}
