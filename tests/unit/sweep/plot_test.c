// SPDX-License-Identifier: BSD-3-Clause
// A sweep drawn: which columns may be axes, a mark for each run that has both figures, the front of
// those none beats.
#include "sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char name[] = "/tmp/quench-plot-XXXXXX";
static const char *const files[] = {"a/one.yaml"};
static char text[1 << 16];

enum { UTIL = 1, P99 = 4, N_COLUMNS = 18 };

static void axes(void **state)
{
	static const char *const bad[] = {"", ",", "jain", "jain,", "jain,nosuch", "nosuch,jain",
		"jain,jain,jain", "jain, jain"};
	unsigned axis[2] = {0};
	struct sweep s;
	struct err err;

	(void)state;
	sweep_init(&s, files, 1);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(sweep_plot_axes(&s, bad[i], axis, &err), -EINVAL);
	assert_int_equal(sweep_plot_axes(&s, "utilization_percent,queue_p99_bytes", axis, &err), 0);
	assert_int_equal(axis[0], UTIL);
	assert_int_equal(axis[1], P99);
	// Figures have older names.
	assert_int_equal(sweep_plot_axes(&s, "cnps,cnms", axis, &err), 0);
	assert_string_equal(s.column[axis[0]].name, "cnp_rx");
	assert_string_equal(s.column[axis[1]].name, "cnm_rx");
	sweep_free(&s);
}

// Varied paths are columns of sweep.csv too, where all their values are numbers of one kind.
static void varied_paths_are_axes(void **state)
{
	static const char *const words[] = {"control", "mixed", "scenario", "verdict"};
	unsigned axis[2] = {0};
	char pair[64];
	struct sweep s;
	struct err err;

	(void)state;
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "seed=1,2", &err), 0);
	assert_int_equal(sweep_vary(&s, "a.delay=500ns,1.5us", &err), 0);
	assert_int_equal(sweep_vary(&s, "control=none,dcqcn", &err), 0);
	assert_int_equal(sweep_vary(&s, "mixed=1us,1KB", &err), 0);
	assert_int_equal(sweep_vary(&s, "share=20%,0.5", &err), 0);
	assert_int_equal(sweep_column(&s, "queue.s1:r.3.std_bytes", &err), 0);
	assert_int_equal(sweep_plot_axes(&s, "seed,queue.s1:r.3.std_bytes", axis, &err), 0);
	assert_int_equal(axis[0], s.n_columns);
	assert_int_equal(axis[1], s.n_columns - 1);
	assert_int_equal(sweep_plot_axes(&s, "a.delay,share", axis, &err), 0);
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(pair, sizeof(pair), "seed,%s", words[i]);
		assert_int_equal(sweep_plot_axes(&s, pair, axis, &err), -EINVAL);
		assert_non_null(strstr(err.text, "out of goodput_gbps, utilization_percent, "));
		assert_non_null(strstr(err.text,
			", drops, warnings, queue.s1:r.3.std_bytes, seed, a.delay, share"));
	}
	sweep_free(&s);
}

static unsigned count(const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

// Runs by utilization and p99, drawn into `text`.
static void draw(const double (*at)[2], unsigned n, const unsigned axis[2])
{
	struct sweep s;
	struct err err;
	struct out o;
	char vary[64] = "x=0";
	FILE *f;

	sweep_init(&s, files, 1);
	for (unsigned i = 1; i < n; i++)
		snprintf(vary + strlen(vary), sizeof(vary) - strlen(vary), ",%u", i);
	assert_int_equal(sweep_vary(&s, vary, &err), 0);
	assert_int_equal(sweep_plan(&s, &err), 0);
	for (unsigned i = 0; i < n; i++) {
		s.row[i].state = SWEEP_PASSED;
		s.row[i].value[UTIL] = at[i][0];
		s.row[i].value[P99] = at[i][1];
	}
	assert_int_equal(out_open(&o, name, &err), 0);
	assert_int_equal(sweep_plot(&s, axis, &o), 0);
	assert_int_equal(out_close(&o, &err), 0);
	memset(text, 0, sizeof(text));
	f = fopen(name, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	sweep_free(&s);
}

// The second and third bound what is beaten; the first is worse than the third in both, the last is
// the third again.
static void a_mark_each_and_a_front(void **state)
{
	const double at[][2] = {{80, 15e3}, {90, 10e3}, {95, 20e3}, {95, 30e3}, {NAN, 1},
		{95, INFINITY}, {95, 20e3}};

	(void)state;
	draw(at, 7, (const unsigned[]){UTIL, P99});
	assert_int_equal(count("<title>"), 5);
	assert_int_equal(count("<title>one x=3</title>"), 1);
	assert_int_equal(count("5 of 7 runs"), 1);
	assert_int_equal(count("util, %"), 1);
	assert_int_equal(count("the Pareto front"), 1);
	draw(at, 4,
		(const unsigned[]){
			N_COLUMNS, P99}); // by the values of x, of which nobody says more is better
	assert_int_equal(count("<title>"), 4);
	assert_int_equal(count(">x<"), 2); // title of the axis, head of the legend
	assert_int_equal(count("the Pareto front"), 0);
	draw(at, 1, (const unsigned[]){UTIL, P99});
	assert_int_equal(count("<title>"), 1);
	draw(at + 4, 1, (const unsigned[]){UTIL, P99}); // nothing to draw, and no harm
	assert_int_equal(count("<title>"), 0);
	assert_int_equal(count("the Pareto front"), 0);
}

static int make_file(void **state)
{
	int fd = mkstemp(name);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(axes),
		cmocka_unit_test(varied_paths_are_axes),
		cmocka_unit_test(a_mark_each_and_a_front),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
