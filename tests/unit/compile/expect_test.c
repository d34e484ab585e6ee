// SPDX-License-Identifier: BSD-3-Clause
// Limits of figures: in the figure's unit, with a unit of their own, and wrong ones.
#include "scene_lab.h"

#include <math.h>

static void limits(const char *line, double min, double max)
{
	struct scene *s = lab_with(LAB, "expect", line);

	assert_int_equal(s->n_expects, 1);
	if (s->expect[0].min != min || s->expect[0].max != max)
		fail_msg("%s: %g to %g", line, s->expect[0].min, s->expect[0].max);
	scene_free(s);
}

static void numbers_and_units(void **state)
{
	(void)state;
	limits("[{figure: jain, min: 0.97}]", 0.97, INFINITY);
	limits("[{figure: jain, max: 1/4}]", -INFINITY, 0.25);
	limits("[{figure: drops, equals: 0}]", 0, 0);
	limits("[{figure: main.fct_p99_us, min: 5, max: 10ms}]", 5, 10000);
	limits("[{figure: main.t_conv_us_total, max: 1.5ms}]", -INFINITY, 1500);
	limits("[{figure: pause_ps, max: 1us}]", -INFINITY, 1e6);
	limits("[{figure: 'flow.incast[h1>r.0].avg_latency', max: 1us}]", -INFINITY, 1000);
	limits("[{figure: 'queue.s1:r.3.p99_bytes', max: 10KB}]", -INFINITY, 10000);
	limits("[{figure: 'pg.s1:h1.3.max_bytes_total', max: 1KiB}]", -INFINITY, 1024);
	limits("[{figure: goodput_gbps, min: 40Mbps}]", 0.04, INFINITY);
	limits("[{figure: utilization, min: 99%}]", 99, INFINITY);
	limits("[{figure: 'link.s1:r.goodput_percent', min: 90}]", 90, INFINITY);
	limits("[{figure: ecn_marking_ratio, max: 5%}]", -INFINITY, 0.05);
	limits("[{figure: main.rate_err_p1, min: -0.1, max: -1/20}]", -0.1, -0.05);
	limits("[{figure: 'flow.incast[h1>r.0].pace_err_percent', min: -2%}]", -2, INFINITY);
}

static void names(void **state)
{
	struct scene *s = lab_with(
		LAB, "expect", "[{figure: jain, min: 1}, {name: fair, figure: jain, min: 1}]");

	(void)state;
	assert_int_equal(s->n_expects, 2);
	assert_string_equal(s->expect[0].name, "jain");
	assert_string_equal(s->expect[1].name, "fair");
	assert_string_equal(s->expect[1].figure, "jain");
	assert_non_null(strstr(s->resolved, "expect:\n  - {figure: jain, min: 1}"));
	scene_free(s);
}

static void what_is_refused(void **state)
{
	(void)state;
	lab_refuse(
		LAB "expect: [{min: 1}]\n", "lab.yaml:6:10: 'figure' is missing in this criterion");
	lab_refuse(LAB "expect: [{figure: jain}]\n",
		"lab.yaml:6:10: jain: min, max or equals says what is expected of it");
	lab_refuse(LAB "expect: [{figure: jain, min: 10KB}]\n",
		"lab.yaml:6:10: jain is compared with a number, not '10KB'");
	lab_refuse(LAB "expect: [{figure: jain, min: --1}]\n",
		"lab.yaml:6:10: jain is compared with a number, not '--1'");
	lab_refuse(LAB "expect: [{figure: main.fct_p99_us, min: 10KB}]\n",
		"lab.yaml:6:10: main.fct_p99_us is compared with a number or a time, as in 55us "
		"or 1.5ms, not "
		"'10KB'");
	lab_refuse(LAB "expect: [{figure: drops, min: 2, max: 1}]\n",
		"lab.yaml:6:10: drops: min is above max");
	lab_refuse(LAB "expect: {figure: x}\n", "lab.yaml:6:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_units),
		cmocka_unit_test(names),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
