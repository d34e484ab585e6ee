// SPDX-License-Identifier: BSD-3-Clause
// Events against counters: a real run agrees row by row; events that no counter knows do not.
#include "record_net.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

// The row of a counter and an object; -1: there is none.
static int row(const struct report *r, const char *counter, const char *object)
{
	char a[KIND_NAME], b[KIND_NAME];

	for (unsigned i = 0; i < r->sum->set[KIND_RECON].n; i++)
		if (!strcmp(summary_label(r->sum, KIND_RECON, i, "counter", a), counter) &&
			!strcmp(summary_label(r->sum, KIND_RECON, i, "object", b), object))
			return (int)i;
	return -1;
}

static double is(const struct report *r, int x, const char *figure)
{
	assert_true(x >= 0);
	return summary_at(r->sum, KIND_RECON, (unsigned)x, figure);
}

static bool stuck(const struct report *r, int x)
{
	assert_true(x >= 0);
	return summary_is(r->sum, KIND_RECON, (unsigned)x, "stuck");
}

static void verdict(const struct report *r, int x, const char *want)
{
	char text[KIND_NAME];

	assert_true(x >= 0);
	assert_string_equal(summary_label(r->sum, KIND_RECON, (unsigned)x, "verdict", text), want);
}

// How many rows do not hold.
static unsigned unreconciled(const struct report *r)
{
	char text[KIND_NAME];
	unsigned n = 0;

	for (unsigned i = 0; i < r->sum->set[KIND_RECON].n; i++)
		n += !strcmp(summary_label(r->sum, KIND_RECON, i, "verdict", text), "FAIL");
	return n;
}

static void a_run_agrees(void **state)
{
	struct scene_set set = {"warmup", "0us"}; // the transient has pauses
	int x;
	struct lab l;
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, &set, 1, false), 0);
	assert_true(l.rec->sum->set[KIND_RECON].n > 10);
	assert_int_equal(unreconciled(l.rec), 0);
	assert_null(strstr(report_text(l.rec), "NOT RECONCILED"));
	x = row(l.rec, "pfc", "s1:h1");
	assert_true(is(l.rec, x, "priority") == 3);
	assert_true(is(l.rec, x, "truth") > 0 && is(l.rec, x, "truth") == is(l.rec, x, "sent"));
	assert_true(
		is(l.rec, x, "truth") == report_value(l.rec, "pfc_tx.s1:h1.3.xoff_frames") +
						 report_value(l.rec, "pfc_tx.s1:h1.3.xon_frames"));
	x = row(l.rec, "ecn_marked_frames", "s1");
	assert_true(is(l.rec, x, "truth") == report_value(l.rec, "marks"));
	x = row(l.rec, "np_cnp_sent", "r");
	assert_true(is(l.rec, x, "truth") == report_value(l.rec, "total.cnp_tx"));
	x = row(l.rec, "frames", "h1:s1");
	assert_true(is(l.rec, x, "received") > 0);
	assert_true(is(l.rec, x, "sent") >= is(l.rec, x, "received"));
	assert_true(isnan(is(l.rec, x, "priority")));
	assert_int_equal(row(l.rec, "np_cnp_sent", "h1"), -1); // nothing there, no row
	json = lab_file(&l, "summary.json");
	assert_non_null(
		strstr(json, "{\"counter\": \"pfc\", \"object\": \"s1:h1\", \"priority\": 3,"));
	free(json);
	lab_close(&l);
}

// A buffer so small that XOFF and XON take turns faster than the cable is long: some of them are on
// their way when the run ends.
static void several_pfc_frames_may_be_on_their_way(void **state)
{
	struct lab l;
	int x;

	(void)state;
	lab_open(&l, "name: flicker\nduration: 2ms\n"
		     "switches: {s1: {buffer: 50KB, classes: {3: {lossless: true}}}}\n"
		     "hosts: {h1..4: }\n"
		     "links: [{between: [h1..4, s1], rate: 10Gbps, delay: 1us}]\n"
		     "flows: {f: {from: h1, to: h2}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	x = row(l.rec, "pfc", "s1:h1");
	assert_true(is(l.rec, x, "delta") < -1);
	verdict(l.rec, x, "PASS");
	assert_int_equal(unreconciled(l.rec), 0);
	lab_close(&l);
}

// A MAC control frame of a capture: PFC with a time for classes 3 and 4 each, or PAUSE.
static void put_control(FILE *f, unsigned at_us, bool pause, unsigned a, unsigned b)
{
	uint8_t bytes[60] = {1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 1, 1, 0x88, 8, !pause, 1};
	uint32_t head[4] = {0, at_us, sizeof(bytes), sizeof(bytes)};

	if (pause) {
		bytes[16] = (uint8_t)(a >> 8);
		bytes[17] = (uint8_t)a;
	} else {
		bytes[17] = 0x18;
		bytes[24] = (uint8_t)(a >> 8);
		bytes[25] = (uint8_t)a;
		bytes[26] = (uint8_t)(b >> 8);
		bytes[27] = (uint8_t)b;
	}
	fwrite(head, sizeof(head), 1, f);
	fwrite(bytes, sizeof(bytes), 1, f);
}

static void put_controls(const struct lab *l)
{
	static const uint32_t head[6] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/made.pcap", l->dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(head, sizeof(head), 1, f);
	put_control(f, 0, false, 1000, 400); // 51.2 us and 20.48 us
	put_control(f, 100, false, 0, 65535);
	put_control(f, 200, false, 0, 0); // 100 us of class 4
	put_control(f, 300, true, 1000, 0);
	put_control(f, 310, true, 0, 0); // 10 us of all
	put_control(f, 400, false, 65535, 0);
	fclose(f);
}

// Control frames of a capture are the sender's, whether a NIC or a host that only replays sends
// them, and so are those of `mac_frames`.
static void control_frames_that_are_replayed(void **state)
{
	static const char *const flow[] = {"h1, to: source", "source, to: h1", "h1, to: r"};
	char text[700];
	struct lab l;
	int x;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		snprintf(text, sizeof(text),
			"duration: 1ms\n"
			"switches: {s1: {pause_honour: true, classes: {3: {lossless: true}, 4: "
			"{lossless: true}}}}\n"
			"hosts: {source: {replay: {file: made.pcap}}, h1: , r: }\n"
			"links: [{between: [[source, h1, r], s1], rate: 10Gbps, delay: 1us}]\n"
			"flows: {a: {from: %s, class: 3, open_loop: {size: 1024, rate: 10%%}}}\n"
			"events:\n"
			"  - {at: 10us, mac_frames: {port: \"r:s1\", classes: [3], quanta: 9}}\n"
			"  - {at: 20us, mac_frames: {port: \"r:s1\", frame: pause, quanta: 9}}\n",
			flow[i]);
		lab_open(&l, text);
		put_controls(&l);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		assert_int_equal(unreconciled(l.rec), 0);
		x = row(l.rec, "pfc", "source:s1"); // of class 3
		assert_true(is(l.rec, x, "truth") == 4 && is(l.rec, x, "sent") == 4);
		assert_true(is(l.rec, x, "received") == 4);
		x = row(l.rec, "pause", "source:s1");
		assert_true(is(l.rec, x, "truth") == 2 && is(l.rec, x, "received") == 2);
		x = row(l.rec, "frames", "source:s1");
		assert_true(is(l.rec, x, "sent") == is(l.rec, x, "received"));
		x = row(l.rec, "pfc", "r:s1");
		assert_true(is(l.rec, x, "truth") == 1 && is(l.rec, x, "received") == 1);
		x = row(l.rec, "pause", "r:s1");
		assert_true(is(l.rec, x, "truth") == 1 && is(l.rec, x, "received") == 1);
		assert_float_equal(report_value(l.rec, "pfc_tx.source:s1.3.pause_effective_us"),
			51.2 + 10 + 599.9328, 0.1);
		assert_true(report_value(l.rec, "pfc_tx.source:s1.3.episodes") == 2);
		assert_true(report_value(l.rec, "pfc_tx.source:s1.4.episodes") == 3);
		assert_true(report_value(l.rec, "pfc_tx.source:s1.4.expired") == 1);
		assert_float_equal(
			report_value(l.rec, "pfc_tx.source:s1.4.episode_max_us"), 100, 0.1);
		lab_close(&l);
	}
}

// Marks and CNPs that no counter has counted: one CNP is within the tolerance, three are not.
static void counters_that_stand(void **state)
{
	int x;
	struct net_lab n;

	(void)state;
	net_open(&n);
	record_warm(n.rec, 0);
	for (unsigned i = 0; i < 3; i++) {
		net_event(&n, n.s1, i + 1, EV_MARK);
		net_event(&n, n.r, i + 1, EV_CNP_TX);
	}
	net_event(&n, n.h1, 5, EV_CNP_RX);
	net_finish(&n, 100);
	x = row(n.report, "ecn_marked_frames", "s1");
	assert_true(stuck(n.report, x) && is(n.report, x, "delta") == -3);
	verdict(n.report, x, "FAIL");
	x = row(n.report, "np_cnp_sent", "r");
	assert_true(is(n.report, x, "truth") == 3);
	verdict(n.report, x, "FAIL");
	x = row(n.report, "rp_cnp_handled, rp_cnp_ignored", "h1");
	assert_false(stuck(n.report, x));
	verdict(n.report, x, "PASS");
	assert_int_equal(unreconciled(n.report), 2);
	assert_non_null(strstr(report_text(n.report),
		"  NOT RECONCILED  s1 ecn_marked_frames: off by -3 of 3, stuck\n"));
	net_close(&n);
}

static void events_that_were_lost(void **state)
{
	struct record_run run = {.clock = "real", .end = PS_PER_US, .events_lost = 1};
	int x;
	struct net_lab n;

	(void)state;
	net_open(&n);
	net_event(&n, n.s1, 0, EV_MARK);
	assert_int_equal(report_close(&n.report, n.rec, &run, &n.lab.err), 0);
	x = row(n.report, "ecn_marked_frames", "s1");
	verdict(n.report, x, "INVALID");
	assert_int_equal(unreconciled(n.report), 0);
	net_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_agrees),
		cmocka_unit_test(several_pfc_frames_may_be_on_their_way),
		cmocka_unit_test(control_frames_that_are_replayed),
		cmocka_unit_test(counters_that_stand),
		cmocka_unit_test(events_that_were_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
