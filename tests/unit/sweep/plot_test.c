// SPDX-License-Identifier: BSD-3-Clause
// A sweep drawn: which columns may be axes, a point for each run that has both figures, what tells
// runs apart, the front of those none beats.
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

static char dir[] = "/tmp/quench-plot-XXXXXX";
static const char *const files[] = {"a/one.yaml"};
static char dat[1 << 16], gp[1 << 16], front[1 << 12];

enum { GOODPUT = 0, UTIL = 1, P99 = 4, N_COLUMNS = 18 };

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

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

static void has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("'%s' is not in\n%s", what, text);
}

static void read_back(const char *file, char *to, size_t size)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	assert_non_null(f);
	to[fread(to, 1, size - 1, f)] = '\0';
	fclose(f);
}

// A sweep with these paths varied, all of its runs over.
static void plan(struct sweep *s, const char *const *vary, unsigned n)
{
	struct err err;

	sweep_init(s, files, 1);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sweep_vary(s, vary[i], &err), 0);
	assert_int_equal(sweep_plan(s, &err), 0);
	for (unsigned i = 0; i < s->n_runs; i++)
		s->row[i].state = SWEEP_PASSED;
}

// Draws the figure, and reads its files and the front's rows back.
static void draw(struct sweep *s, unsigned x, unsigned y)
{
	const unsigned axis[2] = {x, y};
	struct err err;
	FILE *f = fmemopen(front, sizeof(front), "w");

	memset(front, 0, sizeof(front));
	assert_int_equal(sweep_plot(s, axis, dir, 0, &err), 0);
	assert_int_equal(sweep_front(s, axis, f), 0);
	fclose(f);
	read_back("sweep.dat", dat, sizeof(dat));
	read_back("sweep.gp", gp, sizeof(gp));
	sweep_free(s);
}

// Runs of one varied path by utilization and p99.
static void draw_points(const double (*at)[2], unsigned n, unsigned x)
{
	char vary[64] = "x=0";
	const char *one = vary;
	struct sweep s;

	for (unsigned i = 1; i < n; i++)
		snprintf(vary + strlen(vary), sizeof(vary) - strlen(vary), ",%u", i);
	plan(&s, &one, 1);
	for (unsigned i = 0; i < n; i++) {
		s.row[i].value[UTIL] = at[i][0];
		s.row[i].value[P99] = at[i][1];
	}
	draw(&s, x, P99);
}

// The second and third bound what is beaten; the first is worse than the third in both, the last is
// the third again.
static void a_point_each_and_a_front(void **state)
{
	const double at[][2] = {{80, 15e3}, {90, 10e3}, {95, 20e3}, {95, 30e3}, {NAN, 1},
		{95, INFINITY}, {95, 20e3}};

	(void)state;
	draw_points(at, 7, UTIL);
	assert_int_equal(count(dat, "points\n"), 6);
	has(dat, "\n95 30 \"one x=3\"\n");
	has(dat, "a line\n# Columns: utilization [%], queue p99 [KB]\n90 10\n90 20\n95 20\n");
	has(dat, "\n90 10 \"one x=1\"\n95 20 \"one x=2\"\n"); // the rings
	has(gp, "set title 'one: 5 of 7 runs'");
	has(gp, "set xlabel 'utilization (%, not from 0)'.\"\\n\""
		".'Links: share of the time with a frame on the wire'");
	has(gp, "set ylabel 'queue p99 (KB)'.\"\\n\""
		".'Egress queues: length that it exceeded 1 % of the time'");
	assert_int_equal(count(gp, "title 'Pareto front'"), 1);
	assert_string_equal(front,
		"\nPareto front of utilization_percent (more is better) and queue_p99_bytes (less "
		"is better): 2 of 5 runs\n"
		"  one x=1  util 90.00 %  q p99 10.0 KB\n"
		"  one x=2  util 95.00 %  q p99 20.0 KB\n");
	draw_points(at, 1, UTIL);
	assert_int_equal(count(dat, "points\n"), 2);
	draw_points(at + 4, 1, UTIL); // nothing to draw, and no harm
	assert_int_equal(count(dat, "# Block"), 0);
	assert_int_equal(count(gp, "Pareto"), 0);
	assert_string_equal(front, "");
}

// Neither an unsettled run is in the front, nor one that fails, nor one that nobody could judge;
// each is named with its reason. Where nobody could judge any run, all may be in it.
static void the_front_is_made_of_settled_runs(void **state)
{
	const char *vary = "x=0,1,2,3,4";
	struct sweep s;

	(void)state;
	plan(&s, &vary, 1);
	for (unsigned i = 0; i < 5; i++) {
		s.row[i].value[UTIL] = 99 - i;
		s.row[i].value[P99] = 10e3 * (i + 1);
	}
	s.row[0].steady = SWEEP_UNSETTLED;
	snprintf(s.row[0].why, SWEEP_WHY, "queue q grows");
	s.row[1].state = SWEEP_VERDICT;
	snprintf(s.row[1].err.text, sizeof(s.row[1].err.text), "drops is 3");
	s.row[2].steady = SWEEP_NOT_JUDGED;
	snprintf(s.row[2].why, SWEEP_WHY, "too short");
	draw(&s, UTIL, P99);
	assert_string_equal(front,
		"\nPareto front of utilization_percent (more is better) and queue_p99_bytes (less "
		"is better): 1 of 5 runs\n"
		"  one x=3  util 96.00 %  q p99 40.0 KB\n"
		"  left out: one x=0: unsettled: queue q grows\n"
		"  left out: one x=1: a verdict failed: drops is 3\n"
		"  left out: one x=2: not judged: too short\n");
	has(gp, ".'not in the front: 3 that are not settled or fail'");
	plan(&s, &vary, 1);
	for (unsigned i = 0; i < 5; i++) {
		s.row[i].value[UTIL] = 99 - i;
		s.row[i].value[P99] = 10e3 * (i + 1);
		s.row[i].steady = SWEEP_NOT_JUDGED;
	}
	draw(&s, UTIL, P99);
	assert_string_equal(front,
		"\nPareto front of utilization_percent (more is better) and queue_p99_bytes (less "
		"is better): 1 of 5 runs\n"
		"  one x=0  util 99.00 %  q p99 10.0 KB\n");
}

// By the values of x, of which nobody says more is better.
static void a_varied_path_is_an_axis(void **state)
{
	const double at[][2] = {{80, 15e3}, {90, 10e3}, {95, 20e3}};

	(void)state;
	draw_points(at, 3, N_COLUMNS);
	assert_int_equal(count(dat, "# Block"), 1);
	has(dat, "a line with points\n# Columns: x, queue p99 [KB], \"name\"\n0 15 \"one x=0\"\n"
		 "1 10 \"one x=1\"\n2 20 \"one x=2\"\n");
	has(gp, "set xlabel 'x' noenhanced");
	assert_int_equal(count(gp, "keyentry"), 0);
	assert_string_equal(front, "");
}

// More is better of goodput, which has the same name as its path.
static void a_figure_of_the_table_is_better_by_more(void **state)
{
	const char *vary = "x=1,2";
	struct sweep s;

	(void)state;
	plan(&s, &vary, 1);
	s.row[0].value[GOODPUT] = 20;
	s.row[1].value[GOODPUT] = 40;
	draw(&s, GOODPUT, P99);
	has(front, "goodput_gbps (more is better)");
	assert_int_equal(count(front, "one x="), 1);
	has(gp, "set xlabel 'goodput (Gb/s)'.\"\\n\".'payload that arrived in order'");
}

// The first path by colour, joined along the second where that has numbers, the second by shape,
// further ones by a plot each.
static void every_varied_path_is_told_apart(void **state)
{
	static const char *const vary[] = {
		"control=none,dcqcn", "a.max=200KB,50KB,100KB", "qps=1,2", "b.max=1us,2us"};
	struct sweep s;

	(void)state;
	plan(&s, vary, 2);
	for (unsigned i = 0; i < s.n_runs; i++) {
		s.row[i].value[UTIL] = i;
		s.row[i].value[P99] = 1000 * i;
	}
	draw(&s, UTIL, P99);
	has(dat, "# Block 0: a line\n# Columns: utilization [%], queue p99 [KB]\n1 1\n2 2\n0 0\n");
	assert_int_equal(count(dat, ": points\n"), 7); // six runs, and the rings
	has(gp, "keyentry with lines lt 2 title 'control=dcqcn'");
	has(gp, "keyentry with points lt 3 dt solid pt 9 ps 1.1 title 'max=100KB'");
	assert_int_equal(count(gp, "multiplot"), 0);
	plan(&s, vary, 4);
	draw(&s, UTIL, P99);
	assert_int_equal(count(gp, "\tset title 'qps="), 4);
	has(gp, "\tset title 'qps=2, b.max=1us' noenhanced");
	has(gp, "title 'a.max=100KB'"); // both end in the same word
	// One that is an axis is told by its place.
	plan(&s, vary, 3);
	draw(&s, N_COLUMNS + 1, P99);
	has(gp, "keyentry with lines lt 1 title 'control=none'");
	has(gp, "title 'qps=2'");
	assert_int_equal(count(gp, "title 'max="), 0);
	assert_int_equal(count(gp, "multiplot"), 0);
}

static void more_plots_than_fit_are_named(void **state)
{
	static const char *const vary[] = {"x=1,2", "y=1,2",
		"z=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25"};
	struct sweep s;

	(void)state;
	plan(&s, vary, 3);
	draw(&s, UTIL, P99);
	has(gp, "set title 'one: 100 of 100 runs'.\"\\n\".'not told apart: z'");
	assert_int_equal(count(gp, "multiplot"), 0);
}

// Runs that differ in the seed only are one point, wherever the seed stands in the command: the
// mean, with bars of its interval by Student's t. A run that was stopped is not in it.
static void seeds_are_one_point_with_bars(void **state)
{
	static const char *const vary[] = {"x=1,2", "seed=1,2,3", "y=1,2"};
	static const double util[] = {80, 90, 82, 90, 84, 90, 70, 60, 70, 60, 70, 50};
	struct sweep s;

	(void)state;
	plan(&s, vary, 3);
	for (unsigned i = 0; i < s.n_runs; i++) {
		s.row[i].value[UTIL] = util[i];
		s.row[i].value[P99] = 1000;
	}
	s.row[11].state = SWEEP_STOPPED;
	draw(&s, UTIL, P99);
	has(gp, "set title 'one: 4 of 4 means over 3 seeds, bars: 95 % intervals'");
	has(dat, "\n82 1 \"one x=1 y=1\"\n");
	has(dat, "\n60 1 \"one x=2 y=2\"\n");
	// Half of it: 4.302653 * 2 / sqrt(3), and 0 where the seed changes nothing.
	has(dat, "bars in both directions\n# Columns: utilization [%], queue p99 [KB], "
		 "queue p99 low [KB], queue p99 high [KB], utilization left [%], "
		 "utilization right [%]\n82 1 1 1 77.03172458 86.96827542\n90 1 1 1 90 90\n");
	assert_int_equal(count(dat, "bars in both"), 2); // a colour each
	has(gp, "using 1:2:5:6:3:4 with xyerrorbars lt 2 dt solid lw 1 pt -1 notitle");
	assert_string_equal(front,
		"\nPareto front of utilization_percent (more is better) and queue_p99_bytes (less "
		"is better): 1 of 4 means over seeds\n"
		"  one x=1 y=2  util 90.00 %  q p99 1.0 KB\n"
		"  left out: one x=2 seed=3 y=2: stopped\n");
	// As an axis the seed is told by its place.
	plan(&s, vary, 3);
	draw(&s, N_COLUMNS + 1, P99);
	has(gp, "set title 'one: 12 of 12 runs'");
	assert_int_equal(count(gp, "xyerrorbars"), 0);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"sweep.dat", "sweep.gp"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(axes),
		cmocka_unit_test(varied_paths_are_axes),
		cmocka_unit_test(a_point_each_and_a_front),
		cmocka_unit_test(the_front_is_made_of_settled_runs),
		cmocka_unit_test(a_varied_path_is_an_axis),
		cmocka_unit_test(a_figure_of_the_table_is_better_by_more),
		cmocka_unit_test(every_varied_path_is_told_apart),
		cmocka_unit_test(more_plots_than_fit_are_named),
		cmocka_unit_test(seeds_are_one_point_with_bars),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
