// SPDX-License-Identifier: BSD-3-Clause
// Counters: rows of a table by name.
#include "base/stat.h"

#include <string.h>

int stat_find(const struct stat_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].name, name))
			return (int)i;
	return -1;
}
