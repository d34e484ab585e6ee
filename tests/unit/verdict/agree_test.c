// SPDX-License-Identifier: BSD-3-Clause
// A run beside reference runs: which figures part, how far they may be apart, and the text.
#include "record_lab.h"

#include <math.h>
#include <stdlib.h>

#include "report/int.h"
#include "verdict/agree.h"
#include "verdict/verdict.h"

#define N 20

// By name; the figures that no test sets have the value 0 in all runs.
static unsigned figure(const char *name)
{
	for (unsigned i = 0; i < VERDICT_FIGURES; i++)
		if (!strncmp(agree_name(i), name, strlen(name)))
			return i;
	fail_msg("no figure is %s", name);
	return 0;
}

// Reference runs in which `name` is around `middle`, in equal steps up to `off` to both sides.
static void around(struct verdict_figures ref[N], const char *name, double middle, double off)
{
	memset(ref, 0, N * sizeof(*ref));
	for (unsigned i = 0; i < N; i++)
		ref[i].value[figure(name)] = middle + off * (2.0 * i / (N - 1) - 1);
}

static enum agree_is judged(const struct verdict_figures ref[N], const char *name, double value)
{
	struct agree_judged j[VERDICT_FIGURES];
	struct verdict_figures run = {0};
	unsigned parted;

	run.value[figure(name)] = value;
	parted = agree_judge(j, ref, N, &run);
	assert_int_equal(parted, j[figure(name)].is == AGREE_NO);
	return j[figure(name)].is;
}

// t(0.995; 19) = 2.8609 and s = 6.228 of 20 values from 90 to 110: the interval is 18.3 to both
// sides of 100, on a scale on which these are nearly even. 2 % or 3 events more are no difference.
static void a_figure_parts_beyond_its_band(void **state)
{
	struct verdict_figures ref[N];

	(void)state;
	around(ref, "queue mean", 100, 10);
	assert_int_equal(judged(ref, "queue mean", 117), AGREE_YES);
	assert_int_equal(judged(ref, "queue mean", 124), AGREE_NO);
	assert_int_equal(judged(ref, "queue mean", 85), AGREE_YES);
	assert_int_equal(judged(ref, "queue mean", 79), AGREE_NO);
	around(ref, "marks", 100, 10);
	assert_int_equal(judged(ref, "marks", 117), AGREE_YES);
	assert_int_equal(judged(ref, "marks", 124), AGREE_NO);
	around(ref, "Jain", 0.9, 0.01);
	assert_int_equal(judged(ref, "Jain", 0.93), AGREE_YES);
	assert_int_equal(judged(ref, "Jain", 0.94), AGREE_NO);
	assert_int_equal(judged(ref, "Jain", 0.855), AGREE_NO);
}

// All figures together have 1 %: with more of them that differ, each band is wider.
static void figures_share_the_alarms(void **state)
{
	struct verdict_figures ref[N];

	(void)state;
	around(ref, "pauses", 1000, 100);
	assert_int_equal(judged(ref, "pauses", 1215), AGREE_NO);
	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < VERDICT_FIGURES; k++)
			if (k != figure("pauses"))
				ref[i].value[k] = 0.5 + i / 100.0;
	{
		struct agree_judged j[VERDICT_FIGURES];
		struct verdict_figures run = ref[N / 2];

		run.value[figure("pauses")] = 1215;
		assert_int_equal(agree_judge(j, ref, N, &run), 0);
		run.value[figure("pauses")] = 1400;
		assert_int_equal(agree_judge(j, ref, N, &run), 1);
	}
}

static void small_differences_are_none(void **state)
{
	struct verdict_figures ref[N];

	(void)state;
	around(ref, "goodput", 20, 0);
	assert_int_equal(judged(ref, "goodput", 20.39), AGREE_YES);
	assert_int_equal(judged(ref, "goodput", 20.41), AGREE_NO);
	assert_int_equal(judged(ref, "goodput", 19.59), AGREE_NO);
	assert_int_equal(judged(ref, "goodput", 0), AGREE_NO);
	around(ref, "CNPs", 100, 0);
	assert_int_equal(judged(ref, "CNPs", 103), AGREE_YES);
	assert_int_equal(judged(ref, "CNPs", 104), AGREE_NO);
	around(ref, "CNPs", 1000, 0);
	assert_int_equal(judged(ref, "CNPs", 1019), AGREE_YES);
	assert_int_equal(judged(ref, "CNPs", 1021), AGREE_NO);
	around(ref, "drops", 0, 0);
	assert_int_equal(judged(ref, "drops", 0), AGREE_NONE);
	assert_int_equal(judged(ref, "drops", 3), AGREE_WIDE);
	assert_int_equal(judged(ref, "drops", 4), AGREE_NO);
	around(ref, "queue p99", 1000, 1);
	assert_int_equal(judged(ref, "queue p99", 1021), AGREE_YES);
	assert_int_equal(judged(ref, "queue p99", 1023), AGREE_NO);
}

// A lossless class that loses a frame is a difference, if none was lost in virtual time.
static void one_lossless_drop_is_a_difference(void **state)
{
	struct verdict_figures ref[N];

	(void)state;
	around(ref, "lossless drops", 0, 0);
	assert_int_equal(judged(ref, "lossless drops", 0), AGREE_NONE);
	assert_int_equal(judged(ref, "lossless drops", 1), AGREE_NO);
	around(ref, "lossless drops", 50, 0);
	assert_int_equal(judged(ref, "lossless drops", 53), AGREE_YES);
	assert_int_equal(judged(ref, "lossless drops", 0), AGREE_NO);
}

static void a_wide_band_is_told(void **state)
{
	struct verdict_figures ref[N];

	(void)state;
	around(ref, "pause time", 100, 60);
	assert_int_equal(judged(ref, "pause time", 100), AGREE_WIDE);
	assert_int_equal(judged(ref, "pause time", 1e6), AGREE_NO);
	ref[3].value[figure("pause time")] = NAN;
	assert_int_equal(judged(ref, "pause time", 100), AGREE_NONE);
	around(ref, "FCT p50", 100, 1);
	assert_int_equal(judged(ref, "FCT p50", NAN), AGREE_NONE);
}

// The figures of a run of a scene with a seed and a setting.
static void one_run(const char *yaml, unsigned seed, const struct scene_set *set, struct lab *l)
{
	char number[16];
	struct scene_set both[] = {{"seed", number}, *set};

	snprintf(number, sizeof(number), "%u", seed);
	lab_open(l, yaml);
	assert_int_equal(lab_run(l, both, 2, true), 0);
}

// The text about a run with setting `b`, beside runs with `a`; to be freed. `broken`: the run broke
// its timing.
static char *compared(const char *yaml, const struct scene_set *a, const struct scene_set *b,
	bool broken, bool *ok)
{
	struct verdict_figures ref[N];
	char *text = NULL;
	struct lab l;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = 0; i < N; i++) {
		one_run(yaml, 1 + i, a, &l);
		verdict_figures(report_summary(l.rec), &ref[i]);
		lab_close(&l);
	}
	one_run(yaml, 1 + N, b, &l);
	l.rec->sum->run.timing_broken = broken;
	snprintf(l.rec->sum->run.timing_text, sizeof(l.rec->sum->run.timing_text), "a gap");
	*ok = verdict_agree(ref, N, report_summary(l.rec), f);
	fclose(f);
	lab_close(&l);
	return text;
}

static const char lossy[] =
	"duration: 4ms\nswitches: {s1: {buffer: 100KB}}\nhosts: {h1..2: , r: }\n"
	"links: [{between: [[h1..2, r], s1], rate: 10Gbps, delay: 1us}]\n"
	"flows: {x: {from: h1..2, to: r, class: 0, open_loop: {size: 300..1000, rate: 60%}}}\n";

static void another_seed_agrees_and_another_load_does_not(void **state)
{
	struct scene_set same = {"flows.x.open_loop.rate", "60%"},
			 more = {"flows.x.open_loop.rate", "63%"};
	bool ok;
	char *text;

	(void)state;
	text = compared(lossy, &same, &same, false, &ok);
	assert_true(ok);
	assert_non_null(strstr(text, "20 runs in virtual time, and one in real time:\n"));
	assert_non_null(strstr(text, "\n  drops  "));
	assert_non_null(strstr(text, "\n  queue p99 bytes  "));
	assert_non_null(strstr(text, "\n  latency p50 us  "));
	assert_null(strstr(text, "Jain"));
	assert_null(strstr(text, "likely cause"));
	assert_non_null(strstr(text, "\nthe clocks agree ("));
	free(text);
	text = compared(lossy, &same, &more, false, &ok);
	assert_false(ok);
	assert_non_null(strstr(text, "  (!)\n                    likely cause: not known\n"));
	assert_non_null(strstr(text, "\nthe clocks DISAGREE where marked (!) ("));
	free(text);
}

// A scene that no seed changes.
static void a_band_without_chance_is_told(void **state)
{
	struct scene_set same = {"flows.incast.rate", "2Gbps"},
			 more = {"flows.incast.rate", "2.1Gbps"};
	bool ok;
	char *text = compared(LAB_TWO_TO_ONE, &same, &more, false, &ok);

	(void)state;
	assert_false(ok);
	assert_non_null(strstr(text, "likely cause: not known; no seed changes the figure, so its "
				     "band has no chance in it\n"));
	free(text);
}

static void a_cause_is_named(void **state)
{
	struct scene_set same = {"flows.x.open_loop.rate", "60%"},
			 more = {"flows.x.open_loop.rate", "63%"};
	bool ok;
	char *text = compared(lossy, &same, &more, true, &ok);

	(void)state;
	assert_false(ok);
	assert_non_null(strstr(text, "likely cause: the run broke its timing: a gap\n"));
	free(text);
}

static void a_window_too_short_says_so(void **state)
{
	struct scene_set brief = {"duration", "501us"};
	bool ok;
	char *text = compared(LAB_TWO_TO_ONE, &brief, &brief, false, &ok);

	(void)state;
	assert_true(ok);
	assert_non_null(strstr(text, "the clocks were not compared: a window with "));
	assert_null(strstr(text, "inf"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_figure_parts_beyond_its_band),
		cmocka_unit_test(figures_share_the_alarms),
		cmocka_unit_test(small_differences_are_none),
		cmocka_unit_test(one_lossless_drop_is_a_difference),
		cmocka_unit_test(a_wide_band_is_told),
		cmocka_unit_test(another_seed_agrees_and_another_load_does_not),
		cmocka_unit_test(a_band_without_chance_is_told),
		cmocka_unit_test(a_cause_is_named),
		cmocka_unit_test(a_window_too_short_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
