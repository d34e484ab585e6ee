// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/pacer: gaps at a rate, late frames, rate changes while a gap runs.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "algo/pacer.h"

#define WIRE 1106 // a WRITE middle frame with 1024 octets of payload: 1082 + 24

static void test_gap_is_wire_time(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	assert_int_equal(p.next, 0);
	pacer_sent(&p, WIRE, 5000);
	assert_int_equal(p.next, 5000 + WIRE * 800);
}

static void test_late_frame_is_not_made_up_for(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_sent(&p, WIRE, 0);
	pacer_sent(&p, WIRE, WIRE * 800 + 12345);
	assert_int_equal(p.next, 2 * WIRE * 800 + 12345);
}

// 10 Gb/s, a quarter of the gap has passed, then 5 Gb/s: three quarters of the frame at the new rate.
static void test_rate_change_scales_what_is_left(void **state)
{
	struct pacer p;
	tstamp quarter = WIRE * 800 / 4;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_sent(&p, WIRE, 0);
	pacer_set_rate(&p, 5 * RATE_GBPS, quarter);
	assert_int_equal(p.next, quarter + 2 * 3 * quarter);
	pacer_set_rate(&p, 20 * RATE_GBPS, quarter);
	assert_int_equal(p.next, quarter + 3 * quarter / 2);
	pacer_sent(&p, WIRE, p.next);
	assert_int_equal(p.next, quarter + 3 * quarter / 2 + WIRE * 400);
}

// The new rate acts from the next departure on, slower or faster.
static void test_fixed_gap_outlives_a_rate_change(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	p.fixed_gap = true;
	pacer_sent(&p, WIRE, 0);
	pacer_set_rate(&p, 5 * RATE_GBPS, WIRE * 200);
	assert_int_equal(p.next, WIRE * 800);
	pacer_sent(&p, WIRE, WIRE * 800);
	assert_int_equal(p.next, WIRE * (800 + 1600));
	pacer_set_rate(&p, 20 * RATE_GBPS, WIRE * 900);
	assert_int_equal(p.next, WIRE * (800 + 1600));
	pacer_sent(&p, WIRE, WIRE * 3000); // a late frame is not made up for either
	assert_int_equal(p.next, WIRE * (3000 + 400));
}

static void test_rate_change_without_gap_moves_nothing(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_sent(&p, WIRE, 0);

	tstamp next = p.next;

	pacer_set_rate(&p, RATE_GBPS, next);
	assert_int_equal(p.next, next);
	pacer_set_rate(&p, 3 * RATE_GBPS, next + 99);
	assert_int_equal(p.next, next);
}

// A gap of 64 KiB at the lowest rate and back does not overflow: 5.24 s of 80 us an octet.
static void test_slowest_rate(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, RATE_MIN);
	pacer_sent(&p, 65535, 0);
	assert_int_equal(p.next, 65535 * 80 * PS_PER_US);
	pacer_set_rate(&p, 400 * RATE_GBPS, 0);
	assert_int_equal(p.next, 65535 * 20);
	pacer_set_rate(&p, RATE_MIN, 0);
	assert_int_equal(p.next, 65535 * 80 * PS_PER_US);
}

static void test_unpaced(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 0);
	pacer_sent(&p, WIRE, 77);
	assert_int_equal(p.next, 77);
	pacer_set_rate(&p, 10 * RATE_GBPS, 50); // the frame of 77 has left: nothing is pending
	assert_int_equal(p.next, 77);
	pacer_sent(&p, WIRE, 100);
	pacer_set_rate(&p, 0, 200); // pacing ends: the gap too
	assert_int_equal(p.next, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gap_is_wire_time),
		cmocka_unit_test(test_late_frame_is_not_made_up_for),
		cmocka_unit_test(test_rate_change_scales_what_is_left),
		cmocka_unit_test(test_fixed_gap_outlives_a_rate_change),
		cmocka_unit_test(test_rate_change_without_gap_moves_nothing),
		cmocka_unit_test(test_slowest_rate),
		cmocka_unit_test(test_unpaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
