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
		cmocka_unit_test(counters_that_stand),
		cmocka_unit_test(events_that_were_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
