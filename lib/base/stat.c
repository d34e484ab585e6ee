// SPDX-License-Identifier: BSD-3-Clause
// Counters: rows of a table by name, differences.
#include "base/stat.h"

#include <string.h>

int stat_find(const struct stat_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].name, name))
			return (int)i;
	return -1;
}

void stat_diff(const struct stat_table *t, void *to, const void *now, const void *then)
{
	for (unsigned i = 0; i < t->n; i++) {
		uint64_t *field = (uint64_t *)((char *)to + t->row[i].offset);

		*field = stat_get(t, now, i) - (t->row[i].whole ? 0 : stat_get(t, then, i));
	}
}
