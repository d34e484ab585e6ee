// SPDX-License-Identifier: BSD-3-Clause
// CNPs of switches, iQCN and Fast CNP, in the summary and in events.csv, against the counters that
// they come from.
#include "figure_lab.h"

#include <math.h>

// CNPs of a lazy receiver, and a switch that makes up for it.
#define IQCN                                                                        \
	"duration: 4ms\nwarmup: 100us\n"                                            \
	"controls: {c: {profile: paper, rate_timer: 300us, byte_counter: none}}\n"  \
	"switches: {s1: {buffer: 16MB, classes: {3: {wred: {min: 10KB, max: 20KB, " \
	"probability: 100%}, iqcn: {}}}}}\n"                                        \
	"hosts: {h1..3: , r: {np: {interval: 2ms}}}\n"                              \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"          \
	"flows: {f: {from: h1..3, to: r, control: c}}\n"

// A switch that answers its own marks.
#define FAST_CNP                                                                          \
	"duration: 4ms\nwarmup: 100us\ncontrols: {c: {profile: paper, ai_rate: 2Gbps}}\n" \
	"switches: {s1: {buffer: 16MB, classes: {3: {wred: {min: 10KB, max: 20KB, "       \
	"probability: 100%}, fast_cnp: {entries: 1024}}}}}\n"                             \
	"hosts: {h1..3: , r: }\n"                                                         \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"                \
	"flows: {f: {from: h1..3, to: r, control: c}}\n"

static void cnps_of_the_switch_are_told(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, IQCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_true(v("iqcn.s1:r.cnp_tx") >= 3);
	assert_true(v("iqcn.s1:r.cnp_tx") == v("iqcn_cnp_tx"));
	assert_true(v("iqcn.s1:r.cnp_rx") >= 3);
	assert_true(v("iqcn.s1:h1.cnp_rx") == 0);
	assert_true(fabs(v("iqcn.s1:r.cnp_tx_per_s") - v("iqcn.s1:r.cnp_tx") / 3.9e-3) < 0.1);
	assert_true(fabs(v("iqcn.s1:r.cnp_rx_per_s") - v("iqcn.s1:r.cnp_rx") / 3.9e-3) < 0.1);
	assert_true(v("iqcn.s1:r.tx_cnp") == v("iqcn.s1:r.cnp_tx"));
	assert_true(v("iqcn.s1:r.rx_cnp_per_s") == v("iqcn.s1:r.cnp_rx_per_s"));
	assert_true(v("iqcn.s1.foreign_cnp") == v("iqcn.s1.cnp_foreign"));
	assert_true(v("iqcn.s1.rx_cnp_total") == v("iqcn.s1.cnp_rx_total"));
	assert_true(v("iqcn_tx_cnp") == v("iqcn_cnp_tx"));
	assert_true(v("iqcn.s1:r.heavy_percent") > 1 && v("iqcn.s1:r.heavy_percent") <= 100);
	assert_true(v("iqcn.s1:h1.heavy_percent") == 0);
	assert_true(v("iqcn.s1:r.flows_total") == v("iqcn.s1.flows_total"));
	assert_true(v("iqcn.s1.learned_total") >= 3);
	assert_true(v("iqcn.s1.cnp_tx_total") >= v("iqcn.s1:r.cnp_tx"));
	assert_true(v("iqcn.s1.cnp_rx_total") >= v("iqcn.s1:r.cnp_rx"));
	assert_true(v("iqcn.s1.table_full_total") + v("iqcn.s1.capped_total") == 0);
	text = lab_file(&l, "events.csv");
	assert_int_equal(times_in(text, ",iqcn_tx,s1:r,,f[h"), (unsigned)v("iqcn.s1.cnp_tx_total"));
	assert_true(times_in(text, ",270,") > 0);
	free(text);
	text = lab_file(&l, "summary.json");
	assert_int_equal(times_in(text, "\"iqcn\""), 1);
	assert_int_equal(times_in(text, "\"iqcn_tables\""), 1);
	assert_int_equal(times_in(text, "\"congestion_points\""), 0);
	free(text);
	assert_int_equal(times_in(report_text(l.rec), "  iQCN        s1: TX CNP "), 1);
	assert_int_equal(times_in(report_text(l.rec), "                s1:r           RX CNP "), 1);
	assert_int_equal(times_in(report_text(l.rec), "  s1:h1 "), 0);
	assert_true(v("iqcn.s1.cnp_tx") == v("iqcn_cnp_tx"));
	assert_true(v("iqcn.s1.cnp_tx_per_s") == v("iqcn.s1:r.cnp_tx_per_s"));
	assert_true(v("iqcn.s1.entries") == 65536);
	lab_close(&l);
}

static void cnps_for_marked_frames_are_told(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, FAST_CNP);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_true(v("fast_cnp.s1:r.cnp_tx") >= 10);
	assert_true(v("fast_cnp.s1:r.cnp_tx") == v("fast_cnp_tx"));
	assert_true(v("fast_cnp.s1.cnp_tx") == v("fast_cnp_tx"));
	assert_true(fabs(v("fast_cnp.s1:r.cnp_tx_per_s") - v("fast_cnp_tx") / 3.9e-3) < 0.1);
	assert_true(v("fast_cnp.s1.cnp_tx_per_s") == v("fast_cnp.s1:r.cnp_tx_per_s"));
	assert_true(v("fast_cnp.s1:r.suppressed") > 0);
	assert_true(v("fast_cnp.s1:r.unknown") == 0); // the first ACKs come before the window
	assert_true(v("fast_cnp.s1.learned_total") == 3 && v("fast_cnp.s1.flows_total") == 3);
	assert_true(v("fast_cnp.s1.entries") == 1024);
	assert_true(v("fast_cnp.s1.table_full_total") + v("fast_cnp.s1.aged_total") +
			    v("fast_cnp.s1.ambiguous_total") ==
		    0);
	text = lab_file(&l, "events.csv");
	assert_true(times_in(text, ",fast_cnp_tx,s1:r,3,f[h") >= v("fast_cnp_tx"));
	free(text);
	text = lab_file(&l, "summary.json");
	assert_int_equal(times_in(text, "\"fast_cnp\""), 1);
	assert_int_equal(times_in(text, "\"fast_cnp_tables\""), 1);
	assert_int_equal(times_in(text, "\"iqcn\""), 0);
	free(text);
	assert_int_equal(times_in(report_text(l.rec), "  Fast CNP    s1: TX CNP "), 1);
	assert_int_equal(times_in(report_text(l.rec), "                s1:r           TX CNP "), 1);
	lab_close(&l);
}

// A table too small for its flows, and a port that may send few.
static void a_full_table_and_a_capped_port_are_told(void **state)
{
	static const struct scene_set set[] = {{"switches.s1.classes.3.iqcn.entries", "8"},
		{"flows.f.qps", "8"}, {"switches.s1.classes.3.iqcn.port_rate", "1000"}};

	(void)state;
	lab_open(&l, IQCN);
	assert_int_equal(lab_run(&l, set, 3, true), 0);
	assert_true(v("iqcn.s1.entries") == 8);
	assert_true(v("iqcn.s1.flows_total") > 0 && v("iqcn.s1.flows_total") <= 8);
	assert_true(v("iqcn.s1.table_full_total") > 0);
	assert_true(
		v("iqcn.s1.learned_total") ==
		v("iqcn.s1.flows_total") + v("iqcn.s1.table_full_total") + v("iqcn.s1.aged_total"));
	assert_true(v("iqcn.s1:r.cnp_foreign") == v("iqcn.s1.cnp_foreign"));
	assert_true(v("iqcn.s1.capped_total") > 0);
	lab_close(&l);
}

// Before the first ACK a flow's sender is not known.
static void the_unknown_are_told(void **state)
{
	static const struct scene_set set[] = {{"warmup", "0us"}, {"flows.f.qps", "8"},
		{"switches.s1.classes.3.fast_cnp.entries", "8"}};

	(void)state;
	lab_open(&l, FAST_CNP);
	assert_int_equal(lab_run(&l, set, 3, true), 0);
	assert_true(v("fast_cnp.s1:r.unknown") > 0);
	assert_true(v("fast_cnp.s1.entries") == 8);
	assert_true(v("fast_cnp.s1.flows_total") > 0 && v("fast_cnp.s1.flows_total") <= 8);
	assert_true(v("fast_cnp.s1.table_full_total") > 0);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cnps_of_the_switch_are_told),
		cmocka_unit_test(cnps_for_marked_frames_are_told),
		cmocka_unit_test(a_full_table_and_a_capped_port_are_told),
		cmocka_unit_test(the_unknown_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
