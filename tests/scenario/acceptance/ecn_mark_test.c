// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi tests of ECN under load: which share of a link is marked, what came marked,
// how soon marks come and go.
#include "dut.h"

#include <math.h>

static double marks(const struct scn *s, unsigned prio)
{
	return acc(s, "queue.s1:r.%u.ecn_marked_frames", prio);
}

// Row 24. A share below 50 %: no mark; above: marks; the larger share is marked more; equal ones
// differ by 5 points at most; nothing is dropped. All marks arrive.
static void lossless_prio(double percent3, double percent4)
{
	char rate3[64], rate4[64];
	const double percent[2] = {percent3, percent4};
	double ratio[2];
	struct scn s;

	snprintf(rate3, sizeof(rate3), "flows.prio3.open_loop.rate=%g%%", percent3);
	snprintf(rate4, sizeof(rate4), "flows.prio4.open_loop.rate=%g%%", percent4);
	s = scn_run("acceptance/test_ecn_marking_lossless_prio.yaml", rate3, rate4, NULL);
	acc_row("3.1 row 24, test_ecn_marking_lossless_prio", rate3);
	for (unsigned i = 0; i < 2; i++) {
		bool free = percent3 + percent4 < 100 || percent[i] < 50;
		bool due = percent3 + percent4 >= 100 && percent[i] > 50;

		ratio[i] = 100 * marks(&s, 3 + i) / acc(&s, "queue.s1:r.%u.tx_frames", 3 + i);
		scn_in(&s, i ? "prio 4, marks" : "prio 3, marks", marks(&s, 3 + i), due ? 1 : 0,
			free ? 0 : INFINITY);
	}
	acc_is(&s, 0, "drops");
	if (percent3 > 50 && percent3 == percent4)
		scn_in(&s, "marked, difference in %", fabs(ratio[0] - ratio[1]), 0, 5);
	if (fmin(percent3, percent4) > 50 && percent3 != percent4)
		scn_in(&s, "marks of the larger share, more by",
			(percent3 > percent4 ? 1 : -1) * (marks(&s, 3) - marks(&s, 4)), 1,
			INFINITY);
	scn_in(&s, "marks not yet arrived",
		marks(&s, 3) + marks(&s, 4) - dut_sum(&s, "", "ecn_ce_rx"), 0, 20);
	scn_free(&s);
}

static void test_ecn_marking_lossless_prio(void **state)
{
	static const double percent[][2] = {
		{90, 15}, {53, 49}, {15, 90}, {49, 49}, {50, 50}, {60, 60}, {60, 90}, {90, 60}};

	(void)state;
	for (unsigned i = 0; i < sizeof(percent) / sizeof(percent[0]); i++)
		lossless_prio(percent[i][0], percent[i][1]);
}

// Frames that arrive with CE keep it, whatever the marker decides, and are counted apart from
// frames marked here.
static void test_ecn_marking_ect_marked_pkts(void **state)
{
	struct scn s = scn_run("acceptance/test_ecn_marking_lossless_prio.yaml",
		"flows.prio3.open_loop.rate=99.98%", "flows.prio4.open_loop.rate=99.98%",
		"flows.prio3.ecn=ce", "flows.prio4.ecn=ce", NULL);

	(void)state;
	acc_row("3.1 row 24", "test_ecn_marking_ect_marked_pkts");
	for (unsigned i = 1; i <= 2; i++) {
		acc_in(&s, 1, INFINITY, "queue.s1:h%u.%u.ecn_ce_rx_frames", i, 2 + i);
		acc_is(&s, acc(&s, "source.prio%u[h%u>r].rx_frames", 2 + i, i),
			"source.prio%u[h%u>r].ecn_ce_rx", 2 + i, i);
		acc_is(&s, 0, "queue.s1:r.%u.ecn_marked_frames", 2 + i);
	}
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

// Marks before the link goes down at 5 ms, and again after it has come up at 6 ms.
static void test_ecn_marking_port_toggle(void **state)
{
	struct scn s = scn_run_lossy("acceptance/test_ecn_marking_port_toggle.yaml", NULL);
	struct scn before =
		scn_run("acceptance/test_ecn_marking_port_toggle.yaml", "duration=5ms", NULL);

	(void)state;
	acc_row("3.1 row 24", "test_ecn_marking_port_toggle");
	for (unsigned c = 3; c <= 4; c++) {
		acc_in(&before, 1, INFINITY, "queue.s1:r.%u.ecn_marked_frames", c);
		acc_in(&s, 0, 5000, "marking.s1:r.%u.first_mark_us", c);
		acc_in(&s, 6000, 12000, "marking.s1:r.%u.last_mark_us", c);
		acc_in(&s, 2 * marks(&before, c) * 0.8, 2 * marks(&before, c) * 1.3,
			"queue.s1:r.%u.ecn_marked_frames", c);
	}
	scn_free(&before);
	scn_free(&s);
}

// Row 30: alone no CE, together CE on the queue with ECN only.
static void test_ecn_marking_basic(void **state)
{
	struct scn s = scn_run("acceptance/test_ecn_marking_response_time.yaml",
		"flows.second3.start=none", "flows.second4.start=none", NULL);

	(void)state;
	acc_row("3.1 row 30", "test_ecn_marking_basic");
	acc_is(&s, 0, "marks");
	scn_free(&s);
	s = scn_run("acceptance/test_ecn_marking_response_time.yaml", NULL);
	acc_in(&s, 1, INFINITY, "source.first3[h1>r].ecn_ce_rx");
	acc_in(&s, 1, INFINITY, "source.second3[h2>r].ecn_ce_rx");
	acc_is(&s, 0, "source.first4[h1>r].ecn_ce_rx");
	acc_is(&s, 0, "source.second4[h2>r].ecn_ce_rx");
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

// Row 29, reported: from the second stream's start to the first CE, from its stop to the last. With
// a step at K = 200 KB the queue of 70 % grows with 70 - 50 % of the link, and falls with 50 - 35
// %, as long as both queues wait.
static void test_ecn_response_time(void **state)
{
	struct scn s = scn_run("acceptance/test_ecn_marking_response_time.yaml", NULL);
	double per_us = 100e9 / 8 / 1e6 * 1024 / 1044; // bytes as queues count them
	double first = acc(&s, "marking.s1:r.3.first_mark_us") - 1000;
	double last = acc(&s, "marking.s1:r.3.last_mark_us") - 3000;
	double longest = acc(&s, "queue.s1:r.3.max_bytes");

	(void)state;
	acc_row("3.1 row 29", "test_ecn_response_time");
	scn_in(&s, "entry, us", first, 200e3 / (0.2 * per_us), 200e3 / (0.2 * per_us) + 2);
	scn_in(&s, "longest queue, bytes", longest, 2000 * 0.2 * per_us * 0.99,
		2000 * 0.2 * per_us * 1.01);
	scn_in(&s, "exit, us", last, (longest - 200e3) / (0.15 * per_us) * 0.98,
		(longest - 200e3) / (0.15 * per_us) * 1.02);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ecn_marking_lossless_prio),
		cmocka_unit_test(test_ecn_marking_ect_marked_pkts),
		cmocka_unit_test(test_ecn_marking_port_toggle),
		cmocka_unit_test(test_ecn_marking_basic),
		cmocka_unit_test(test_ecn_response_time),
	};

	return cmocka_run_group_tests_name("ecn under load", tests, NULL, NULL);
}
