// SPDX-License-Identifier: BSD-3-Clause
// The marking curve of a run: against the queue's own counters, against its window, and as a file.
#include "figure_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static double bin(unsigned i, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "bin.s1:r.3.%u.%s", i, figure);
	return v(path);
}

static double sum(const char *figure)
{
	double all = 0;

	for (unsigned i = 0; i < RED_CURVE_BINS; i++)
		all += bin(i, figure);
	return all;
}

// Most runs ask for no bin, and there are 66 of each queue.
static void bins_are_made_when_one_is_asked_for(void **state)
{
	const struct summary *s = report_summary(l.rec);

	(void)state;
	assert_false(s->set[KIND_BIN].made);
	assert_true(bin(0, "from_bytes") == 0);
	assert_int_equal(s->set[KIND_BIN].n, RED_CURVE_BINS);
}

static void bins_add_up_to_the_queue(void **state)
{
	(void)state;
	assert_true(sum("ect_frames") == v("queue.s1:r.3.ect_frames"));
	assert_true(sum("ecn_marked_frames") == v("queue.s1:r.3.ecn_marked_frames"));
	assert_true(sum("ect_frames") == v("marking.s1:r.3.ect_frames"));
	assert_true(sum("ecn_marked_frames") == v("marking.s1:r.3.ecn_marked_frames"));
	assert_true(v("marking.s1:r.3.marked_to_kmin_frames") == 0);
	assert_true(v("marking.s1:r.3.unmarked_above_kmax_frames") == 0);
	assert_true(isnan(v("bin.s1:r.3.66.ect_frames")));
	assert_true(isnan(v("marking.s1:h1.3.ect_frames"))); // no data goes there
}

static void bins_follow_each_other(void **state)
{
	double width = (200000 - 20000) / 64.0;

	(void)state;
	assert_true(bin(0, "from_bytes") == 0);
	assert_true(bin(0, "to_bytes") == 20000);
	assert_true(bin(64, "to_bytes") == 200000);
	assert_true(isnan(bin(65, "to_bytes")));
	for (unsigned i = 1; i <= 64; i++) {
		assert_true(bin(i, "from_bytes") == bin(i - 1, "to_bytes") + 1);
		assert_true(fabs(bin(i, "from_bytes") - 20001 - width * (i - 1)) <= 1);
	}
}

static void each_bin_has_its_interval_and_theory(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 64; i++) {
		double from = 0.05 * (bin(i, "from_bytes") - 20000) / 180000;
		double to = 0.05 * (bin(i, "to_bytes") - 20000) / 180000;

		if (!(bin(i, "ect_frames") > 0)) {
			assert_true(isnan(bin(i, "ratio")));
			continue;
		}
		assert_true(from - 1e-9 <= bin(i, "theory") && bin(i, "theory") <= to + 1e-9);
		assert_true(bin(i, "low_95") <= bin(i, "ratio"));
		assert_true(bin(i, "ratio") <= bin(i, "high_95"));
	}
}

static void the_fit_is_near_pmax(void **state)
{
	(void)state;
	assert_float_equal(v("marking.s1:r.3.pmax"), 0.05, 1e-9);
	assert_true(fabs(v("marking.s1:r.3.pmax_error_percent")) <
		    5 * v("marking.s1:r.3.pmax_sigma_percent"));
	assert_float_equal(v("marking.s1:r.3.pmax_fitted"),
		0.05 * (1 + v("marking.s1:r.3.pmax_error_percent") / 100), 1e-9);
}

// Instants are of the window; numbers of frames count from the run's start.
static void first_and_last_mark(void **state)
{
	(void)state;
	assert_true(v("marking.s1:r.3.first_mark_us") >= 500);
	assert_true(v("marking.s1:r.3.last_mark_us") > v("marking.s1:r.3.first_mark_us"));
	assert_true(v("marking.s1:r.3.last_mark_us") <= 2000);
	assert_true(v("marking.s1:r.3.first_marked_total") >= 1);
	assert_true(v("marking.s1:r.3.last_marked_total") > v("marking.s1:r.3.first_marked_total"));
	assert_true(v("marking.s1:r.3.last_marked_total") <= v("marking.s1:r.3.ect_frames_total"));
	assert_true(v("marking.s1:r.3.ect_frames_total") > v("marking.s1:r.3.ect_frames"));
}

// A line for each bin that saw a frame, behind the header.
static void the_file_has_the_same(void **state)
{
	char *text = lab_file(&l, "marking.csv"), *line, *rest = text;

	(void)state;
	assert_non_null(strsep(&rest, "\n"));
	for (unsigned i = 0; i < RED_CURVE_BINS; i++) {
		char begin[128];

		if (!(bin(i, "ect_frames") > 0))
			continue;
		line = strsep(&rest, "\n");
		assert_non_null(line);
		if (i < 65)
			snprintf(begin, sizeof(begin), "s1:r.3,%.0f,%.0f,%.0f,%.0f,%.6f,%.9f,",
				bin(i, "from_bytes"), bin(i, "to_bytes"), bin(i, "ect_frames"),
				bin(i, "ecn_marked_frames"), bin(i, "expected_frames"),
				bin(i, "ratio"));
		else
			snprintf(
				begin, sizeof(begin), "s1:r.3,200001,,%.0f,", bin(i, "ect_frames"));
		if (strncmp(line, begin, strlen(begin)) != 0)
			fail_msg("%s\nwanted %s", line, begin);
	}
	assert_string_equal(rest, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_are_made_when_one_is_asked_for),
		cmocka_unit_test(bins_add_up_to_the_queue),
		cmocka_unit_test(bins_follow_each_other),
		cmocka_unit_test(each_bin_has_its_interval_and_theory),
		cmocka_unit_test(the_fit_is_near_pmax),
		cmocka_unit_test(first_and_last_mark),
		cmocka_unit_test(the_file_has_the_same),
	};

	return cmocka_run_group_tests(tests, figures_of_two, figures_end);
}
