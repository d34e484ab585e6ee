// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog in the summary and in events.csv: a storm detected, acted upon and over.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

#define STORM          \
	LAB_TWO_TO_ONE \
	"events: [{at: 600us, pfc_storm: {port: r:s1, class: 3, quanta: 4000, for: 1ms}}]\n"

static struct lab l;

static double v(const char *path)
{
	return report_value(l.rec, path);
}

static void run(const char *action)
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
	run("drop");
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
	run("forward");
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drop_is_wanted),
		cmocka_unit_test(forward_drops_nothing),
		cmocka_unit_test(nothing_is_shown_where_nothing_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
