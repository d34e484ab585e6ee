// SPDX-License-Identifier: BSD-3-Clause
// An arena: memory that is asked for piece by piece and given back as a whole.
#pragma once

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *last;
};

// Returns `size` zeroed bytes, aligned for any object; NULL: memory is out. An arena starts as {0}.
void *arena_get(struct arena *a, size_t size);

// A copy of n characters with a NUL behind them; NULL where memory is out.
char *arena_text(struct arena *a, const char *text, size_t n);

__attribute__((format(printf, 2, 3))) char *arena_format(struct arena *a, const char *fmt, ...);

void arena_free(struct arena *a);
