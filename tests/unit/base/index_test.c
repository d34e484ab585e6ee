// SPDX-License-Identifier: BSD-3-Clause
// Elements are found, in the order in which they were added, whatever their hashes.
#include "base/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define N 100000

static void an_empty_one_has_nothing(void **state)
{
	struct index ix = {0};
	uint32_t at = 7;

	(void)state;
	assert_int_equal(index_next(&ix, 7, &at), INDEX_NONE);
	index_fini(&ix);
}

static void each_is_found(void **state)
{
	struct index ix = {0};

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(index_add(&ix, index_hash(0, &i, sizeof(i)), i), 0);
	assert_int_equal(ix.n, N);
	assert_true(ix.mask / 4 <= N); // no more room than twice what was needed
	for (uint32_t i = 0; i < 2 * N; i++) {
		uint32_t hash = index_hash(0, &i, sizeof(i)), at = hash, found;

		while ((found = index_next(&ix, hash, &at)) != INDEX_NONE && found != i)
			;
		assert_int_equal(found, i < N ? i : INDEX_NONE);
	}
	index_fini(&ix);
	assert_null(ix.slot);
}

// Hashes that are equal, and hashes that meet at one place or run round the end.
static void equal_ones_keep_their_order(void **state)
{
	struct index ix = {0};

	(void)state;
	for (uint32_t i = 0; i < 3000; i++)
		assert_int_equal(index_add(&ix, UINT32_MAX - i % 3, i), 0);
	for (uint32_t h = 0; h < 3; h++) {
		uint32_t at = UINT32_MAX - h;

		for (uint32_t i = h; i < 3000; i += 3)
			assert_int_equal(index_next(&ix, UINT32_MAX - h, &at), i);
		assert_int_equal(index_next(&ix, UINT32_MAX - h, &at), INDEX_NONE);
	}
	index_fini(&ix);
}

// Numbers that follow each other, as queue pairs' do, are spread: few steps lead to each.
static void the_hash_spreads(void **state)
{
	struct index ix = {0};
	uint64_t steps = 0;

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(index_add(&ix, index_hash(i % 5, &i, sizeof(i)), i), 0);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t hash = index_hash(i % 5, &i, sizeof(i)), at = hash;

		while (index_next(&ix, hash, &at) != i)
			;
		steps += at - hash;
	}
	assert_in_range(steps, N, 3 * N);
	index_fini(&ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_one_has_nothing),
		cmocka_unit_test(each_is_found),
		cmocka_unit_test(equal_ones_keep_their_order),
		cmocka_unit_test(the_hash_spreads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
