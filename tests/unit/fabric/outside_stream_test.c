// SPDX-License-Identifier: BSD-3-Clause
// Streams at an observed port: CE beside the receiver's count, numbers that a fault has taken away.
#include "outside_run.h"

static void ce_is_that_of_the_receiver(void **state)
{
	double ce = 0;
	char path[64];

	(void)state;
	outside_run(OUTSIDE_CNPS);
	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "outside_stream.r:s1.%u.ce_frames", i);
		ce += v(path);
	}
	assert_true(ce == v("cnp.port.r.ce_rx"));
	assert_true(v("outside.r:s1.ce_rx_frames") == ce);
	assert_true(isnan(v("outside_stream.r:s1.4.frames")));
	assert_true(isnan(v("outside_stream.r:s1.0.first_missing")));
}

// A switch that is short of buffer drops frames of open-loop sources.
static void missing_numbers_are_the_receivers_losses(void **state)
{
	(void)state;
	outside_run("name: lost\nduration: 1ms\nswitches: {s1: {buffer: 200KB}}\n"
		    "hosts: {h1..2: , r: }\n"
		    "links: [{between: [[h1..2, r], s1], rate: 25Gbps}]\n"
		    "ports: {\"r:s1\": {observe: true}}\n"
		    "flows: {f: {from: h1..2, to: r, class: 0, open_loop: {size: 1000, rate: "
		    "90%, count: 1000}}}\n");
	assert_true(v("total.drops") > 10);
	assert_true(v("outside_stream.r:s1.0.first_missing") > 0);
	assert_true(v("outside_stream.r:s1.0.missing_frames") +
			    v("outside_stream.r:s1.1.missing_frames") <=
		    v("total.drops"));
	assert_true(v("outside_stream.r:s1.0.missing_frames") > 10);
	assert_true(strstr(report_text(l.rec), " missing, number "));
}

#define EACH(test) cmocka_unit_test_teardown(test, outside_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(ce_is_that_of_the_receiver),
		EACH(missing_numbers_are_the_receivers_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
