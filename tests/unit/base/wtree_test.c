// SPDX-License-Identifier: BSD-3-Clause
// The winner tree against a linear search over random updates.
#include "base/wtree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/prng.h"

static uint32_t naive(const tstamp *key, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if (key[i] < key[best])
			best = i;
	return best;
}

static void smallest_leaf_wins_and_ties_go_to_the_lowest(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 70; n += n < 6 ? 1 : 16) {
		struct wtree t;
		tstamp key[70];
		struct prng g;

		prng_init(&g, n, "wtree");
		printf("n %u, seed %u\n", n, n);
		assert_int_equal(wtree_init(&t, n), 0);
		for (uint32_t i = 0; i < n; i++)
			key[i] = TSTAMP_NEVER;
		assert_int_equal(t.leaf, 0);
		for (int round = 0; round < 20000; round++) {
			uint32_t leaf = (uint32_t)prng_below(&g, n);

			key[leaf] = prng_below(&g, 8) ? prng_below(&g, 16) : TSTAMP_NEVER;
			wtree_set(&t, leaf, key[leaf]);
			assert_int_equal(t.leaf, naive(key, n));
			assert_int_equal(t.min, tstamp_min(key[naive(key, n)], wtree_never(&t)));
			assert_int_equal(
				wtree_at(&t, leaf), tstamp_min(key[leaf], wtree_never(&t)));
		}
		wtree_fini(&t);
	}
}

// The largest instant that is told apart from none at all, and the one after it.
static void instants_end_where_the_numbers_of_leaves_begin(void **state)
{
	struct wtree t;

	(void)state;
	assert_int_equal(wtree_init(&t, 5), 0);
	assert_int_equal(t.bits, 3);
	assert_int_equal(t.min, wtree_never(&t));
	wtree_set(&t, 4, (1ull << 61) - 2);
	assert_int_equal(t.min, (1ull << 61) - 2);
	assert_int_equal(t.leaf, 4);
	wtree_set(&t, 4, 1ull << 61);
	assert_int_equal(t.min, wtree_never(&t));
	assert_int_equal(t.leaf, 0);
	wtree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_leaf_wins_and_ties_go_to_the_lowest),
		cmocka_unit_test(instants_end_where_the_numbers_of_leaves_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
