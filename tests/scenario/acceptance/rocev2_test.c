// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi tests of RoCEv2 (tests/snappi_tests/rocev2): incast with PFC alone, with
// DCQCN, and without congestion.
#include "dut.h"

#define AI "acceptance/test_rocev2_pfc_congestion_ai.yaml"

// The sum of a figure of all queue pairs.
static double flows(const struct scn *s, const char *figure)
{
	double sum = 0;

	for (unsigned i = 0; i < s->scene->n_flows; i++)
		sum += acc(s, "flow.%s.%s", s->scene->flow[i]->name, figure);
	return sum;
}

// The counters that must be 0 without loss and marks.
static void clean(const struct scn *s)
{
	static const char *const none[] = {"message_fail", "frame_delta", "nak_rx", "nak_tx",
		"frame_sequence_error", "data_frames_retransmitted", "ecn_ce_rx", "cnp_tx",
		"cnp_rx"};

	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		scn_in(s, none[i], flows(s, none[i]), 0, 0);
	scn_in(s, "ack_tx", flows(s, "ack_tx"), 1, INFINITY);
	scn_in(s, "message_complete_rx", flows(s, "message_complete_rx"), 1, INFINITY);
}

static double xoff(const struct scn *s, unsigned prio)
{
	double sum = 0;

	for (unsigned h = 1; h <= 4; h++)
		sum += acc_pfc(s, "pfc_tx.s1:h%u.%u.xoff_frames", h, prio);
	return sum;
}

// Row 26. Lossless: clean, PFC on every lossless priority; lossy: no PFC, loss. Each queue gets its
// weight's share within 5 % of it.
static void congestion(const char *row, const char *one, const char *two, unsigned lossless)
{
	struct scn s = scn_run(AI, "expect=[]", one, two, NULL),
		   busy = scn_run(AI, "expect=[]", "drain=0us", "duration=6ms", one, two, NULL);
	double weight = lossless == 2 ? 15 + 15 + 14 : 15 + 14, bytes = 0;

	acc_row("3.1 row 26, test_rocev2_pfc_congestion_ai", row);
	clean(&s);
	scn_in(&s, "XOFF, priority 3", xoff(&s, 3), 1, INFINITY);
	scn_in(&s, "XOFF, priority 4", xoff(&s, 4), lossless == 2, lossless == 2 ? INFINITY : 0);
	scn_in(&s, "XOFF, lossy", xoff(&s, 0), 0, 0);
	scn_in(&s, "lossy loss, %", dut_loss(&s, "lossy"), 1, 100);
	bytes = acc(&busy, "queue.s1:r.0.tx_bytes") + acc(&busy, "queue.s1:r.3.tx_bytes");
	bytes += lossless == 2 ? acc(&busy, "queue.s1:r.4.tx_bytes") : 0;
	for (unsigned c = 0; c <= 4; c++) {
		double want = (c ? 15 : 14) / weight;

		if (c == 1 || c == 2 || (c == 4 && lossless == 1))
			continue;
		scn_in(&busy, "share of a queue", acc(&busy, "queue.s1:r.%u.tx_bytes", c) / bytes,
			want * 0.95, want * 1.05);
	}
	scn_free(&busy);
	scn_free(&s);
}

static void test_rocev2_pfc_congestion_ai(void **state)
{
	(void)state;
	congestion("q3_single", "flows.q4.start=none", "flows.q3.qps=2", 1);
	congestion("q3q4_same", "flows.q3.qps=1", "flows.q4.qps=1", 2);
	congestion("q3q4_mixed", "flows.q3.from=h1..2", "flows.q4.from=h3..4", 2);
}

// Row 27.
static void test_rocev2_basic_dp_no_congestion(void **state)
{
	struct scn s = scn_run("acceptance/test_rocev2_basic_dp_no_congestion.yaml", NULL);

	(void)state;
	acc_row("3.1 row 27", "test_rocev2_basic_dp_no_congestion");
	clean(&s);
	scn_in(&s, "XOFF", scn_value(&s, "xoff_tx"), 0, 0);
	acc_is(&s, 0, "marks");
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

// Row 28. DCQCN off: PFC; on: few or none; never a lossless drop.
static void test_rocev2_storage(void **state)
{
	struct scn off = scn_run("acceptance/test_rocev2_storage.yaml", NULL);
	struct scn on = scn_run("acceptance/test_rocev2_storage.yaml", "expect=[]",
		"flows.writers.control=dcqcn", NULL);

	(void)state;
	acc_row("3.1 row 28", "RoCEv2 storage, PFC phase and DCQCN phase");
	acc_in(&off, 100, INFINITY, "xoff_tx");
	scn_in(&on, "XOFF with DCQCN, of those without",
		scn_value(&on, "xoff_tx") / scn_value(&off, "xoff_tx"), 0, 0.01);
	acc_in(&on, 1, INFINITY, "cnp_rx");
	acc_is(&off, 0, "drops");
	acc_is(&on, 0, "drops");
	acc_in(&off, 90, 100, "goodput_gbps");
	acc_in(&on, 90, 100, "goodput_gbps");
	scn_free(&on);
	scn_free(&off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rocev2_pfc_congestion_ai),
		cmocka_unit_test(test_rocev2_basic_dp_no_congestion),
		cmocka_unit_test(test_rocev2_storage),
	};

	return cmocka_run_group_tests_name("rocev2", tests, NULL, NULL);
}
