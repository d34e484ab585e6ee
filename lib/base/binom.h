// SPDX-License-Identifier: BSD-3-Clause
// Counts of a yes-or-no decision against the probability that it should have.
#pragma once

#include <stdint.h>

// Decisions that were made with nearly one probability: n of them, m yes, `shape` times a common
// factor being their mean probability.
struct binom {
	uint64_t n, m;
	double shape;
};

// Wilson's 95 % interval of the probability (Wilson 1927); 0 to 1 where n is 0.
void binom_wilson(uint64_t n, uint64_t m, double *low, double *high);

// The factor that makes the counts likeliest, probability = factor * shape; at most 1 / the largest
// shape. NAN: no count says anything.
double binom_fit(const struct binom *b, unsigned count);

// The standard error of that fit where `factor` is the true one; 0 where a count settles it.
double binom_fit_error(const struct binom *b, unsigned count, double factor);

// Deviation of m from n p in standard deviations; NAN where p is 0 or 1 or n is 0.
double binom_sigmas(uint64_t n, uint64_t m, double p);

// The share of a chi-square distribution with `degrees` of freedom that lies above x; 1 for none.
double binom_chi_square_above(double x, unsigned degrees);
