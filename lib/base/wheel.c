// SPDX-License-Identifier: BSD-3-Clause
// Timing wheel: the heap of the next items, the slots of the later ones, and the horizon between
// them.
#include "base/wheel.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/wheel_tree.h"

#define LINE    64 // bytes of a cache line
#define ID_BITS 28 // of a number

_Static_assert(sizeof(struct wheel_chunk) == 2ul * LINE, "a chunk is two cache lines");
_Static_assert(WHEEL_CHUNK <= WHEEL_PLACES, "a place says which item of a chunk");

static uint64_t slot_of(tstamp at)
{
	return at >> WHEEL_SLOT_BITS;
}

// The most chunks that `ids` items need: each slot may have a chunk that is not full, and so may
// the slot that is being spread.
static uint32_t chunks_for(uint32_t ids)
{
	uint32_t slots = WHEEL_LEVELS * WHEEL_SLOTS;

	return ids / WHEEL_CHUNK + (ids < slots ? ids : slots) + 2;
}

static int grow_slots(struct wheel *w)
{
	if (!w->slots)
		w->slots = calloc(1, sizeof(*w->slots));
	return w->slots ? 0 : -ENOMEM;
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

// Places by which a row may have moved on when an item comes.
static uint32_t places_gone(uint32_t ids)
{
	return ids < WHEEL_GONE ? ids : WHEEL_GONE;
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

// Makes room behind the row for all items that are not in it.
static void row_make_room(struct wheel *w)
{
	if (w->first - w->heap > places_gone(w->ids))
		row_to_front(w);
}

// A row is a heap as it stands, once it is at the beginning.
static void unrow(struct wheel *w)
{
	row_to_front(w);
	w->row = false;
}

static int grow_wheel(struct wheel *w, uint32_t ids)
{
	int rc = grow_slots(w);

	if (!rc)
		rc = grow_chunks(w, chunks_for(ids));
	if (!rc && w->tree.word)
		wheel_tree_leave(w);
	return rc;
}

int wheel_grow(struct wheel *w, uint32_t ids)
{
	struct wheel_item *heap;
	uint32_t *place;
	int rc;

	if (ids <= w->ids && w->heap)
		return 0;
	row_to_front(w);
	heap = realloc(w->heap, (ids + 1ul + places_gone(ids)) * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	w->heap = w->first = heap;
	place = realloc(w->place, (ids + 1ul) * sizeof(*place));
	if (!place)
		return -ENOMEM;
	w->place = place;
	if (!w->n)
		heap[0].at = TSTAMP_NEVER;
	rc = ids > WHEEL_FEW ? grow_wheel(w, ids) : wheel_tree_grow(w, ids);
	if (rc)
		return rc;
	for (; w->ids < ids; w->ids++)
		place[w->ids] = WHEEL_NONE;
	return 0;
}

int wheel_init(struct wheel *w, uint32_t ids)
{
	*w = (struct wheel){
		.most = WHEEL_HEAP, .row = true, .horizon = UINT64_MAX, .free = WHEEL_NONE};
	if (!wheel_grow(w, ids))
		return 0;
	wheel_fini(w);
	return -ENOMEM;
}

void wheel_fini(struct wheel *w)
{
	wtree_fini(&w->tree);
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

// Returns whether a comes before b: by instant, then by number.
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
	struct wheel_item last = w->heap[--w->n];

	if (i == w->n)
		return;
	if (i && before(last, w->heap[(i - 1) / 2]))
		sift_up(w, i, last);
	else
		sift_down(w, i, last);
}

// The row.

// Puts item s into the row in order. Place i is free.
static void row_put(struct wheel *w, uint32_t i, struct wheel_item s)
{
	uint32_t gone = (uint32_t)(w->first - w->heap);
	struct wheel_item *row = w->first;

	for (; i && before(s, row[i - 1]); i--)
		heap_put(w, gone + i, row[i - 1]);
	for (; i + 1 < w->n && before(row[i + 1], s); i++)
		heap_put(w, gone + i, row[i + 1]);
	heap_put(w, gone + i, s);
}

// Takes item `id` out of the row. False: too many come before it, and after it.
static bool row_remove(struct wheel *w, uint32_t id)
{
	uint32_t i = w->place[id] & ~WHEEL_HELD, gone = (uint32_t)(w->first - w->heap);
	uint32_t end = gone + w->n;

	if (i - gone <= WHEEL_ROW && i - gone < end - i) {
		for (; i > gone; i--)
			heap_put(w, i, w->heap[i - 1]);
		w->first++;
	} else if (end - i <= WHEEL_ROW) {
		for (; i + 1 < end; i++)
			heap_put(w, i, w->heap[i + 1]);
	} else {
		return false;
	}
	w->n--;
	return true;
}

// Takes item `id` out, of the row or the heap.
static void take_out(struct wheel *w, uint32_t id)
{
	if (!w->row || !row_remove(w, id)) {
		unrow(w);
		heap_remove(w, id);
	}
	if (w->n)
		return;
	w->row = true;
	w->first = w->heap;
	w->heap[0].at = TSTAMP_NEVER;
}

// Returns whether the items of the row are in order, from place `from` to the end.
static bool row_is_sorted(const struct wheel *w, uint32_t from)
{
	for (uint32_t i = from + 1; i < w->n; i++)
		if (before(w->first[i], w->first[i - 1]))
			return false;
	return true;
}

// Sorts the items from place `from` to the end: it counts for each item how many come before it,
// without a branch that depends on data. Returns false if there are too many items, or if an item
// would move too far.
static bool row_sort(struct wheel *w, uint32_t from)
{
	struct wheel_item item[WHEEL_ROW];
	uint64_t key[WHEEL_ROW];
	uint32_t rank[WHEEL_ROW] = {0}, n = w->n - from;
	tstamp least = TSTAMP_NEVER, most = 0;

	if (n > WHEEL_ROW)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		item[i] = w->first[from + i];
		least = tstamp_min(least, item[i].at);
		most = tstamp_max(most, item[i].at);
	}
	if ((most - least) >> (64 - ID_BITS))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t mine = 0;

		key[i] = (item[i].at - least) << ID_BITS | item[i].id;
		for (uint32_t k = 0; k < i; k++) {
			mine += key[k] < key[i];
			rank[k] += key[k] > key[i];
		}
		rank[i] = mine;
	}
	from += (uint32_t)(w->first - w->heap);
	for (uint32_t i = 0; i < n; i++)
		heap_put(w, from + rank[i], item[i]);
	return true;
}

// Makes one row of a sorted row of `row` items and the unsorted items after it, which are all
// later. Makes a heap if sorting them would take too long.
static void row_make(struct wheel *w, uint32_t row)
{
	w->row = row_is_sorted(w, row) || row_sort(w, row);
	if (w->row)
		return;
	row_to_front(w);
	for (uint32_t i = w->n / 2; i-- > 0;)
		sift_down(w, i, w->heap[i]);
}

// The slots.

// The number, from 0 on, of the slot of a level that has a slot of the lowest level in it.
static uint64_t slot_above(uint64_t slot, unsigned level)
{
	return slot >> level * WHEEL_LEVEL_BITS;
}

// Returns the lowest level that has a slot for `slot`, the number of a slot of the lowest level
// that is beyond the horizon.
static inline unsigned level_of(const struct wheel *w, uint64_t slot)
{
	uint64_t s = slot_above(slot, 1), h = slot_above(w->horizon, 1);
	unsigned level = 0;

	for (; s - h > 1; level++) {
		s = slot_above(s, 1);
		h = slot_above(h, 1);
	}
	return level;
}

static unsigned slot_at(uint64_t slot, unsigned level)
{
	return slot_above(slot, level) & (WHEEL_SLOTS - 1);
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

// Appends a chunk to a slot whose items end at place `end`. Returns its first place.
ASIDE uint32_t chunk_append(struct wheel *w, unsigned level, unsigned k, uint32_t end)
{
	uint32_t c = chunk_take(w), prev = end / WHEEL_PLACES;
	struct wheel_chunk *chunk = &w->chunk[c];

	if (!end) {
		chunk->next = c;
		w->slots->used[level][k / 64] |= 1ull << k % 64;
	} else {
		chunk->next = w->chunk[prev].next;
		chunk->prev = prev;
		w->chunk[prev].next = c;
	}
	return c * WHEEL_PLACES;
}

// Puts an item into a slot. Its instant is beyond the horizon.
static inline void slot_put(struct wheel *w, uint32_t id, tstamp at)
{
	struct wheel_slots *s = w->slots;
	unsigned level = level_of(w, slot_of(at)), k = slot_at(slot_of(at), level);
	uint32_t p = s->end[level][k];

	if ((p - 1) % WHEEL_PLACES >= WHEEL_CHUNK - 1) // the chunk is full, or there is none
		p = chunk_append(w, level, k, p);
	w->chunk[p / WHEEL_PLACES].at[p % WHEEL_PLACES] = at;
	w->chunk[p / WHEEL_PLACES].id[p % WHEEL_PLACES] = id;
	w->place[id] = p | level << WHEEL_LEVEL_AT;
	s->end[level][k] = p + 1;
	s->items[level]++;
}

// Removes the item at a place. The last item of its slot moves there.
static void slot_remove(struct wheel *w, uint32_t place)
{
	struct wheel_slots *s = w->slots;
	uint32_t p = place & WHEEL_IN_CHUNK;
	unsigned level = place >> WHEEL_LEVEL_AT;
	struct wheel_chunk *c = &w->chunk[p / WHEEL_PLACES];
	unsigned k = slot_at(slot_of(c->at[p % WHEEL_PLACES]), level);
	uint32_t last = s->end[level][k] - 1;
	struct wheel_chunk *l = &w->chunk[last / WHEEL_PLACES];

	c->at[p % WHEEL_PLACES] = l->at[last % WHEEL_PLACES];
	c->id[p % WHEEL_PLACES] = l->id[last % WHEEL_PLACES];
	w->place[c->id[p % WHEEL_PLACES]] = place;
	s->items[level]--;
	s->end[level][k] = last;
	if (last % WHEEL_PLACES)
		return;
	if (l->next == last / WHEEL_PLACES) { // the only chunk
		s->end[level][k] = 0;
		s->used[level][k / 64] &= ~(1ull << k % 64);
	} else {
		s->end[level][k] = l->prev * WHEEL_PLACES + WHEEL_CHUNK;
		w->chunk[l->prev].next = l->next;
	}
	chunk_free(w, last / WHEEL_PLACES);
}

// Puts an item that has no place at the end of the row, or into a slot.
static inline void wheel_spread(struct wheel *w, uint32_t id, tstamp at)
{
	uint32_t gone = (uint32_t)(w->first - w->heap);

	if (slot_of(at) <= w->horizon)
		heap_put(w, gone + w->n++, (struct wheel_item){.at = at, .id = id});
	else
		slot_put(w, id, at);
}

// Fetches the places of a chunk's n items, and the next chunk, whose items come then.
INLINE void chunk_fetch(struct wheel *w, uint32_t c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&w->place[w->chunk[c].id[i]], 1);
	c = w->chunk[c].next;
	__builtin_prefetch(&w->chunk[c]);
	__builtin_prefetch((const char *)&w->chunk[c] + LINE);
}

// Takes the first chunk out of a slot and puts each of its items where it belongs under the present
// horizon: not in this slot. Returns the number of items.
static inline uint32_t chunk_spread(struct wheel *w, unsigned level, unsigned k)
{
	struct wheel_slots *s = w->slots;
	uint32_t end = s->end[level][k], last = end / WHEEL_PLACES;
	uint32_t of_last = end % WHEEL_PLACES, c = w->chunk[last].next, n = of_last;
	const struct wheel_chunk *chunk = &w->chunk[c];

	if (c == last) {
		s->end[level][k] = 0;
		s->used[level][k / 64] &= ~(1ull << k % 64);
	} else {
		n = WHEEL_CHUNK;
		w->chunk[last].next = chunk->next;
		chunk_fetch(w, chunk->next, chunk->next == last ? of_last : WHEEL_CHUNK);
	}
	s->items[level] -= n;
	for (uint32_t i = 0; i < n; i++)
		wheel_spread(w, chunk->id[i], chunk->at[i]);
	chunk_free(w, c);
	return n;
}

// Empties a slot.
static void slot_spread(struct wheel *w, unsigned level, unsigned k)
{
	while (w->slots->end[level][k])
		chunk_spread(w, level, k);
}

// The lowest level that has items.
static unsigned lowest_level(const struct wheel_slots *s)
{
	unsigned level = 0;

	while (!s->items[level])
		level++;
	return level;
}

// The first slot of a level from number `slot` on that has items; `end`: none before that has.
static uint64_t used_slot(const struct wheel *w, unsigned level, uint64_t slot, uint64_t end)
{
	for (; slot < end; slot = (slot | 63) + 1) {
		uint64_t used = w->slots->used[level][slot / 64 % (WHEEL_SLOTS / 64)] >> slot % 64;

		if (used)
			return slot + (unsigned)__builtin_ctzll(used);
	}
	return end;
}

// The first slot of a level that has items.
static uint64_t first_slot(const struct wheel *w, unsigned level)
{
	uint64_t here = slot_above(w->horizon, level);

	return used_slot(w, level, here + 1, here + WHEEL_SLOTS);
}

// The heap may grow to twice its present size, so that the work of moving the horizon back is paid
// for.
static void set_most(struct wheel *w)
{
	w->most = 2 * w->n > WHEEL_HEAP ? 2 * w->n : WHEEL_HEAP;
}

// Returns the slot of a level that follows the horizon's slot. The levels below have slots for it,
// too.
static unsigned slot_behind(const struct wheel *w, unsigned level)
{
	return (slot_above(w->horizon, level) + 1) & (WHEEL_SLOTS - 1);
}

// Empties the slots of higher levels that must not be entered before: a slot of `level` lies in
// them and the horizon does not. False: there are none.
static bool spread_above(struct wheel *w, unsigned level, uint64_t slot)
{
	bool any = false;

	while (++level < WHEEL_LEVELS) {
		slot = slot_above(slot, 1);
		if (slot == slot_above(w->horizon, level))
			break;
		if (!w->slots->end[level][slot & (WHEEL_SLOTS - 1)])
			continue;
		slot_spread(w, level, slot & (WHEEL_SLOTS - 1));
		any = true;
	}
	return any;
}

// The horizon moves on to the next slot that has items.
static void next_slot(struct wheel *w)
{
	struct wheel_slots *s = w->slots;
	unsigned level = lowest_level(s), bits = level * WHEEL_LEVEL_BITS;
	uint64_t slot = first_slot(w, level);
	unsigned k = slot & (WHEEL_SLOTS - 1);
	uint32_t last = s->end[level][k] / WHEEL_PLACES;

	if (spread_above(w, level, slot))
		return;
	// Items that fit one chunk are taken whole, at any level.
	if (!level || w->chunk[last].next == last)
		w->horizon = ((slot + 1) << bits) - 1;
	else
		w->horizon = (slot << bits) - 1;
	slot_spread(w, level, k);
}

// Spreads items of slots that the horizon will reach later: at least `n` items, if there are as
// many.
static void spread_ahead(struct wheel *w, uint32_t n)
{
	struct wheel_slots *s = w->slots;
	uint32_t done = 0;

	for (unsigned level = 1; level < WHEEL_LEVELS; level++) {
		unsigned k = slot_behind(w, level);

		while (s->end[level][k] && done < n)
			done += chunk_spread(w, level, k);
	}
}

// Fetches the last chunk of the slot that comes next, which mostly is its only one.
INLINE void fetch_next_slot(struct wheel *w)
{
	struct wheel_slots *s = w->slots;
	unsigned level = lowest_level(s);
	unsigned k = first_slot(w, level) & (WHEEL_SLOTS - 1);
	const struct wheel_chunk *c = &w->chunk[s->end[level][k] / WHEEL_PLACES];

	__builtin_prefetch(c);
	__builtin_prefetch((const char *)c + LINE);
}

// Fetches the chunk that spread_ahead() will come to last, if it takes two. The chunk before it was
// fetched when its predecessor was spread.
INLINE void fetch_behind(struct wheel *w)
{
	struct wheel_slots *s = w->slots;
	uint32_t end = s->end[1][slot_behind(w, 1)], c;

	if (!end)
		return;
	c = w->chunk[end / WHEEL_PLACES].next;
	c = w->chunk[w->chunk[c].next].next;
	__builtin_prefetch(&w->chunk[c]);
	__builtin_prefetch((const char *)&w->chunk[c] + LINE);
}

// The row has become short, or the heap is empty, and slots are not: the horizon moves on.
static void move_on(struct wheel *w)
{
	uint32_t had = w->n;

	fetch_behind(w);
	row_make_room(w);
	while (w->n < WHEEL_AHEAD && w->n < w->all)
		next_slot(w);
	// Twice as much as is taken, so that all has been spread in time.
	if (w->n < w->all)
		spread_ahead(w, 2 * (w->n - had));
	row_make(w, had);
	set_most(w);
	if (w->n < w->all)
		fetch_next_slot(w);
	else if (w->n <= WHEEL_HEAP)
		w->horizon = UINT64_MAX;
}

// The horizon has moved back from `from`: items for which their level has no slot any more go up.
static void raise_lower(struct wheel *w, uint64_t from)
{
	for (unsigned level = WHEEL_LEVELS; level-- > 0;) {
		uint64_t above = slot_above(from, level + 1);
		uint64_t slot = (slot_above(w->horizon, level + 1) + 2) << WHEEL_LEVEL_BITS;
		uint64_t end = (above + 2) << WHEEL_LEVEL_BITS;

		if (slot <= slot_above(from, level))
			slot = slot_above(from, level) + 1;
		while ((slot = used_slot(w, level, slot, end)) < end)
			slot_spread(w, level, slot & (WHEEL_SLOTS - 1));
	}
}

// The heap has grown too long: the horizon moves back to the slot of the first item.
static void move_back(struct wheel *w)
{
	uint64_t to = slot_of(w->first->at), from = w->horizon;
	uint32_t n = w->n, lower = 0;

	set_most(w);
	if (to == from)
		return;
	for (unsigned l = 0; w->n < w->all && slot_above(to, l + 1) != slot_above(from, l + 1); l++)
		lower += w->slots->items[l];
	// Moving the horizon back moves no more items than have come into the heap since its last
	// move.
	if (lower > n)
		return;
	row_to_front(w);
	w->horizon = to;
	if (w->n < w->all)
		raise_lower(w, from);
	w->n = 0;
	for (uint32_t i = 0; i < n; i++)
		wheel_spread(w, w->heap[i].id, w->heap[i].at);
	row_make(w, 0);
	set_most(w);
}

// Adds an item that is before the horizon.
ASIDE void heap_put_in(struct wheel *w, struct wheel_item s)
{
	bool is_long = w->n > WHEEL_ROW;

	if (w->row && is_long && w->first > w->heap && before(s, w->first[WHEEL_ROW])) {
		w->first--;
		w->n++;
		row_put(w, 0, s);
	} else if (w->row && (w->n <= 2 * WHEEL_ROW || !before(s, w->first[w->n - WHEEL_ROW]))) {
		row_make_room(w);
		w->n++;
		row_put(w, w->n - 1, s);
	} else {
		unrow(w);
		sift_up(w, w->n++, s);
	}
	if (w->n > w->most)
		move_back(w);
}

static inline void put_in(struct wheel *w, uint32_t id, tstamp at)
{
	if (slot_of(at) > w->horizon)
		slot_put(w, id, at);
	else
		heap_put_in(w, (struct wheel_item){.at = at, .id = id});
}

void wheel_put(struct wheel *w, uint32_t id, tstamp at)
{
	if (at == TSTAMP_NEVER)
		return;
	if (w->tree.word) {
		wheel_tree_put(w, id, at);
		return;
	}
	w->all++;
	put_in(w, id, at);
}

// Gives an item of the heap or row another instant, with which it stays there.
static void move_within(struct wheel *w, struct wheel_item s)
{
	uint32_t i;

	if (w->row && w->n <= 2 * WHEEL_ROW) {
		row_put(w, (w->place[s.id] & ~WHEEL_HELD) - (uint32_t)(w->first - w->heap), s);
		return;
	}
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

	if (w->tree.word) {
		wheel_tree_move(w, id, at);
		return;
	}
	if (!(p & WHEEL_HELD)) {
		slot_remove(w, p);
	} else if (at != TSTAMP_NEVER && slot_of(at) <= w->horizon) {
		move_within(w, (struct wheel_item){.at = at, .id = id});
		return;
	} else {
		take_out(w, id);
	}
	if (at != TSTAMP_NEVER) {
		put_in(w, id, at);
	} else {
		w->place[id] = WHEEL_NONE;
		w->all--;
	}
	if (w->n < WHEEL_AHEAD && w->n < w->all && w->row)
		move_on(w);
	if (w->all == 1) {
		row_to_front(w);
		w->row = true;
		w->horizon = UINT64_MAX;
	}
}
