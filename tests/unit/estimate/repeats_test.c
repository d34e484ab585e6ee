// SPDX-License-Identifier: BSD-3-Clause
// Middle and deviation of repeats, and which of them are left out.
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "estimate/repeats.h"

static struct repeats of(const double *x, unsigned n)
{
	struct repeats r = {0};

	for (unsigned k = 0; k < n; k++)
		repeats_add(&r, x[k]);
	return r;
}

static void sums_are_right(void **state)
{
	const struct repeats none = {0}, r = of((double[]){4, 1, 3, 8}, 4);

	(void)state;
	assert_true(repeats_mean(&r) == 4 && repeats_median(&r) == 3.5);
	assert_true(repeats_least(&r) == 1 && repeats_most(&r) == 8);
	assert_true(fabs(repeats_deviation(&r) - sqrt(26 / 3.)) < 1e-12);
	assert_true(repeats_mean(&none) == 0 && repeats_median(&none) == 0);
	assert_true(repeats_deviation(&none) == 0 && repeats_least(&none) == 0);
}

// Of 9 repeats the second and the last but one bound it (96.1 %), of 17 the fifth from either end
// (95.1 %).
static void the_middle_lies_between_two_repeats(void **state)
{
	struct repeats r = of((double[]){5, 9, 1, 2, 3, 4, 6, 7, 80}, 9),
		       few = of((double[]){1, 2, 9}, 3);

	(void)state;
	assert_true(repeats_median(&r) == 5 && repeats_median_error(&r) == 4);
	assert_true(repeats_median_error(&few) == 7);
	r.n = 0;
	for (unsigned k = 0; k < 17; k++)
		repeats_add(&r, k * k);
	assert_true(repeats_median(&r) == 64 && repeats_median_error(&r) == 144 - 64);
	r.n = 0;
	assert_true(repeats_median_error(&r) == 0);
}

static void a_quarter_that_is_far_off_is_left_out(void **state)
{
	struct repeats r = of((double[]){10, 90, 11, 12}, 4);
	double with[] = {1, 2, 3, 4};

	(void)state;
	repeats_leave_out(&r, 5, with);
	assert_false(r.rough);
	assert_int_equal(r.n, 3);
	assert_true(r.x[1] == 11 && with[1] == 3 && with[2] == 4);
}

static void more_than_a_quarter_stays(void **state)
{
	struct repeats r = of((double[]){10, 90, 11, 60}, 4);

	(void)state;
	repeats_leave_out(&r, 5, NULL);
	assert_true(r.rough);
	assert_int_equal(r.n, 4);
}

static void room_is_bounded(void **state)
{
	struct repeats r = {0};

	(void)state;
	for (unsigned k = 0; k <= REPEATS_MOST; k++)
		repeats_add(&r, 1);
	assert_int_equal(r.n, REPEATS_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_right),
		cmocka_unit_test(the_middle_lies_between_two_repeats),
		cmocka_unit_test(a_quarter_that_is_far_off_is_left_out),
		cmocka_unit_test(more_than_a_quarter_stays),
		cmocka_unit_test(room_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
