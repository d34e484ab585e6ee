// SPDX-License-Identifier: BSD-3-Clause
// Faults in the figures of a run: how often each has hit, the verdict on faults that hit nothing,
// what events and captures tell, and that all books close.
#include "figure_lab.h"

#include <math.h>

#include "cap/cap.h"

#define BED                                                                                     \
	"name: faults\n"                                                                        \
	"duration: 1ms\n"                                                                       \
	"switches: {s1: {}}\n"                                                                  \
	"hosts: {h1..2: {}}\n"                                                                  \
	"links: [{between: [h1..2, s1], rate: 100Gbps, delay: 1us}]\n"                          \
	"flows:\n"                                                                              \
	"  f: {from: h1, to: h2, verb: send, message: 1MiB, count: 1, mtu: 1024, rto: 500us}\n" \
	"ports: {\"s1:h1\": {capture: true}}\n"

#define DROP "faults: [{qp: \"f[h1>h2.0]\", dir: data, psn: 100, nth: 1, at: \"s1:h1\", do: drop}"

static int run(const char *yaml)
{
	lab_open(&l, yaml);
	return lab_run(&l, NULL, 0, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static void all_is_accounted_for(void)
{
	assert_true(v("instrument.events_lost") == 0);
	assert_null(strstr(report_text(l.rec), "NOT CONSERVED"));
	assert_null(strstr(report_text(l.rec), "LEAK"));
	assert_null(strstr(report_text(l.rec), "NOT RECONCILED"));
}

static void a_drop_is_counted_and_repaired(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(run(BED DROP "]\n"), 0);
	assert_true(v("fault.1.matched_total") == 1);
	assert_true(v("fault.1.missed_total") == 0);
	assert_true(isnan(v("fault.2.matched_total")));
	assert_true(v("total.nak_rx") == 1);
	assert_true(v("total.drops") == 0); // no node has dropped it
	assert_true(v("total.messages") == 1);
	// The 49 frames from the lost one on are sent again, 88.48 ns each.
	assert_float_equal(v("fct_mean_us"), 99.04128, 1e-5);
	assert_float_equal(v("fct_wire_mean_us"), 94.70576, 1e-5);
	assert_float_equal(v("fct_resend_mean_us"), 49 * 0.08848, 1e-5);
	assert_float_equal(v("fct_queue_mean_us"), 0, 1e-5);
	assert_true(report_passed(l.rec));
	assert_non_null(strstr(report_text(l.rec), "  faults      1 drop at s1:h1: 1 frame\n"));
	assert_non_null(strstr(
		report_text(l.rec), "  lost        f[h1>h2.0]: 1 frame lost, 1 NAK, 0 timeouts\n"));
	assert_non_null(
		strstr(report_text(l.rec), "each lost frame cost 49.0 frames and 4.336 us\n"));
	all_is_accounted_for();
	text = lab_file(&l, "events.csv");
	assert_int_equal(times_in(text, ",fault,s1:h1,"), 1);
	assert_int_equal(times_in(text, ",1 drop data,"), 1);
	free(text);
	text = lab_file(&l, "summary.json");
	assert_int_equal(times_in(text, "\"faults\": ["), 1);
	assert_int_equal(times_in(text, "\"name\": \"faults_never_hit\""), 1);
	free(text);
}

// The capture shows the frame as it came, and says what became of it.
static void a_capture_says_which_fault_dropped_a_frame(void **state)
{
	char *text, command[512];

	(void)state;
	assert_int_equal(run(BED DROP "]\n"), 0);
	snprintf(command, sizeof(command), "grep -ao 'dropped here by fault .' '%s/%s' >'%s/told'",
		l.out, "capture.pcapng", l.out);
	assert_int_equal(system(command), 0);
	text = lab_file(&l, "told");
	assert_int_equal(times_in(text, "dropped here by fault 1"), 1);
	free(text);
}

static void a_fault_that_never_hits_fails_the_run(void **state)
{
	(void)state;
	assert_int_equal(run(BED DROP ", {qp: \"f[h1>h2.0]\", dir: data, psn: 1023, nth: 2, "
				      "at: \"s1:h1\", do: drop}]\n"),
		0);
	assert_true(v("fault.2.matched_total") == 0);
	assert_false(report_passed(l.rec));
	assert_non_null(strstr(
		report_text(l.rec), "              2 drop at s1:h1: NO FRAME, so the run fails\n"));
}

static void an_optional_one_may(void **state)
{
	(void)state;
	assert_int_equal(run(BED DROP ", {qp: \"f[h1>h2.0]\", dir: data, psn: 1023, nth: 2, "
				      "at: \"s1:h1\", do: drop, optional: yes}]\n"),
		0);
	assert_true(report_passed(l.rec));
	assert_non_null(strstr(report_text(l.rec), "              2 drop at s1:h1: no frame\n"));
}

// Copies and frames that are held are in the books, too: at a host's port and at a switch's.
static void copies_and_held_frames_are_accounted_for(void **state)
{
	(void)state;
	assert_int_equal(run(BED "faults:\n"
				 "- {qp: \"f[h1>h2.0]\", dir: data, psn: 100, nth: 1, at: "
				 "\"h2:s1\", do: {duplicate: 2}}\n"
				 "- {qp: \"f[h1>h2.0]\", dir: data, psn: 200, nth: 1, at: "
				 "\"s1:h1\", do: {delay: 10us}}\n"
				 "- {qp: \"f[h1>h2.0]\", dir: data, psn: 1023, at: "
				 "\"s1:h1\", do: {delay: 2ms}}\n"),
		0);
	assert_true(v("fault.1.matched_total") == 1);
	assert_true(v("fault.2.matched_total") == 1);
	assert_true(v("fault.3.matched_total") >= 1); // it is held as the run ends
	all_is_accounted_for();
	assert_true(report_passed(l.rec));
}

#define EACH(test) cmocka_unit_test_teardown(test, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_drop_is_counted_and_repaired),
		EACH(a_capture_says_which_fault_dropped_a_frame),
		EACH(a_fault_that_never_hits_fails_the_run),
		EACH(an_optional_one_may),
		EACH(copies_and_held_frames_are_accounted_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
