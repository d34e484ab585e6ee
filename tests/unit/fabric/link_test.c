// SPDX-License-Identifier: BSD-3-Clause
// Where the capacity went: every share of every direction adds up to the whole, and known shares.
#include "record_net.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/prng.h"

#include "report/int.h"
#include "summary/summary.h"

static double part(const struct lab *l, const char *port, const char *figure)
{
	char path[128];

	snprintf(path, sizeof(path), "link.%s.%s_percent", port, figure);
	return report_value(l->rec, path);
}

static void adds_up(const struct lab *l)
{
	static const char *const parts[] = {"goodput", "headers", "repeated", "control", "cnm",
		"open_loop", "other", "refused", "given_up", "idle_paused", "idle_empty"};

	assert_true(l->rec->sum->set[KIND_LINK].n > 0);
	for (unsigned i = 0; i < l->rec->sum->set[KIND_LINK].n; i++) {
		char name[KIND_NAME];
		const char *port = summary_label(l->rec->sum, KIND_LINK, i, "port", name);
		double sum = 0;

		for (unsigned k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
			double share = part(l, port, parts[k]);

			if (!(share >= 0 && share <= 100 + 1e-9))
				fail_msg("%s %s is %.17g", port, parts[k], share);
			sum += share;
		}
		assert_float_equal(sum, 100, 1e-6);
		assert_true(part(l, port, "utilization") <= 100);
	}
}

// One flow alone fills the link: 1024 bytes of payload in 1106 on the wire, and a RETH for each
// 100 packets.
static void one_flow(void **state)
{
	double want = 100 * 102400.0 / (100 * 1106 + 16);
	struct lab l;

	(void)state;
	lab_open(&l, "name: one\n"
		     "duration: 2ms\n"
		     "warmup: 200us\n"
		     "switches: {s1: {classes: {3: {lossless: true}}}}\n"
		     "hosts: {h1: {}, r: {}}\n"
		     "links: [{between: [[h1, r], s1], rate: 40Gbps, delay: 1us}]\n"
		     "flows:\n"
		     "  one: {from: h1, to: r, class: 3, message: 102400B, mtu: 1024, outstanding: "
		     "8}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	adds_up(&l);
	assert_float_equal(part(&l, "s1:r", "utilization"), 100, 0.01);
	assert_float_equal(part(&l, "s1:r", "goodput"), want, 0.05);
	assert_float_equal(part(&l, "s1:r", "headers"), 100 - want, 0.05);
	assert_float_equal(part(&l, "s1:r", "other"), 0, 0.02);
	assert_float_equal(report_value(l.rec, "utilization"), part(&l, "s1:r", "utilization"), 0);
	// Only ACKs go home, and they are all of what does.
	assert_true(part(&l, "r:s1", "control") > 0.1);
	assert_float_equal(part(&l, "r:s1", "control"), part(&l, "r:s1", "utilization"), 0.01);
	lab_close(&l);
}

// A PFC frame takes the wire once, however many priorities it names: 84 bytes each 10 us are
// 0.672 % of 10 Gb/s.
static void a_frame_for_all_priorities_is_one(void **state)
{
	static const char *const by[][2] = {
		{"replay: {file: " TEST_DATA "/pfc_xoff_all.pcap, loops: 1000, gap: 10us}", ""},
		{"", "{at: 0us, mac_frames: {port: \"h1:s1\", classes: [0, 1, 2, 3, 4, 5, 6, 7], "
		     "every: 10us, count: 1000}}"}};
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char text[600];

		snprintf(text, sizeof(text),
			"duration: 2ms\nwarmup: 500us\n"
			"switches: {s1: {classes: {3: {lossless: true}}}}\n"
			"hosts: {h1: {%s}, r: }\n"
			"links: [{between: [[h1, r], s1], rate: 10Gbps}]\n"
			"flows: {a: {from: h1, to: r, open_loop: {size: 1000, rate: 10%%}}}\n"
			"events: [%s]\n",
			by[i][0], by[i][1]);
		lab_open(&l, text);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		adds_up(&l);
		assert_float_equal(part(&l, "h1:s1", "control"), 0.672, 0.01);
		assert_float_equal(part(&l, "h1:s1", "other"), 0, 0.07);
		lab_close(&l);
	}
}

// PFC only: each sender is stopped half of the time; what it does not send is lost to pauses,
// nothing else.
static void paused(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, "name: pfc\n"
		     "duration: 3ms\n"
		     "warmup: 1ms\n"
		     "switches: {s1: {classes: {3: {lossless: true, pfc: {xoff: 50KB}}}}}\n"
		     "hosts: {h1..2: {}, r: {}}\n"
		     "links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"
		     "flows:\n"
		     "  two: {from: h1..2, to: r, class: 3, message: 1MB, outstanding: 4}\n"
		     "  noise: {from: h1, to: r, class: 0, open_loop: {size: 500, rate: 4%}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	adds_up(&l);
	assert_float_equal(part(&l, "h2:s1", "idle_empty"), 0, 0.5);
	assert_float_equal(part(&l, "h2:s1", "idle_paused"), 52, 1);
	assert_float_equal(part(&l, "s1:r", "open_loop"), 4, 0.1);
	assert_float_equal(part(&l, "s1:r", "idle_paused"), 0, 0);
	lab_close(&l);
}

// CNMs and the CNPs of switches are on the links behind the switch that made them, and on no other.
static void what_switches_make(void **state)
{
	static const char *const cn[] = {
		"controls: {c: {qcn: {}}}\nswitches: {s1: {buffer: 4MB, classes: "
		"{3: {qcn: {sample_base: 20KB, min_header_octets: 64}}}}, s2: {}}\n",
		"controls: {c: {profile: paper, ai_rate: 2Gbps}}\nswitches: {s1: {buffer: 4MB, "
		"classes: "
		"{3: {wred: {min: 10KB, max: 20KB, probability: 100%}, fast_cnp: {ce: true}}}}, "
		"s2: {}}\n"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *what = i ? "control" : "cnm";
		char yaml[1024];
		struct lab l;

		snprintf(yaml, sizeof(yaml),
			"duration: 4ms\n%s"
			"hosts: {h1..2: {}, r: {}}\n"
			"links: [{between: [[h1..2, s2], s1], rate: 10Gbps, delay: 1us}, "
			"{between: [s2, r], rate: 10Gbps, delay: 1us}]\n"
			"flows: {f: {from: h1..2, to: r, class: 3, control: c}}\n",
			cn[i]);
		lab_open(&l, yaml);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		adds_up(&l);
		assert_true(part(&l, "s1:h1", what) > 0);
		assert_float_equal(part(&l, "s1:h1", "other"), 0, 0.002);
		assert_float_equal(part(&l, "s1:h2", "other"), 0, 0.002);
		assert_float_equal(part(&l, "s2:s1", "other"), 0, 0.002);
		assert_float_equal(part(&l, "r:s2", "other"), 0, 0.002);
		assert_float_equal(part(&l, "r:s2", "cnm"), 0, 0);
		assert_float_equal(part(&l, "s2:s1", "cnm"), 0, 0);
		lab_close(&l);
	}
}

// Time that a late loop cost is not the link's idleness; time before the window is not told.
static void given_up(void **state)
{
	struct net_lab n;
	struct eport *e;

	(void)state;
	net_open(&n);
	e = (struct eport *)sw_eport(net_node(n.net, n.s1)->u.sw, 2);
	e->lost_ps = 7 * PS_PER_US;
	record_warm(n.rec, 0);
	e->q[3].tx_frames = 1000;
	e->q[3].tx_bytes = 1000 * 1230;
	e->tat = 400 * PS_PER_US; // what these take at 25 Gb/s with preamble and gap
	e->lost_ps += 150 * PS_PER_US;
	net_finish(&n, 1000);
	assert_float_equal(report_value(n.report, "link.s1:r.utilization_percent"), 40, 1e-9);
	assert_float_equal(report_value(n.report, "link.s1:r.given_up_percent"), 15, 1e-9);
	assert_float_equal(report_value(n.report, "link.s1:r.idle_empty_percent"), 45, 1e-9);
	assert_non_null(strstr(report_text(n.report),
		"40.00 % other, 45.00 % idle and empty, 15.00 % given up by the instrument\n"));
	net_close(&n);
}

// Time that a full device cost is neither the loop's nor the link's idleness.
static void refused(void **state)
{
	const tstamp before = 20 * PS_PER_US;
	tstamp waited = before;
	struct net_lab n;
	struct eport *e;

	(void)state;
	net_open(&n);
	net_node(n.net, n.s1)->scene->port[2].device = "net_ring0";
	record_lend_refused(n.rec, n.s1, 2, &waited);
	e = (struct eport *)sw_eport(net_node(n.net, n.s1)->u.sw, 2);
	record_warm(n.rec, 0);
	e->q[3].tx_frames = 1000;
	e->q[3].tx_bytes = 1000 * 1230;
	e->tat = 400 * PS_PER_US;
	e->lost_ps = 150 * PS_PER_US;
	waited += 130 * PS_PER_US;
	net_finish(&n, 1000);
	assert_float_equal(report_value(n.report, "link.s1:r.refused_percent"), 13, 1e-9);
	assert_float_equal(report_value(n.report, "link.s1:r.given_up_percent"), 2, 1e-9);
	assert_float_equal(report_value(n.report, "link.s1:r.idle_empty_percent"), 45, 1e-9);
	assert_non_null(strstr(report_text(n.report),
		"slow        the device of s1:r took no more frames for 13.0 % of the time"));
	net_node(n.net, n.s1)->scene->port[2].device = NULL;
	net_close(&n);
}

static double value(const struct net_lab *n, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "link.%s_percent", figure);
	return report_value(n->report, path);
}

// Between two hosts of ours lies a switch that is not: what they count of their flows is told of
// the ports by which it left, and only the rest is others'.
static void through_a_switch_under_test(void **state)
{
	const double percent = 100 * 8 / (25e9 * 1e-3); // of a byte
	struct nic_gen_stats *noise;
	struct nic_qp_stats tx = {
		.data_frames_tx = 1000, .wire_bytes_tx = 1000 * 1086, .ack_rx = 100};
	struct nic_qp_stats rx = {.rx_bytes = 1000 * 1024};
	struct net_lab n;
	struct eport *e;

	(void)state;
	net_open_part(&n,
		"duration: 1ms\n"
		"switches: {dut: {classes: {3: {lossless: true}}}}\n"
		"hosts: {h1: , r: }\n"
		"links: [{between: [[h1, r], dut], rate: 25Gbps, delay: 1us}]\n"
		"ports: {h1:dut: {device: net_null0}, r:dut: {device: net_null1}}\n"
		"flows:\n"
		"  noise: {from: h1, to: r, class: 0, open_loop: {size: 200, rate: 2%}}\n"
		"  f: {from: h1, to: r, class: 3}\n",
		"h1,r");
	record_warm(n.rec, 0);
	noise = (struct nic_gen_stats *)n.rec->source[0].rx;
	noise->rx_frames = 500;
	noise->rx_bytes = 500 * 200;
	n.rec->flow[0].tx = &tx;
	n.rec->flow[0].rx = &rx;
	e = (struct eport *)nic_eport(net_node(n.net, n.h1)->u.nic);
	e->q[0].tx_frames = 600;
	e->q[0].tx_bytes = 600 * 200;
	e->q[3].tx_frames = 1000;
	e->q[3].tx_bytes = 1000 * 1086;
	e->tat = (600 * (200 + 20) + 1000 * (1086 + 20)) * 320;
	e = (struct eport *)nic_eport(net_node(n.net, n.r)->u.nic);
	e->q[6].tx_frames = 100;
	e->q[6].tx_bytes = 100 * 66;
	e->tat = 100 * (66 + 20) * 320;
	net_finish(&n, 1000);
	assert_float_equal(value(&n, "h1:dut.goodput"), 1000 * 1024 * percent, 1e-9);
	assert_float_equal(value(&n, "h1:dut.headers"), 1000 * (62 + 20) * percent, 1e-9);
	assert_float_equal(value(&n, "h1:dut.open_loop"), 500 * (200 + 20) * percent, 1e-9);
	assert_float_equal(value(&n, "h1:dut.other"), 100 * (200 + 20) * percent, 1e-9);
	assert_float_equal(value(&n, "r:dut.control"), 100 * (66 + 20) * percent, 1e-9);
	assert_float_equal(value(&n, "r:dut.other"), 0, 1e-9);
	net_close(&n);
}

// However short the window is, and wherever it begins.
static void random_windows_add_up(void **state)
{
	static const char *const framing[] = {"ethernet", "hpcc_sim"};
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct prng g;

	(void)state;
	print_message("QUENCH_SEED=%" PRIu64 "\n", seed);
	prng_init(&g, seed, "windows");
	for (unsigned i = 0; i < 60; i++) {
		unsigned warm = (unsigned)prng_below(&g, 300000);
		unsigned span = 1 + (unsigned)prng_below(&g, i % 3 ? 3000 : 200000);
		char text[1024];
		struct lab l;

		snprintf(text, sizeof(text),
			"name: windows\nframing: %s\nduration: %uns\nwarmup: %uns\n"
			"switches: {s1: {buffer: 1MB, classes: {3: {lossless: true}}}}\n"
			"hosts: {h1: , h2: , r: }\n"
			"links: [{between: [[h1, h2, r], s1], rate: %uMbps, delay: %uns}]\n"
			"flows:\n"
			"  f: {from: [h1, h2], to: r, class: 3, message: %uB, mtu: %u}\n"
			"  o: {from: h1, to: h2, class: 0, "
			"open_loop: {size: 64..1500, rate: %u%%}}\n",
			framing[prng_below(&g, 2)], warm + span, warm,
			1000 + (unsigned)prng_below(&g, 99000), 1 + (unsigned)prng_below(&g, 5000),
			1 + (unsigned)prng_below(&g, 100000), 256u << prng_below(&g, 5),
			1 + (unsigned)prng_below(&g, 60));
		lab_open(&l, text);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		if (l.rec->sum->set[KIND_LINK].n)
			adds_up(&l);
		lab_close(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_up),
		cmocka_unit_test(refused),
		cmocka_unit_test(one_flow),
		cmocka_unit_test(a_frame_for_all_priorities_is_one),
		cmocka_unit_test(paused),
		cmocka_unit_test(what_switches_make),
		cmocka_unit_test(through_a_switch_under_test),
		cmocka_unit_test(random_windows_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
