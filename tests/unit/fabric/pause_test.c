// SPDX-License-Identifier: BSD-3-Clause
// Response times from bytes, against worked numbers, and what 802.3 allows; lengths of pauses, of
// those too that go on.
#include "record_lab.h"

#include <math.h>

#include "tally/data.h"
#include "report/int.h"
#include "fabric/int.h"
#include "summary/summary.h"

// In quanta; in time 3.43, 1.64, 1.51, 1.51, 2.02, 1.16 and 1.16 us from 10 Gb/s on.
static void limits_of_the_standard(void **state)
{
	static const struct {
		unsigned gbps, quanta;
		double us;
	} want[] = {{10, 67, 3.43}, {25, 80, 1.64}, {40, 118, 1.51}, {50, 147, 1.51},
		{100, 394, 2.02}, {200, 453, 1.16}, {400, 905, 1.16}};

	(void)state;
	assert_true(fabric_pfc_limit(RATE_GBPS) == 2);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		double q = fabric_pfc_limit(want[i].gbps * RATE_GBPS);

		assert_true(q == want[i].quanta);
		assert_float_equal(q * 512 / (want[i].gbps * 1e3), want[i].us, 0.006);
	}
	assert_true(isnan(fabric_pfc_limit(30 * RATE_GBPS)));
}

// Priority 3 of a switch's port that has sent one XOFF.
static struct lone {
	struct scene scene;
	struct scene_port port;
	struct pause_tx tx;
	struct rec_episodes episodes[2 * PAUSE_PRIOS];
	struct rec_port rec;
	struct rec_port_mark warm;
	struct record r;
	struct summary sum;
	struct hist wire;
} x;

static void lone(const struct rec_answer *a)
{
	free(x.sum.set[KIND_PFC_TX].object);
	x.scene = (struct scene){.max_frame = 1500, .framing.queue_extra = 4};
	x.port = (struct scene_port){.name = "s1:h1", .rate = 100 * RATE_GBPS, .delay = PS_PER_US};
	x.tx.stats[3].xoff_frames = 1;
	x.episodes[PAUSE_PRIOS + 3].began = x.episodes[PAUSE_PRIOS + 3].until = TSTAMP_NEVER;
	if (a)
		x.episodes[PAUSE_PRIOS + 3].answer = *a;
	x.rec = (struct rec_port){
		.scene = &x.port, .tx = &x.tx, .warm = &x.warm, .episodes = a ? x.episodes : NULL};
	x.r = (struct record){.scene = &x.scene, .port = &x.rec, .n_ports = 1};
	x.sum = (struct summary){.kind = summary_kind, .rec = &x.r, .to = 40 * PS_PER_US};
	kind_set(&x.sum, KIND_PFC_TX);
	assert_int_equal(x.sum.set[KIND_PFC_TX].n, 1);
}

static double of(const char *figure)
{
	return summary_at(&x.sum, KIND_PFC_TX, 0, figure);
}

static int no_lone(void **state)
{
	(void)state;
	free(x.sum.set[KIND_PFC_TX].object);
	x.sum.set[KIND_PFC_TX].object = NULL;
	return 0;
}

// At 100 Gb/s and 1 us of cable 25,000 bytes come while a frame goes there and back, 84 while XOFF
// leaves; then 8000 more are 640 ns, 125 quanta.
static void bytes_are_time(void **state)
{
	struct rec_answer a = {.n = 1, .max_bytes = 32000, .wire = &x.wire};

	(void)state;
	hist_init(&x.wire);
	hist_add(&x.wire, 25000 + 84 + 8000, 1);
	lone(&a);
	assert_true(of("answers") == 1);
	assert_true(of("b_after_max_bytes") == 33084);
	assert_float_equal(of("t_resp_max_us"), 0.64, 1e-9);
	assert_float_equal(of("quanta_resp_max"), 125, 1e-6);
	assert_true(of("quanta_limit") == 394);
	assert_true(of("headroom_needed_bytes") == 32000 + 2 * 1504);

	hist_init(&x.wire);
	hist_add(&x.wire, 100, 1); // it had nothing to send
	lone(&a);
	assert_true(of("t_resp_max_us") == 0);
}

// 802.1Qbb's sum in virtual time; on the real clock also two late loops, what two devices hold, and
// a receive ring.
static void a_peer_that_goes_on_for_too_long_is_told(void **state)
{
	// The bytes that came: of the sum, port and clock; whether they are more than may come.
	static const struct {
		uint64_t came, obeyed;
		const char *clock;
		tstamp late_loop, gap;
		const char *device;
		bool want;
	} cases[] = {
		{33084, 33084, "virtual", 0, 0, NULL, false},
		{33084, 33083, "virtual", 0, 0, NULL, true},
		{33084, 33083, "virtual", PS_PER_US, PS_PER_US, "net_null0", true},
		{33084, 8083, "real", 0, PS_PER_US, NULL, true},
		{33084, 8084, "real", 0, PS_PER_US, NULL, false},
		{33084, 8084, "real", PS_PER_US, 1, NULL, false},
		// Each device holds 20 us, 250,000 bytes; a ring has 1024 frames of 1538 bytes.
		{2 * 250000 + 1024 * 1538, 0, "real", 0, 0, "net_null0", false},
		{2 * 250000 + 1024 * 1538 + 1, 0, "real", 0, 0, "net_null0", true},
	};
	struct rec_answer a = {.n = 1, .max_bytes = 32000, .wire = &x.wire};
	struct fabric_answer is;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hist_init(&x.wire);
		hist_add(&x.wire, cases[i].came, 1);
		lone(&a);
		x.port.mtu = 1514;
		x.port.obeyed_bytes = cases[i].obeyed;
		x.port.late_loop = cases[i].late_loop;
		x.port.device = (char *)cases[i].device;
		x.rec.sw = (const struct sw *)&x; // nobody looks into it where no XOFF goes on
		x.sum.run.clock = cases[i].clock;
		x.sum.run.loop_gap_max_ps = cases[i].gap;
		no_lone(state);
		x.sum.set[KIND_PFC_TX] = (struct set){0};
		kind_set(&x.sum, KIND_PFC_TX);
		assert_int_equal(fabric_went_on(&x.sum, 0, &is), cases[i].want);
		assert_true(is.after_bytes == cases[i].came && is.prio == 3);
	}
	lone(&a); // a host's port
	assert_false(fabric_went_on(&x.sum, 0, &is));
}

static void nothing_known(void **state)
{
	struct rec_answer a = {0};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		lone(i ? &a : NULL);
		assert_true(isnan(of("quanta_resp_max")) && isnan(of("quanta_limit")));
		assert_true(isnan(of("answers")) && isnan(of("t_resp_max_us")));
		assert_true(isnan(of("mean_ps")) && of("episodes") == 0);
		assert_true(of("xoff_frames") == 1);
	}
}

static void a_pause_that_goes_on_has_a_length(void **state)
{
	struct rec_answer a = {0};

	(void)state;
	lone(&a);
	assert_true(of("running_us") == 0);
	x.episodes[PAUSE_PRIOS + 3].began = 33 * PS_PER_US;
	no_lone(state);
	x.sum.set[KIND_PFC_TX] = (struct set){0};
	kind_set(&x.sum, KIND_PFC_TX);
	assert_true(of("running_us") == 7);
	x.episodes[PAUSE_PRIOS + 3].until = 40 * PS_PER_US; // its time has run out
	no_lone(state);
	x.sum.set[KIND_PFC_TX] = (struct set){0};
	kind_set(&x.sum, KIND_PFC_TX);
	assert_true(of("running_us") == 0);
}

// Paused for good at 1 ms: no pause ends, and what runs is what the port stood.
static void of_a_run(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"events: [{at: 1ms, pfc_storm: {port: r:s1, class: 3, quanta: 65535, for: "
		"10ms}}]\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(report_value(l.rec, "pfc.s1:r.3.pauses") == 1);
	assert_true(report_value(l.rec, "pfc.s1:r.3.episodes") == 0);
	assert_true(isnan(report_value(l.rec, "pfc.s1:r.3.episode_p90_us")));
	assert_in_range(report_value(l.rec, "pfc.s1:r.3.running_us"), 990, 1000);
	assert_float_equal(report_value(l.rec, "pfc.s1:r.3.running_us"),
		report_value(l.rec, "pfc.s1:r.3.pause_effective_us"), 1e-6);
	lab_close(&l);
}

// Number, sum and maximum are of one window: a pause counts if a part of it lies in the window, and
// with this part.
static void a_pause_counts_for_its_part_in_the_window(void **state)
{
	unsigned cut = 0;
	struct lab l;

	(void)state;
	for (unsigned at = 1000; at < 1200; at += 7) {
		char warmup[16], duration[16];
		struct scene_set set[] = {{"switches.s1.classes.3.wred.min", "1MB"},
			{"switches.s1.classes.3.wred.max", "2MB"}, {"warmup", warmup},
			{"duration", duration}};

		snprintf(warmup, sizeof(warmup), "%uns", at * 1000);
		snprintf(duration, sizeof(duration), "%uns", at * 1000 + 2000 + 97 * (at % 11));
		lab_open(&l, LAB_TWO_TO_ONE);
		assert_int_equal(lab_run(&l, set, 4, false), 0);
		for (unsigned i = 0; i < l.rec->sum->set[KIND_PFC].n; i++) {
			double n = summary_at(l.rec->sum, KIND_PFC, i, "pauses");
			double us = summary_at(l.rec->sum, KIND_PFC, i, "pause_effective_us");
			double most = summary_at(l.rec->sum, KIND_PFC, i, "longest_pause_us");

			assert_true(most <= us + 1e-6 && us <= n * most + 1e-6);
			assert_int_equal(n > 0, us > 0);
			cut += n > summary_at(l.rec->sum, KIND_PFC, i, "transitions_on");
		}
		lab_close(&l);
	}
	assert_true(cut > 5);
}

// The quantiles of the lengths of ended pauses are in order; their mean by `mean_ps`.
static void episodes_are_in_order(void **state)
{
	static const char *const which[] = {"min", "p50", "p90", "p99", "p999", "max"};
	// Nothing is marked: PFC alone holds the senders back.
	struct scene_set set[] = {{"switches.s1.classes.3.wred.min", "1MB"},
		{"switches.s1.classes.3.wred.max", "2MB"}};
	double least = 0;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	assert_true(report_value(l.rec, "pfc.h1:s1.3.episodes") > 10);
	for (unsigned i = 0; i < 6; i++) {
		char path[64];
		double is;

		snprintf(path, sizeof(path), "pfc.h1:s1.3.episode_%s_us", which[i]);
		is = report_value(l.rec, path);
		if (!(is >= least && is > 0))
			fail_msg("%s: %g after %g", path, is, least);
		least = is;
	}
	assert_true(least * 1e6 > report_value(l.rec, "pfc.h1:s1.3.mean_ps"));
	lab_close(&l);
}

// Both rows of every pause at a link agree, and so do counters and events: at the sender, too, a
// pause ends with its time. 400 quanta are 20.48 us at 10 Gb/s.
static void both_rows_of_a_pause_agree(void **state)
{
	static const struct {
		const char *frames, *warmup;
		double episodes, us, running_us; // of the sender's row
	} is[] = {
		{"classes: [3], quanta: 400, every: 100us, count: 5", "0us", 5, 5 * 20.48, 0},
		{"classes: [3], quanta: 400, every: 10us, count: 5", "0us", 1, 40 + 20.48, 0},
		{"frame: pause, quanta: 400, every: 100us, count: 5", "0us", 5, 5 * 20.48, 0},
		{"frame: pause, quanta: 400, every: 10us, count: 5", "0us", 1, 40 + 20.48, 0},
		{"classes: [3], quanta: 400, every: 100us, count: 5", "1305us", 3,
			15.48 + 2 * 20.48, 0},
		{"classes: [3], quanta: 65535, every: 1ms, count: 1", "0us", 0, 900, 900},
		{"frame: pause, quanta: 65535, every: 1ms, count: 1", "0us", 0, 900, 900},
	};
	char text[900];
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		snprintf(text, sizeof(text),
			"duration: 2ms\nwarmup: %s\n"
			"switches: {s: {pause_honour: true, classes: {3: {lossless: true}}}}\n"
			"hosts: {g: , k: }\n"
			"links: [{between: [[g, k], s], rate: 10Gbps}]\n"
			"flows: {a: {from: g, to: k, class: 3, open_loop: {size: 400, rate: "
			"10%%}}}\n"
			"events: [{at: 1100us, mac_frames: {port: \"k:s\", %s}}]\n",
			is[i].warmup, is[i].frames);
		lab_open(&l, text);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		assert_true(report_value(l.rec, "pfc_tx.k:s.3.episodes") == is[i].episodes);
		assert_true(report_value(l.rec, "pfc_tx.k:s.3.transitions_off") == is[i].episodes);
		assert_true(report_value(l.rec, "pfc.s:k.3.episodes") == is[i].episodes);
		assert_float_equal(
			report_value(l.rec, "pfc_tx.k:s.3.pause_effective_us"), is[i].us, 1e-6);
		assert_float_equal(
			report_value(l.rec, "pfc_tx.k:s.3.running_us"), is[i].running_us, 1e-6);
		assert_true(isnan(report_value(l.rec, "pfc_tx.k:s.3.mean_ps")) == !is[i].episodes);
		lab_close(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_of_the_standard),
		cmocka_unit_test_teardown(bytes_are_time, no_lone),
		cmocka_unit_test_teardown(a_peer_that_goes_on_for_too_long_is_told, no_lone),
		cmocka_unit_test_teardown(nothing_known, no_lone),
		cmocka_unit_test_teardown(a_pause_that_goes_on_has_a_length, no_lone),
		cmocka_unit_test(of_a_run),
		cmocka_unit_test(a_pause_counts_for_its_part_in_the_window),
		cmocka_unit_test(episodes_are_in_order),
		cmocka_unit_test(both_rows_of_a_pause_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
