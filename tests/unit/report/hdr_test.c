// SPDX-License-Identifier: BSD-3-Clause
// Files of distributions: one for each that was seen, with the figures of its object; none where
// they are not wanted.
#include "record_lab.h"

#include <cmocka.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/int.h"
#include "summary/summary.h"

static struct lab l;

static int run(void **state)
{
	struct scene_set set[] = {{"warmup", "0us"}}; // pauses are at the start
	struct scene_opts so = {.set = set, .n_set = 1};
	struct vt_opts vo = {.record = {.dir = l.out, .force = true, .hdr = true}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	if (compile_scene(&l.scene, l.file, &so, &l.err) || vt_run(l.scene, &vo, &l.rec, &l.err))
		fail_msg("%s", l.err.text);
	return 0;
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static double number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtod(at + strlen(key), NULL) : NAN;
}

// #[Mean = 1.2, ...], #[Max = 3.4, Total count = 5]
static void a_file_has_the_figures_of_its_object(void **state)
{
	char *text = lab_file(&l, "hdr/group.incast.fct_us.hgrm");

	(void)state;
	assert_true(report_value(l.rec, "group.incast.messages") > 10);
	assert_true(number_behind(text, "Total count    =") ==
		    report_value(l.rec, "group.incast.messages"));
	assert_float_equal(number_behind(text, "Max     ="),
		report_value(l.rec, "group.incast.fct_max_us"), 6e-4);
	assert_float_equal(number_behind(text, "Mean    ="),
		report_value(l.rec, "group.incast.fct_mean_us"), 6e-4);
	free(text);
}

static bool there(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/hdr/%s", l.out, name);
	return access(path, F_OK) == 0;
}

static void each_that_was_seen_and_no_other(void **state)
{
	(void)state;
	assert_true(there("group.incast.slowdown.hgrm"));
	assert_true(there("pfc.h1:s1.3.episode_us.hgrm"));
	assert_true(there("cnp.port.r.cnp_gap_us.hgrm"));
	assert_false(there("group.incast.rtt_us.hgrm")); // nobody asks for it
	assert_false(there("total.fct_us.hgrm"));        // groups have it
}

static void none_where_they_are_not_wanted(void **state)
{
	struct lab other;
	char path[256];

	(void)state;
	lab_open(&other, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&other, NULL, 0, false), 0);
	snprintf(path, sizeof(path), "%s/hdr", other.out);
	assert_int_not_equal(access(path, F_OK), 0);
	lab_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_the_figures_of_its_object),
		cmocka_unit_test(each_that_was_seen_and_no_other),
		cmocka_unit_test(none_where_they_are_not_wanted),
	};

	return cmocka_run_group_tests(tests, run, end);
}
