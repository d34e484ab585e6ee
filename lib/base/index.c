// SPDX-License-Identifier: BSD-3-Clause
// An index: open addressing with linear probing, at most half full.
#include "base/index.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST 16

// FNV-1a (Fowler, Noll, Vo), its bits mixed once more: the low ones choose the place.
uint32_t index_hash(uint32_t from, const void *bytes, size_t n)
{
	const uint8_t *o = bytes;
	uint32_t h = from ^ 0x811c9dc5;

	for (size_t i = 0; i < n; i++)
		h = (h ^ o[i]) * 0x01000193;
	return (h ^ h >> 15) * 0x2c1b3c6d;
}

static void place_entry(struct index *ix, uint64_t entry)
{
	uint32_t at = (uint32_t)(entry >> 32);

	while (ix->slot[at & ix->mask])
		at++;
	ix->slot[at & ix->mask] = entry;
}

// Entries of one hash keep their order: they are placed again in the order of their slots,
// beginning behind a free slot.
static int grow(struct index *ix)
{
	uint32_t size = ix->slot ? ix->mask + 1 : 0, from = 0;
	struct index more = {.mask = size ? 2 * size - 1 : LEAST - 1, .n = ix->n};

	more.slot = calloc(more.mask + 1ul, sizeof(*more.slot));
	if (!more.slot)
		return -ENOMEM;
	while (from < size && ix->slot[from])
		from++;
	for (uint32_t i = from; i < from + size; i++)
		if (ix->slot[i & ix->mask])
			place_entry(&more, ix->slot[i & ix->mask]);
	free(ix->slot);
	*ix = more;
	return 0;
}

int index_add(struct index *ix, uint32_t hash, uint32_t number)
{
	if ((!ix->slot || ix->n > ix->mask / 2) && grow(ix))
		return -ENOMEM;
	place_entry(ix, (uint64_t)hash << 32 | (number + 1));
	ix->n++;
	return 0;
}

uint32_t index_next(const struct index *ix, uint32_t hash, uint32_t *at)
{
	while (ix->slot && ix->slot[*at & ix->mask]) {
		uint64_t entry = ix->slot[(*at)++ & ix->mask];

		if (entry >> 32 == hash)
			return (uint32_t)entry - 1;
	}
	return INDEX_NONE;
}

void index_fini(struct index *ix)
{
	free(ix->slot);
	*ix = (struct index){0};
}
