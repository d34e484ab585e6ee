// SPDX-License-Identifier: BSD-3-Clause
// The instrument's own figures: figures of the run itself, in the units of their rows.
#include "record_net.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static void of_a_real_clock(void **state)
{
	struct record_run run = {.clock = "real",
		.end = PS_PER_MS,
		.dilate = 20,
		.packet_hops = 12345,
		.imissed = 1,
		.rx_nombuf = 2,
		.ring_drops = 3,
		.events_lost = 4,
		.captures_lost = 6,
		.taps_lost = 7,
		.loop_gap_p50_ps = 250000,
		.loop_gap_p99_ps = 2 * PS_PER_US,
		.loop_gap_p9999_ps = 5 * PS_PER_US,
		.loop_gap_max_ps = 7 * PS_PER_US,
		.lost_tx_ps = 1500000,
		.xon_at_end = 5,
		.timing_broken = true,
		.timing_text = "a gap of 3 ms"};
	static const struct {
		const char *figure;
		double want;
	} is[] = {{"dilate", 20}, {"packet_hops", 12345}, {"imissed", 1}, {"rx_nombuf", 2},
		{"ring_drops", 3}, {"events_lost", 4}, {"captures_lost", 6}, {"taps_lost", 7},
		{"loop_gap_p50_us", 0.25}, {"loop_gap_p99_us", 2}, {"loop_gap_p9999_us", 5},
		{"loop_gap_max_us", 7}, {"pfc_late_mean_us", 3}, {"pfc_late_max_us", 4},
		{"lost_tx_us", 1.5}, {"xon_at_end", 5}};
	char path[64], buf[KIND_NAME];
	struct net_lab n;

	(void)state;
	net_open(&n);
	pause_rx_late((struct pause_rx *)(uintptr_t)n.rec->port[0].rx, PS_PER_US, 5 * PS_PER_US);
	pause_rx_late((struct pause_rx *)(uintptr_t)n.rec->port[1].rx, PS_PER_US, 3 * PS_PER_US);
	assert_int_equal(report_close(&n.report, n.rec, &run, &n.lab.err), 0);
	for (unsigned i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		snprintf(path, sizeof(path), "instrument.%s", is[i].figure);
		if (report_value(n.report, path) != is[i].want)
			fail_msg("%s is %g", path, report_value(n.report, path));
	}
	assert_string_equal(summary_label(n.report->sum, KIND_INSTRUMENT, 0, "clock", buf), "real");
	assert_string_equal(
		summary_label(n.report->sum, KIND_INSTRUMENT, 0, "timing", buf), "a gap of 3 ms");
	assert_true(summary_is(n.report->sum, KIND_INSTRUMENT, 0, "timing_broken"));
	net_close(&n);
}

// Virtual time is not dilated, loses nothing and has no loops, whose gaps are not known.
static void of_virtual_time(void **state)
{
	static const char *const none[] = {"imissed", "rx_nombuf", "ring_drops", "events_lost",
		"captures_lost", "taps_lost", "lost_tx_us"};
	static const char *const unknown[] = {"loop_gap_p50_us", "loop_gap_p99_us",
		"loop_gap_p9999_us", "loop_gap_max_us", "pfc_late_mean_us", "pfc_late_max_us"};
	char path[64], buf[KIND_NAME];
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(report_value(l.rec, "instrument.dilate") == 1);
	// Each frame that a port received was given to a node, and none more than once.
	assert_true(report_value(l.rec, "instrument.packet_hops") >=
		    report_value(l.rec, "nic.r.rx_frames") +
			    report_value(l.rec, "port.s1:h1.rx_frames") +
			    report_value(l.rec, "port.s1:h2.rx_frames"));
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(path, sizeof(path), "instrument.%s", none[i]);
		assert_true(report_value(l.rec, path) == 0);
	}
	for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		snprintf(path, sizeof(path), "instrument.%s", unknown[i]);
		assert_true(isnan(report_value(l.rec, path)));
	}
	assert_string_equal(summary_label(l.rec->sum, KIND_INSTRUMENT, 0, "clock", buf), "virtual");
	assert_false(summary_is(l.rec->sum, KIND_INSTRUMENT, 0, "timing_broken"));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_real_clock),
		cmocka_unit_test(of_virtual_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
