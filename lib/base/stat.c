// SPDX-License-Identifier: BSD-3-Clause
// Counters: differences by their table.
#include "base/stat.h"

void stat_diff(const struct stat_table *t, void *to, const void *now, const void *then)
{
	for (unsigned i = 0; i < t->n; i++) {
		uint64_t *field = (uint64_t *)((char *)to + t->row[i].offset);

		*field = stat_get(t, now, i) - (t->row[i].whole ? 0 : stat_get(t, then, i));
	}
}

void stat_sum(const struct stat_table *t, void *to, const void *more)
{
	for (unsigned i = 0; i < t->n; i++) {
		uint64_t *field = (uint64_t *)((char *)to + t->row[i].offset);
		uint64_t n = stat_get(t, more, i);

		*field = !t->row[i].whole ? *field + n : n > *field ? n : *field;
	}
}
