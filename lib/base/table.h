// SPDX-License-Identifier: BSD-3-Clause
// Bounded set-associative table with ageing: 64-bit keys, fixed-size values, no allocation after
// init.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tstamp.h"

#define TABLE_WAYS 4

struct table_entry {
	uint64_t key;
	tstamp seen;    // last put or touch
	tstamp moved;   // last put that changed the value; 0: none has
	uint32_t value; // the caller's number: a port, an index
	uint8_t used;
	uint8_t fixed; // static: neither ages nor is evicted
	uint16_t gen;
};

struct table_stats {
	uint64_t inserts, evictions, aged, full; // full: every way held by a static entry
};

struct table {
	struct table_entry *entry; // sets * TABLE_WAYS; each set begins on a cache line
	uint32_t set_mask;
	uint32_t n;     // entries in use, aged ones that nobody has met yet included
	tstamp max_age; // ps; TSTAMP_NEVER: no ageing
	uint64_t salt;  // hash seed
	struct table_stats stats;
	void *mem; // what `entry` is cut from
};

// A table of at least `capacity` entries (rounded up to a power of two of sets). 0 or -ENOMEM,
// -EINVAL.
int table_init(struct table *t, uint32_t capacity, tstamp max_age, uint64_t salt);
void table_fini(struct table *t);

// The entries among which `key` would stand. Who looks many keys up finds the sets of all first,
// and has them fetched: into the second cache, to which more lines can be on their way at once.
static inline struct table_entry *table_set_of(const struct table *t, uint64_t key)
{
	// a 64-bit finalizer (Stafford's mix 13) spreads the key, the salt varies it by run
	uint64_t h = key ^ t->salt;

	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
	h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
	h ^= h >> 31;
	return &t->entry[(h & t->set_mask) * TABLE_WAYS];
}

static inline void table_fetch(const struct table_entry *set)
{
	__builtin_prefetch(set, 0, 2);
	__builtin_prefetch(set + TABLE_WAYS / 2, 0, 2);
}

static inline bool table_is_live(const struct table *t, const struct table_entry *e, tstamp now)
{
	return e->used && (e->fixed || tstamp_since(now, e->seen) < t->max_age);
}

// The live entry of `key` in its set, or NULL. Does not touch it.
static inline struct table_entry *table_find(
	const struct table *t, struct table_entry *set, uint64_t key, tstamp now)
{
	for (unsigned w = 0; w < TABLE_WAYS; w++)
		if (set[w].key == key && set[w].used)
			return table_is_live(t, &set[w], now) ? &set[w] : NULL;
	return NULL;
}

// The same for one key alone.
struct table_entry *table_get(const struct table *t, uint64_t key, tstamp now);

// Inserts or updates; evicts an aged entry of the set, else its oldest. NULL only where every way
// is static. A fixed entry's value is changed only by a fixed put.
struct table_entry *table_put(
	struct table *t, uint64_t key, uint32_t value, bool fixed, tstamp now);

void table_del(struct table *t, uint64_t key);

// Removes every dynamic entry for which keep(entry, arg) is false; returns how many went.
uint32_t table_flush(struct table *t, bool (*keep)(const struct table_entry *, void *), void *arg);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Walks the live entries: *at starts at 0; NULL at the end.
struct table_entry *table_next(const struct table *t, uint32_t *at, tstamp now);

#pragma GCC visibility pop
