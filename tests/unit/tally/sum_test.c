// SPDX-License-Identifier: BSD-3-Clause
// Sums over time: steps, slopes, and points that are given up.
#include "net_each.h"

#include "tally/int.h"

static void steps_and_slopes(void **state)
{
	struct rec_sum s = {0};

	(void)state;
	assert_true(record_sum_at(&s, 5) == 0 && record_sum_last(&s) == 0);
	record_sum_add(n.rec, &s, 10, 0);
	record_sum_add(n.rec, &s, 20, 100);
	record_sum_add(n.rec, &s, 30, 100);
	record_sum_add(n.rec, &s, 30, 150);
	assert_true(record_sum_at(&s, 0) == 0);
	assert_true(record_sum_at(&s, 15) == 50);
	assert_true(record_sum_at(&s, 25) == 100);
	assert_true(record_sum_at(&s, 29) == 100);
	assert_true(record_sum_at(&s, 30) == 150); // behind the step
	assert_true(record_sum_at(&s, 99) == 150);
	record_sum_forget(&s, 25);
	assert_int_equal(s.n, 3);
	assert_true(record_sum_at(&s, 25) == 100 && record_sum_at(&s, 30) == 150);
	record_sum_free(&s);
}

static void old_points_get_rare_and_new_ones_stay(void **state)
{
	enum { MANY = 100000 };
	struct rec_sum s = {0};

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		record_sum_add(n.rec, &s, 10 * i, i);
	assert_true(s.room <= REC_SUM_POINTS);
	for (unsigned i = 0; i < MANY; i++)
		assert_float_equal(record_sum_at(&s, 10 * i), i, 1e-6);
	for (unsigned i = MANY - REC_SUM_POINTS / 4; i < MANY; i++)
		assert_true(record_sum_at(&s, 10 * i) == i);
	record_sum_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(steps_and_slopes, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(
			old_points_get_rare_and_new_ones_stay, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
