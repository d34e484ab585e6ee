// SPDX-License-Identifier: BSD-3-Clause
// Wide products and their rounding.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/fixed.h"

static void test_mul_rounds_down(void **state)
{
	(void)state;
	assert_int_equal(fixed_mul(7, 3, 0), 21);
	assert_int_equal(fixed_mul(7, 3, 1), 10);
	assert_int_equal(fixed_mul(7, 3, 2), 5);
	assert_int_equal(fixed_mul(UINT64_MAX, UINT64_MAX, 64), UINT64_MAX - 1);
	assert_int_equal(fixed_mul(1ull << 63, 1ull << 63, 126), 1);
	assert_int_equal(fixed_mul(UINT64_MAX, UINT64_MAX, 127), 1);
}

static void test_mul_near_rounds_to_nearest(void **state)
{
	(void)state;
	assert_int_equal(fixed_mul_near(7, 3, 1), 11); // 10.5, a half goes up
	assert_int_equal(fixed_mul_near(7, 3, 2), 5);  // 5.25
	assert_int_equal(fixed_mul_near(9, 3, 2), 7);  // 6.75
	assert_int_equal(fixed_mul_near(UINT64_MAX, UINT64_MAX, 65), UINT64_MAX / 2);
	// A share of a rate: 40 Gb/s times 255/256 in Q0.60.
	assert_int_equal(fixed_mul_near(40000000000, (1ull << 60) - (1ull << 52), 60), 39843750000);
}

static void test_muldiv_rounds_down(void **state)
{
	(void)state;
	assert_int_equal(fixed_muldiv(7, 3, 2), 10);
	assert_int_equal(fixed_muldiv(UINT64_MAX, 1000, 1000), UINT64_MAX);
	assert_int_equal(fixed_muldiv(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
	assert_int_equal(
		fixed_muldiv(1ull << 40, 1ull << 40, (1ull << 20) + 1), 1152920405096267775);
	assert_int_equal(fixed_muldiv(0, 5, 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mul_rounds_down),
		cmocka_unit_test(test_mul_near_rounds_to_nearest),
		cmocka_unit_test(test_muldiv_rounds_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
