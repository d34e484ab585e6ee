// SPDX-License-Identifier: BSD-3-Clause
// Events against counters: a real run agrees row by row; events that no counter knows do not.
#include "record_net.h"

#include <math.h>

static const struct summary_recon *row(
	const struct summary *s, const char *counter, const char *object)
{
	for (unsigned i = 0; i < s->n_recons; i++)
		if (!strcmp(s->recon[i].counter, counter) && !strcmp(s->recon[i].object, object))
			return &s->recon[i];
	return NULL;
}

static void a_run_agrees(void **state)
{
	struct scene_set set = {"warmup", "0us"}; // the transient has pauses
	const struct summary_recon *x;
	struct lab l;
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, &set, 1, false), 0);
	assert_true(l.rec->sum->n_recons > 10);
	assert_int_equal(l.rec->sum->unreconciled, 0);
	x = row(l.rec->sum, "pfc", "s1:h1");
	assert_non_null(x);
	assert_int_equal(x->prio, 3);
	assert_true(x->truth > 0 && x->truth == x->sent);
	assert_true(x->truth == report_value(l.rec, "pfc_tx.s1:h1.3.xoff_frames") +
					report_value(l.rec, "pfc_tx.s1:h1.3.xon_frames"));
	x = row(l.rec->sum, "ecn_marked_frames", "s1");
	assert_true(x && x->truth == report_value(l.rec, "marks"));
	x = row(l.rec->sum, "np_cnp_sent", "r");
	assert_true(x && x->truth == report_value(l.rec, "total.cnp_tx"));
	x = row(l.rec->sum, "frames", "h1:s1");
	assert_true(x && x->received > 0 && x->sent >= x->received);
	assert_null(row(l.rec->sum, "np_cnp_sent", "h1")); // nothing there, no row
	json = lab_file(&l, "summary.json");
	assert_non_null(
		strstr(json, "{\"counter\": \"pfc\", \"object\": \"s1:h1\", \"priority\": 3,"));
	free(json);
	lab_close(&l);
}

// Marks and CNPs that no counter has counted: one CNP is within the tolerance, three are not.
static void counters_that_stand(void **state)
{
	const struct summary_recon *x;
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
	x = row(n.report->sum, "ecn_marked_frames", "s1");
	assert_true(x && x->stuck && x->delta == -3 && x->verdict == CRITERION_FAIL);
	x = row(n.report->sum, "np_cnp_sent", "r");
	assert_true(x && x->truth == 3 && x->verdict == CRITERION_FAIL);
	x = row(n.report->sum, "rp_cnp_handled, rp_cnp_ignored", "h1");
	assert_true(x && !x->stuck && x->verdict == CRITERION_PASS);
	assert_int_equal(n.report->sum->unreconciled, 2);
	assert_non_null(strstr(report_text(n.report),
		"  NOT RECONCILED  s1 ecn_marked_frames: off by -3 of 3, stuck\n"));
	net_close(&n);
}

static void events_that_were_lost(void **state)
{
	struct record_run run = {.clock = "real", .end = PS_PER_US, .events_lost = 1};
	const struct summary_recon *x;
	struct net_lab n;

	(void)state;
	net_open(&n);
	net_event(&n, n.s1, 0, EV_MARK);
	assert_int_equal(report_close(&n.report, n.rec, &run, &n.lab.err), 0);
	x = row(n.report->sum, "ecn_marked_frames", "s1");
	assert_true(x && x->verdict == CRITERION_INVALID);
	assert_int_equal(n.report->sum->unreconciled, 0);
	net_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_agrees),
		cmocka_unit_test(counters_that_stand),
		cmocka_unit_test(events_that_were_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
