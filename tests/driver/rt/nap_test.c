// SPDX-License-Identifier: BSD-3-Clause
// How long the main lcore sleeps: as long as nothing is due that it does not hear of.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rt/nap.h"

#define LONGEST 10000000u // ns, between two looks at all that does not wake it
#define LEAST   100000u

static struct scene scene;
static struct rt rt;

// A run of a second that is in its window, and takes no samples.
static int begin(void **state)
{
	(void)state;
	scene = (struct scene){.duration = PS_PER_S};
	rt = (struct rt){.scene = &scene};
	rt.clock.dilate = 1;
	rt.recorder.warm = true;
	rt.recorder.next_sample = TSTAMP_NEVER;
	return 0;
}

static void where_nothing_is_due_it_sleeps_long(void **state)
{
	(void)state;
	assert_int_equal(rt_nap_ns(&rt, 0), LONGEST);
	scene.duration = TSTAMP_NEVER;
	rt.clock.dilate = 1000;
	assert_int_equal(rt_nap_ns(&rt, 0), LONGEST);
}

static void a_sample_is_taken_at_its_instant(void **state)
{
	(void)state;
	rt.recorder.next_sample = 7 * PS_PER_MS;
	assert_int_equal(rt_nap_ns(&rt, 4 * PS_PER_MS), 3000000);
	assert_int_equal(rt_nap_ns(&rt, 7 * PS_PER_MS - 1), LEAST);
	assert_int_equal(rt_nap_ns(&rt, 8 * PS_PER_MS), LEAST); // it is late
	rt.clock.dilate = 2;                                    // by the wall twice as far
	assert_int_equal(rt_nap_ns(&rt, 4 * PS_PER_MS), 6000000);
	rt.slips = true; // by the worker
	assert_int_equal(rt_nap_ns(&rt, 4 * PS_PER_MS), LONGEST);
}

static void it_does_not_sleep_before_the_end_of_warm_up(void **state)
{
	(void)state;
	rt.recorder.warm = false;
	rt.recorder.warmup = 20 * PS_PER_MS;
	assert_int_equal(rt_nap_ns(&rt, 0), LONGEST);
	assert_int_equal(rt_nap_ns(&rt, 15 * PS_PER_MS), 3000000);
	assert_int_equal(rt_nap_ns(&rt, 18 * PS_PER_MS), LEAST);
	assert_int_equal(rt_nap_ns(&rt, 18 * PS_PER_MS + 1), 0);
	rt.clock.dilate = 2;
	assert_int_equal(rt_nap_ns(&rt, 15 * PS_PER_MS), 8000000);
	assert_int_equal(rt_nap_ns(&rt, 19 * PS_PER_MS + 1), 0);
	rt.recorder.warmup = PS_PER_US; // nearer than all that is near
	assert_int_equal(rt_nap_ns(&rt, 0), 0);
	rt.recorder.warm = true;
	assert_int_equal(rt_nap_ns(&rt, 0), LONGEST);
}

static void the_end_of_the_run_is_awaited(void **state)
{
	(void)state;
	assert_int_equal(rt_nap_ns(&rt, PS_PER_S - 5 * PS_PER_MS), 5000000);
	assert_int_equal(rt_nap_ns(&rt, PS_PER_S), LEAST);
	scene.until_replayed = true;
	assert_int_equal(rt_nap_ns(&rt, 0), 1000000);
}

static void what_cannot_wake_it_is_looked_at_often(void **state)
{
	(void)state;
	rt.looks_often = true;
	assert_int_equal(rt_nap_ns(&rt, 0), LEAST);
	rt.looks_often = false;
	rt.parts.n = 1;
	assert_int_equal(rt_nap_ns(&rt, 0), LEAST);
	rt.clock.dilate = 1000;
	assert_int_equal(rt_nap_ns(&rt, 0), LEAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(where_nothing_is_due_it_sleeps_long, begin),
		cmocka_unit_test_setup(a_sample_is_taken_at_its_instant, begin),
		cmocka_unit_test_setup(it_does_not_sleep_before_the_end_of_warm_up, begin),
		cmocka_unit_test_setup(the_end_of_the_run_is_awaited, begin),
		cmocka_unit_test_setup(what_cannot_wake_it_is_looked_at_often, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
