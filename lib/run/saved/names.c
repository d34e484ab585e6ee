// SPDX-License-Identifier: BSD-3-Clause
// Names as numbers: each once, in the order in which they were met.
#include <stdlib.h>
#include <string.h>

#include "int.h"

static uint32_t find(const struct names *n, uint32_t hash, const char *name, size_t len)
{
	uint32_t at = hash, i;

	while ((i = index_next(&n->by_name, hash, &at)) != INDEX_NONE)
		if (strncmp(n->name[i], name, len) == 0 && !n->name[i][len])
			return i;
	return INDEX_NONE;
}

int names_find(const struct names *n, const char *name, size_t len)
{
	uint32_t i = n->n ? find(n, index_hash(0, name, len), name, len) : INDEX_NONE;

	return i == INDEX_NONE ? -1 : (int)i;
}

int names_number(struct names *n, struct arena *a, const char *name, size_t len)
{
	uint32_t hash = index_hash(0, name, len);
	uint32_t i = n->n ? find(n, hash, name, len) : INDEX_NONE;
	const char *copy;

	if (i != INDEX_NONE)
		return (int)i;
	if (n->n == n->room) {
		unsigned room = n->room ? 2 * n->room : 64;
		const char **more = realloc(n->name, room * sizeof(*more));

		if (!more)
			return -1;
		n->name = more;
		n->room = room;
	}
	copy = arena_text(a, name, len);
	if (!copy || index_add(&n->by_name, hash, n->n))
		return -1;
	n->name[n->n] = copy;
	return (int)n->n++;
}

void names_fini(struct names *n)
{
	free(n->name);
	index_fini(&n->by_name);
	*n = (struct names){0};
}
