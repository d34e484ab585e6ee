// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources and replays in the summary: rates against bytes, latencies, and due frames
// against sent frames.
#include "figure_lab.h"
#include "record_net.h"

#include <math.h>

static double of(const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "source.noise[h2>r].%s", figure);
	return v(path);
}

static void a_source_is_told(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(of("tx_frames") > 50);
	assert_true(of("tx_bytes") == 500 * of("tx_frames"));
	assert_true(of("rx_bytes") == 500 * of("rx_frames"));
	assert_float_equal(of("tx_gbps"), of("tx_bytes") * 8 / 1.5e6, 1e-9); // 1.5 ms
	assert_float_equal(of("rx_gbps"), of("rx_bytes") * 8 / 1.5e6, 1e-9);
	assert_true(of("lost") == 0 && of("out_of_order") == 0 && of("ecn_ce_rx") == 0);
	// Two cables of 1 us, and twice 500 bytes at 25 Gb/s.
	assert_true(of("min_latency") >= 2320);
	assert_true(of("min_latency") <= of("avg_latency"));
	assert_true(of("avg_latency") <= of("max_latency"));
	assert_true(isnan(v("source.noise[h1>r].tx_frames")));
	lab_close(&l);
}

static void come(struct net_lab *n, struct pkt *p, uint32_t seq, uint32_t stamp_ns, tstamp now)
{
	struct nic *nic = net_node(n->net, n->r)->u.nic;

	*p = (struct pkt){.hdr = &n->lab.scene->source[0]->hdr,
		.kind = PKT_GEN,
		.len = 200,
		.flags = PKT_F_FOREIGN,
		.when = now,
		.u.gen = {.seq = seq, .source = 0, .stamped = stamp_ns > 0, .stamp_ns = stamp_ns}};
	nic_rx(nic, 0, &p, 1, now);
}

static bool says(const struct net_lab *n, const char *text)
{
	return strstr(report_text(n->report), text);
}

// A part that receives: frames left 2 us before they came, which is known to within `bound`; of one
// it is not known.
static void part_runs(struct net_lab *n, tstamp bound, bool known)
{
	struct record_run run = {.clock = "real", .end = PS_PER_MS};
	static int64_t ahead;
	struct pkt p[4], *slot[8];

	net_open_part(n,
		"duration: 1ms\n"
		"hosts: {h1: , r: }\n"
		"links: [{between: [h1, r], rate: 25Gbps, delay: 1us}]\n"
		"ports: {r:h1: {device: net_null0}}\n"
		"flows:\n"
		"  noise: {from: h1, to: r, class: 0, open_loop: {size: 200, rate: 2%}}\n",
		"r");
	n->stack = (struct pkt_stack){.slot = slot, .cap = 8};
	ahead = known ? (int64_t)PS_PER_US : NIC_AHEAD_UNKNOWN;
	nic_gen_lend_ahead(net_node(n->net, n->r)->u.nic, 0, &ahead);
	record_warm(n->rec, 0);
	for (unsigned i = 0; i < 4; i++) // the clock there is 1 us ahead
		come(n, &p[i], i, i ? 9000 + i * 1000 : 0, (10 + i) * PS_PER_US);
	record_source_bound(n->rec, 0, bound);
	record_finish(n->rec, PS_PER_MS);
	assert_int_equal(report_close(&n->report, n->rec, &run, &n->lab.err), 0);
}

static double noise(const struct net_lab *n, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "source.noise[h1>r].%s", figure);
	return report_value(n->report, path);
}

static void latency_from_another_part_has_its_bound(void **state)
{
	struct net_lab n;

	(void)state;
	part_runs(&n, 500 * PS_PER_NS, true);
	assert_true(noise(&n, "rx_frames") == 4);
	assert_true(noise(&n, "undated") == 1);
	assert_true(noise(&n, "avg_latency") == 2000);
	assert_true(noise(&n, "latency_p50_us") == 2);
	assert_true(noise(&n, "latency_bound_us") == 0.5);
	assert_true(says(&n, "; one-way latency p50 2.0 us, p99 2.0 us, to within 500 ns\n"));
	assert_false(says(&n, "vague"));
	net_close(&n);
	part_runs(&n, 3 * PS_PER_US, true);
	assert_true(says(&n,
		"  vague       the one-way latency of noise[h1>r] is p50 2.0 us, and its parts "
		"know each other's clocks only to within 3.0 us\n"));
	net_close(&n);
	part_runs(&n, 0, false);
	assert_true(noise(&n, "undated") == 4);
	assert_true(isnan(noise(&n, "avg_latency")));
	assert_true(isnan(noise(&n, "latency_p50_us")));
	assert_true(isnan(noise(&n, "latency_bound_us")));
	assert_true(says(&n, "; one-way latency -\n"));
	net_close(&n);
}

// Frames that come back have figures if the receiver echoes, and nowhere else.
static void a_round_trip_is_told(void **state)
{
	static const struct scene_set set[] = {{"hosts.r.responder", "echo"}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(isnan(of("echo_rx_frames")) && isnan(of("rtt_p50_us")));
	assert_true(isnan(of("echo_rx_gbps")));
	assert_null(strstr(report_text(l.rec), "came back"));
	lab_close(&l);
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	assert_true(of("echo_rx_frames") > 50);
	assert_float_equal(of("echo_rx_gbps"), of("echo_rx_frames") * 500 * 8 / 1.5e6, 1e-9);
	assert_true(of("echo_lost") == 0 && of("echo_duplicates") == 0);
	// Four cables of 1 us, and four times 500 bytes at 25 Gb/s.
	assert_true(of("rtt_min_us") >= 4.64);
	assert_true(of("rtt_min_us") <= of("rtt_p50_us"));
	assert_true(of("rtt_p50_us") <= of("rtt_p99_us"));
	assert_true(of("rtt_p99_us") <= of("rtt_p999_us"));
	assert_true(of("rtt_p999_us") <= of("rtt_max_us"));
	assert_non_null(strstr(report_text(l.rec), "came back"));
	assert_null(strstr(report_text(l.rec), "not timed"));
	lab_close(&l);
}

// One frame of 120 bytes on the wire, and so often in so many us.
#define REPLAY                                                                            \
	"duration: 1ms\n"                                                                 \
	"switches: {s1: {classes: {0: {force_ce: true}, 3: {force_ce: true}}}}\n"         \
	"hosts:\n"                                                                        \
	"  a: {replay: {file: " TEST_DATA "/rc_write_only_ipv4.pcap, loops: 50, gap: 1us" \
	"}}\n"                                                                            \
	"  b: {replay: {file: none}}\n"                                                   \
	"links: [{between: [[a, b], s1], rate: 25Gbps, delay: 1us}]\n"

static void a_replay_in_time(void **state)
{
	(void)state;
	lab_open(&l, REPLAY);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(v("replay.a.capture_frames_total") == 50);
	assert_true(v("replay.a.wanted_frames_total") == 50);
	assert_true(v("replay.a.tx_frames_total") == 50);
	assert_true(v("replay.a.late_frames_total") == 0);
	assert_true(v("replay.a.unsent_frames_total") == 0);
	assert_true(v("replay_unsent_frames") == 0);
	assert_true(v("replay.a.late_max_us_total") == 0);
	assert_true(v("replay.a.late_p90_us_total") == 0);
	assert_true(isnan(v("replay.a.late_mean_us"))); // none was late
	assert_true(v("replay.a.first_tx_us_total") < v("replay.a.last_tx_us_total"));
	assert_true(v("replay.b.rx_frames_total") == 50);
	assert_true(v("replay.b.capture_frames_total") == 0);
	assert_true(isnan(v("replay.b.first_tx_us_total")));
	lab_close(&l);
}

// A link that takes longer for a frame than the capture: frames are late, later each time, and the
// last do not leave before the end.
static void a_replay_that_is_late(void **state)
{
	static const struct scene_set set[] = {{"links.0.rate", "100Mbps"}, {"duration", "200us"}};
	static const char *const which[] = {"p50", "p90", "p99", "p999", "max"};
	double least = 0;

	(void)state;
	lab_open(&l, REPLAY);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	assert_true(v("replay.a.wanted_frames_total") == 50);
	assert_true(v("replay.a.unsent_frames_total") > 0);
	assert_true(v("replay.a.unsent_frames_total") ==
		    v("replay.a.wanted_frames_total") - v("replay.a.tx_frames_total"));
	assert_true(v("replay_unsent_frames") == v("replay.a.unsent_frames_total"));
	assert_false(report_passed(l.rec));
	// Each but the first.
	assert_true(v("replay.a.late_frames_total") == v("replay.a.tx_frames_total") - 1);
	assert_true(v("replay.a.late_mean_us") > 0);
	for (unsigned i = 0; i < 5; i++) {
		char path[64];

		snprintf(path, sizeof(path), "replay.a.late_%s_us_total", which[i]);
		if (!(v(path) >= least && v(path) > 0))
			fail_msg("%s: %g after %g", path, v(path), least);
		least = v(path);
	}
	assert_true(v("replay.a.late_mean_us") < least);
	assert_true(least < 200);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_is_told),
		cmocka_unit_test(latency_from_another_part_has_its_bound),
		cmocka_unit_test(a_round_trip_is_told),
		cmocka_unit_test(a_replay_in_time),
		cmocka_unit_test(a_replay_that_is_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
