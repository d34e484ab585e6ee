// SPDX-License-Identifier: BSD-3-Clause
// Timing wheel: instants of numbered items, sorted by instant and then by number. Its cost does not
// grow with the number of items.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "base/wtree.h"

// A wheel of few numbers is a winner tree. Each number has a leaf, and an operation costs the same
// whatever the instants are. Too few numbers are due one soon after the other for a real wheel to
// pay for itself.
//
// With more numbers, the next items stand in a row, the first of all in front. A horizon divides
// them from all other items, which lie unsorted in the slots of a hierarchical wheel. A slot of the
// lowest level has 2^18 ps (262 ns), a slot of the next level 1024 times as much, and five levels
// hold every instant. When the row becomes short, the horizon moves on to the next occupied slots.
// A level has two sets of slots: one for the slot of the level above in which the horizon is, and
// one for the slot behind that. So the items of a higher slot can be spread over lower slots before
// the horizon reaches it, a few items with each move of the horizon: thousands of items in one slot
// do not hold up the item that is due then. An item moves down once a level at most. Items that
// come into the row are sorted, unless they stand in order already, as items of equal gaps do. If
// too many items come to be sorted, or an item belongs far from both ends of a long row, the row
// becomes a binary heap until it is empty. If too many items are in the heap, the horizon moves
// back. The wheel never looks at items one by one to find the next one, and thousands of items in
// one slot cost as much as a heap of them.
#define WHEEL_SLOT_BITS  18                       // of a slot's length at the lowest level, ps
#define WHEEL_LEVEL_BITS 10                       // a slot has the time of 2^10 of the level below
#define WHEEL_SLOTS      (2u << WHEEL_LEVEL_BITS) // twice those of a slot of the level above
#define WHEEL_LEVELS     5
#define WHEEL_CHUNK      10  // items of two cache lines
#define WHEEL_PLACES     16  // of a chunk, a power of two
#define WHEEL_FEW        256 // most numbers of a tree
#define WHEEL_HEAP       32  // so many items need no slots
#define WHEEL_AHEAD      48  // the horizon moves on when a row has fewer: who comes soon is known
// A row sorts at most WHEEL_ROW items at once. It takes an item in or out at most so many places
// from one of its ends, so that few others move. Elsewhere the row becomes a heap.
#define WHEEL_ROW  32
#define WHEEL_GONE 64 // places by which a row moves on before it goes back to the beginning

#define WHEEL_NONE UINT32_MAX
#define WHEEL_HELD (1u << 31) // in a place: of the heap, else of the chunks
// The entry of `place` for an item in a chunk: the level of its slot, above the number of the chunk
// and the place in it.
#define WHEEL_LEVEL_AT 28
#define WHEEL_IN_CHUNK ((1u << WHEEL_LEVEL_AT) - 1)

struct wheel_item {
	tstamp at;
	uint32_t id;
	uint32_t resv;
};

// Items of one slot, in the order in which they came. The slot's last chunk need not be full, the
// others are.
struct wheel_chunk {
	uint32_t next; // of the last one: the first; or the next free one, WHEEL_NONE: none
	uint32_t prev; // not of the first
	uint32_t id[WHEEL_CHUNK];
	tstamp at[WHEEL_CHUNK];
};

// The slots of all levels; what is not used of them is never touched.
struct wheel_slots {
	uint32_t items[WHEEL_LEVELS];
	uint64_t used[WHEEL_LEVELS][WHEEL_SLOTS / 64]; // bitmap of slots with items
	uint32_t end[WHEEL_LEVELS][WHEEL_SLOTS];       // place behind the last item; 0: none
};

// Written and read by its owner only. first->at is TSTAMP_NEVER while the heap is empty.
struct wheel {
	struct wheel_item *first; // of the row; else heap
	struct wheel_item *heap;
	uint32_t *place; // of an item: in the heap or in the chunks; WHEEL_NONE: it has no instant
	uint32_t n;      // items in the heap
	uint32_t all;    // items that have an instant
	// All items in this slot of the lowest level and in earlier slots are in the heap;
	// UINT64_MAX: all items are, for example a single one.
	uint64_t horizon;
	uint32_t most; // with more in the heap the horizon moves back
	bool row;      // the heap is a row, from `first` on; from its beginning where that is all
	// Few numbers: the tree of the instants less `base`, if at least two items have one. The
	// heap has each number's instant after its first place. With one item or none, the tree has
	// no leaf.
	struct wtree tree;
	tstamp base;
	struct wheel_slots *slots; // NULL: few numbers
	struct wheel_chunk *chunk;
	uint32_t chunks; // that there is room for
	uint32_t fresh;  // from here on none has been used
	uint32_t free;   // the first number that has been used and is free; WHEEL_NONE: none
	uint32_t ids;    // numbers that there is room for
};

// Bytes of memory that a number costs; what the heap does not use of it is never touched.
#define WHEEL_ITEM_BYTES \
	(sizeof(uint32_t) + sizeof(struct wheel_item) + sizeof(struct wheel_chunk) / WHEEL_CHUNK)

// Numbers 0..ids-1, none with an instant. Takes all memory that they ever need. 0 or -ENOMEM.
int wheel_init(struct wheel *w, uint32_t ids);
void wheel_fini(struct wheel *w);

// Makes room for numbers up to ids-1, at most 2^27; instants stay as they are. 0, or -ENOMEM with
// the wheel as it was to its user.
int wheel_grow(struct wheel *w, uint32_t ids);

// wheel_set of an item that has no instant, or has one, where others have one.
void wheel_put(struct wheel *w, uint32_t id, tstamp at);
void wheel_move(struct wheel *w, uint32_t id, tstamp at);

// Sets the instant of item `id`, or removes it (TSTAMP_NEVER).
static inline void wheel_set(struct wheel *w, uint32_t id, tstamp at)
{
	bool has = w->place[id] != WHEEL_NONE;

	if (w->all != has) {
		if (has)
			wheel_move(w, id, at);
		else
			wheel_put(w, id, at);
		return;
	}
	*w->first = (struct wheel_item){.at = at, .id = id};
	w->all = w->n = at != TSTAMP_NEVER;
	w->place[id] = w->n ? WHEEL_HELD : WHEEL_NONE;
}

// Takes out the first item; there must be one. It has no instant afterwards.
static inline void wheel_take(struct wheel *w)
{
	uint32_t id = w->first->id;

	if (!w->row || w->n <= WHEEL_AHEAD) {
		wheel_set(w, id, TSTAMP_NEVER);
		return;
	}
	w->first++;
	w->n--;
	w->all--;
	w->place[id] = WHEEL_NONE;
}

// The earliest instant, TSTAMP_NEVER if there is none, and its item (only where there is one): of
// equal instants that with the lowest number.
static inline tstamp wheel_first(const struct wheel *w)
{
	return w->first->at;
}

static inline uint32_t wheel_first_id(const struct wheel *w)
{
	return w->first->id;
}

// Returns an item that is due soon, the k-th after the first unless the items form a heap;
// WHEEL_NONE: none is known. A caller may prefetch what the item will need. With few numbers that
// is not necessary, because all of it is in the cache.
static inline uint32_t wheel_soon(const struct wheel *w, uint32_t k)
{
	return k < w->n ? w->first[k].id : WHEEL_NONE;
}

// The instant of one item; TSTAMP_NEVER: it has none.
static inline tstamp wheel_at(const struct wheel *w, uint32_t id)
{
	uint32_t p = w->place[id];

	if (p == WHEEL_NONE)
		return TSTAMP_NEVER;
	if (p & WHEEL_HELD)
		return w->heap[p & ~WHEEL_HELD].at;
	p &= WHEEL_IN_CHUNK;
	return w->chunk[p / WHEEL_PLACES].at[p % WHEEL_PLACES];
}
