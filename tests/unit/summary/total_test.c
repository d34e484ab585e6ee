// SPDX-License-Identifier: BSD-3-Clause
// Totals are the sums of the objects' figures, and ratios are of sums.
#include "figure_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

// Of all objects of a kind together, added up here.
static double sum(enum kind_id kind, const char *figure)
{
	double all = 0;

	for (unsigned i = 0; i < l.rec->sum->set[kind].n; i++) {
		double is = summary_at(l.rec->sum, kind, i, figure);

		all += isnan(is) ? 0 : is;
	}
	return all;
}

static void totals_are_sums(void **state)
{
	static const struct {
		const char *total;
		enum kind_id kind;
		const char *figure;
		bool seen; // it happens in this scene
	} is[] = {{"goodput_gbps", KIND_GROUP, "goodput_gbps", true},
		{"ecn_ce_rx", KIND_FLOW, "ecn_ce_rx", true}, {"cnp_tx", KIND_FLOW, "cnp_tx", true},
		{"cnp_rx", KIND_FLOW, "cnp_rx", true}, {"rate_cuts", KIND_GROUP, "rate_cuts", true},
		{"marks", KIND_QUEUE, "ecn_marked_frames", true},
		{"marks", KIND_MARKING, "ecn_marked_frames", true},
		{"ect_frames", KIND_QUEUE, "ect_frames", true},
		{"pauses", KIND_PFC, "transitions_on", true},
		{"xoff_tx", KIND_PFC_TX, "xoff_frames", true},
		{"xon_tx", KIND_PFC_TX, "xon_frames", true},
		{"messages", KIND_GROUP, "messages", true},
		{"messages", KIND_SIZE, "messages", true},
		{"lossless_drops", KIND_PG, "dropped_frames", false},
		{"lossless_drops_total", KIND_PG, "dropped_frames_total", false},
		{"lossless_exempt", KIND_PG, "pfcwd_dropped_frames", false},
		{"lossless_exempt_total", KIND_PG, "pfcwd_dropped_frames_total", false},
		{"data_frames_retransmitted", KIND_FLOW, "data_frames_retransmitted", false},
		{"nak_rx", KIND_GROUP, "nak_rx", false}, {"cnm_tx", KIND_CP, "cnm_tx", false},
		{"cnm_rx", KIND_FLOW, "cnm_rx", false}, {"iqcn_cnp_tx", KIND_IQCN, "cnp_tx", false},
		{"fast_cnp_tx", KIND_FAST_CNP, "cnp_tx", false},
		{"replay_unsent_frames", KIND_REPLAY, "unsent_frames_total", false}};
	struct scene_set set = {"warmup", "0us"}; // the transient has pauses

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, &set, 1, false), 0);
	for (unsigned i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		double want = sum(is[i].kind, is[i].figure);

		if (!(fabs(v(is[i].total) - want) <= 1e-9 * want) || (want > 0) != is[i].seen)
			fail_msg("%s is %g, the sum is %g", is[i].total, v(is[i].total), want);
	}
	assert_float_equal(v("ecn_marking_ratio"), v("marks") / v("ect_frames"), 1e-12);
	assert_true(v("not_ect_marks") == 0);
	assert_float_equal(v("pause_ps") / 1e6, sum(KIND_PFC, "pause_effective_us"), 1e-3);
	assert_true(v("drops") == 0 && v("drops_total") == 0);
	lab_close(&l);
}

// Each reason is a loss or filtered; `drops_total` has what came before the window, too.
static void drops_are_losses(void **state)
{
	static const struct scene_set set[] = {
		{"switches.s1.classes.3.tail_limit", "10KB"}, {"warmup", "20us"}};
	double all = 0;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	for (unsigned d = 0; d < SW_DROPS; d++)
		all += summary_at(l.rec->sum, KIND_DROP, 0, sw_drop_name((enum sw_drop)d));
	for (unsigned d = 0; d < NIC_DROPS; d++)
		all += summary_at(l.rec->sum, KIND_NIC_DROP, 0, nic_drop_name((enum nic_drop)d));
	assert_true(v("drops") > 0);
	assert_true(v("drops") + v("filtered") == all);
	assert_true(v("drops_total") > v("drops"));
	lab_close(&l);
}

// Losses of lossless classes count, too; and losses before the window count for the verdict.
static void losses_before_the_window_count(void **state)
{
	static const struct scene_set set[] = {{"switches.s1.classes.3.pfc.enable", "false"},
		{"switches.s1.buffer", "200KB"}, {"warmup", "1ms"}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 3, false), 0);
	assert_true(v("lossless_drops_total") > 0);
	assert_true(v("lossless_drops") == 0);
	assert_true(sum(KIND_PG, "dropped_frames_total") == v("lossless_drops_total"));
	assert_true(report_failed(l.rec));
	assert_non_null(
		strstr(report_text(l.rec), " frames of lossless classes dropped, all before "
					   "the window\n"));
	lab_close(&l);
}

// Messages for which a drain had no time are told, and the others are done.
static void a_drain_that_is_too_short_is_told(void **state)
{
	static const struct scene_set set[] = {{"drain", "100us"}};
	static const struct scene_set small[] = {
		{"drain", "100us"}, {"flows.incast.message", "4KB"}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	assert_true(v("unfinished_qps") == 2);
	assert_non_null(strstr(report_text(l.rec), "  NOT DRAINED  a drain of 100.0 us is too "
						   "short: at the end 2 queue pairs had messages "
						   "to finish"));
	lab_close(&l);
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, small, 2, false), 0);
	assert_true(v("unfinished_qps") == 0);
	assert_true(sum(KIND_QUEUE, "length_bytes") == 0);
	assert_null(strstr(report_text(l.rec), "NOT DRAINED"));
	lab_close(&l);
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(v("unfinished_qps") == 2); // it has no drain, so nothing is said of it
	assert_null(strstr(report_text(l.rec), "NOT DRAINED"));
	lab_close(&l);
}

// H3C's upper zone marks Not-ECT frames: in `marks`, told apart, and not in the ratio.
static void marks_of_not_ect_are_told_apart(void **state)
{
	(void)state;
	lab_open(&l, LAB_NOT_ECT);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(v("not_ect_marks") > 0 && v("not_ect_marks") < v("marks"));
	assert_true(v("ecn_marking_ratio") <= 1);
	assert_float_equal(
		v("ecn_marking_ratio") * v("ect_frames"), v("marks") - v("not_ect_marks"), 1e-6);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_sums),
		cmocka_unit_test(drops_are_losses),
		cmocka_unit_test(losses_before_the_window_count),
		cmocka_unit_test(a_drain_that_is_too_short_is_told),
		cmocka_unit_test(marks_of_not_ect_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
