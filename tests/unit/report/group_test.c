// SPDX-License-Identifier: BSD-3-Clause
// Convergence and stages in the summary of a run: what must hold whatever the flows did.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

static struct lab l;

static int run(void **state)
{
	static const struct scene_set set[] = {{"duration", "8ms"}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return lab_run(&l, set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static double v(const char *kind, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "%s.%s", kind, figure);
	return report_value(l.rec, path);
}

static double stages(const char *kind)
{
	return v(kind, "line_rate_percent") + v(kind, "fast_recovery_percent") +
	       v(kind, "additive_increase_percent") + v(kind, "hyper_increase_percent");
}

static void stages_add_up_to_the_window(void **state)
{
	(void)state;
	assert_float_equal(stages("flow.incast[h1>r.0]"), 100, 1e-9);
	assert_float_equal(stages("group.incast"), 100, 1e-9);
	assert_float_equal(v("group.incast", "fast_recovery_percent"),
		(v("flow.incast[h1>r.0]", "fast_recovery_percent") +
			v("flow.incast[h2>r.0]", "fast_recovery_percent")) /
			2,
		1e-9);
	assert_true(v("group.incast", "fast_recovery_percent") > 0);
}

static void shares_are_of_the_bottleneck(void **state)
{
	const struct summary_group *g = &l.rec->sum->group[0];

	(void)state;
	assert_string_equal(g->tightest->name, "s1:r");
	assert_true(v("group.incast", "fair_gbps") == v("flow.incast[h1>r.0]", "fair_gbps"));
	assert_true(v("group.incast", "mean_gbps") <= v("group.incast", "fair_gbps") * 1.001);
}

static void converged_or_not(void **state)
{
	double converged = v("group.incast", "converged");

	(void)state;
	assert_true(converged == 0 || converged == 1);
	assert_int_equal(isinf(v("group.incast", "t_conv_us_total")) != 0, converged == 0);
	assert_int_equal(isnan(v("group.incast", "osc_converged_total")) != 0, converged == 0);
	assert_true(v("group.incast", "osc") > 0);
	assert_int_equal(
		l.rec->rec->group[0].share.periods, 2 * 7); // the first began before the window
}

static void the_table_says_it(void **state)
{
	(void)state;
	assert_non_null(strstr(report_text(l.rec), " fair shares "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_add_up_to_the_window),
		cmocka_unit_test(shares_are_of_the_bottleneck),
		cmocka_unit_test(converged_or_not),
		cmocka_unit_test(the_table_says_it),
	};

	return cmocka_run_group_tests(tests, run, end);
}
