// SPDX-License-Identifier: BSD-3-Clause
// An observed port has the same figures of pauses as the switch and the host have themselves.
#include "outside_run.h"

// The switch counts the bytes after its XOFF itself.
static void answers_are_those_that_the_switch_counts(void **state)
{
	(void)state;
	outside_run(OUTSIDE_PAUSES);
	assert_true(v("outside_pause.s1:h1.3.asked") > 50);
	same("outside_pause.s1:h1.3.asked", "pfc_tx.s1:h1.3.xoff_frames");
	same("outside_pause.s1:h1.3.b_after_p50_bytes", "pfc_tx.s1:h1.3.b_after_p50_bytes");
	same("outside_pause.s1:h1.3.b_after_max_bytes", "pfc_tx.s1:h1.3.b_after_max_bytes");
	same("outside_pause.s1:h1.3.t_resp_p50_us", "pfc_tx.s1:h1.3.t_resp_p50_us");
	same("outside_pause.s1:h1.3.t_resp_max_us", "pfc_tx.s1:h1.3.t_resp_max_us");
	assert_true(v("outside_pause.s1:h1.3.ignored") == 0);
	assert_true(v("outside_pause.s1:h1.3.idle") == 0);
	assert_true(v("outside_pause.s1:h1.3.holds") == 0);
	assert_true(isnan(v("outside_pause.s1:h1.3.quanta_max")));
	assert_true(isnan(v("outside_pause.s1:h1.3.hold_error_max_us")));
}

// 12 quanta at 25 Gb/s are 245.76 ns. The peer stops with the frame that it has begun by then.
static void times_are_the_responses_of_the_host(void **state)
{
	double frame = 1106 * 8 / 25e3, response = 12 * 512 / 25e3;

	(void)state;
	outside_run(OUTSIDE_PAUSES);
	assert_float_equal(v("outside_pause.s1:h1.3.resume_max_us"), response, 1e-6);
	assert_true(v("outside_pause.s1:h1.3.stop_max_us") >= response);
	assert_true(v("outside_pause.s1:h1.3.stop_max_us") < response + frame);
	assert_float_equal(v("outside_pause.s1:h1.3.quanta_resp_max"),
		v("outside_pause.s1:h1.3.stop_max_us") * 25e3 / 512, 1e-6);
	assert_true(v("outside_pause.s1:h1.3.quanta_limit") == 80);
}

static void a_host_sees_the_pauses_that_it_counts_itself(void **state)
{
	(void)state;
	outside_run(OUTSIDE_PAUSES);
	same("outside_pause.h1:s1.3.xoff_frames", "pfc.h1:s1.3.xoff_frames");
	same("outside_pause.h1:s1.3.xon_frames", "pfc.h1:s1.3.xon_frames");
	same("outside_pause.h1:s1.3.refresh_frames", "pfc.h1:s1.3.refresh_frames");
	assert_true(v("outside_pause.h1:s1.3.sources") == 1);
	assert_true(v("outside_pause.h1:s1.3.quanta_min") == 65535);
	assert_true(v("outside_pause.h1:s1.3.quanta_max") == 65535);
	assert_true(v("outside_pause.h1:s1.3.before_xoff_frames") > 0);
	assert_true(isnan(v("outside_pause.h1:s1.3.b_after_max_bytes")));
	assert_true(isnan(v("outside_pause.h2:s1.3.xoff_frames")));
	assert_true(isnan(v("outside_pause.h1:s1.link.xoff_frames")));
}

// Three XOFF of 1000 quanta, 5.12 us at 100 Gb/s, that neither XON nor a refresh follows.
static void a_pause_that_runs_out_is_held_for_its_quanta(void **state)
{
	(void)state;
	outside_run("name: hold\nduration: 1ms\n"
		    "switches: {s1: {classes: {3: {lossless: true}}}}\nhosts: {h1: , r: }\n"
		    "links: [{between: [[h1, r], s1], rate: 100Gbps, delay: 100ns}]\n"
		    "ports: {\"r:s1\": {observe: true}}\n"
		    "flows: {f: {from: h1, to: r, open_loop: {size: 1000, rate: 95%}}}\n"
		    "events:\n"
		    "  - {at: 100us, mac_frames: {port: \"r:s1\", classes: [3], quanta: 1000}}\n"
		    "  - {at: 200us, mac_frames: {port: \"r:s1\", classes: [3], quanta: 1000}}\n"
		    "  - {at: 300us, mac_frames: {port: \"r:s1\", classes: [3], quanta: 1000}}\n");
	assert_true(v("outside_pause.r:s1.3.asked") == 3);
	assert_true(v("outside_pause.r:s1.3.holds") == 3);
	// A frame of 1004 bytes with FCS, preamble and gap takes 81.92 ns, and idles for 4.3 ns.
	assert_float_equal(v("outside_pause.r:s1.3.silence_max_us"), 5.12, 0.09);
	assert_float_equal(v("outside_pause.r:s1.3.hold_error_mean_us"), 0, 0.05);
	assert_true(v("outside_pause.r:s1.3.ignored") == 0);
	assert_non_null(strstr(report_text(l.rec), "r:s1.3: 3 XOFF sent"));
}

#define EACH(test) cmocka_unit_test_teardown(test, outside_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(answers_are_those_that_the_switch_counts),
		EACH(times_are_the_responses_of_the_host),
		EACH(a_host_sees_the_pauses_that_it_counts_itself),
		EACH(a_pause_that_runs_out_is_held_for_its_quanta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
