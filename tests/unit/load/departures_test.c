// SPDX-License-Identifier: BSD-3-Clause
// Departures: which instant a number has, held against a plain model, and that a reader on another
// thread never gets the instant of another frame.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/prng.h"
#include "load/load.h"

static void an_instant_is_found_by_its_number(void **state)
{
	struct departures d;

	(void)state;
	assert_int_equal(departures_init(&d, 4), 0);
	assert_int_equal(departures_find(&d, 0), TSTAMP_NEVER);
	departures_add(&d, 0, 10);
	departures_add(&d, 1, 20);
	assert_int_equal(departures_find(&d, 0), 10);
	assert_int_equal(departures_find(&d, 0), 10); // a duplicate left with its twin
	assert_int_equal(departures_find(&d, 1), 20);
	assert_int_equal(departures_find(&d, 2), TSTAMP_NEVER);
	assert_int_equal(departures_find(&d, UINT32_MAX), TSTAMP_NEVER);
	departures_clear(&d, 1);
	assert_int_equal(departures_find(&d, 1), TSTAMP_NEVER);
	departures_fini(&d);
}

static void memory_is_bounded(void **state)
{
	struct departures d;

	(void)state;
	assert_int_equal(departures_init(&d, 0), -EINVAL);
	assert_int_equal(departures_init(&d, DEPARTURES_MOST + 1), -EINVAL);
	assert_int_equal(departures_init(&d, 3), 0);
	assert_int_equal(d.mask, 3);
	for (uint32_t i = 0; i < 6; i++)
		departures_add(&d, i, 100 + i);
	assert_int_equal(departures_find(&d, 1), TSTAMP_NEVER);
	assert_int_equal(departures_find(&d, 2), 102);
	assert_int_equal(departures_find(&d, 5), 105);
	departures_fini(&d);
}

#define MODEL_ROOM 16

// Numbers go up, some are skipped, and pass the end of 32 bits; frames are looked for in any order,
// lost ones never, others twice. `last` is the plain model: the instant of each number of late.
static void random_numbers_against_a_model(void **state)
{
	uint64_t seed = 20261128, next = UINT32_MAX - 5000ull;
	tstamp last[4 * MODEL_ROOM];
	struct departures d;
	struct prng rng;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "departures");
	assert_int_equal(departures_init(&d, MODEL_ROOM), 0);
	d.next = next;
	for (unsigned i = 0; i < 4 * MODEL_ROOM; i++)
		last[i] = TSTAMP_NEVER;
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t skipped = prng_below(&rng, 8) ? 0 : prng_below(&rng, 2 * MODEL_ROOM);

		for (uint32_t i = 0; i < skipped; i++)
			last[next++ % (4 * MODEL_ROOM)] = TSTAMP_NEVER;
		departures_add(&d, (uint32_t)next, 1000 + round);
		last[next++ % (4 * MODEL_ROOM)] = 1000 + round;
		for (uint32_t age = 1; age <= 2 * MODEL_ROOM; age++) {
			tstamp want = age > MODEL_ROOM ? TSTAMP_NEVER
						       : last[(next - age) % (4 * MODEL_ROOM)];

			assert_int_equal(departures_find(&d, (uint32_t)(next - age)), want);
		}
		assert_int_equal(departures_find(&d, (uint32_t)next), TSTAMP_NEVER);
	}
	assert_true(next > UINT32_MAX);
	departures_fini(&d);
}

#define FRAMES 2000000u

static void *leave(void *arg)
{
	struct departures *d = arg;

	for (uint32_t i = 0; i < FRAMES; i++)
		departures_add(d, i, 7ull * i);
	return NULL;
}

// The writer overwrites the ring again and again while another thread reads: each instant that the
// reader gets is that of the frame that it asked for.
static void a_reader_never_gets_another_frames_instant(void **state)
{
	struct departures d;
	uint64_t found = 0;
	pthread_t t;

	(void)state;
	assert_int_equal(departures_init(&d, 8), 0);
	assert_int_equal(pthread_create(&t, NULL, leave, &d), 0);
	for (uint64_t next = 0; next < FRAMES;) {
		// A frame that has left, as one that came has: the instant before it is written.
		next = atomic_load_explicit(&d.next, memory_order_acquire);
		for (uint64_t age = 2; age <= 8 && age <= next; age++) {
			tstamp at = departures_find(&d, (uint32_t)(next - age));

			found += at != TSTAMP_NEVER;
			if (at != TSTAMP_NEVER)
				assert_int_equal(at, 7ull * (next - age));
		}
	}
	pthread_join(t, NULL);
	assert_true(found > 0);
	departures_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instant_is_found_by_its_number),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(random_numbers_against_a_model),
		cmocka_unit_test(a_reader_never_gets_another_frames_instant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
