// SPDX-License-Identifier: BSD-3-Clause
// Pieces are zeroed, aligned and apart, large ones too, and all goes at once.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <stdalign.h>

#include "conf/conf.h"

static void pieces_are_zero_aligned_and_apart(void **state)
{
	struct arena a = {0};
	unsigned char *last = NULL;

	(void)state;
	for (size_t size = 1; size < 3000; size += 7) {
		unsigned char *p = arena_get(&a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
		assert_ptr_not_equal(p, last);
		last = p;
	}
	arena_free(&a);
	assert_null(a.last);
}

static void a_large_piece_fits(void **state)
{
	struct arena a = {0};
	char *small = arena_get(&a, 16);
	char *large = arena_get(&a, 1 << 20);

	(void)state;
	memset(large, 1, 1 << 20);
	assert_int_equal(small[0], 0);
	arena_free(&a);
}

static void blocks_grow(void **state)
{
	struct arena a = {0};
	unsigned blocks = 0;
	const void *last = NULL;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		assert_non_null(arena_get(&a, 10000));
		blocks += a.last != last;
		last = a.last;
	}
	assert_in_range(blocks, 2, 9); // 64 KiB, 128 KiB, ...
	arena_free(&a);
}

static void text_ends_with_nul(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_string_equal(arena_text(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_text(&a, "", 0), "");
	assert_string_equal(arena_format(&a, "%s%u", "h", 8u), "h8");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_zero_aligned_and_apart),
		cmocka_unit_test(a_large_piece_fits),
		cmocka_unit_test(blocks_grow),
		cmocka_unit_test(text_ends_with_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
