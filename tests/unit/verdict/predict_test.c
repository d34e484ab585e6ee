// SPDX-License-Identifier: BSD-3-Clause
// Prediction intervals: computed by hand, on each scale, and how many values lie outside.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/binom.h"
#include "verdict/predict.h"
#include "base/prng.h"

static void near(double value, double want)
{
	if (!(fabs(value - want) <= 1e-6 * (1 + fabs(want))))
		fail_msg("%.9g, wanted %.9g", value, want);
}

// Five values with mean 3 and variance 2.5 on their scale: t(0.975; 4) = 2.776445.
static void intervals_are_students(void **state)
{
	const double half = 2.7764451052 * sqrt(2.5 * 1.2);
	double times[5], counts[5], shares[5];
	struct predict p;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		times[i] = exp(i + 1.0);
		counts[i] = (i + 11.0) * (i + 11.0) / 4 - 0.375;
		shares[i] = 1 / (1 + exp(-(i + 1.0)));
	}
	p = predict_next(times, 5, PREDICT_LOG, 0.05);
	near(p.middle, exp(3));
	near(p.low, exp(3 - half));
	near(p.high, exp(3 + half));
	p = predict_next(counts, 5, PREDICT_ROOT, 0.05);
	near(p.middle, 13 * 13 / 4.0 - 0.375);
	near(p.low, (13 - half) * (13 - half) / 4 - 0.375);
	near(p.high, (13 + half) * (13 + half) / 4 - 0.375);
	p = predict_next(shares, 5, PREDICT_LOGIT, 0.05);
	near(p.middle, 1 / (1 + exp(-3)));
	near(p.low, 1 / (1 + exp(half - 3)));
	near(p.high, 1 / (1 + exp(-half - 3)));
}

static void edges_have_intervals(void **state)
{
	static const double some[] = {0, 3, 1, 0}, whole[] = {1, 0.9999999, 1, 0.99};
	struct predict p = predict_next(some, 4, PREDICT_LOG, 0.01);

	(void)state;
	assert_true(p.low == 0 && p.middle > 0 && p.middle < 1 && p.high > 3);
	p = predict_next(some, 4, PREDICT_ROOT, 0.01);
	assert_true(p.low == 0 && p.high > 3);
	p = predict_next(whole, 4, PREDICT_LOGIT, 0.01);
	assert_true(p.low > 0 && p.middle > 0.99 && p.high <= 1);
	p = predict_next((double[]){7, 7, 7}, 3, PREDICT_LOG, 0.01);
	near(p.low, 7);
	near(p.high, 7);
}

// The sum of twelve equal shares of 0..1 is nearly normal.
static double drawn(struct prng *g)
{
	double sum = 0;

	for (unsigned i = 0; i < 12; i++)
		sum += prng_u32(g) / 0x1p32;
	return sum - 6;
}

// Of 20 drawn values and one more, over ten seeds: outside a 5 % interval lies one in 20.
static void as_many_lie_outside_as_asked_for(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint64_t outside = 0, rounds = 4000;
		struct prng g;

		prng_init(&g, seed, "predict");
		for (unsigned i = 0; i < rounds; i++) {
			double x[21];
			struct predict p;

			for (unsigned k = 0; k < 21; k++)
				x[k] = exp(3 + 0.2 * drawn(&g));
			p = predict_next(x, 20, PREDICT_LOG, 0.05);
			outside += x[20] < p.low || x[20] > p.high;
		}
		assert_true(fabs(binom_sigmas(rounds, outside, 0.05)) < 3.5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_students),
		cmocka_unit_test(edges_have_intervals),
		cmocka_unit_test(as_many_lie_outside_as_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
