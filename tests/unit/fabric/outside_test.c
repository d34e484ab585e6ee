// SPDX-License-Identifier: BSD-3-Clause
// Observed ports: steps of ACKs, latencies of a repair, lines of the table, and no cost to the run.
#include "outside_run.h"

#define REPAIR                                                                             \
	"name: repair\nduration: 1ms\nswitches: {s1: }\nhosts: {h1..2: }\n"                \
	"links: [{between: [h1..2, s1], rate: 100Gbps, delay: 1us}]\n"                     \
	"flows: {f: {from: h1, to: h2, verb: send, message: 1MiB, count: 1, mtu: 1024}}\n" \
	"faults: [{qp: \"f[h1>h2.0]\", psn: 100, nth: 1, at: \"h2:s1\", do: drop}]\n"

// The packet is lost at h2, behind its port, and the port of the switch sees data, NAK and repair.
static void a_nak_has_its_latencies(void **state)
{
	(void)state;
	outside_run(REPAIR "ports: {\"s1:h2\": {observe: true}, \"s1:h1\": {observe: true}}\n");
	assert_true(v("outside.s1:h2.nak_rx_frames") == 1);
	assert_true(v("outside.s1:h1.nak_tx_frames") == 1);
	// There and back over 1 us of cable, and the NAK on the wire.
	assert_float_equal(v("outside.s1:h2.nak_generation_max_us"), 2 + 86 * 8 / 100e3, 0.1);
	assert_true(isnan(v("outside.s1:h2.nak_reaction_max_us")));
	assert_true(v("outside.s1:h1.nak_reaction_max_us") >= 2);
	assert_true(v("outside.s1:h1.nak_reaction_max_us") < 2.5);
	assert_true(v("outside.s1:h2.nak_unpaired_frames") == 0);
	assert_true(v("outside.s1:h2.unknown_frames") == 0);
	assert_true(v("outside.s1:h2.ack_step_max") >= 1);
	assert_non_null(strstr(report_text(l.rec), "Seen from outside"));
	assert_non_null(strstr(report_text(l.rec), "s1:h2: 1 NAK came, 0 left; a NAK takes "));
}

static void without_an_observed_port_the_table_has_no_line(void **state)
{
	(void)state;
	outside_run(REPAIR);
	assert_null(strstr(report_text(l.rec), "Seen from outside"));
	assert_true(isnan(v("outside.s1:h2.rx_frames")));
}

// The captured port with a fault is observed, too: each frame counts once, before the fault.
static void a_port_can_be_captured_and_have_a_fault(void **state)
{
	(void)state;
	outside_run(REPAIR "ports: {\"h2:s1\": {observe: true, capture: true}}\n");
	assert_true(v("outside.h2:s1.rx_frames") == 1024 + 49);
	assert_true(v("outside.h2:s1.nak_tx_frames") == 1);
}

#define EACH(test) cmocka_unit_test_teardown(test, outside_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_nak_has_its_latencies),
		EACH(without_an_observed_port_the_table_has_no_line),
		EACH(a_port_can_be_captured_and_have_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
