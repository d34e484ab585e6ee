// SPDX-License-Identifier: BSD-3-Clause
// The verdict sheet: what passes, fails and cannot be judged; what the table, summary.json and
// junit.xml say of it.
#include "record_lab.h"

#include <math.h>

#include "record/record.h"
#include "report/int.h"
#include "summary/summary.h"

static struct lab l;

static void run(const char *expect)
{
	struct scene_set set = {"expect", expect};

	assert_int_equal(lab_run(&l, &set, 1, true), 0);
}

static int open_lab(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static enum criterion_verdict verdict(unsigned i)
{
	assert_true(i + 3 < l.rec->verdict.n);
	return l.rec->verdict.criterion[i + 3].verdict;
}

static void has(const char *file, const char *want)
{
	char *text = lab_file(&l, file);

	if (!strstr(text, want))
		fail_msg("%s lacks '%s':\n%s", file, want, text);
	free(text);
}

static void all_hold(void **state)
{
	(void)state;
	run("[{figure: drops, equals: 0}, {figure: goodput_gbps, min: 15, max: 25}, {figure: "
	    "main.flows, max: 2}]");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(verdict(i), CRITERION_PASS);
	assert_true(report_passed(l.rec));
	assert_non_null(strstr(report_text(l.rec), "  expected    3 of 3 criteria hold\n"));
	has("junit.xml", "<testsuite name=\"two-to-one\" tests=\"6\" failures=\"0\" errors=\"0\" "
			 "time=\"0.002000000\">");
	has("junit.xml", "  <testcase classname=\"two-to-one\" name=\"drops\"/>\n");
	has("junit.xml", "    <property name=\"scenario\" value=\"two-to-one\"/>\n");
}

static void some_do_not(void **state)
{
	char text[200];

	(void)state;
	run("[{figure: drops, equals: 0}, {name: 'a < \"b\" & c', figure: main.flows, max: 1}, "
	    "{figure: queue.s1:r.5.mean_bytes, min: 0}]");
	assert_int_equal(verdict(0), CRITERION_PASS);
	assert_int_equal(verdict(1), CRITERION_FAIL);
	assert_int_equal(verdict(2), CRITERION_INVALID);
	assert_true(!report_passed(l.rec) && report_failed(l.rec));
	assert_true(verdict_conserved(l.rec->sum));
	assert_non_null(strstr(report_text(l.rec),
		"  NOT AS EXPECTED  a < \"b\" & c: main.flows is 2; at most 1 was expected\n"
		"  NOT JUDGED  queue.s1:r.5.mean_bytes was not measured; at least 0 was expected\n"
		"  expected    1 of 3 criteria hold, 1 could not be judged\n"));
	assert_string_equal(report_failure(l.rec, text, sizeof(text)),
		"a < \"b\" & c: main.flows is 2; at most 1 was expected (and 1 more)");
	has("junit.xml", "tests=\"6\" failures=\"1\" errors=\"1\"");
	has("junit.xml", "name=\"a &lt; &quot;b&quot; &amp; c\">\n"
			 "    <failure message=\"main.flows is 2; at most 1 was expected\"/>\n"
			 "  </testcase>\n");
	has("junit.xml",
		"    <error message=\"queue.s1:r.5.mean_bytes was not measured; at least 0 was "
		"expected\"/>\n");
	has("summary.json",
		"{\"name\": \"queue.s1:r.5.mean_bytes\", \"figure\": \"queue.s1:r.5.mean_bytes\", "
		"\"min\": 0.000000, \"max\": null, "
		"\"value\": null, \"verdict\": \"INVALID\"}");
}

// Both limits belong to the expected range, and the last bits of a double do not matter.
static void limits_are_included(void **state)
{
	struct scene_expect x[] = {{"a", "main.flows", 2, 2, NULL, 0, 0},
		{"b", "main.flows", 2 + 1e-10, 3, NULL, 0, 0},
		{"c", "main.flows", 2.001, 3, NULL, 0, 0},
		{"d", "main.flows", -INFINITY, INFINITY, NULL, 0, 0}};
	char text[VERDICT_LINE];

	(void)state;
	run("[]");
	l.scene->expect = x;
	l.scene->n_expects = 4;
	verdict_free(&l.rec->verdict);
	assert_int_equal(verdict_make(&l.rec->verdict, l.rec->sum), 0);
	assert_int_equal(verdict(0), CRITERION_PASS);
	assert_int_equal(verdict(1), CRITERION_PASS);
	assert_int_equal(verdict(2), CRITERION_FAIL);
	assert_int_equal(verdict(3), CRITERION_PASS);
	assert_int_equal(l.rec->verdict.unexpected, 1);

	l.rec->sum->run.interrupted = true; // it is not the run that was asked for
	verdict_free(&l.rec->verdict);
	assert_int_equal(verdict_make(&l.rec->verdict, l.rec->sum), 0);
	assert_int_equal(verdict(0), CRITERION_INVALID);
	assert_true(!report_passed(l.rec) && !report_failed(l.rec));
	assert_string_equal(criterion_text(&l.rec->verdict.criterion[3], text, sizeof(text)),
		"main.flows is 2; 2 was expected (interrupted)");
	l.scene->n_expects = 0;
}

static void judge_again(void)
{
	verdict_free(&l.rec->verdict);
	assert_int_equal(verdict_make(&l.rec->verdict, l.rec->sum), 0);
}

// If events are lacking, counters still hold, but a completion time does not.
static void what_lacks_events_is_not_judged(void **state)
{
	(void)state;
	run("[{figure: drops, equals: 0}, {figure: main.fct_p99_us, min: 0}, {figure: jain, min: "
	    "0}]");
	assert_int_equal(verdict(1), CRITERION_PASS);
	assert_false(report_spoilt(l.rec));
	l.rec->sum->run.events_lost = 1;
	judge_again();
	assert_int_equal(verdict(0), CRITERION_PASS);
	assert_int_equal(verdict(1), CRITERION_INVALID);
	assert_int_equal(verdict(2), CRITERION_PASS);
	assert_true(!report_passed(l.rec) && !report_failed(l.rec));
	assert_true(report_spoilt(l.rec));
	assert_true(verdict_lacks_events(1, "main.fct_p99_us"));
	assert_false(verdict_lacks_events(0, "main.fct_p99_us"));
	lab_end(&l);
	run("[{figure: drops, equals: 0}]");
	l.rec->sum->run.events_lost = 1;
	judge_again();
	assert_true(report_passed(l.rec) && !report_spoilt(l.rec));
}

// The run went on, but it is not the one that was asked for.
static void nothing_is_judged_without_a_device(void **state)
{
	(void)state;
	run("[{figure: drops, equals: 0}]");
	snprintf(l.rec->sum->run.device_gone, sizeof(l.rec->sum->run.device_gone), "port s1:r");
	judge_again();
	assert_int_equal(verdict(0), CRITERION_INVALID);
	assert_true(!report_passed(l.rec) && !report_failed(l.rec));
	assert_true(report_spoilt(l.rec));
}

// Nor is it where a port had no link for a time.
static void nothing_is_judged_without_a_link(void **state)
{
	(void)state;
	run("[{figure: drops, equals: 0}]");
	snprintf(l.rec->sum->run.no_link, sizeof(l.rec->sum->run.no_link), "port s1:r");
	judge_again();
	assert_int_equal(verdict(0), CRITERION_INVALID);
	assert_true(!report_passed(l.rec) && !report_failed(l.rec));
	assert_true(report_spoilt(l.rec));
}

// A criterion that was not judged says what was wrong with the run: a value within the limits is
// none of it.
static void what_was_not_judged_says_why(void **state)
{
	struct record_run *of;
	char text[VERDICT_LINE];

	(void)state;
	run("[{figure: drops, min: 1}]");
	of = &l.rec->sum->run;
	assert_null(verdict_unsound(l.rec->sum));
	of->timing_broken = true;
	judge_again();
	assert_int_equal(verdict(0), CRITERION_INVALID);
	assert_string_equal(verdict_failure(&l.rec->verdict, text, sizeof(text)),
		"drops is 0; at least 1 was expected (timing broken)");
	l.rec->sum->lost_own = 1;
	assert_string_equal(verdict_unsound(l.rec->sum), "instrument lost frames");
	l.rec->sum->lost_own = 0;
	snprintf(of->no_link, sizeof(of->no_link), "port s1:r");
	assert_string_equal(verdict_unsound(l.rec->sum), "no link");
	snprintf(of->device_gone, sizeof(of->device_gone), "port s1:r");
	assert_string_equal(verdict_unsound(l.rec->sum), "device gone");
	snprintf(of->link_loss, sizeof(of->link_loss), "port s1:r");
	assert_string_equal(verdict_unsound(l.rec->sum), "ended early");
	of->interrupted = true;
	assert_string_equal(verdict_unsound(l.rec->sum), "interrupted");
	lab_end(&l);
	run("[{figure: main.fct_p99_us, min: 0}, {figure: drops, max: 0}]");
	l.rec->sum->run.events_lost = 1;
	judge_again();
	assert_non_null(strstr(verdict_failure(&l.rec->verdict, text, sizeof(text)),
		"; at least 0 was expected (events lost)"));
	l.rec->sum->lost_own = 1;
	judge_again();
	assert_non_null(strstr(
		criterion_text(&l.rec->verdict.criterion[l.rec->verdict.n - 1], text, sizeof(text)),
		"(instrument lost frames)"));
}

// Late loops of ours may be why a count is wrong, and they change every time, rate and length of a
// queue. But a count that is right is so, however late they were.
static void a_count_that_holds_stands_though_loops_were_late(void **state)
{
	char text[VERDICT_LINE];

	(void)state;
	run("[{figure: drops, equals: 0}, {figure: drops, min: 1}, {figure: goodput_gbps, min: 1}, "
	    "{figure: jain, min: 0}, {figure: queue.s1:r.3.max_bytes, min: 1}, {figure: "
	    "main.fct_p99_us, min: 0}, {figure: pause_ps, min: 0}]");
	l.rec->sum->run.timing_broken = true;
	judge_again();
	assert_int_equal(verdict(0), CRITERION_PASS);
	assert_string_equal(criterion_text(&l.rec->verdict.criterion[3], text, sizeof(text)),
		"drops is 0; 0 was expected");
	for (unsigned i = 1; i < 7; i++)
		assert_int_equal(verdict(i), CRITERION_INVALID);
	assert_int_equal(l.rec->verdict.unexpected, 6);
	assert_true(!report_passed(l.rec) && !report_failed(l.rec) && report_spoilt(l.rec));
	// Frames that the instrument itself lost, it might have counted.
	l.rec->sum->lost_own = 1;
	judge_again();
	assert_int_equal(verdict(0), CRITERION_INVALID);
}

static void what_is_counted_depends_on_no_loop(void **state)
{
	static const char *const timeless[] = {"drops", "marks", "cnp_rx", "total.pauses",
		"unfinished_qps", "lossless_drops_total", "main.messages", "drop.no_route",
		"pfc.h1:s1.3.xoff_frames", "pfc_tx.s1:h1.3.transitions_on", "wd.s1:r.3.storms",
		"nic.h1.consumed_frames", "port.s1:r.originated_frames", "source.a[h1>r].lost",
		"source.a[h1>r].in_flight", "source.a[h1>r].ecn_ce_rx",
		"source.a[h1>r].pace_err_percent", "outside.h1:s1.ce_rx_frames"};
	static const char *const timed[] = {"jain", "utilization", "goodput_gbps", "pause_ps",
		"main.fct_p50_us", "flow.a[h1>r.0].pace_err_percent", "flow.a[h1>r.0].rc_gbps",
		"flow.a[h1>r.0].tx_bytes", "queue.s1:r.3.max_bytes", "bottleneck.p99_bytes",
		"pg.s1:h1.3.max_bytes_total", "pfc.h1:s1.3.pause_requested_us",
		"source.a[h1>r].latency_max_us", "source.a[h1>r].rx_gbps", "ecn_marking_ratio",
		"nonsense", "queue.s1:r.3.nonsense"};

	(void)state;
	for (unsigned i = 0; i < sizeof(timeless) / sizeof(timeless[0]); i++)
		if (!verdict_is_timeless(timeless[i]))
			fail_msg("%s is no count", timeless[i]);
	for (unsigned i = 0; i < sizeof(timed) / sizeof(timed[0]); i++)
		if (verdict_is_timeless(timed[i]))
			fail_msg("%s is a count", timed[i]);
}

#define EACH(t) cmocka_unit_test_setup_teardown(t, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(all_hold),
		EACH(some_do_not),
		EACH(limits_are_included),
		EACH(what_lacks_events_is_not_judged),
		EACH(nothing_is_judged_without_a_device),
		EACH(nothing_is_judged_without_a_link),
		EACH(what_was_not_judged_says_why),
		EACH(a_count_that_holds_stands_though_loops_were_late),
		cmocka_unit_test(what_is_counted_depends_on_no_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
