// SPDX-License-Identifier: BSD-3-Clause
// Timing wheel: the heap of what is next, the slots of what is later, and the horizon between them.
#include "base/wheel.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64 // bytes of a cache line

_Static_assert(sizeof(struct wheel_chunk) == 2ul * LINE, "a chunk is two cache lines");
_Static_assert(WHEEL_CHUNK <= WHEEL_PLACES, "a place says which item of a chunk");

static uint64_t slot_of(tstamp at)
{
	return at >> WHEEL_SLOT_BITS;
}

// Chunks that so many items need at most: each slot may have one that is not full, and so may the
// slot that is being spread.
static uint32_t chunks_for(uint32_t ids)
{
	uint32_t slots = WHEEL_LEVELS * WHEEL_SLOTS;

	return ids / WHEEL_CHUNK + (ids < slots ? ids : slots) + 2;
}

static int grow_slots(struct wheel *w)
{
	if (w->slots)
		return 0;
	w->slots = calloc(1, sizeof(*w->slots));
	if (!w->slots)
		return -ENOMEM;
	memset(w->slots->last, 0xff, sizeof(w->slots->last));
	return 0;
}

static int grow_chunks(struct wheel *w, uint32_t chunks)
{
	struct wheel_chunk *chunk;

	if (chunks <= w->chunks)
		return 0;
	// Numbers that come one by one do not copy all of them each time.
	if (w->chunks)
		chunks += chunks / WHEEL_PLACES;
	chunk = aligned_alloc(LINE, chunks * sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	if (w->chunks)
		memcpy(chunk, w->chunk, w->chunks * sizeof(*chunk));
	free(w->chunk);
	w->chunk = chunk;
	w->chunks = chunks;
	return 0;
}

// The row goes to the heap's beginning.
static void row_to_front(struct wheel *w)
{
	uint32_t gone = (uint32_t)(w->first - w->heap);

	if (!gone)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		w->heap[i] = w->heap[gone + i];
		w->place[w->heap[i].id] = i | WHEEL_HELD;
	}
	w->first = w->heap;
}

// A row is a heap as it stands, once it is at the beginning.
static void unrow(struct wheel *w)
{
	row_to_front(w);
	w->row = false;
}

int wheel_grow(struct wheel *w, uint32_t ids)
{
	struct wheel_item *heap;
	uint32_t *place;
	int rc = 0;

	if (ids <= w->ids && w->heap)
		return 0;
	unrow(w);
	heap = realloc(w->heap, (ids + 1ul) * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	w->heap = w->first = heap;
	place = realloc(w->place, (ids + 1ul) * sizeof(*place));
	if (!place)
		return -ENOMEM;
	w->place = place;
	if (ids > WHEEL_HEAP)
		rc = grow_slots(w);
	if (!rc && ids > WHEEL_HEAP)
		rc = grow_chunks(w, chunks_for(ids));
	if (rc)
		return rc;
	for (; w->ids < ids; w->ids++)
		place[w->ids] = WHEEL_NONE;
	if (!w->n)
		heap[0].at = TSTAMP_NEVER;
	return 0;
}

int wheel_init(struct wheel *w, uint32_t ids)
{
	*w = (struct wheel){.most = WHEEL_HEAP, .horizon = UINT64_MAX, .free = WHEEL_NONE};
	if (!wheel_grow(w, ids))
		return 0;
	wheel_fini(w);
	return -ENOMEM;
}

void wheel_fini(struct wheel *w)
{
	free(w->heap);
	free(w->place);
	free(w->slots);
	free(w->chunk);
	*w = (struct wheel){0};
}

// The heap.

static void heap_put(struct wheel *w, uint32_t i, struct wheel_item s)
{
	w->heap[i] = s;
	w->place[s.id] = i | WHEEL_HELD;
}

// The order of instants, then of items.
static bool before(struct wheel_item a, struct wheel_item b)
{
	return (a.at < b.at) | ((a.at == b.at) & (a.id < b.id));
}

static void sift_up(struct wheel *w, uint32_t i, struct wheel_item s)
{
	while (i && before(s, w->heap[(i - 1) / 2])) {
		heap_put(w, i, w->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_put(w, i, s);
}

static void sift_down(struct wheel *w, uint32_t i, struct wheel_item s)
{
	uint32_t child;

	while ((child = 2 * i + 1) < w->n) {
		if (child + 1 < w->n && before(w->heap[child + 1], w->heap[child]))
			child++;
		if (!before(w->heap[child], s))
			break;
		heap_put(w, i, w->heap[child]);
		i = child;
	}
	heap_put(w, i, s);
}

// Takes item `id` out of the heap.
static void heap_remove(struct wheel *w, uint32_t id)
{
	uint32_t i = w->place[id] & ~WHEEL_HELD;

	if (w->row && w->heap + i == w->first && w->n > 1) {
		w->first++;
		w->n--;
		return;
	}
	unrow(w);
	i = w->place[id] & ~WHEEL_HELD;

	struct wheel_item last = w->heap[--w->n];

	if (!w->n)
		w->heap[0].at = TSTAMP_NEVER;
	else if (i == w->n)
		return;
	else if (i && before(last, w->heap[(i - 1) / 2]))
		sift_up(w, i, last);
	else
		sift_down(w, i, last);
}

// Sorts few items, those from `from` on, by counting who comes before whom, without a branch that
// depends on it.
static void row_sort(struct wheel *w, uint32_t from)
{
	struct wheel_item item[WHEEL_ROW];
	uint32_t rank[WHEEL_ROW] = {0}, n = w->n - from;

	for (uint32_t i = 0; i < n; i++) {
		item[i] = w->heap[from + i];
		for (uint32_t k = 0; k < i; k++) {
			bool is_later = before(item[k], item[i]);

			rank[i] += is_later;
			rank[k] += !is_later;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		heap_put(w, from + rank[i], item[i]);
}

// Items stand in the heap in any order behind a row of `row`, which is earlier: makes a row of all,
// or a heap.
static void heap_make(struct wheel *w, uint32_t row)
{
	w->row = w->n - row <= WHEEL_ROW;
	if (w->row) {
		row_sort(w, row);
		return;
	}
	for (uint32_t i = w->n / 2; i-- > 0;)
		sift_down(w, i, w->heap[i]);
}

// The slots.

// The level at which a slot of the lowest level differs from the horizon, and its slot there.
static unsigned level_of(const struct wheel *w, uint64_t slot)
{
	return (63u - (unsigned)__builtin_clzll(slot ^ w->horizon)) / WHEEL_LEVEL_BITS;
}

static unsigned slot_at(uint64_t slot, unsigned level)
{
	return slot >> (level * WHEEL_LEVEL_BITS) & (WHEEL_SLOTS - 1);
}

static uint32_t chunk_take(struct wheel *w)
{
	uint32_t c = w->free;

	if (c == WHEEL_NONE) {
		assert(w->fresh < w->chunks);
		return w->fresh++;
	}
	w->free = w->chunk[c].next;
	return c;
}

static void chunk_free(struct wheel *w, uint32_t c)
{
	w->chunk[c].next = w->free;
	w->free = c;
}

// An item whose instant lies beyond the horizon.
static void slot_put(struct wheel *w, uint32_t id, tstamp at)
{
	struct wheel_slots *s = w->slots;
	unsigned level = level_of(w, slot_of(at)), k = slot_at(slot_of(at), level);
	uint32_t p = s->last[level][k] + 1;

	if (!p || p % WHEEL_PLACES == WHEEL_CHUNK) {
		uint32_t c = chunk_take(w);

		w->chunk[c].next = p ? p / WHEEL_PLACES : WHEEL_NONE;
		p = c * WHEEL_PLACES;
	}
	w->chunk[p / WHEEL_PLACES].at[p % WHEEL_PLACES] = at;
	w->chunk[p / WHEEL_PLACES].id[p % WHEEL_PLACES] = id;
	w->place[id] = p;
	s->last[level][k] = p;
	s->used[level][k / 64] |= 1ull << k % 64;
	s->items[level]++;
}

// Takes out the item at place p: the last one of its slot takes its place.
static void slot_remove(struct wheel *w, uint32_t p)
{
	struct wheel_slots *s = w->slots;
	struct wheel_chunk *c = &w->chunk[p / WHEEL_PLACES];
	uint64_t slot = slot_of(c->at[p % WHEEL_PLACES]);
	unsigned level = level_of(w, slot), k = slot_at(slot, level);
	uint32_t last = s->last[level][k], next = w->chunk[last / WHEEL_PLACES].next;

	c->at[p % WHEEL_PLACES] = w->chunk[last / WHEEL_PLACES].at[last % WHEEL_PLACES];
	c->id[p % WHEEL_PLACES] = w->chunk[last / WHEEL_PLACES].id[last % WHEEL_PLACES];
	w->place[c->id[p % WHEEL_PLACES]] = p;
	s->items[level]--;
	if (last % WHEEL_PLACES) {
		s->last[level][k] = last - 1;
		return;
	}
	chunk_free(w, last / WHEEL_PLACES);
	s->last[level][k] = next == WHEEL_NONE ? WHEEL_NONE : next * WHEEL_PLACES + WHEEL_CHUNK - 1;
	if (next == WHEEL_NONE)
		s->used[level][k / 64] &= ~(1ull << k % 64);
}

// An item that is in no place: to the heap, at its end, or to a slot.
static void wheel_spread(struct wheel *w, uint32_t id, tstamp at)
{
	if (slot_of(at) <= w->horizon)
		heap_put(w, w->n++, (struct wheel_item){.at = at, .id = id});
	else
		slot_put(w, id, at);
}

// Fetches the places of a chunk's items, and the chunk before it, whose items come next.
static inline __attribute__((always_inline)) void chunk_fetch(struct wheel *w, uint32_t c)
{
	if (c == WHEEL_NONE)
		return;
	for (uint32_t i = 0; i < WHEEL_CHUNK; i++)
		__builtin_prefetch(&w->place[w->chunk[c].id[i]], 1);
	c = w->chunk[c].next;
	if (c == WHEEL_NONE)
		return;
	__builtin_prefetch(&w->chunk[c]);
	__builtin_prefetch((const char *)&w->chunk[c] + LINE);
}

// Empties a slot: its items go where they belong under the horizon as it is now.
static void slot_spread(struct wheel *w, unsigned level, unsigned k)
{
	struct wheel_slots *s = w->slots;
	uint32_t last = s->last[level][k];
	uint32_t c = last / WHEEL_PLACES, n = last % WHEEL_PLACES + 1;

	s->last[level][k] = WHEEL_NONE;
	s->used[level][k / 64] &= ~(1ull << k % 64);
	while (c != WHEEL_NONE) {
		struct wheel_chunk chunk = w->chunk[c];

		chunk_fetch(w, chunk.next);
		chunk_free(w, c);
		s->items[level] -= n;
		for (uint32_t i = 0; i < n; i++)
			wheel_spread(w, chunk.id[i], chunk.at[i]);
		c = chunk.next;
		n = WHEEL_CHUNK;
	}
}

// The lowest level that has items, all of which are earlier than those of higher levels.
static unsigned lowest_level(const struct wheel_slots *s)
{
	unsigned level = 0;

	while (!s->items[level])
		level++;
	return level;
}

static unsigned lowest_slot(const struct wheel_slots *s, unsigned level)
{
	unsigned i = 0;

	while (!s->used[level][i])
		i++;
	return i * 64 + (unsigned)__builtin_ctzll(s->used[level][i]);
}

// The heap takes no more than twice what it has now, so that what moves the horizon back pays for
// itself.
static void set_most(struct wheel *w)
{
	w->most = 2 * w->n > WHEEL_HEAP ? 2 * w->n : WHEEL_HEAP;
}

// The heap is empty, or a row that has become short, and slots are not: the horizon moves on.
static void move_on(struct wheel *w)
{
	struct wheel_slots *s = w->slots;
	uint32_t had = w->n;

	row_to_front(w);
	while (w->n < WHEEL_LOAD && w->n < w->all) {
		unsigned level = lowest_level(s), k = lowest_slot(s, level);
		unsigned bits = level * WHEEL_LEVEL_BITS;
		uint64_t above = ~0ull << bits << WHEEL_LEVEL_BITS;

		w->horizon = (w->horizon & above) | (uint64_t)k << bits;
		// What fits one chunk is taken whole, at any level.
		if (w->chunk[s->last[level][k] / WHEEL_PLACES].next == WHEEL_NONE)
			w->horizon |= ~(~0ull << bits);
		slot_spread(w, level, k);
	}
	heap_make(w, had);
	set_most(w);
	if (w->n == w->all && w->n <= WHEEL_HEAP)
		w->horizon = UINT64_MAX;
}

// Items of the levels below one go up to that level, where the horizon has moved back.
static void raise_lower(struct wheel *w, unsigned level)
{
	for (unsigned l = 0; l < level; l++)
		while (w->slots->items[l])
			slot_spread(w, l, lowest_slot(w->slots, l));
}

// The heap has grown too long: the horizon moves back to the slot of the first item.
static void move_back(struct wheel *w)
{
	uint64_t to = slot_of(w->heap[0].at);
	uint32_t n = w->n, lower = 0;
	unsigned level = 0;

	set_most(w);
	if (to == w->horizon)
		return;
	if (w->n < w->all)
		level = level_of(w, to);
	for (unsigned l = 0; l < level; l++)
		lower += w->slots->items[l];
	// It moves no more items than have come into the heap since the horizon moved last.
	if (lower > n)
		return;
	w->horizon = to;
	raise_lower(w, level);
	w->n = 0;
	for (uint32_t i = 0; i < n; i++)
		wheel_spread(w, w->heap[i].id, w->heap[i].at);
	heap_make(w, 0);
	set_most(w);
}

static void put_in(struct wheel *w, uint32_t id, tstamp at)
{
	if (slot_of(at) > w->horizon) {
		slot_put(w, id, at);
		return;
	}
	unrow(w);
	sift_up(w, w->n++, (struct wheel_item){.at = at, .id = id});
	if (w->n > w->most)
		move_back(w);
}

// An item of the heap stays in it.
static void move_within(struct wheel *w, struct wheel_item s)
{
	uint32_t i;

	unrow(w);
	i = w->place[s.id] & ~WHEEL_HELD;
	if (before(s, w->heap[i]))
		sift_up(w, i, s);
	else
		sift_down(w, i, s);
}

void wheel_move(struct wheel *w, uint32_t id, tstamp at)
{
	uint32_t p = w->place[id];

	if (p == WHEEL_NONE) {
		if (at != TSTAMP_NEVER) {
			w->all++;
			put_in(w, id, at);
		}
		return;
	}
	if (!(p & WHEEL_HELD)) {
		slot_remove(w, p);
	} else if (at != TSTAMP_NEVER && slot_of(at) <= w->horizon) {
		move_within(w, (struct wheel_item){.at = at, .id = id});
		return;
	} else {
		heap_remove(w, id);
	}
	if (at != TSTAMP_NEVER) {
		put_in(w, id, at);
	} else {
		w->place[id] = WHEEL_NONE;
		w->all--;
	}
	if (w->n < WHEEL_AHEAD && w->n < w->all && (w->row || !w->n))
		move_on(w);
	if (w->all == 1) {
		unrow(w);
		w->horizon = UINT64_MAX;
	}
}
