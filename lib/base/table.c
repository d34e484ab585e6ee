// SPDX-License-Identifier: BSD-3-Clause
// Set-associative table: in which set a key is, which entry a new key replaces, and when an entry
// has aged.
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/have.h"

#define LINE       sizeof(struct table_set)
#define COARSE_AGE 12 // bits of the coarse time that passes within max_age

_Static_assert(TABLE_WAYS * sizeof(struct table_times) == LINE, "times of a set are one line, too");

// A coarse time has so many bits that learning and ageing nearly always need no more. A time that
// does not fit is taken for the greatest that does: an entry then looks older than it is, and its
// exact time is asked.
static unsigned coarse_bits(tstamp max_age)
{
	unsigned bits = 63 - (unsigned)__builtin_clzll(max_age);

	return bits > COARSE_AGE ? bits - COARSE_AGE : 0;
}

int table_init(struct table *t, uint32_t capacity, tstamp max_age, uint64_t salt)
{
	struct table_set *set;
	uint32_t sets;
	void *mem;

	if (!capacity || capacity > TABLE_MOST || !max_age)
		return -EINVAL;
	sets = table_room(capacity) / TABLE_WAYS;
	set = have_zeroed(2 * (size_t)sets * LINE, &mem);
	if (!set)
		return -ENOMEM;
	*t = (struct table){
		.set = set,
		.times = (struct table_times *)(set + sets),
		.set_mask = sets - 1,
		.max_age = max_age,
		.coarse_bits = coarse_bits(max_age),
		.salt = salt,
		.mem = mem,
	};
	return 0;
}

void table_have(struct table *t, void (*large)(void *memory, size_t bytes))
{
	have_memory(t->set, 2 * (t->set_mask + (size_t)1) * LINE, large);
}

void table_fini(struct table *t)
{
	free(t->mem);
	t->mem = NULL;
	t->set = NULL;
	t->times = NULL;
	t->n = 0;
}

static uint32_t used_slot(const struct table *t, const struct table_set *set, uint64_t key)
{
	unsigned ways = table_match(set, key, 0);

	return ways ? table_slot(t, set, (unsigned)__builtin_ctz(ways)) : TABLE_NONE;
}

uint32_t table_get(const struct table *t, uint64_t key, tstamp now)
{
	return table_find(t, table_set_of(t, key), key, now);
}

static int32_t *mark_of(struct table *t, uint32_t slot)
{
	return &t->set[slot / TABLE_WAYS].mark[slot % TABLE_WAYS];
}

static void set_coarse(struct table *t, uint32_t slot, tstamp now)
{
	uint64_t coarse = (now >> t->coarse_bits) + 1;
	int32_t *mark = mark_of(t, slot);

	if (coarse >= TABLE_FIXED)
		coarse = TABLE_FIXED - 1;
	*mark = (*mark & TABLE_FIXED) | (int32_t)coarse;
}

void table_touch(struct table *t, uint32_t slot, tstamp now)
{
	set_coarse(t, slot, now);
	t->times[slot].seen = now;
}

static void clear(struct table *t, uint32_t slot)
{
	*mark_of(t, slot) = 0;
	t->n--;
}

// A slot for a new key: a free one, else an aged one, else the oldest that is not static.
static uint32_t room(struct table *t, const struct table_set *set, tstamp now)
{
	uint32_t first = table_slot(t, set, 0), oldest = TABLE_NONE;

	for (uint32_t slot = first; slot < first + TABLE_WAYS; slot++) {
		if (!table_mark(t, slot))
			return slot;
		if (!table_is_fixed(t, slot) &&
			(oldest == TABLE_NONE || t->times[slot].seen < t->times[oldest].seen))
			oldest = slot;
	}
	if (oldest == TABLE_NONE) {
		t->stats.full++;
		return TABLE_NONE;
	}
	// The oldest is the first to age: where it has not, none has.
	if (table_is_live(t, oldest, now))
		t->stats.evictions++;
	else
		t->stats.aged++;
	clear(t, oldest);
	return oldest;
}

// Gives a free slot a key that has not been seen yet. At instant 0 no time is written, so that
// entries made before a run touch no page of the times.
static void fill_slot(struct table *t, uint32_t slot, uint64_t key, tstamp now)
{
	struct table_set *s = &t->set[slot / TABLE_WAYS];
	unsigned w = slot % TABLE_WAYS;

	s->key_low[w] = (uint32_t)key;
	s->key_high[w] = (uint32_t)(key >> 32);
	if (now)
		t->times[slot].moved = 0;
	t->n++;
	t->stats.inserts++;
}

uint32_t table_put(struct table *t, uint64_t key, uint32_t value, bool fixed, tstamp now)
{
	struct table_set *set = table_set_of(t, key);
	uint32_t slot = used_slot(t, set, key);
	uint32_t *is;

	if (slot != TABLE_NONE && !table_is_live(t, slot, now)) {
		t->stats.aged++;
		clear(t, slot);
		slot = TABLE_NONE;
	}
	if (slot == TABLE_NONE) {
		slot = room(t, set, now);
		if (slot == TABLE_NONE)
			return TABLE_NONE;
		fill_slot(t, slot, key, now);
		set->value[slot % TABLE_WAYS] = value;
	}
	is = &set->value[slot % TABLE_WAYS];
	if (fixed || !table_is_fixed(t, slot)) {
		if (*is != value && now)
			t->times[slot].moved = now;
		*is = value;
	}
	if (fixed)
		*mark_of(t, slot) |= TABLE_FIXED;
	set_coarse(t, slot, now);
	if (now)
		t->times[slot].seen = now;
	return slot;
}

void table_del(struct table *t, uint64_t key)
{
	uint32_t slot = used_slot(t, table_set_of(t, key), key);

	if (slot != TABLE_NONE)
		clear(t, slot);
}

uint32_t table_flush(struct table *t, bool (*keep)(uint32_t value, void *), void *arg)
{
	uint32_t gone = 0;

	for (uint32_t slot = 0; slot < table_slots(t); slot++) {
		if (!table_mark(t, slot) || table_is_fixed(t, slot) ||
			(keep && keep(table_value(t, slot), arg)))
			continue;
		clear(t, slot);
		gone++;
	}
	return gone;
}

uint32_t table_next(const struct table *t, uint32_t *at, tstamp now)
{
	while (*at < table_slots(t)) {
		uint32_t slot = (*at)++;

		if (table_is_live(t, slot, now))
			return slot;
	}
	return TABLE_NONE;
}
