// SPDX-License-Identifier: BSD-3-Clause
// Queues and the pause table of a run, against each other and against thresholds.
#include "figure_lab.h"
#include "record_net.h"

#include <math.h>

static void quantiles_are_in_order(void **state)
{
	(void)state;
	assert_true(v("queue.s1:r.3.mean_bytes") > 0);
	assert_true(v("queue.s1:r.3.p50_bytes") <= v("queue.s1:r.3.p95_bytes"));
	assert_true(v("queue.s1:r.3.p95_bytes") <= v("queue.s1:r.3.p99_bytes"));
	assert_true(v("queue.s1:r.3.p99_bytes") <= v("queue.s1:r.3.max_bytes"));
	assert_true(v("queue.s1:r.3.kmin_bytes") == 20000);
	assert_true(v("queue.s1:r.3.kmax_bytes") == 200000);
	assert_true(v("queue.s1:r.3.above_kmin_percent") > v("queue.s1:r.3.above_kmax_percent"));
	assert_float_equal(
		v("queue.s1:r.3.delay_p99_us"), v("queue.s1:r.3.p99_bytes") * 8 / 25e3, 1e-6);
	assert_true(v("queue.s1:r.3.ecn_marked_frames") == v("marks"));
	assert_float_equal(v("queue.s1:r.3.ecn_marking_ratio"),
		v("marks") / v("queue.s1:r.3.ect_frames"), 1e-9);
}

// The frames that the switch sent are the ones that the hosts received; a frame may be on the link
// at either end of the window.
static void both_ends_of_a_pause_agree(void **state)
{
	(void)state;
	assert_true(v("pauses") > 0);
	assert_float_equal(v("pfc.h2:s1.3.xoff_frames"), v("pfc_tx.s1:h2.3.xoff_frames"), 1);
	assert_float_equal(
		v("pfc.h2:s1.3.pause_effective_us"), v("pfc_tx.s1:h2.3.pause_effective_us"), 3);
	assert_true(v("pfc.h2:s1.3.pause_requested_us") > v("pfc.h2:s1.3.pause_effective_us"));
	assert_float_equal(v("pfc.h2:s1.3.mean_ps") * v("pfc.h2:s1.3.episodes"),
		v("pfc.h2:s1.3.pause_effective_us") * 1e6, 20e6);
	assert_float_equal(
		v("pg.s1:h2.3.xoff_percent"), 100 * v("pfc_tx.s1:h2.3.pause_ratio"), 1e-3);
	assert_float_equal(v("pause_ps") / 1e6,
		v("pfc.h1:s1.3.pause_effective_us") + v("pfc.h2:s1.3.pause_effective_us"), 1e-3);
}

// H3C's upper zone marks Not-ECT frames too: they are no share of the ECT frames.
static void the_marking_ratio_is_that_of_ect(void **state)
{
	struct lab m;

	(void)state;
	lab_open(&m, LAB_NOT_ECT);
	assert_int_equal(lab_run(&m, NULL, 0, false), 0);
	assert_in_range(report_value(m.rec, "queue.s1:r.0.ecn_marking_ratio") * 1000, 900, 1000);
	assert_in_range(report_value(m.rec, "ecn_marking_ratio") * 1000, 900, 1000);
	assert_true(report_value(m.rec, "marks") > report_value(m.rec, "ect_frames"));
	assert_float_equal(report_value(m.rec, "ecn_marking_ratio"),
		(report_value(m.rec, "marks") - report_value(m.rec, "not_ect_marks")) /
			report_value(m.rec, "ect_frames"),
		1e-9);
	assert_true(report_value(m.rec, "not_ect_marks") > 0);
	assert_non_null(strstr(report_text(m.rec), " Not-ECT frames\n"));
	lab_close(&m);
}

// Frames that came in by a port whose own queue of that class never held a frame are told all the
// same: dropped ones, and ones with CE.
static void what_only_came_in_has_a_row(void **state)
{
	static const char *const text =
		"duration: 100us\n"
		"switches: {s1: {buffer: 4MB, classes: {0: {drop: {limit: 20KB}}, 3: {lossless: "
		"true}}}}\n"
		"hosts: {h1..2: , r: }\n"
		"links: [{between: [[h1..2, r], s1], rate: 100Gbps, delay: 1us}]\n"
		"flows:\n  lossy: {from: h1..2, to: r, class: 0, open_loop: {size: 1000, rate: "
		"80%}}\n"
		"  ce: {from: h1, to: r, class: 3, ecn: ce, open_loop: {size: 1000, rate: 10%}}\n";
	struct lab m;
	double drops;

	(void)state;
	lab_open(&m, text);
	assert_int_equal(lab_run(&m, NULL, 0, false), 0);
	drops = report_value(m.rec, "queue.s1:h1.0.dropped_frames") +
		report_value(m.rec, "queue.s1:h2.0.dropped_frames");
	assert_true(drops > 100);
	assert_true(drops == report_value(m.rec, "drops"));
	assert_true(report_value(m.rec, "queue.s1:h1.0.max_bytes") == 0);
	assert_true(report_value(m.rec, "queue.s1:h1.3.ecn_ce_rx_frames") > 50);
	assert_true(isnan(report_value(m.rec, "queue.s1:h2.3.ecn_ce_rx_frames")));
	assert_null(strstr(report_text(m.rec), "why         s1:h1"));
	assert_non_null(strstr(report_text(m.rec), "why         s1:r class 3"));
	lab_close(&m);
}

// All quantiles of a queue's length are in order, and the length at the end is told.
static void all_quantiles_are_in_order(void **state)
{
	static const char *const which[] = {
		"p50_bytes", "p90_bytes", "p95_bytes", "p99_bytes", "p999_bytes", "max_bytes"};
	double least = 0;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		char path[64];

		snprintf(path, sizeof(path), "queue.s1:r.3.%s", which[i]);
		if (!(v(path) >= least && v(path) > 0))
			fail_msg("%s: %g after %g", path, v(path), least);
		least = v(path);
	}
	assert_true(v("queue.s1:r.3.p999_bytes") > v("queue.s1:r.3.p50_bytes"));
	assert_true(v("queue.s1:r.3.length_bytes") > 0);
	assert_true(v("queue.s1:r.3.length_bytes") <= v("queue.s1:r.3.max_bytes"));
	assert_true(v("queue.s1:h1.6.length_bytes") <= v("queue.s1:h1.6.max_bytes"));
	assert_true(v("queue.s1:r.3.length_bytes") <= v("buffer.s1.used_bytes"));
}

// Of 1000 us a queue stands 500 at 1000 bytes, 400 at 2000, 90 at 3000, 9 at 4000 and one at 5000;
// 700 are there at the end. A length is known to its bucket, 0.8 %.
static void each_quantile_is_its_share_of_the_time(void **state)
{
	static const struct {
		uint32_t bytes;
		unsigned us;
	} stood[] = {{1000, 500}, {2000, 400}, {3000, 90}, {4000, 9}, {5000, 1}};
	static const struct {
		const char *figure;
		double want;
	} is[] = {{"p50_bytes", 1000}, {"p90_bytes", 2000}, {"p95_bytes", 3000},
		{"p99_bytes", 3000}, {"p999_bytes", 4000}, {"max_bytes", 5000}};
	struct net_lab n;
	struct eport_q *q;
	struct hist *h;

	(void)state;
	net_open(&n);
	h = eport_hist(sw_eport(net_node(n.net, n.s1)->u.sw, 2), 3);
	q = (struct eport_q *)&sw_eport(net_node(n.net, n.s1)->u.sw, 2)->q[3];
	record_warm(n.rec, 0);
	for (unsigned i = 0; i < 5; i++)
		hist_add(h, stood[i].bytes, stood[i].us * PS_PER_US);
	q->max_bytes = 5000;
	q->bytes = 700;
	q->changed = PS_PER_MS;
	net_finish(&n, 1000);
	for (unsigned i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "queue.s1:r.3.%s", is[i].figure);
		assert_float_equal(report_value(n.report, path), is[i].want, 0.008 * is[i].want);
	}
	assert_float_equal(report_value(n.report, "queue.s1:r.3.mean_bytes"), 1611, 1e-6);
	assert_true(report_value(n.report, "queue.s1:r.3.length_bytes") == 700);
	q->bytes = 0;
	net_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_in_order),
		cmocka_unit_test(all_quantiles_are_in_order),
		cmocka_unit_test(each_quantile_is_its_share_of_the_time),
		cmocka_unit_test(both_ends_of_a_pause_agree),
		cmocka_unit_test(the_marking_ratio_is_that_of_ect),
		cmocka_unit_test(what_only_came_in_has_a_row),
	};

	return cmocka_run_group_tests(tests, figures_of_two, figures_end);
}
