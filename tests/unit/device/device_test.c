// SPDX-License-Identifier: BSD-3-Clause
// Verdicts: what is found is held against what is configured, by half width and accuracy; bounds,
// states, the standard's own demands, exit statuses.
#include "device_lab.h"

static void equal_values_pass(void **state)
{
	(void)state;
	wants(3, PROBE_XOFF, 114000);
	wants(3, PROBE_ALPHA, 0.0625);
	wants(3, PROBE_MARK, 2);
	assert_int_equal(verdict_on(3, PROBE_XOFF), DEVICE_PASS);
	assert_int_equal(verdict_on(3, PROBE_ALPHA), DEVICE_PASS);
	assert_int_equal(verdict_on(3, PROBE_MARK), DEVICE_PASS);
	assert_int_equal(device_status(&device, false), 0);
}

static void a_difference_beyond_half_width_and_accuracy_fails(void **state)
{
	(void)state;
	wants(3, PROBE_XOFF, 118000); // 3808 B; 3 % is 3540
	assert_int_equal(verdict_on(3, PROBE_XOFF), DEVICE_FAIL);
	assert_int_equal(device_status(&device, false), 1);
	wants(3, PROBE_XOFF, 117500); // 3308 B; 3 % is 3525
	assert_int_equal(verdict_on(3, PROBE_XOFF), DEVICE_PASS);
	wants(3, PROBE_MARK, 1);
	assert_int_equal(verdict_on(3, PROBE_MARK), DEVICE_FAIL);
}

static void a_difference_that_the_step_cannot_tell_is_within(void **state)
{
	(void)state;
	wants(3, PROBE_RESERVE, 6000); // 2112 B, more than 3 %, less than 3000
	assert_int_equal(verdict_on(3, PROBE_RESERVE), DEVICE_WITHIN);
	wants(3, PROBE_RESERVE, 4000);
	assert_int_equal(verdict_on(3, PROBE_RESERVE), DEVICE_FAIL);
}

static void counts_may_differ_by_a_frame(void **state)
{
	(void)state;
	found_is(&found, 3, PROBE_XOFF, 2080, 0);
	wants(3, PROBE_XOFF, 2280);
	assert_int_equal(verdict_on(3, PROBE_XOFF), DEVICE_WITHIN);
	wants(3, PROBE_XOFF, 2300);
	assert_int_equal(verdict_on(3, PROBE_XOFF), DEVICE_FAIL);
}

static void without_a_configuration_nothing_is_judged(void **state)
{
	(void)state;
	device_judge(&device, &found, &about, NULL);
	assert_int_equal(device_line(&device, 3, PROBE_XOFF)->verdict, DEVICE_FOUND);
	assert_int_equal(device.n[DEVICE_PASS] + device.n[DEVICE_FAIL], 0);
	assert_int_equal(device_status(&device, false), 0);
	assert_int_equal(device_status(&device, true), 3); // the pool
}

static void values_that_the_file_lacks_are_found(void **state)
{
	(void)state;
	assert_int_equal(verdict_on(3, PROBE_KMIN), DEVICE_FOUND);
}

static void bounds(void **state)
{
	(void)state;
	found_state(&found, 3, PROBE_HEADROOM, FOUND_AT_LEAST, 200000, NULL);
	wants(3, PROBE_HEADROOM, 300000);
	assert_int_equal(verdict_on(3, PROBE_HEADROOM), DEVICE_AT_LEAST);
	wants(3, PROBE_HEADROOM, 100000);
	assert_int_equal(verdict_on(3, PROBE_HEADROOM), DEVICE_FAIL);
	found_state(&found, 3, PROBE_KMAX, FOUND_NONE, 500000, NULL);
	assert_int_equal(verdict_on(3, PROBE_KMAX), DEVICE_NONE_UP_TO);
	wants(3, PROBE_KMAX, 1000000);
	assert_int_equal(verdict_on(3, PROBE_KMAX), DEVICE_NONE_UP_TO);
	wants(3, PROBE_KMAX, 400000);
	assert_int_equal(verdict_on(3, PROBE_KMAX), DEVICE_FAIL);
	found_state(&found, 3, PROBE_PMAX, FOUND_AT_MOST, 10, NULL);
	wants(3, PROBE_PMAX, 5);
	assert_int_equal(verdict_on(3, PROBE_PMAX), DEVICE_AT_MOST);
	wants(3, PROBE_PMAX, 20);
	assert_int_equal(verdict_on(3, PROBE_PMAX), DEVICE_FAIL);
}

static void states_that_are_no_values(void **state)
{
	(void)state;
	found_state(&found, 3, PROBE_KMIN, FOUND_VARIES, 20000, NULL);
	found_state(&found, 3, PROBE_WEIGHT, FOUND_OTHERS, 4, NULL);
	found_state(&found, 3, PROBE_RESPONSE, FOUND_INVALID, 0, "loops came too late");
	assert_int_equal(verdict_on(3, PROBE_KMIN), DEVICE_VARIES);
	assert_int_equal(verdict_on(3, PROBE_WEIGHT), DEVICE_OTHERS);
	assert_int_equal(verdict_on(3, PROBE_RESPONSE), DEVICE_INVALID);
	assert_int_equal(device_status(&device, false), 3);
	assert_int_equal(verdict_on(3, PROBE_POOL), DEVICE_NOT_MEASURED);
}

// 84000 bytes on the wire are 1000 frames of 64 bytes, each a cell of 208.
static void headroom_is_held_against_the_cable_without_another_value(void **state)
{
	(void)state;
	about.after_xoff = 84000;
	assert_int_equal(verdict_on(3, PROBE_HEADROOM), DEVICE_FAIL);
	assert_true(device_line(&device, 3, PROBE_HEADROOM)->configured.value == 208000);
	about.after_xoff = 60000;
	assert_int_equal(verdict_on(3, PROBE_HEADROOM), DEVICE_PASS);
	wants(3, PROBE_HEADROOM, 160000);
	assert_int_equal(verdict_on(3, PROBE_HEADROOM), DEVICE_PASS);
}

static void the_response_is_held_against_the_standard(void **state)
{
	(void)state;
	assert_int_equal(verdict_on(3, PROBE_RESPONSE_QUANTA), DEVICE_PASS);
	found_is(&found, 3, PROBE_RESPONSE_QUANTA, 500, 2);
	assert_int_equal(verdict_on(3, PROBE_RESPONSE_QUANTA), DEVICE_FAIL);
}

static void weights_are_relative_to_the_least(void **state)
{
	(void)state;
	wants(0, PROBE_WEIGHT, 5);
	wants(3, PROBE_WEIGHT, 20);
	assert_int_equal(verdict_on(3, PROBE_WEIGHT), DEVICE_PASS);
	assert_int_equal(verdict_on(0, PROBE_WEIGHT), DEVICE_PASS);
	wants(3, PROBE_WEIGHT, 25);
	assert_int_equal(verdict_on(3, PROBE_WEIGHT), DEVICE_FAIL);
}

static void dscps_are_compared_one_by_one(void **state)
{
	(void)state;
	wants(3, PROBE_DSCPS, 2);
	config.dscps[3] = 1ull << 24 | 1ull << 26;
	assert_int_equal(verdict_on(3, PROBE_DSCPS), DEVICE_PASS);
	config.dscps[3] = 1ull << 24 | 1ull << 27;
	assert_int_equal(verdict_on(3, PROBE_DSCPS), DEVICE_FAIL);
}

static void texts_of_values(void **state)
{
	char text[DEVICE_TEXT];

	(void)state;
	assert_string_equal(
		device_value_text(PROBE_XOFF, 1804992, text, sizeof(text)), "1,804,992 B");
	assert_string_equal(device_value_text(PROBE_XOFF, 64, text, sizeof(text)), "64 B");
	assert_string_equal(device_value_text(PROBE_ALPHA, 1.0 / 16, text, sizeof(text)), "1/16");
	assert_string_equal(device_value_text(PROBE_ALPHA, 2, text, sizeof(text)), "2");
	assert_string_equal(
		device_value_text(PROBE_ALPHA_RAW, 0.0623, text, sizeof(text)), "0.0623");
	assert_string_equal(
		device_value_text(PROBE_RESPONSE, 4.985, text, sizeof(text)), "4.985 us");
	assert_string_equal(
		device_value_text(PROBE_HOLD_ERROR, -0.0004, text, sizeof(text)), "0.000 us");
	assert_string_equal(device_value_text(PROBE_MARK, 2, text, sizeof(text)), "at dequeue");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, found_make, found_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_values_pass),
		TEST(a_difference_beyond_half_width_and_accuracy_fails),
		TEST(a_difference_that_the_step_cannot_tell_is_within),
		TEST(counts_may_differ_by_a_frame),
		TEST(without_a_configuration_nothing_is_judged),
		TEST(values_that_the_file_lacks_are_found),
		TEST(bounds),
		TEST(states_that_are_no_values),
		TEST(headroom_is_held_against_the_cable_without_another_value),
		TEST(the_response_is_held_against_the_standard),
		TEST(weights_are_relative_to_the_least),
		TEST(dscps_are_compared_one_by_one),
		TEST(texts_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
