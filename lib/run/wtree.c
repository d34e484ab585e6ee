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
	*t = (struct wtree){.size = size};
	t->key = malloc(size * sizeof(*t->key));
	t->win = malloc(2 * size * sizeof(*t->win));
	if (!t->key || !t->win) {
		wtree_fini(t);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < size; i++) {
		t->key[i] = TSTAMP_NEVER;
		t->win[size + i] = i;
	}
	for (uint32_t i = size - 1; i; i--)
		t->win[i] = t->win[2 * i];
	t->win[0] = 0;
	return 0;
}

void wtree_fini(struct wtree *t)
{
	free(t->key);
	free(t->win);
	*t = (struct wtree){0};
}
