// SPDX-License-Identifier: BSD-3-Clause
// Queues, ingress groups and the pause table of a run, against each other and against thresholds.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

static struct lab l;

static int run(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return lab_run(&l, NULL, 0, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static double v(const char *path)
{
	return report_value(l.rec, path);
}

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

// What the switch sent is what the hosts received; a frame may be on the link at either end of the
// window.
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

static void groups_stay_within_headroom(void **state)
{
	(void)state;
	assert_true(v("pg.s1:h1.3.xoff_bytes") == 30000);
	assert_true(v("pg.s1:h1.3.max_bytes_total") > 30000);
	assert_true(v("pg.s1:h1.3.max_headroom_bytes_total") < v("pg.s1:h1.3.headroom_bytes"));
	assert_true(v("total.lossless_drops") == 0);
}

#define MAPPED                                                                                \
	"duration: 100us\n"                                                                   \
	"switches: {s1: {buffer: 4MB, pg_map: {3: 0, 4: 3}, queue_map: {4: 5}, classes: {0: " \
	"{drop: {limit: 20KB}}, 3: {lossless: true, pfc: {xoff: 20KB, headroom: 2KB}}}}}\n"   \
	"hosts: {h1..2: {pfc_honour: false}, r: {}}\n"                                        \
	"links: [{between: [[h1..2, r], s1], rate: 100Gbps, delay: 1us}]\n"                   \
	"flows: {f: {from: h1..2, to: r, class: 3, open_loop: {size: 1000, rate: 100%}}}\n"

// Class 3 is in a lossy group, class 4 in the lossless group 3 and in queue 5.
static void losses_are_the_groups(void **state)
{
	for (unsigned cls = 3; cls <= 4; cls++) {
		const struct scene_set set[] = {{"flows.f.class", cls == 3 ? "3" : "4"}};
		struct lab m;

		(void)state;
		lab_open(&m, MAPPED);
		assert_int_equal(lab_run(&m, set, 1, false), 0);
		assert_true(report_value(m.rec, "drops") > 100);
		assert_true(report_value(m.rec, "total.lossless_drops") ==
			    (cls == 3 ? 0 : report_value(m.rec, "drops")));
		assert_int_equal(report_passed(m.rec), cls == 3);
		if (cls == 4) {
			assert_true(report_value(m.rec, "pg.s1:h1.3.xoff_percent") > 90);
			assert_non_null(
				strstr(report_text(m.rec), "why         s1:r class 5: PFC: s1:h"));
		} else {
			assert_null(strstr(report_text(m.rec), "why  "));
		}
		lab_close(&m);
	}
}

// An egress queue that takes nothing: the group never holds a byte, and all that it was to hold
// is lost.
static void losses_of_a_group_that_held_nothing_are_told(void **state)
{
	const struct scene_set set[] = {
		{"flows.f.class", "4"}, {"switches.s1.classes.5.queue.limit", "1"}};
	struct lab m;

	(void)state;
	lab_open(&m, MAPPED);
	assert_int_equal(lab_run(&m, set, 2, false), 0);
	assert_true(report_value(m.rec, "drops") > 1000);
	assert_true(report_value(m.rec, "total.lossless_drops") == report_value(m.rec, "drops"));
	assert_false(report_passed(m.rec));
	lab_close(&m);
}

// H3C's upper zone marks Not-ECT frames too: they are no share of the ECT frames.
static void the_marking_ratio_is_that_of_ect(void **state)
{
	static const char *const text =
		"duration: 200us\n"
		"switches: {s1: {buffer: 4MB, classes: {0: {drop: {limit: 1MB}, tail_limit: 90KB, "
		"wred: {min: 10KB, max: 20KB, not_ect: h3c}}}}}\n"
		"hosts: {h1..2: , r: }\n"
		"links: [{between: [[h1..2, r], s1], rate: 100Gbps, delay: 1us}]\n"
		"flows:\n  ect: {from: h1, to: r, class: 0, ecn: ect0, open_loop: {size: 1000, "
		"rate: 80%}}\n"
		"  not: {from: h2, to: r, class: 0, ecn: not_ect, open_loop: {size: 1000, rate: "
		"40%}}\n";
	struct lab m;

	(void)state;
	lab_open(&m, text);
	assert_int_equal(lab_run(&m, NULL, 0, false), 0);
	assert_in_range(report_value(m.rec, "queue.s1:r.0.ecn_marking_ratio") * 1000, 900, 1000);
	assert_in_range(report_value(m.rec, "ecn_marking_ratio") * 1000, 900, 1000);
	assert_true(report_value(m.rec, "marks") > report_value(m.rec, "ect_frames"));
	assert_non_null(strstr(report_text(m.rec), " Not-ECT frames\n"));
	lab_close(&m);
}

// What came in by a port whose own queue of that class never held a frame is told all the same:
// dropped, and with CE.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_in_order),
		cmocka_unit_test(both_ends_of_a_pause_agree),
		cmocka_unit_test(groups_stay_within_headroom),
		cmocka_unit_test(losses_are_the_groups),
		cmocka_unit_test(losses_of_a_group_that_held_nothing_are_told),
		cmocka_unit_test(the_marking_ratio_is_that_of_ect),
		cmocka_unit_test(what_only_came_in_has_a_row),
	};

	return cmocka_run_group_tests(tests, run, end);
}
