// SPDX-License-Identifier: BSD-3-Clause
// Distributions and ranks among values against known ones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kind/kind.h"

static void distributions(void **state)
{
	static struct hist h;
	struct kind_dist d = kind_dist(NULL, 1);

	(void)state;
	assert_int_equal(d.n, 0);
	hist_init(&h);
	for (unsigned v = 1; v <= 100; v++)
		hist_add(&h, v, 1);
	d = kind_dist(&h, 10);
	assert_int_equal(d.n, 100);
	assert_float_equal(d.min, 0.1, 1e-12);
	assert_float_equal(d.p1, 0.1, 1e-12);
	assert_float_equal(d.p50, 5, 1e-12);
	assert_float_equal(d.p90, 9, 1e-12);
	assert_float_equal(d.p95, 9.5, 1e-12);
	assert_float_equal(d.p99, 9.9, 1e-12);
	assert_float_equal(d.p999, 10, 1e-12);
	assert_float_equal(d.max, 10, 1e-12);
	assert_float_equal(d.mean, 5.05, 1e-12);
}

// The least value that so many do not exceed; what is not known does not count.
static void among_flows(void **state)
{
	double x[205], none[] = {NAN, NAN};
	struct kind_among a;

	(void)state;
	for (unsigned i = 0; i < 205; i++)
		x[i] = i % 41 == 0 ? NAN : 1000 - i;
	a = kind_among(x, 205); // 200 are known: 1000 - 204 ... 1000 - 1
	assert_true(a.p1 == 797 && a.p99 == 997);
	assert_true(a.p50 == 897);
	a = kind_among(x, 1);
	assert_true(a.p1 == 796 && a.p50 == 796 && a.p99 == 796);
	a = kind_among(none, 2);
	assert_true(isnan(a.p1) && isnan(a.p50) && isnan(a.p99));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distributions),
		cmocka_unit_test(among_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
