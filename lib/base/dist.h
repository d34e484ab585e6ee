// SPDX-License-Identifier: BSD-3-Clause
// Random whole numbers from 1 on: a distribution that a table gives, and the exponential one.
#pragma once

#include <stdint.h>

#include "base/prng.h"

#define DIST_ONE   1000000000000000000ull // a share of 1: percents with 16 decimals are exact
#define DIST_VALUE (1u << 31)             // the largest value
#define DIST_MOST  4096                   // points of a table

// A share of `below` (of DIST_ONE) has at most `value`.
struct dist_point {
	uint32_t value;
	uint64_t below;
};

// The distribution function is linear between two points. Below the first point it is 0, so that
// point has the share `below` itself. Two points with one value are a step: that value has the
// share between them. Two points with one share are a gap: no value lies between them. A value of
// the distribution is rounded to the nearest whole number (halves go up), and 0 counts as 1.
struct dist {
	const struct dist_point *point; // lent
	unsigned n;
	uint64_t mean_q20;
};

// Takes n points, which outlive the distribution. -EINVAL: no point, or more than DIST_MOST; a
// value or a share is less than the one before; a value is beyond DIST_VALUE; the last share is not
// DIST_ONE. A constant is one point with all.
int dist_init(struct dist *d, const struct dist_point *point, unsigned n);

// Draws a value. It takes one number of the generator.
uint32_t dist_draw(const struct dist *d, struct prng *g);

// Draws a value in proportion to itself: the size of the message of which a byte is part that is
// picked at random among the bytes of many messages.
uint32_t dist_draw_of_byte(const struct dist *d, struct prng *g);

// Mean of the values, rounded as they are. It is the closed form, in Q44.20 to nearest.
static inline uint64_t dist_mean_q20(const struct dist *d)
{
	return d->mean_q20;
}

// Mean of the squared values, for reports: a sum of messages that come as a Poisson process has the
// variance (expected number) x (mean square).
double dist_mean_square(const struct dist *d);

// The least value that a share of at least `share` (0..DIST_ONE) does not exceed. It agrees with
// the draws to the last digit.
uint32_t dist_quantile(const struct dist *d, uint64_t share);

// -ln((random + 1) / 2^64) in Q32.32, by integer arithmetic; at most 0.5001 * 2^-32 from the exact
// value. So it lies in 0 (random = 2^64 - 1) .. 44.36 (random = 0), and its mean over all numbers
// is 1 within 2^-33.
uint64_t dist_minus_ln(uint64_t random);

// Draws from the exponential distribution with mean 1, Q32.32. It takes one number of the
// generator.
static inline uint64_t dist_exponential(struct prng *g)
{
	return dist_minus_ln(prng_u64(g));
}

#define DIST_OCTAVE 64                     // points of an octave
#define DIST_PARETO (32 * DIST_OCTAVE + 2) // room for each bounded Pareto distribution

// Writes the table of the Pareto distribution with a shape (in millionths, 10,000..100,000,000)
// that is bounded to min..max (1..DIST_VALUE): the share up to x is
//   (1 - (min/x)^shape) / (1 - (min/max)^shape).
// The points stand at whole numbers, DIST_OCTAVE in each octave where there are as many. Integer
// arithmetic gives the same table on every processor. The share of a point is right to 10^-14.
// Between two points the share is too low: for min from 1000 on by at most
//   1.8e-5 * shape * (shape + 1) * (min/x)^shape / (1 - (min/max)^shape)
// so that the mean is too high, with a shape up to 2 by less than 3e-5 of itself. A smaller min has
// fewer whole numbers in its first octaves.
// Returns the number of points, which is at most DIST_PARETO. -EINVAL: a number out of range, min
// above max; -ENOSPC: more points than `room`.
int dist_pareto(
	struct dist_point *point, unsigned room, uint32_t shape_ppm, uint32_t min, uint32_t max);
