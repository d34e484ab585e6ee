// SPDX-License-Identifier: BSD-3-Clause
// Winner tree: making and freeing it.
#include "base/wtree.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 64 // bytes of a cache line: a node's children never lie in two

int wtree_init(struct wtree *t, uint32_t n)
{
	uint32_t bits = 0, leaves = 4, first = 0;

	while (1ul << bits < n)
		bits++;
	while (leaves < n) {
		first += leaves;
		leaves *= 4;
	}

	size_t words = (size_t)first + leaves;

	*t = (struct wtree){.min = TSTAMP_NEVER, .bits = bits, .first = first};
	t->word = aligned_alloc(LINE, (words * sizeof(*t->word) + LINE - 1) & ~(size_t)(LINE - 1));
	if (!t->word)
		return -ENOMEM;
	for (size_t i = 0; i < words; i++)
		t->word[i] = TSTAMP_NEVER;
	for (uint32_t i = n; i-- > 0;)
		wtree_set(t, i, TSTAMP_NEVER);
	return 0;
}

void wtree_fini(struct wtree *t)
{
	free(t->word);
	*t = (struct wtree){0};
}
