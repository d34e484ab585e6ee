// SPDX-License-Identifier: BSD-3-Clause
// Findings: their states and values, names of figures, curves.
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "probe/found.h"

static void values_are_those_of_figures_that_were_found(void **state)
{
	struct probe_found f = {0};

	(void)state;
	assert_true(isnan(found_value(&f, 3, PROBE_XOFF)));
	found_is(&f, 3, PROBE_XOFF, 64000, 64);
	assert_true(found_value(&f, 3, PROBE_XOFF) == 64000);
	assert_true(f.f[3][PROBE_XOFF].pm == 64);
	assert_true(isnan(found_value(&f, 4, PROBE_XOFF)));
	found_state(&f, 3, PROBE_XOFF, FOUND_INVALID, 64000, "late");
	assert_true(isnan(found_value(&f, 3, PROBE_XOFF)));
	assert_string_equal(f.f[3][PROBE_XOFF].why, "late");
	found_state(&f, 3, PROBE_XOFF, FOUND_OTHERS, 5, NULL);
	assert_true(found_value(&f, 3, PROBE_XOFF) == 5);
	found_state(&f, 3, PROBE_XOFF, FOUND_AT_LEAST, 5, NULL);
	assert_true(isnan(found_value(&f, 3, PROBE_XOFF)));
}

static void times_are_in_the_time_of_a_slower_device(void **state)
{
	struct probe_found f = {0};
	struct probe_curve *c = found_curve(&f, "hold", 3, "quanta", "hold, us");

	(void)state;
	assert_int_equal(found_point(c, 400, 2048, 1), 0);
	found_is(&f, 3, PROBE_XOFF, 64000, 64);
	found_is(&f, 3, PROBE_RESPONSE, 500, 20);
	found_is(&f, 3, PROBE_RESPONSE_QUANTA, 97, 4);
	found_state(&f, 3, PROBE_REFRESH, FOUND_VARIES, 1000, NULL);
	f.f[3][PROBE_REFRESH].least = 900;
	f.f[3][PROBE_REFRESH].most = 1200;
	found_in_device_time(&f, 100);
	assert_true(f.f[3][PROBE_XOFF].value == 64000 && f.f[3][PROBE_XOFF].pm == 64);
	assert_true(f.f[3][PROBE_RESPONSE].value == 5 && f.f[3][PROBE_RESPONSE].pm == .2);
	assert_true(f.f[3][PROBE_RESPONSE_QUANTA].value == 97);
	assert_true(f.f[3][PROBE_REFRESH].value == 10);
	assert_true(f.f[3][PROBE_REFRESH].least == 9 && f.f[3][PROBE_REFRESH].most == 12);
	assert_true(f.curve[0].point[0].x == 400 && f.curve[0].point[0].y == 20.48);
	found_free(&f);
}

static void each_figure_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (unsigned k = 0; k < PROBE_FIGURES; k++) {
		assert_non_null(probe_figure[k].name);
		assert_non_null(probe_figure[k].text);
		assert_true((probe_figure[k].unit == NULL) == (probe_figure[k].word != NULL));
		assert_true(probe_figure[k].device == (k < PROBE_OBEYS));
		for (unsigned j = 0; j < k; j++)
			assert_string_not_equal(probe_figure[k].name, probe_figure[j].name);
	}
}

static void curves_keep_their_points(void **state)
{
	struct probe_found f = {0};
	struct probe_curve *c;

	(void)state;
	assert_non_null(found_curve(&f, "hold", 3, "quanta", "us"));
	c = found_curve(&f, "marks", 4, "bytes", "%");
	assert_non_null(c);
	for (unsigned k = 0; k < 200; k++)
		assert_int_equal(found_point(c, k, 2.0 * k, 1), 0);
	assert_int_equal(f.n_curves, 2);
	assert_string_equal(f.curve[0].name, "hold");
	assert_int_equal(f.curve[0].n, 0);
	assert_int_equal(f.curve[1].n, 200);
	assert_true(f.curve[1].point[199].y == 398);
	found_free(&f);
	assert_int_equal(f.n_curves, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_figures_that_were_found),
		cmocka_unit_test(times_are_in_the_time_of_a_slower_device),
		cmocka_unit_test(each_figure_has_a_name_of_its_own),
		cmocka_unit_test(curves_keep_their_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
