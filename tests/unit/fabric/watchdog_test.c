// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog in the summary: storms, what it dropped, and that nothing is told where nothing
// watches; deadlocks.
#include "figure_lab.h"

#include <math.h>

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

// The storm begins between two polls: the two whole ones behind it make it one, at 750 us. It
// refreshes its XOFF each 41 us until its XON at 1600 us, two polls later it is over.
static void a_drop_is_wanted(void **state)
{
	char *text, line[160];

	(void)state;
	run_storm("drop");
	assert_true(v("wd.s1:r.3.storms") == 1);
	assert_true(v("wd.s1:r.3.restored") == 1);
	assert_float_equal(v("wd.s1:r.3.storm_us"), 950, 50); // 750 us to 1700 us
	assert_true(v("wd.s1:h1.3.storms") == 0);
	assert_true(isnan(v("wd.s1:h1.0.storms")));
	assert_true(v("wd.s1:r.3.tx_dropped_frames") > 10);
	assert_true(v("drop.pfcwd") ==
		    v("wd.s1:r.3.tx_dropped_frames") + v("wd.s1:r.3.rx_dropped_frames"));
	assert_true(v("drops") == v("drop.pfcwd"));
	assert_true(v("total.lossless_drops") == 0);
	assert_true(report_passed(l.rec));
	assert_true(v("total.lossless_exempt") == v("drop.pfcwd"));
	snprintf(line, sizeof(line),
		"  lossless    %.0f frames of lossless classes dropped by the PFC watchdog, "
		"which is exempt; no other\n",
		v("total.lossless_exempt_total"));
	assert_non_null(strstr(report_text(l.rec), line));
	assert_non_null(
		strstr(report_text(l.rec), "watchdog    s1:r class 3: 1 storm, 1 restored;"));
	text = lab_file(&l, "summary.json");
	assert_non_null(strstr(text, "\"pfc_watchdog\": ["));
	free(text);
	text = lab_file(&l, "events.csv");
	assert_int_equal(times_in(text, ",pfcwd_storm,s1:r,3,,drop,"), 1);
	assert_int_equal(times_in(text, ",pfcwd_restore,s1:r,3,,drop,"), 1);
	assert_int_equal(times_in(text, ",resume_rx,s1:r,3,,pfcwd,"), 1);
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

// It lasts until the end: not restored, and no length is known yet.
static void a_storm_that_lasts_has_no_length(void **state)
{
	const struct scene_set set[] = {{"duration", "1ms"},
		{"switches.s1.pfc_watchdog.poll", "50us"},
		{"switches.s1.pfc_watchdog.detection", "100us"},
		{"switches.s1.pfc_watchdog.restoration", "100us"}};
	char *text;

	(void)state;
	lab_open(&l, STORM);
	assert_int_equal(lab_run(&l, set, 4, false), 0);
	assert_true(v("wd.s1:r.3.storms") == 1);
	assert_true(v("wd.s1:r.3.restored") == 0);
	assert_true(v("wd.s1:r.3.storm_us") == 0);
	text = lab_file(&l, "summary.json");
	assert_int_equal(times_in(text, "\"class\": 3, \"storm\": true, \"storms\": 1"), 1);
	free(text);
	lab_close(&l);
}

// Five switches in a ring, each host sends to the one two further on.
#define RING                                                                         \
	"duration: 2ms\n"                                                            \
	"defaults: {links: {rate: 25Gbps, delay: 1us}}\n"                            \
	"switches: {s1..5: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: " \
	"100KB}}}}}\n"                                                               \
	"hosts: {h1..5: }\n"                                                         \
	"links:\n"                                                                   \
	"  - {between: [h1..5, s1..5], pairs: same_index}\n"                         \
	"  - {between: [s1, s2]}\n"                                                  \
	"  - {between: [s2, s3]}\n"                                                  \
	"  - {between: [s3, s4]}\n"                                                  \
	"  - {between: [s4, s5]}\n"                                                  \
	"  - {between: [s5, s1]}\n"                                                  \
	"flows: {a: {from: [h1, h2, h3, h4, h5], to: [h3, h4, h5, h1, h2], pairs: "  \
	"same_index}}\n"

static void a_deadlock_has_a_number(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, RING);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(v("deadlocks") == 1);
	assert_true(v("deadlock.0.queues") == 5);
	assert_true(v("deadlock.0.stuck_queues") == 5);
	assert_true(v("deadlock.0.since_us") <= v("deadlock.0.seen_us"));
	assert_true(v("deadlock.0.seen_us") < 2000);
	assert_true(isnan(v("deadlock.0.until_us"))); // it lasts
	assert_true(isnan(v("deadlock.1.queues")));
	text = lab_file(&l, "summary.json");
	assert_int_equal(times_in(text, "\"deadlocks\": ["), 1);
	assert_int_equal(times_in(text, "\"until_us\": null"), 1);
	assert_int_equal(times_in(text, "\"ports\": [\"s1:s2\", \"s2:s3\", \"s3:s4\", \"s4:s5\", "
					"\"s5:s1\"]"),
		1);
	free(text);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drop_is_wanted),
		cmocka_unit_test(forward_drops_nothing),
		cmocka_unit_test(nothing_is_shown_where_nothing_watches),
		cmocka_unit_test(a_storm_that_lasts_has_no_length),
		cmocka_unit_test(a_deadlock_has_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
