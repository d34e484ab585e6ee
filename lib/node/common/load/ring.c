// SPDX-License-Identifier: BSD-3-Clause
// The ring of recorded frames: records that are whole, in a power of two of bytes.
#include "ring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/pkt.h"

// Records start at multiples of STEP, so that the space left at the end of the ring always has room
// for a record's head.
#define STEP sizeof(struct replay_rec)

_Static_assert((STEP & (STEP - 1)) == 0, "the ring's size is a multiple of it");

static uint64_t rec_size(uint32_t len)
{
	return (STEP + len + STEP - 1) & ~(uint64_t)(STEP - 1);
}

int replay_ring_init(struct replay_ring *r, size_t size)
{
	uint64_t bytes = REPLAY_RING_LINE;

	*r = (struct replay_ring){0};
	while (bytes < size || bytes < 4 * rec_size(PKT_MAX_LEN))
		bytes *= 2;
	r->bytes = aligned_alloc(REPLAY_RING_LINE, bytes);
	if (!r->bytes)
		return -ENOMEM;
	r->mask = bytes - 1;
	return 0;
}

void replay_ring_fini(struct replay_ring *r)
{
	free(r->bytes);
	r->bytes = NULL;
}

static struct replay_rec *rec_at(const struct replay_ring *r, uint64_t at)
{
	return (struct replay_rec *)(r->bytes + (at & r->mask));
}

uint64_t replay_ring_free(struct replay_ring *r)
{
	r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	return r->mask + 1 - (r->next - r->tail_seen);
}

static bool has_room(struct replay_ring *r, uint64_t want)
{
	return r->mask + 1 - (r->next - r->tail_seen) >= want || replay_ring_free(r) >= want;
}

bool replay_ring_put(struct replay_ring *r, const struct replay_frame *f)
{
	uint64_t size = rec_size(f->len), to_end = r->mask + 1 - (r->next & r->mask);
	uint64_t skip = size > to_end ? to_end : 0;
	struct replay_rec *rec;

	assert(f->len);
	if (!has_room(r, skip + size))
		return false;
	if (skip) {
		rec_at(r, r->next)->len = 0;
		r->next += skip;
	}
	rec = rec_at(r, r->next);
	rec->at = f->at;
	rec->len = f->len;
	memcpy(rec->bytes, f->bytes, f->len);
	r->next += size;
	return true;
}

void replay_ring_show(struct replay_ring *r)
{
	atomic_store_explicit(&r->head, r->next, memory_order_release);
}

void replay_ring_end(struct replay_ring *r)
{
	replay_ring_show(r);
	atomic_store_explicit(&r->ended, true, memory_order_release);
}

static bool is_empty(struct replay_ring *r)
{
	if (r->at != r->head_seen)
		return false;
	r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
	return r->at == r->head_seen;
}

// The producer sets `ended` after it has published the last frame. So if `ended` is set and the
// ring is empty, no frame is left.
bool replay_ring_ended(struct replay_ring *r)
{
	return atomic_load_explicit(&r->ended, memory_order_acquire) && is_empty(r);
}

const struct replay_rec *replay_ring_look(struct replay_ring *r)
{
	const struct replay_rec *rec;

	if (is_empty(r)) {
		if (!r->refill || atomic_load_explicit(&r->ended, memory_order_relaxed))
			return NULL;
		replay_ring_give(r);
		r->refill(r->arg, r);
		if (is_empty(r))
			return NULL;
	}
	rec = rec_at(r, r->at);
	if (!rec->len) {
		r->at += r->mask + 1 - (r->at & r->mask);
		rec = rec_at(r, r->at);
	}
	return rec;
}

void replay_ring_drop(struct replay_ring *r, const struct replay_rec *rec)
{
	assert(rec == rec_at(r, r->at));
	r->at += rec_size(rec->len);
}
