// SPDX-License-Identifier: BSD-3-Clause
// Bounded set-associative table with ageing: 64-bit keys, fixed-size values, no allocation after
// init.
//
// A set is one cache line, and it nearly always suffices for a look-up. A coarse time in that line
// mostly says whether an entry has aged. The exact time stands elsewhere, and is read only if the
// coarse one does not settle it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tstamp.h"

#define TABLE_WAYS 4
#define TABLE_NONE UINT32_MAX // no slot
#define TABLE_MOST (1u << 30) // entries

// Marks of entries: 0: the way is free; else 1 + the coarse time of `seen`, or the greatest one
// that fits; with TABLE_FIXED the entry is static: it neither ages nor is evicted.
#define TABLE_FIXED (1 << 30)

struct table_set {
	uint32_t key_low[TABLE_WAYS], key_high[TABLE_WAYS];
	uint32_t value[TABLE_WAYS]; // the caller's number: a port, an index
	int32_t mark[TABLE_WAYS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct table_set) == 64, "a set is one cache line");

struct table_times {
	tstamp seen;  // last put or touch
	tstamp moved; // last put that changed the value; 0: none has
};

struct table_stats {
	uint64_t inserts, evictions, aged, full; // full: every way held by a static entry
};

// An entry is known by its slot, TABLE_WAYS * set + way.
struct table {
	struct table_set *set;
	struct table_times *times; // by slot
	uint32_t set_mask;
	uint32_t n;           // entries in use, aged ones that nobody has met yet included
	tstamp max_age;       // ps; TSTAMP_NEVER: no ageing
	unsigned coarse_bits; // that a coarse time is short of
	uint64_t salt;        // hash seed
	struct table_stats stats;
	void *mem; // memory of sets and times
};

// Returns the number of entries for which a table of this capacity has room: a power of two of
// sets. `capacity` is at most TABLE_MOST.
static inline uint32_t table_room(uint32_t capacity)
{
	uint32_t room = TABLE_WAYS;

	while (room < capacity)
		room *= 2;
	return room;
}

// A table of at least `capacity` entries. 0 or -ENOMEM, -EINVAL.
int table_init(struct table *t, uint32_t capacity, tstamp max_age, uint64_t salt);
void table_fini(struct table *t);
// Touches all memory of a table that nobody has used yet, so that no page fault happens later.
// Before that `large` is called with it, and may ask the kernel for large pages.
void table_have(struct table *t, void (*large)(void *memory, size_t bytes));

static inline uint32_t table_slots(const struct table *t)
{
	return (t->set_mask + 1) * TABLE_WAYS;
}

// Returns the set to which `key` belongs. For many keys, find all sets first and prefetch them into
// the second-level cache, which can have more lines on their way at once.
static inline struct table_set *table_set_of(const struct table *t, uint64_t key)
{
	// Two products spread keys that are counted up in any of their bits; one does not. The
	// halves of the first are joined by XOR. The bytes of the second are reversed, because its
	// upper bits depend on all bits of the key, and the mask takes the lowest. The factors are
	// those of Stafford's mix 13, and the salt varies the hash by run.
	unsigned __int128 first = (unsigned __int128)(key ^ t->salt) * 0xbf58476d1ce4e5b9;
	uint64_t h = ((uint64_t)first ^ (uint64_t)(first >> 64)) * 0x94d049bb133111eb;

	h = __builtin_bswap64(h);
	return &t->set[h & t->set_mask];
}

static inline void table_fetch(const struct table_set *set)
{
	__builtin_prefetch(set, 0, 2);
}

static inline uint32_t table_slot(const struct table *t, const struct table_set *set, unsigned way)
{
	return (uint32_t)(set - t->set) * TABLE_WAYS + way;
}

static inline uint64_t table_key(const struct table *t, uint32_t slot)
{
	const struct table_set *s = &t->set[slot / TABLE_WAYS];

	return (uint64_t)s->key_high[slot % TABLE_WAYS] << 32 | s->key_low[slot % TABLE_WAYS];
}

static inline uint32_t table_value(const struct table *t, uint32_t slot)
{
	return t->set[slot / TABLE_WAYS].value[slot % TABLE_WAYS];
}

static inline int32_t table_mark(const struct table *t, uint32_t slot)
{
	return t->set[slot / TABLE_WAYS].mark[slot % TABLE_WAYS];
}

static inline bool table_is_fixed(const struct table *t, uint32_t slot)
{
	return table_mark(t, slot) >= TABLE_FIXED;
}

#ifdef __SSE2__
// Vectors of the compiler's own. Its header of intrinsics would cost all who include this a quarter
// of their compile time.
typedef int32_t table_words __attribute__((vector_size(16), may_alias));
typedef int64_t table_keys __attribute__((vector_size(16)));
typedef float table_floats __attribute__((vector_size(16)));
#endif

// Returns the way of the set that has `key`, as a bitmap, if its mark is above `above` (at least
// 0). 0: there is none.
static inline unsigned table_match(const struct table_set *set, uint64_t key, int32_t above)
{
#ifdef __SSE2__
	table_words k = (table_words)(table_keys){(int64_t)key, 0};
	table_words low = __builtin_shufflevector(k, k, 0, 0, 0, 0);
	table_words high = __builtin_shufflevector(k, k, 1, 1, 1, 1);
	table_words hit = *(const table_words *)set->mark > above;

	hit &= *(const table_words *)set->key_low == low;
	hit &= *(const table_words *)set->key_high == high;
	return (unsigned)__builtin_ia32_movmskps((table_floats)hit);
#else
	unsigned ways = 0;

	for (unsigned w = 0; w < TABLE_WAYS; w++)
		ways |= (unsigned)(set->key_low[w] == (uint32_t)key &&
				   set->key_high[w] == key >> 32 && set->mark[w] > above)
			<< w;
	return ways;
#endif
}

// Entries with a mark above this are static, or were surely seen less than `age` before `now`.
static inline int32_t table_mark_since(const struct table *t, tstamp age, tstamp now)
{
	uint64_t coarse;

	if (now < age)
		return 0;
	coarse = ((now - age) >> t->coarse_bits) + 1;
	return coarse < TABLE_FIXED ? (int32_t)coarse : TABLE_FIXED - 1;
}

static inline bool table_is_live(const struct table *t, uint32_t slot, tstamp now)
{
	int32_t mark = table_mark(t, slot);

	return mark >= TABLE_FIXED || (mark && tstamp_since(now, t->times[slot].seen) < t->max_age);
}

// The slot of the live entry of `key` in its set, or TABLE_NONE. Does not touch it.
static inline uint32_t table_find(
	const struct table *t, const struct table_set *set, uint64_t key, tstamp now)
{
	unsigned ways = table_match(set, key, 0);
	uint32_t slot;

	if (!ways)
		return TABLE_NONE;
	slot = table_slot(t, set, (unsigned)__builtin_ctz(ways));
	if (table_mark(t, slot) > table_mark_since(t, t->max_age, now))
		return slot;
	return table_is_live(t, slot, now) ? slot : TABLE_NONE;
}

// Like table_find() for one key alone.
uint32_t table_get(const struct table *t, uint64_t key, tstamp now);

// An entry is seen at this instant.
void table_touch(struct table *t, uint32_t slot, tstamp now);

// Inserts or updates; evicts an aged entry of the set, else its oldest. TABLE_NONE only where every
// way is static. A fixed entry's value is changed only by a fixed put.
uint32_t table_put(struct table *t, uint64_t key, uint32_t value, bool fixed, tstamp now);

void table_del(struct table *t, uint64_t key);

// Removes every dynamic entry for which keep(value, arg) is false; returns how many went.
uint32_t table_flush(struct table *t, bool (*keep)(uint32_t value, void *), void *arg);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Walks the live entries: *at starts at 0; TABLE_NONE at the end.
uint32_t table_next(const struct table *t, uint32_t *at, tstamp now);

#pragma GCC visibility pop
