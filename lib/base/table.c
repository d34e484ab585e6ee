// SPDX-License-Identifier: BSD-3-Clause
// Set-associative table: where a key may stand, which entry yields to a new one, and when it has
// aged.
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>

#define SET_BYTES (TABLE_WAYS * sizeof(struct table_entry))

_Static_assert(SET_BYTES == 128, "a set is two cache lines");

int table_init(struct table *t, uint32_t capacity, tstamp max_age, uint64_t salt)
{
	uint32_t sets = 1;

	if (!capacity || capacity > 1u << 30 || !max_age)
		return -EINVAL;
	while (sets * TABLE_WAYS < capacity)
		sets *= 2;

	void *mem = calloc((size_t)sets + 1, SET_BYTES);

	if (!mem)
		return -ENOMEM;
	*t = (struct table){
		.entry = (struct table_entry *)(((uintptr_t)mem + SET_BYTES - 1) &
						~(uintptr_t)(SET_BYTES - 1)),
		.set_mask = sets - 1,
		.max_age = max_age,
		.salt = salt,
		.mem = mem,
	};
	return 0;
}

void table_fini(struct table *t)
{
	free(t->mem);
	t->mem = NULL;
	t->entry = NULL;
	t->n = 0;
}

static struct table_entry *find_entry(const struct table *t, uint64_t key)
{
	struct table_entry *set = table_set_of(t, key);

	for (unsigned w = 0; w < TABLE_WAYS; w++)
		if (set[w].used && set[w].key == key)
			return &set[w];
	return NULL;
}

struct table_entry *table_get(const struct table *t, uint64_t key, tstamp now)
{
	return table_find(t, table_set_of(t, key), key, now);
}

static void clear(struct table *t, struct table_entry *e)
{
	e->used = 0;
	e->fixed = 0;
	t->n--;
}

// A way for a new key: a free one, else an aged one, else the oldest that is not static.
static struct table_entry *room(struct table *t, uint64_t key, tstamp now)
{
	struct table_entry *set = table_set_of(t, key), *oldest = NULL;

	for (unsigned w = 0; w < TABLE_WAYS; w++) {
		if (!set[w].used)
			return &set[w];
		if (!set[w].fixed && (!oldest || set[w].seen < oldest->seen))
			oldest = &set[w];
	}
	if (!oldest) {
		t->stats.full++;
		return NULL;
	}
	// The oldest is the first to age: where it has not, none has.
	if (table_is_live(t, oldest, now))
		t->stats.evictions++;
	else
		t->stats.aged++;
	clear(t, oldest);
	return oldest;
}

struct table_entry *table_put(struct table *t, uint64_t key, uint32_t value, bool fixed, tstamp now)
{
	struct table_entry *e = find_entry(t, key);

	if (e && !table_is_live(t, e, now)) {
		t->stats.aged++;
		clear(t, e);
		e = NULL;
	}
	if (!e) {
		e = room(t, key, now);
		if (!e)
			return NULL;
		t->n++;
		t->stats.inserts++;
		*e = (struct table_entry){.key = key,
			.value = value,
			.used = 1,
			.fixed = fixed,
			.gen = (uint16_t)(e->gen + 1)};
	} else if (fixed || !e->fixed) {
		e->moved = e->value == value ? e->moved : now;
		e->value = value;
		e->fixed |= fixed;
	}
	e->seen = now;
	return e;
}

void table_del(struct table *t, uint64_t key)
{
	struct table_entry *e = find_entry(t, key);

	if (e)
		clear(t, e);
}

static uint32_t slots(const struct table *t)
{
	return (t->set_mask + 1) * TABLE_WAYS;
}

uint32_t table_flush(struct table *t, bool (*keep)(const struct table_entry *, void *), void *arg)
{
	uint32_t gone = 0;

	for (uint32_t i = 0; i < slots(t); i++) {
		struct table_entry *e = &t->entry[i];

		if (!e->used || e->fixed || (keep && keep(e, arg)))
			continue;
		clear(t, e);
		gone++;
	}
	return gone;
}

struct table_entry *table_next(const struct table *t, uint32_t *at, tstamp now)
{
	while (*at < slots(t)) {
		struct table_entry *e = &t->entry[(*at)++];

		if (table_is_live(t, e, now))
			return e;
	}
	return NULL;
}
