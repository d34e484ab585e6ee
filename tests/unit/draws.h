// SPDX-License-Identifier: BSD-3-Clause
// Shared by tests of random numbers: Kolmogorov and Smirnov's test, and Pearson's chi-square. Both
// refuse one sample in a thousand; seeds are fixed, so that a test does the same each time.
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/binom.h"

#define DRAWS_SEEDS 10 // 1..10

static inline int draws_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// The n numbers are uniform in 0..1 if their distribution function was taken of the right numbers.
// Kolmogorov's distribution leaves 0.1 % above 1.9495. Sorts them.
static inline void draws_are_uniform(double *u, unsigned n, uint64_t seed, const char *what)
{
	double most = 0;

	qsort(u, n, sizeof(*u), draws_order);
	for (unsigned i = 0; i < n; i++) {
		most = fmax(most, u[i] - (double)i / n);
		most = fmax(most, (double)(i + 1) / n - u[i]);
	}
	if (most * sqrt(n) > 1.9495)
		fail_msg("%s, seed %llu: KS distance x sqrt(n) = %.3f", what,
			(unsigned long long)seed, most * sqrt(n));
}

// seen[i] of `draws` draws fell into bin i, which has the probability share[i]. Bins without a
// share have no draws.
static inline void draws_fit(const unsigned *seen, const double *share, unsigned bins,
	unsigned draws, uint64_t seed, const char *what)
{
	double sum = 0;
	unsigned used = 0;

	for (unsigned i = 0; i < bins; i++) {
		double want = share[i] * draws;

		if (want < 1e-6) {
			if (seen[i])
				fail_msg("%s, seed %llu: bin %u has %u draws and no share", what,
					(unsigned long long)seed, i, seen[i]);
			continue;
		}
		sum += (seen[i] - want) * (seen[i] - want) / want;
		used++;
	}
	if (binom_chi_square_above(sum, used - 1) < 0.001)
		fail_msg("%s, seed %llu: chi-square %.2f of %u degrees", what,
			(unsigned long long)seed, sum, used - 1);
}

// `sum` of draws has this mean and variance: within 3 sigma (0.27 %) of it.
static inline void draws_near(
	double sum, double mean, double variance, uint64_t seed, const char *what)
{
	double off = (sum - mean) / sqrt(variance);

	if (!(fabs(off) < 3))
		fail_msg("%s, seed %llu: %.1f is %.2f sigma from %.1f", what,
			(unsigned long long)seed, sum, off, mean);
}
