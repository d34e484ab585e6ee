// SPDX-License-Identifier: BSD-3-Clause
// Figures that agree on two clocks: counts within chance, rates of enough frames.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "verdict/agree.h"
#include "verdict/verdict.h"

static enum agree_verdict judge(enum agree_kind kind, double limit, double a, double b)
{
	const struct agree_figure f = {"", "", kind, limit};

	return agree_judge(&f, a, b, 1000);
}

static void counts(void **state)
{
	(void)state;
	assert_int_equal(judge(AGREE_COUNT, 0.2, 91111, 90000), AGREE_YES);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 1000, 830), AGREE_YES);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 1000, 790), AGREE_NO);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 790, 1000), AGREE_NO);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 100, 61), AGREE_YES); // 4 sigma
	assert_int_equal(judge(AGREE_COUNT, 0.2, 100, 59), AGREE_NO);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 0, 400), AGREE_NO);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 0, 7), AGREE_TOO_FEW);
	assert_int_equal(judge(AGREE_COUNT, 0.2, 0, 0), AGREE_NONE);
	assert_int_equal(judge(AGREE_LOSS, 0.2, 0, 0), AGREE_YES);
	assert_int_equal(judge(AGREE_LOSS, 0.2, 0, 1), AGREE_NO);
	assert_int_equal(judge(AGREE_LOSS, 0.2, 1, 0), AGREE_NO);
	assert_int_equal(judge(AGREE_LOSS, 0.2, 1000, 900), AGREE_YES);
	assert_int_equal(judge(AGREE_LOSS, 0.2, 1000, 700), AGREE_NO);
}

static void rates_and_indices(void **state)
{
	const struct agree_figure goodput = {"", "", AGREE_RATE, 0.02};

	(void)state;
	assert_int_equal(judge(AGREE_RATE, 0.02, 20, 20.39), AGREE_YES);
	assert_int_equal(judge(AGREE_RATE, 0.02, 20, 20.41), AGREE_NO);
	assert_int_equal(judge(AGREE_RATE, 0.02, 20, 0), AGREE_NO);
	assert_int_equal(judge(AGREE_RATE, 0.02, 0, 0), AGREE_NONE);
	assert_int_equal(judge(AGREE_INDEX, 0.02, 0.9, 0.919), AGREE_YES);
	assert_int_equal(judge(AGREE_INDEX, 0.02, 0.9, 0.87), AGREE_NO);
	assert_int_equal(judge(AGREE_INDEX, 0.02, NAN, NAN), AGREE_NONE);
	assert_int_equal(judge(AGREE_INDEX, 0.02, NAN, 1), AGREE_TOO_FEW);
	assert_int_equal(agree_judge(&goodput, 0, 3, 12), AGREE_TOO_FEW);
	assert_int_equal(agree_judge(&goodput, 1, 3, 99), AGREE_TOO_FEW);
}

// Whether the second run breaks its timing.
static bool breaks;

// Two runs of one scene, with a setting each; the text, to be freed.
static char *compared(
	const char *yaml, const struct scene_set *a, const struct scene_set *b, bool *ok)
{
	struct lab one, two;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	lab_open(&one, yaml);
	lab_open(&two, yaml);
	assert_int_equal(lab_run(&one, a, 1, true), 0);
	assert_int_equal(lab_run(&two, b, 1, true), 0);
	two.rec->sum->run.timing_broken = breaks;
	*ok = verdict_agree(report_summary(one.rec), report_summary(two.rec), f);
	fclose(f);
	lab_close(&one);
	lab_close(&two);
	return text;
}

static void a_lossy_scene_agrees_within_a_tolerance(void **state)
{
	static const char lossy[] =
		"duration: 4ms\nswitches: {s1: {buffer: 100KB}}\nhosts: {h1..2: , r: }\n"
		"links: [{between: [[h1..2, r], s1], rate: 10Gbps, delay: 1us}]\n"
		"flows: {x: {from: h1..2, to: r, class: 0, open_loop: {size: 300..1000, rate: "
		"60%}}}\n";
	struct scene_set a = {"seed", "1"}, b = {"seed", "2"},
			 off = {"flows.x.open_loop.rate", "80%"};
	bool ok;
	char *text;

	(void)state;
	text = compared(lossy, &a, &b, &ok);
	assert_true(ok);
	assert_non_null(strstr(text, "real against virtual:  lossless drops 0 and 0  drops "));
	assert_non_null(strstr(text, "\nthe clocks agree "));
	free(text);
	text = compared(lossy, &a, &off, &ok);
	assert_false(ok);
	assert_non_null(strstr(text, " % (!)\nthe clocks DISAGREE where marked (!) "));
	assert_null(strstr(text, "what differs may be the run"));
	free(text);
}

// A difference may come from the run itself, and without one nothing need be said.
static void a_run_that_was_not_sound_is_told(void **state)
{
	struct scene_set on = {"seed", "1"}, off = {"flows.incast.rate", "1Gbps"};
	bool ok;
	char *text;

	(void)state;
	breaks = true;
	text = compared(LAB_TWO_TO_ONE, &on, &off, &ok);
	assert_false(ok);
	assert_non_null(strstr(text, "\nwhat differs may be the run on the real clock and not the "
				     "scene: timing broken"));
	free(text);
	text = compared(LAB_TWO_TO_ONE, &on, &on, &ok);
	assert_true(ok);
	assert_null(strstr(text, "what differs may be"));
	free(text);
	breaks = false;
}

static void a_window_too_short_says_so(void **state)
{
	struct scene_set a = {"duration", "501us"}, b = {"duration", "500500ns"};
	bool ok;
	char *text;

	(void)state;
	text = compared(LAB_TWO_TO_ONE, &a, &b, &ok);
	assert_true(ok);
	assert_non_null(strstr(text, "the clocks were not compared: a window with "));
	assert_null(strstr(text, "inf"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(rates_and_indices),
		cmocka_unit_test(a_lossy_scene_agrees_within_a_tolerance),
		cmocka_unit_test(a_run_that_was_not_sound_is_told),
		cmocka_unit_test(a_window_too_short_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
