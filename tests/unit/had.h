// SPDX-License-Identifier: BSD-3-Clause
// Checks that all pages of the areas that an object reports are in memory.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The memory that has been told, in the order of telling.
static struct {
	struct {
		char *from;
		size_t bytes;
	} area[8];
	unsigned n;
} had;

static inline void had_begin(void)
{
	mallopt(M_PERTURB, 0); // else calloc writes to all of it, too
	had.n = 0;
}

static inline void had_tell(void *memory, size_t bytes)
{
	assert_true(had.n < sizeof(had.area) / sizeof(had.area[0]));
	had.area[had.n].from = memory;
	had.area[had.n++].bytes = bytes;
}

// Whole pages of an area that are not in memory.
static inline size_t had_missing_of(unsigned area)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), missing = 0;
	char *from = had.area[area].from, *end = from + had.area[area].bytes;
	size_t n;
	unsigned char *is;

	from += (page - (uintptr_t)from % page) % page;
	assert_true(from <= end);
	n = (size_t)(end - from) / page;
	is = calloc(n, 1);
	assert_non_null(is);
	assert_int_equal(mincore(from, n * page, is), 0);
	for (size_t i = 0; i < n; i++)
		missing += !(is[i] & 1);
	free(is);
	return missing;
}

// The same of all areas.
static inline size_t had_missing(void)
{
	size_t missing = 0;

	for (unsigned i = 0; i < had.n; i++)
		missing += had_missing_of(i);
	return missing;
}
