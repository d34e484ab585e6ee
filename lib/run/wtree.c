// SPDX-License-Identifier: BSD-3-Clause
// Winner tree: making and freeing it.
#include "run/wtree.h"

#include <errno.h>
#include <stdlib.h>

int wtree_init(struct wtree *t, uint32_t n)
{
	uint32_t size = 2;

	while (size < n)
		size *= 2;
	*t = (struct wtree){.size = size, .win = malloc(2 * size * sizeof(*t->win))};
	if (!t->win)
		return -ENOMEM;
	for (uint32_t i = 0; i < size; i++)
		t->win[size + i] = (wtree_key)TSTAMP_NEVER << 64 | i;
	for (uint32_t i = size - 1; i; i--)
		t->win[i] = t->win[2 * i];
	t->win[0] = (wtree_key)TSTAMP_NEVER << 64; // the root's sibling
	return 0;
}

void wtree_fini(struct wtree *t)
{
	free(t->win);
	*t = (struct wtree){0};
}
