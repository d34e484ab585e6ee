// SPDX-License-Identifier: BSD-3-Clause
// Units, sums and differences that saturate.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/tstamp.h"

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(PS_PER_US, 1000 * PS_PER_NS);
	assert_int_equal(PS_PER_MS, 1000 * PS_PER_US);
	assert_int_equal(PS_PER_S, 1000 * PS_PER_MS);
	// 213 days fit (design.md 2).
	assert_true(TSTAMP_NEVER / PS_PER_S / 86400 == 213);
}

static void test_add_saturates(void **state)
{
	(void)state;
	assert_int_equal(tstamp_add(3, 4), 7);
	assert_true(tstamp_add(TSTAMP_NEVER - 1, 1) == TSTAMP_NEVER);
	assert_true(tstamp_add(TSTAMP_NEVER - 1, 2) == TSTAMP_NEVER);
	assert_true(tstamp_add(TSTAMP_NEVER, 0) == TSTAMP_NEVER);
	assert_true(tstamp_add(5, TSTAMP_NEVER) == TSTAMP_NEVER);
	assert_true(tstamp_add(TSTAMP_NEVER - 5, 4) == TSTAMP_NEVER - 1);
}

static void test_since_saturates(void **state)
{
	(void)state;
	assert_int_equal(tstamp_since(10, 4), 6);
	assert_int_equal(tstamp_since(4, 4), 0);
	assert_int_equal(tstamp_since(4, 10), 0);
}

static void test_min_max(void **state)
{
	(void)state;
	assert_int_equal(tstamp_min(4, 10), 4);
	assert_int_equal(tstamp_min(TSTAMP_NEVER, 10), 10);
	assert_int_equal(tstamp_max(4, 10), 10);
	assert_true(tstamp_max(TSTAMP_NEVER, 10) == TSTAMP_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_add_saturates),
		cmocka_unit_test(test_since_saturates),
		cmocka_unit_test(test_min_max),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
