// SPDX-License-Identifier: BSD-3-Clause
// A set of numbers that only grows: rows that were used, places that were reported.
#include <string.h>

#include "int.h"

#define FIRST_SIZE 256

static uint64_t *find_slot(const struct sonic_set *set, uint64_t number)
{
	unsigned i = (unsigned)((number * 0x9e3779b97f4a7c15ull) >> 32);

	while (set->slot[i & (set->size - 1)] && set->slot[i & (set->size - 1)] != number)
		i++;
	return &set->slot[i & (set->size - 1)];
}

bool sonic_set_has(const struct sonic_set *set, uint64_t number)
{
	return set->size && *find_slot(set, number);
}

static void grow(struct sonic *s, struct sonic_set *set)
{
	struct sonic_set more = {.n = set->n, .size = set->size ? 2 * set->size : FIRST_SIZE};

	more.slot = arena_get(s->a, more.size * sizeof(*more.slot));
	if (!more.slot) {
		s->no_memory = true;
		return;
	}
	for (unsigned i = 0; i < set->size; i++) {
		if (set->slot[i])
			*find_slot(&more, set->slot[i]) = set->slot[i];
	}
	*set = more;
}

void sonic_set_add(struct sonic *s, struct sonic_set *set, uint64_t number)
{
	if (2 * set->n >= set->size)
		grow(s, set);
	if (s->no_memory || sonic_set_has(set, number))
		return;
	*find_slot(set, number) = number;
	set->n++;
}
