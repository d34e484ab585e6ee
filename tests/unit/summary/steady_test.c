// SPDX-License-Identifier: BSD-3-Clause
// Steady series: what is judged so, what is not, and how often chance alone gives an alarm.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/prng.h"
#include "summary/steady.h"

#define N      500
#define FROM   100 // begin of the window
#define SEEDS  2000
#define PHASES 36

// Sum of twelve uniform numbers: nearly normal, mean 0, variance 1.
static double normal(struct prng *g)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += prng_u32(g) * 0x1p-32;
	return sum;
}

static struct steady judged(const float *x)
{
	struct steady s;

	steady_judge(&s, x, N, FROM, 0);
	return s;
}

// Returns how many of a thousand series with mean 1 and this deviation get an alarm. phi: the
// correlation of a value with the one before.
static double alarms(double phi, double deviation)
{
	unsigned n = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct prng g;
		float x[N];
		double v;

		prng_init(&g, seed, "steady");
		v = normal(&g);
		for (unsigned i = 0; i < N; i++) {
			x[i] = (float)(1 + deviation * v);
			v = phi * v + sqrt(1 - phi * phi) * normal(&g);
		}
		n += judged(x).is != STEADY_YES;
	}
	return 1000.0 * n / SEEDS;
}

static void few_alarms_are_false(void **state)
{
	static const struct {
		double phi, deviation, most;
	} row[] = {{0, 0.1, 0}, {0, 0.5, 15}, {0.5, 0.1, 10}, {0.5, 0.5, 20}, {0.9, 0.1, 70},
		{0.9, 0.5, 80}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		double got = alarms(row[i].phi, row[i].deviation);

		print_message("phi %.1f, deviation %.1f: %.1f alarms of 1000\n", row[i].phi,
			row[i].deviation, got);
		assert_true(got <= row[i].most);
	}
}

static void a_constant_is_steady_from_its_start(void **state)
{
	float x[N];
	struct steady s;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		x[i] = 0.1f;
	s = judged(x);
	assert_int_equal(s.is, STEADY_YES);
	assert_int_equal(s.cut, 0);
	assert_true(fabs(s.first - s.second) < 1e-15 && s.interval < 1e-15);
}

// Of equal cuts the earliest counts: nothing but the start goes.
static void a_step_is_cut_where_it_ends(void **state)
{
	float x[N];

	(void)state;
	for (unsigned at = 0; at < N; at += 50) {
		struct steady s;

		for (unsigned i = 0; i < N; i++)
			x[i] = i < at ? 3 : 1;
		s = judged(x);
		assert_int_equal(s.cut, at);
		assert_int_equal(s.is, at > N / 2 ? STEADY_LATE
				       : at > 150 ? STEADY_DRIFTS
						  : STEADY_YES);
	}
}

static void a_start_that_fades_is_cut(void **state)
{
	unsigned n = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct prng g;
		float x[N];
		struct steady s;

		prng_init(&g, seed, "fades");
		for (unsigned i = 0; i < N; i++)
			x[i] = (float)(1 + 10 * exp(-(double)i / 20) + 0.2 * normal(&g));
		s = judged(x);
		assert_in_range(s.cut, 40, N / 2);
		n += s.is != STEADY_YES;
	}
	assert_in_range(n, 0, 3);
}

static void sine(float *x, double periods, unsigned phase)
{
	for (unsigned i = 0; i < N; i++)
		x[i] = (float)(2 + sin(2 * M_PI * (periods * i / N + (double)phase / PHASES)));
}

static void five_periods_are_steady_and_half_a_period_is_not(void **state)
{
	float x[N];

	(void)state;
	for (unsigned phase = 0; phase < PHASES; phase++) {
		sine(x, 5, phase);
		if (judged(x).is != STEADY_YES)
			fail_msg("five periods from %u: %u", phase, judged(x).is);
	}
	for (unsigned phase = 0; phase < PHASES; phase += PHASES / 4) {
		sine(x, 0.5, phase);
		if (judged(x).is == STEADY_YES)
			fail_msg("half a period from %u", phase);
	}
}

static void a_ramp_is_not_steady(void **state)
{
	float x[N];

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct prng g;

		prng_init(&g, seed, "ramp");
		for (unsigned i = 0; i < N; i++)
			x[i] = (float)(1 + 0.2 * i / N + 0.1 * normal(&g));
		assert_int_not_equal(judged(x).is, STEADY_YES);
	}
}

// The same ramp, and a late step, where nobody minds such a difference.
static void a_difference_that_is_no_matter_is_steady(void **state)
{
	struct steady s;
	float x[N];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		x[i] = (float)(100 + 4.0 * i / N);
	assert_int_equal(judged(x).is, STEADY_YES);
	for (unsigned i = 0; i < N; i++)
		x[i] = i < 400 ? 0 : 1500;
	steady_judge(&s, x, N, FROM, 1518);
	assert_int_equal(s.is, STEADY_YES);
	assert_int_equal(s.cut, 0);
	steady_judge(&s, x, N, FROM, 1000);
	assert_int_equal(s.is, STEADY_LATE);
	assert_int_equal(s.cut, 400);
	assert_true(s.before == 0 && s.after == 1500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_alarms_are_false),
		cmocka_unit_test(a_constant_is_steady_from_its_start),
		cmocka_unit_test(a_step_is_cut_where_it_ends),
		cmocka_unit_test(a_start_that_fades_is_cut),
		cmocka_unit_test(five_periods_are_steady_and_half_a_period_is_not),
		cmocka_unit_test(a_ramp_is_not_steady),
		cmocka_unit_test(a_difference_that_is_no_matter_is_steady),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
