// SPDX-License-Identifier: BSD-3-Clause
// Queues, ingress groups and the pause table of a run, watermarks of buffers with two sides, and
// the PFC watchdog, against each other and against thresholds.
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

static const struct scene_set sides[] = {
	{"switches.s1.cell", "256"},
	{"switches.s1.pools.headroom", "60KB"},
	{"switches.s1.classes.3.queue.reserved", "4KB"},
};

// 2:1 at equal rates into one queue: what the groups hold, headroom and all, is what the queue
// holds.
static void both_sides_hold_the_same(void **state)
{
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, sides, 3, false), 0);
	assert_true(v("pauses") > 0);
	assert_true(v("pool.s1.ingress.size_bytes") == 4000000 - 60000);
	assert_true(v("pool.s1.headroom.size_bytes") == 60000);
	assert_true(v("pool.s1.egress_lossless.size_bytes") == 4000000 - 3 * 4000);
	// The two groups' headroom together; each at most its own.
	assert_true(
		v("pool.s1.headroom.max_bytes_total") >= v("pg.s1:h1.3.max_headroom_bytes_total"));
	assert_true(v("pool.s1.headroom.max_bytes_total") <=
		    v("pg.s1:h1.3.max_headroom_bytes_total") +
			    v("pg.s1:h2.3.max_headroom_bytes_total"));
	assert_true(v("pg.s1:h1.3.shared_max_bytes_total") <= 30000);
	assert_true(v("pg.s1:h1.3.shared_max_bytes_total") > 30000 - 2 * 1280);
	// Whole cells: each frame of 1086 bytes takes 1280.
	assert_true(fmod(v("queue.s1:r.3.buffer_max_bytes_total"), 256) == 0);
	assert_true(v("queue.s1:r.3.buffer_max_bytes_total") >= v("queue.s1:r.3.max_bytes"));
	assert_true(v("queue.s1:r.3.shared_max_bytes_total") ==
		    v("queue.s1:r.3.buffer_max_bytes_total") - 4000);
	assert_true(v("pool.s1.egress_lossless.max_bytes_total") ==
		    v("queue.s1:r.3.shared_max_bytes_total"));
	json = lab_file(&l, "summary.json");
	assert_non_null(strstr(json, "\"pool\": \"egress_lossy\""));
	free(json);
	lab_close(&l);
}

static void a_plain_buffer_has_no_pools(void **state)
{
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(isnan(v("pool.s1.ingress.size_bytes")));
	assert_true(isnan(v("queue.s1:r.3.shared_limit_bytes")));
	json = lab_file(&l, "summary.json");
	assert_null(strstr(json, "buffer_pools"));
	free(json);
	lab_close(&l);
}

#define STORM          \
	LAB_TWO_TO_ONE \
	"events: [{at: 600us, pfc_storm: {port: r:s1, class: 3, quanta: 4000, for: 1ms}}]\n"

static void run_storm(const char *action)
{
	const struct scene_set set[] = {
		{"switches.s1.pfc_watchdog.poll", "50us"},
		{"switches.s1.pfc_watchdog.detection", "100us"},
		{"switches.s1.pfc_watchdog.restoration", "100us"},
		{"switches.s1.pfc_watchdog.action", action},
	};

	lab_open(&l, STORM);
	assert_int_equal(lab_run(&l, set, 4, false), 0);
}

static unsigned lines_with(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

// The storm begins between two polls: the two whole ones behind it make it one, at 750 us. It
// refreshes its XOFF each 41 us until its XON at 1600 us, two polls later it is over.
static void a_drop_is_wanted(void **state)
{
	char *text;

	(void)state;
	run_storm("drop");
	assert_true(v("wd.s1:r.3.storms") == 1);
	assert_true(v("wd.s1:r.3.restored") == 1);
	assert_true(v("wd.s1:h1.3.storms") == 0);
	assert_true(isnan(v("wd.s1:h1.0.storms")));
	assert_true(v("wd.s1:r.3.tx_dropped_frames") > 10);
	assert_true(v("drop.pfcwd") ==
		    v("wd.s1:r.3.tx_dropped_frames") + v("wd.s1:r.3.rx_dropped_frames"));
	assert_true(v("drops") == v("drop.pfcwd"));
	assert_true(v("total.lossless_drops") == 0);
	assert_true(report_passed(l.rec));
	assert_non_null(
		strstr(report_text(l.rec), "watchdog    s1:r class 3: 1 storms, 1 restored;"));
	text = lab_file(&l, "summary.json");
	assert_non_null(strstr(text, "\"pfc_watchdog\": ["));
	free(text);
	text = lab_file(&l, "events.csv");
	assert_int_equal(lines_with(text, ",pfcwd_storm,s1:r,3,,drop,"), 1);
	assert_int_equal(lines_with(text, ",pfcwd_restore,s1:r,3,,drop,"), 1);
	assert_int_equal(lines_with(text, ",resume_rx,s1:r,3,,pfcwd,"), 1);
	free(text);
	lab_close(&l);
}

static void forward_drops_nothing(void **state)
{
	(void)state;
	run_storm("forward");
	assert_true(v("wd.s1:r.3.storms") == 1);
	assert_true(v("drops") == 0);
	lab_close(&l);
}

static void nothing_is_shown_where_nothing_watches(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, STORM);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(isnan(v("wd.s1:r.3.storms")));
	assert_null(strstr(report_text(l.rec), "watchdog"));
	text = lab_file(&l, "summary.json");
	assert_null(strstr(text, "pfc_watchdog"));
	free(text);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests_run[] = {
		cmocka_unit_test(quantiles_are_in_order),
		cmocka_unit_test(both_ends_of_a_pause_agree),
		cmocka_unit_test(groups_stay_within_headroom),
		cmocka_unit_test(losses_are_the_groups),
		cmocka_unit_test(losses_of_a_group_that_held_nothing_are_told),
		cmocka_unit_test(the_marking_ratio_is_that_of_ect),
		cmocka_unit_test(what_only_came_in_has_a_row),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_hold_the_same),
		cmocka_unit_test(a_plain_buffer_has_no_pools),
		cmocka_unit_test(a_drop_is_wanted),
		cmocka_unit_test(forward_drops_nothing),
		cmocka_unit_test(nothing_is_shown_where_nothing_watches),
	};

	return cmocka_run_group_tests(tests_run, run, end) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
