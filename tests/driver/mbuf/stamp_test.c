// SPDX-License-Identifier: BSD-3-Clause
// Stamps of a device's clock, with planted offset and drift, in the scene's time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "mbuf/stamp.h"

#define LEAST_DELAY (2 * PS_PER_US) // from wire to loop

// A device's clock.
struct clock {
	uint64_t offset; // ticks at scene time 0
	double tick_ps;  // nominal
	double ppm;      // faster than nominal
};

static uint64_t stamped(const struct clock *c, tstamp t)
{
	return c->offset + (uint64_t)((double)t / c->tick_ps * (1 + c->ppm / 1e6));
}

static double unit(struct prng *r)
{
	return (double)(prng_u64(r) >> 11) / 9007199254740992.0; // 0 to below 1
}

// A frame that comes at t, and is read after the least delay and a loop's gap.
static tstamp learnt(struct stamp_map *m, const struct clock *c, struct prng *r, tstamp t)
{
	tstamp now = t + LEAST_DELAY + (tstamp)(-log(1 - unit(r)) * 5e6);

	stamp_learn(m, stamped(c, t), now);
	return now;
}

// The largest error of the map for frames of the next 10 ms, apart from the least delay.
static double error_of(const struct stamp_map *m, const struct clock *c, tstamp from)
{
	double most = 0;

	for (tstamp t = from; t < from + 10 * PS_PER_MS; t += PS_PER_MS / 7) {
		tstamp is = stamp_time(m, stamped(c, t), TSTAMP_NEVER);

		most = fmax(most, fabs((double)is - (double)(t + LEAST_DELAY)));
	}
	return most;
}

// Seeds of random gaps and delays; the clocks of real cards drift by up to 100 ppm.
static void offset_and_drift_are_found(void **state)
{
	static const double ticks[] = {1e3, 1e6 / 78.125, 1e6};

	(void)state;
	for (unsigned k = 0; k < 30; k++) {
		struct stamp_map m = {0};
		struct prng r;
		struct clock c = {.tick_ps = ticks[k % 3]};
		tstamp t = 0;

		prng_init(&r, k, "stamp");
		c.offset = k & 1 ? 1700000000000000000 : prng_below(&r, 1000);
		c.ppm = 200 * unit(&r) - 100;
		while (t < PS_PER_S) {
			t += prng_below(&r, 200 * PS_PER_US);
			learnt(&m, &c, &r, t);
		}
		if (error_of(&m, &c, t) > (double)m.bound)
			fail_msg("seed %u: error %.0f ps, bound %lu ps", k, error_of(&m, &c, t),
				(unsigned long)m.bound);
		assert_true(m.known && (double)m.bound < 20e3 + 2.001 * c.tick_ps);
		assert_true(fabs(m.tick_ps * (1 + c.ppm / 1e6) / c.tick_ps - 1) < 3e-6);
		if (k % 3 != 1)
			assert_true(fabs(stamp_drift_ppm(&m) - c.ppm) < 3);
		else
			assert_true(isnan(stamp_drift_ppm(&m)));
	}
}

static void it_is_not_known_before_10_ms(void **state)
{
	const struct clock c = {.tick_ps = 1e3, .offset = 5};
	struct stamp_map m = {0};
	struct prng r;
	tstamp t;

	(void)state;
	prng_init(&r, 1, "stamp");
	for (t = 0; t < 9 * PS_PER_MS; t += PS_PER_MS / 10)
		learnt(&m, &c, &r, t);
	assert_false(m.known);
	assert_true(isnan(stamp_drift_ppm(&m)));
	for (; t < 13 * PS_PER_MS; t += PS_PER_MS / 10)
		learnt(&m, &c, &r, t);
	assert_true(m.known);
}

// A drift that changes, as with the temperature, is followed within the window.
static void a_drift_that_changes_is_followed(void **state)
{
	struct clock c = {.tick_ps = 1e3, .ppm = 10};
	struct stamp_map m = {0};
	struct prng r;
	tstamp t = 0;

	(void)state;
	prng_init(&r, 2, "stamp");
	for (; t < 20 * PS_PER_S; t += PS_PER_MS)
		learnt(&m, &c, &r, t);
	assert_true(fabs(stamp_drift_ppm(&m) - 10) < 0.5);
	c.offset = stamped(&c, t) - (uint64_t)((double)t / c.tick_ps * (1 + 12e-6));
	c.ppm = 12;
	for (tstamp end = t + 20 * PS_PER_S; t < end; t += PS_PER_MS)
		learnt(&m, &c, &r, t);
	assert_true(fabs(stamp_drift_ppm(&m) - 12) < 0.5);
	assert_int_equal(m.resets, 0);
	assert_true(error_of(&m, &c, t) < 1e6);
}

static void a_clock_that_is_set_begins_anew(void **state)
{
	struct clock c = {.tick_ps = 1e3, .offset = 1000000000000};
	struct stamp_map m = {0};
	struct prng r;
	tstamp t = 0;

	(void)state;
	prng_init(&r, 3, "stamp");
	for (unsigned k = 0; k < 3; k++) {
		for (tstamp end = t + PS_PER_S; t < end; t += PS_PER_MS)
			learnt(&m, &c, &r, t);
		assert_int_equal(m.resets, k);
		assert_true(m.known && error_of(&m, &c, t) < 1e6);
		c.offset += k ? 70000000000 : -20000000000ull; // back, then forward
		learnt(&m, &c, &r, t);
		assert_false(m.known);
	}
}

static void no_stamp_is_later_than_its_reading(void **state)
{
	const struct clock c = {.tick_ps = 1e3, .ppm = 50, .offset = 1000000000};
	struct stamp_map m = {0};
	struct prng r;

	(void)state;
	prng_init(&r, 4, "stamp");
	for (tstamp t = 0; t < PS_PER_S; t += PS_PER_MS) {
		tstamp now = learnt(&m, &c, &r, t);

		if (m.known)
			assert_true(stamp_time(&m, stamped(&c, t), now) <= now);
	}
	assert_int_equal(stamp_time(&m, stamped(&c, 0) - 5000000, TSTAMP_NEVER), 0);
	assert_int_equal(stamp_time(&m, stamped(&c, 2 * PS_PER_S), 7), 7);
	stamp_learn(&m, stamped(&c, PS_PER_S / 2), PS_PER_S); // half a second back
	assert_true(!m.known && m.resets == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offset_and_drift_are_found),
		cmocka_unit_test(it_is_not_known_before_10_ms),
		cmocka_unit_test(a_drift_that_changes_is_followed),
		cmocka_unit_test(a_clock_that_is_set_begins_anew),
		cmocka_unit_test(no_stamp_is_later_than_its_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
