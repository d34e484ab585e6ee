// SPDX-License-Identifier: BSD-3-Clause
// Zeroed memory, all pages of which can be touched before it is used, so that none is new later.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HAVE_LARGE (2u << 20) // a large page, where a machine has any
#define HAVE_LINE  64

// Zeroed memory. It begins at a cache line, or at a large page if it is at least as long as one.
// *mem: the pointer for free(). NULL: memory is out.
static inline void *have_zeroed(size_t bytes, void **mem)
{
	size_t begin = bytes < HAVE_LARGE ? HAVE_LINE : HAVE_LARGE;
	char *at = calloc(1, bytes + begin);

	*mem = at;
	return at ? at + (begin - (uintptr_t)at % begin) % begin : NULL;
}

// Touches all pages of zeroed memory that nobody has used yet. Before that `large` is called with
// it, and may ask the kernel for large pages.
static inline void have_memory(
	void *memory, size_t bytes, void (*large)(void *memory, size_t bytes))
{
	large(memory, bytes);
	memset(memory, 0, bytes);
}
