// SPDX-License-Identifier: BSD-3-Clause
// Scene time from the TSC: the arithmetic on made-up instants, and the real counters' direction.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "lcores/clock.h"

static void a_2_3_ghz_counter(void **state)
{
	struct rt_instant a = {1000, 5000}, b = {1000 + 230000000, 5000 + 100000000};
	struct rt_clock c;

	(void)state;
	assert_int_equal(rt_clock_init(&c, &a, &b, 1), 0);
	assert_int_equal(rt_clock_ps(&c, c.tsc0), 0);
	assert_in_range(rt_clock_ps(&c, c.tsc0 + 2300000000), PS_PER_S - 1000, PS_PER_S);
	assert_in_range(rt_clock_ps(&c, c.tsc0 + 2300000000 * 86400ull), 86400 * (PS_PER_S - 1000),
		86400 * PS_PER_S);
	assert_int_equal(rt_clock_init(&c, &a, &b, 8), 0);
	assert_in_range(rt_clock_ps(&c, c.tsc0 + 2300000000), PS_PER_S / 8 - 1000, PS_PER_S / 8);
}

static void a_counter_that_stands_is_refused(void **state)
{
	struct rt_instant a = {1000, 5000}, b = {1000, 9000};
	struct rt_clock c;

	(void)state;
	assert_int_equal(rt_clock_init(&c, &a, &b, 1), -EINVAL);
	assert_int_equal(rt_clock_init(&c, &b, &a, 1), -EINVAL);
	b.tsc = 2000;
	assert_int_equal(rt_clock_init(&c, &a, &b, 0), -EINVAL);
}

static void drift_is_told_in_ppm(void **state)
{
	struct rt_instant a = {0, 0}, b = {2000000000, 1000000000}, d = {4000000000, 2000200000};
	struct rt_clock c;

	(void)state;
	assert_int_equal(rt_clock_init(&c, &a, &b, 4), 0);
	assert_true(
		rt_clock_error_ppm(&c, &a, &b) > -0.01 && rt_clock_error_ppm(&c, &a, &b) < 0.01);
	// 200 us more in the second second: the counter has become slower by 200 ppm.
	assert_true(rt_clock_error_ppm(&c, &b, &d) > 199 && rt_clock_error_ppm(&c, &b, &d) < 201);
}

static void instants_go_forward(void **state)
{
	struct rt_instant a = rt_instant_get(), b = rt_instant_get();

	(void)state;
	assert_true(b.tsc > a.tsc);
	assert_true(b.raw_ns > a.raw_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_2_3_ghz_counter),
		cmocka_unit_test(a_counter_that_stands_is_refused),
		cmocka_unit_test(drift_is_told_in_ppm),
		cmocka_unit_test(instants_go_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
