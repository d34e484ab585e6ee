// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table of counters by name, for tests.
#pragma once

#include <string.h>

#include "base/stat.h"

// -1 where there is none.
static inline int stat_find(const struct stat_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].name, name))
			return (int)i;
	return -1;
}
