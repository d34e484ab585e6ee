// SPDX-License-Identifier: BSD-3-Clause
// An arena: memory that is asked for piece by piece and given back as a whole.
#include "arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Blocks double in size, so that a large arena has few; pages that nothing uses are not touched.
#define BLOCK_LEAST 65536
#define BLOCK_MOST  (4u << 20)

struct arena_block {
	struct arena_block *before;
	size_t size, used;
	alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *block_new(size_t size)
{
	struct arena_block *b = calloc(1, sizeof(*b) + size);

	if (b)
		b->size = size;
	return b;
}

// Size of the next block for `size` bytes.
static size_t next_size(const struct arena_block *last, size_t size)
{
	size_t next = last ? 2 * last->size : BLOCK_LEAST;

	next = next < BLOCK_MOST ? next : BLOCK_MOST;
	return size > next ? size : next;
}

void *arena_get(struct arena *a, size_t size)
{
	struct arena_block *b = a->last;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!b || b->size - b->used < size) {
		b = block_new(next_size(b, size));
		if (!b)
			return NULL;
		b->before = a->last;
		a->last = b;
	}

	void *p = b->bytes + b->used;

	b->used += size;
	return p;
}

char *arena_text(struct arena *a, const char *text, size_t n)
{
	char *s = arena_get(a, n + 1);

	if (s && n)
		memcpy(s, text, n);
	return s;
}

char *arena_format(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);

	int n = vsnprintf(NULL, 0, fmt, ap);

	va_end(ap);

	char *s = n < 0 ? NULL : arena_get(a, (size_t)n + 1);

	if (!s)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

void arena_free(struct arena *a)
{
	while (a->last) {
		struct arena_block *b = a->last;

		a->last = b->before;
		free(b);
	}
}
