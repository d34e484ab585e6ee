// SPDX-License-Identifier: BSD-3-Clause
// Tests of accounts: what somebody has seen stays, and there is an end to the roots told apart.
#include "lineage_lab.h"

#include "lineage/int.h"

static void what_was_seen_stays(void **state)
{
	struct account *a = NULL, *seen;

	(void)state;
	account_add(lin, &a, 7, 0);
	assert_null(a);
	account_add(lin, &a, 7, 100);
	seen = account_get(a);
	account_add(lin, &a, 9, 50);
	account_add(lin, &a, 7, 1);
	assert_int_equal(seen->n, 1);
	assert_int_equal(seen->time[0].ps, 100);
	assert_int_equal(a->n, 2);
	assert_int_equal(account_since(a, seen, 0), 1);
	assert_int_equal(account_since(a, seen, 1), 50);
	assert_int_equal(account_since(a, NULL, 0), 101);
	account_put(seen);
	account_put(a);
	assert_null(account_get(NULL));
	account_put(NULL);
}

static void too_many_roots_are_one(void **state)
{
	struct account *a = NULL;
	tstamp sum = 0, other = 0;

	(void)state;
	for (uint32_t i = 0; i < 2 * ACCOUNT_ROOTS; i++)
		account_add(lin, &a, 100 + i, 3);
	account_add(lin, &a, 100, 5);
	for (uint32_t i = 0; i < a->n; i++) {
		sum += a->time[i].ps;
		other += a->time[i].root == ROOT_OTHER ? a->time[i].ps : 0;
	}
	assert_int_equal(a->n, ACCOUNT_ROOTS + 1);
	assert_int_equal(sum, 6 * ACCOUNT_ROOTS + 5);
	assert_int_equal(other, 3 * ACCOUNT_ROOTS);
	assert_int_equal(a->time[0].ps, 8);
	account_put(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(what_was_seen_stays),
		LIN_TEST(too_many_roots_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
