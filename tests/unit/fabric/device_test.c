// SPDX-License-Identifier: BSD-3-Clause
// Losses of devices: each frame under one reason, against what the node received, and what becomes
// of the verdicts.
#include "record_net.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

// PFC frames that the node has received, of classes 3 and 4, and sent, of class 3, at s1:h1.
static uint64_t node_rx, node_tx;

// A run of which the device of s1:h1 says this; its port received 100 frames.
static void run_of(struct net_lab *n, struct record_device d)
{
	struct record_run run = {.clock = "real", .end = PS_PER_MS, .device = &d, .n_devices = 1};
	struct sw_port_stats *c;

	net_open(n);
	c = (struct sw_port_stats *)sw_port_rare_stats(net_node(n->net, n->s1)->u.sw, 0);
	c->consumed_frames = 100;
	for (unsigned k = 3; k < 5; k++)
		((struct pause_rx *)sw_pause_rx(net_node(n->net, n->s1)->u.sw, 0))
			->stats[k]
			.xoff_frames = node_rx;
	((struct pause_tx *)sw_pause_tx(net_node(n->net, n->s1)->u.sw, 0))->stats[3].xon_frames =
		node_tx;
	d.node = n->s1;
	snprintf(d.driver, sizeof(d.driver), "net_af_packet");
	snprintf(d.interface, sizeof(d.interface), "sa");
	assert_int_equal(report_close(&n->report, n->rec, &run, &n->lab.err), 0);
}

static double of(const struct net_lab *n, const char *figure)
{
	char path[96];

	snprintf(path, sizeof(path), "device.s1:h1.%s", figure);
	return report_value(n->report, path);
}

static bool says(const struct net_lab *n, const char *text)
{
	return strstr(report_text(n->report), text);
}

static enum criterion_verdict verdict(const struct net_lab *n, const char *name)
{
	const struct verdict *v = &n->report->verdict;

	for (unsigned i = 0; i < v->n; i++)
		if (!strcmp(v->criterion[i].name, name))
			return v->criterion[i].verdict;
	fail_msg("no criterion %s", name);
	return CRITERION_FAIL;
}

// The verdict of a row of the reconciliation; NULL: there is none.
static const char *reconciled(const struct net_lab *n, const char *counter)
{
	static char buf[KIND_NAME];
	const struct summary *s = n->report->sum;

	for (unsigned i = 0; i < s->set[KIND_RECON].n; i++)
		if (!strcmp(summary_label(s, KIND_RECON, i, "counter", buf), counter))
			return summary_label(s, KIND_RECON, i, "verdict", buf);
	return NULL;
}

// Frames that a switch passes from real port to real port belong to flows of which it knows neither
// end.
static void frames_of_others_are_explained(void **state)
{
	static const char line[] =
		"100.00 % other\n"
		"              other: frames of flows that neither begin nor end in "
		"this process\n";
	struct record_device d = {0};
	struct record_run run = {.clock = "real", .end = PS_PER_MS, .device = &d, .n_devices = 1};
	struct net_lab n;
	struct eport *e;

	(void)state;
	for (run.n_devices = 0; run.n_devices < 2; run.n_devices++) {
		net_open(&n);
		d.node = n.s1;
		record_warm(n.rec, 0);
		e = (struct eport *)sw_eport(net_node(n.net, n.s1)->u.sw, 2);
		e->q[3].tx_frames = 2500;
		e->q[3].tx_bytes = 2500 * 1230; // at 25 Gb/s all of the ms
		e->tat = PS_PER_MS;
		assert_int_equal(report_close(&n.report, n.rec, &run, &n.lab.err), 0);
		assert_int_equal(says(&n, line), run.n_devices);
		net_close(&n);
	}
}

static void nothing_lost(void **state)
{
	struct net_lab n;

	(void)state;
	run_of(&n, (struct record_device){.came_known = true, .came = 107, .unread = 7});
	assert_true(of(&n, "lost_rx") == 0 && of(&n, "rx_frames") == 100);
	assert_string_equal(reconciled(&n, "device_rx"), "PASS");
	assert_int_equal(verdict(&n, "lossless_lost"), CRITERION_PASS);
	assert_true(report_passed(n.report) && !report_spoilt(n.report));
	assert_true(says(&n, "conserved   every frame is accounted for"));
	assert_true(says(&n, "unread      7 frames stood before s1:h1 when the run ended\n"));
	assert_false(says(&n, "LOST"));
	net_close(&n);
}

static void what_the_instrument_lost(void **state)
{
	struct net_lab n;

	(void)state;
	run_of(&n, (struct record_device){
			   .came_known = true, .came = 131, .ring_full = 30, .unfit = 1});
	assert_true(of(&n, "lost_rx") == 31 && of(&n, "lost_own") == 31);
	assert_string_equal(reconciled(&n, "device_rx"), "PASS");
	assert_int_equal(verdict(&n, "lossless_lost"), CRITERION_INVALID);
	assert_true(report_passed(n.report) && report_spoilt(n.report));
	assert_true(says(&n, "  LOST        31 frames before s1:h1, by net_af_packet on sa: "
			     "ring_full 30, unfit 1\n"));
	assert_true(says(&n, "every frame that came to a node is accounted for"));
	assert_true(says(&n, "NOT JUDGED  lossless: 31 frames"));
	net_close(&n);
}

static void what_others_lost(void **state)
{
	struct net_lab n;

	(void)state;
	run_of(&n, (struct record_device){.came_known = true,
			   .came = 131,
			   .if_rx_dropped = 20,
			   .rx_errors = 5,
			   .if_rx_errors = 3,
			   .if_rx_missed = 2,
			   .no_descriptor = 1});
	assert_true(of(&n, "lost_rx") == 31 && of(&n, "lost_own") == 1);
	assert_int_equal(verdict(&n, "lossless_lost"), CRITERION_FAIL);
	assert_false(report_passed(n.report));
	assert_true(says(&n, "NOT LOSSLESS  31 frames lost by devices"));
	net_close(&n);
}

static void what_nobody_names(void **state)
{
	struct net_lab n;

	(void)state;
	run_of(&n, (struct record_device){.came_known = true, .came = 105, .taken = 9});
	assert_string_equal(reconciled(&n, "device_rx"), "FAIL");
	assert_string_equal(reconciled(&n, "device_tx"), "FAIL");
	assert_true(says(&n, "NOT RECONCILED  s1:h1 device_rx: off by -5 of 105"));
	net_close(&n);
	run_of(&n, (struct record_device){.tx_errors = 1, .if_tx_dropped = 2, .if_tx_errors = 3});
	assert_null(reconciled(&n, "device_rx"));
	assert_true(isnan(of(&n, "came")) && of(&n, "lost_tx") == 6);
	assert_true(says(&n, "6 frames behind s1:h1, by net_af_packet on sa: tx_errors 1, "
			     "interface_tx_dropped 2, interface_tx_errors 3\n"));
	assert_true(report_passed(n.report));
	net_close(&n);
}

// The hellos' data about the part behind the device, or nothing.
static void a_clock_behind_a_device_is_told_with_its_bound(void **state)
{
	struct net_lab n;

	(void)state;
	run_of(&n, (struct record_device){.clock_known = true,
			   .clock_ahead_us = -3.25,
			   .clock_bound_us = 41,
			   .round_trip_us = 20.5,
			   .exchanges = 7,
			   .clock_rate_known = true,
			   .clock_ppm = -3.125,
			   .clock_bound_ppm = 0.25});
	assert_true(of(&n, "peer_clock_us") == -3.25);
	assert_true(of(&n, "peer_clock_bound_us") == 41);
	assert_true(of(&n, "peer_round_trip_us") == 20.5);
	assert_true(of(&n, "peer_clock_exchanges") == 7);
	assert_true(of(&n, "peer_clock_drift_ppm") == -3.125);
	assert_true(of(&n, "peer_clock_drift_bound_ppm") == 0.25);
	assert_true(says(&n, "  clocks      s1:h1: the peer's is 3.2 us behind ours, to within "));
	assert_true(says(&n, ", by 7 exchanges; it drifts by -3.1 ppm, to within 0.2\n"));
	net_close(&n);
	run_of(&n, (struct record_device){.clock_ahead_us = 7});
	assert_true(isnan(of(&n, "peer_clock_us")));
	assert_true(isnan(of(&n, "peer_clock_bound_us")));
	assert_false(says(&n, "clocks"));
	net_close(&n);
	run_of(&n, (struct record_device){.clock_broken = true});
	assert_true(isnan(of(&n, "peer_clock_us")));
	assert_true(says(&n, "  clocks      s1:h1: the peer's and ours contradict each other: "));
	net_close(&n);
}

static void hellos_of_strangers_are_counted(void **state)
{
	struct net_lab n;

	(void)state;
	run_of(&n, (struct record_device){.peer_process = 7, .stranger_hellos = 3});
	assert_true(of(&n, "stranger_hellos") == 3);
	assert_true(says(&n, "  strangers   s1:h1: 3 hellos that came were not the peer's: "));
	net_close(&n);
	run_of(&n, (struct record_device){.peer_process = 7});
	assert_true(of(&n, "stranger_hellos") == 0);
	assert_false(says(&n, "strangers"));
	net_close(&n);
	run_of(&n, (struct record_device){0});
	assert_true(isnan(of(&n, "stranger_hellos")));
	net_close(&n);
}

// A PFC frame for several classes is one frame, however often the MAC counts it.
static void pauses_that_the_mac_kept_are_told(void **state)
{
	struct record_device d = {.mac_interface = "eth1",
		.mac = {.known = true,
			.own = true,
			.time_known = true,
			.rx_pfc = {[3] = 7, [4] = 6},
			.rx_paused_us = {[3] = 90, [4] = 30}}};
	struct net_lab n;

	(void)state;
	node_rx = 2;
	run_of(&n, d);
	assert_true(of(&n, "mac_rx_pause") == 13 && of(&n, "mac_tx_pause") == 0);
	assert_true(of(&n, "mac_kept_pause") == 5 && of(&n, "mac_made_pause") == 0);
	assert_true(of(&n, "mac_paused_us") == 120);
	assert_string_equal(reconciled(&n, "mac_rx_pause"), "FAIL");
	assert_null(reconciled(&n, "mac_tx_pause"));
	assert_true(says(&n, "  NOT SEEN    our MAC obeyed 5 pauses that never reached s1:h1: "
			     "switch its flow control off (ethtool -A eth1 rx off tx off; "));
	assert_false(says(&n, "NOT RECONCILED  s1:h1 mac"));
	net_close(&n);
	d.ring_full = 4; // frames that were lost may have been these
	run_of(&n, d);
	assert_true(of(&n, "mac_kept_pause") == 1);
	net_close(&n);
	node_rx = 7;
	d.ring_full = 0;
	run_of(&n, d);
	assert_true(of(&n, "mac_kept_pause") == 0);
	assert_string_equal(reconciled(&n, "mac_rx_pause"), "PASS");
	assert_false(says(&n, "NOT SEEN"));
	net_close(&n);
	node_rx = 0;
}

static void pauses_that_the_mac_made_are_told(void **state)
{
	struct record_device d = {.mac_interface = "eth1",
		.mac = {.known = true, .own = true, .tx_pfc = {[3] = 5}, .tx_pause = 1}};
	struct net_lab n;

	(void)state;
	node_tx = 5;
	run_of(&n, d);
	assert_true(of(&n, "mac_tx_pause") == 6 && of(&n, "mac_made_pause") == 1);
	assert_true(isnan(of(&n, "mac_paused_us")));
	assert_true(says(&n, "  NOT OURS    our MAC at s1:h1 sent 1 pause by itself: "));
	assert_string_equal(reconciled(&n, "mac_tx_pause"), "FAIL");
	net_close(&n);
	d.mac.own = false; // the whole port's count does not tell PFC from PAUSE
	d.mac.tx_pfc[3] = 0;
	run_of(&n, d);
	assert_true(of(&n, "mac_made_pause") == 0);
	net_close(&n);
	run_of(&n, (struct record_device){0});
	assert_true(isnan(of(&n, "mac_rx_pause")) && isnan(of(&n, "mac_kept_pause")));
	assert_null(reconciled(&n, "mac_rx_pause"));
	net_close(&n);
	node_tx = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_behind_a_device_is_told_with_its_bound),
		cmocka_unit_test(frames_of_others_are_explained),
		cmocka_unit_test(nothing_lost),
		cmocka_unit_test(pauses_that_the_mac_kept_are_told),
		cmocka_unit_test(pauses_that_the_mac_made_are_told),
		cmocka_unit_test(what_the_instrument_lost),
		cmocka_unit_test(what_others_lost),
		cmocka_unit_test(what_nobody_names),
		cmocka_unit_test(hellos_of_strangers_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
