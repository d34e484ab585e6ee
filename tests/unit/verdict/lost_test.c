// SPDX-License-Identifier: BSD-3-Clause
// What lost packets cost: the dearest flows first, and lines whose numbers are the run's.
#include "record_lab.h"

#include "report/int.h"
#include "summary/summary.h"

// h1 sends at four times the speed of r's link into a small lossy queue; h2 hardly sends.
#define LOSSY                                                                                     \
	"duration: 2ms\n"                                                                         \
	"switches: {s1: {buffer: 4MB, classes: {0: {drop: {limit: 20KB}}}}}\n"                    \
	"hosts: {h1..2: , r: }\n"                                                                 \
	"links:\n"                                                                                \
	"  - {between: [h1..2, s1], rate: 100Gbps, delay: 1us}\n"                                 \
	"  - {between: [r, s1], rate: 25Gbps, delay: 1us}\n"                                      \
	"flows:\n"                                                                                \
	"  much: {from: h1, to: r, class: 0, verb: send, message: 100KB, count: 3, rto: 200us}\n" \
	"  little: {from: h2, to: r, class: 0, verb: send, message: 1000, count: 1, start: 1.9ms}\n"

static struct lab l;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&l, LOSSY);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static void only_flows_that_paid_are_there(void **state)
{
	struct verdict_lost lost;

	(void)state;
	verdict_lost_find(&lost, l.rec->sum);
	assert_int_equal(lost.flows, 1);
	assert_int_equal(lost.n, 1);
	assert_int_equal(lost.flow[0], 0);
}

static void the_line_has_the_numbers_of_the_run(void **state)
{
	double resent = report_value(l.rec, "flow.much[h1>r.0].data_frames_retransmitted");
	double lost_frames = report_value(l.rec, "flow.much[h1>r.0].frame_delta");
	double us = resent * (1082 + 24) * 8 / 25e3, waited;
	char line[VERDICT_LINE], want[VERDICT_LINE], *text;
	struct verdict_lost lost;

	(void)state;
	verdict_lost_find(&lost, l.rec->sum);
	verdict_lost_text(&lost, l.rec->sum, 0, line, sizeof(line));
	assert_true(lost_frames > 1 && resent >= lost_frames);
	snprintf(want, sizeof(want), "much[h1>r.0]: %.0f frames lost, %.0f NAK", lost_frames,
		report_value(l.rec, "flow.much[h1>r.0].nak_rx"));
	assert_memory_equal(line, want, strlen(want));
	waited = l.rec->sum->rec->flow[0].loss->waited_ps / 1e6;
	assert_true(
		l.rec->sum->rec->flow[0].loss->resent_ps / 1e6 <= us); // a message's last is short
	snprintf(
		want, sizeof(want), "; each lost frame cost %.1f frames and", resent / lost_frames);
	if (!strstr(line, want))
		fail_msg("%s lacks %s", line, want);
	snprintf(want, sizeof(want), "after %.3f us of waiting for timeouts", waited);
	assert_non_null(strstr(line, want));
	text = lab_file(&l, "summary.json");
	assert_non_null(strstr(text, line));
	free(text);
	assert_non_null(strstr(report_text(l.rec), "  lost        much[h1>r.0]: "));
}

// Frames on their way when the run ends are not lost: only the 101st is, of a flow with no end.
static void frames_on_their_way_are_not_lost(void **state)
{
	static const char one[] = "duration: 1ms\n"
				  "switches: {s1: {buffer: 4MB, classes: {3: {lossless: true}}}}\n"
				  "hosts: {h1..2: }\n"
				  "links: [{between: [h1..2, s1]}]\n"
				  "flows: {f: {from: h1, to: h2, verb: send, window: 256}}\n"
				  "faults: [{flow: f, psn: 100, do: drop}]\n";
	struct verdict_lost lost;
	char line[VERDICT_LINE];
	struct lab whole;

	(void)state;
	lab_open(&whole, one);
	assert_int_equal(lab_run(&whole, NULL, 0, true), 0);
	assert_true(report_value(whole.rec, "flow.f[h1>h2.0].frame_delta") > 1);
	verdict_lost_find(&lost, whole.rec->sum);
	verdict_lost_text(&lost, whole.rec->sum, 0, line, sizeof(line));
	if (strncmp(line, "f[h1>h2.0]: 1 frame lost, 1 NAK", 31))
		fail_msg("%s", line);
	lab_close(&whole);
}

// The parts of the mean completion time sum to it.
static void parts_sum_to_the_mean(void **state)
{
	static const char *const parts[] = {"wire", "pause", "cut", "resend", "queue"};
	double sum = 0, flow = 0, group = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		char path[64];

		snprintf(path, sizeof(path), "fct_%s_mean_us", parts[i]);
		sum += report_value(l.rec, path);
		snprintf(path, sizeof(path), "flow.much[h1>r.0].fct_%s_mean_us", parts[i]);
		flow += report_value(l.rec, path);
		snprintf(path, sizeof(path), "group.much.fct_%s_mean_us", parts[i]);
		group += report_value(l.rec, path);
	}
	assert_float_equal(sum, report_value(l.rec, "fct_mean_us"), 2e-3);
	assert_float_equal(group, report_value(l.rec, "group.much.fct_mean_us"), 2e-3);
	assert_float_equal(flow, group, 1e-6);
	assert_true(report_value(l.rec, "group.much.fct_resend_mean_us") > 0);
	assert_true(report_value(l.rec, "group.little.fct_resend_mean_us") == 0);
	assert_true(report_value(l.rec, "group.little.fct_queue_mean_us") < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_flows_that_paid_are_there),
		cmocka_unit_test(the_line_has_the_numbers_of_the_run),
		cmocka_unit_test(frames_on_their_way_are_not_lost),
		cmocka_unit_test(parts_sum_to_the_mean),
	};

	return cmocka_run_group_tests(tests, open_lab, close_lab);
}
