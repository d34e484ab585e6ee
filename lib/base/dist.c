// SPDX-License-Identifier: BSD-3-Clause
// Random whole numbers: inversion of a table, its moments, and logarithms by integer arithmetic.
#include "base/dist.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>

typedef unsigned __int128 wide;

// The first point is a step from no share at all.
static uint64_t share_before(const struct dist_point *point, unsigned i)
{
	return i ? point[i - 1].below : 0;
}

static uint32_t value_before(const struct dist_point *point, unsigned i)
{
	return point[i ? i - 1 : 0].value;
}

// Returns 2 x share x mean of the piece between point i - 1 and point i. In a linear piece a..b the
// numbers a and b have half the share of each number between them, so the rounded values have the
// mean (a + b) / 2. A piece that begins at 0 has the share 1 / 2b of 0, and 0 counts as 1:
// zero_sum_q20() adds that.
static wide piece_sum(const struct dist_point *point, unsigned i)
{
	uint64_t share = point[i].below - share_before(point, i);
	uint32_t from = value_before(point, i), to = point[i].value;

	if (!to)
		return (wide)share * 2;
	return (wide)share * ((uint64_t)from + to);
}

// Returns the addition to piece_sum() of a piece that begins at 0, Q.20.
static wide zero_sum_q20(const struct dist_point *point, unsigned i)
{
	wide share = point[i].below - share_before(point, i);

	if (value_before(point, i) || !point[i].value)
		return 0;
	return (share << 20) / point[i].value;
}

static bool is_table(const struct dist_point *point, unsigned n)
{
	if (!n || n > DIST_MOST || point[n - 1].below != DIST_ONE ||
		point[n - 1].value > DIST_VALUE)
		return false;
	for (unsigned i = 1; i < n; i++)
		if (point[i].below < point[i - 1].below || point[i].value < point[i - 1].value)
			return false;
	return true;
}

int dist_init(struct dist *d, const struct dist_point *point, unsigned n)
{
	wide sum_q20 = 0;

	if (!is_table(point, n))
		return -EINVAL;
	for (unsigned i = 0; i < n; i++)
		sum_q20 += (piece_sum(point, i) << 20) + zero_sum_q20(point, i);
	*d = (struct dist){.point = point,
		.n = n,
		.mean_q20 = (uint64_t)((sum_q20 + DIST_ONE) / (2 * DIST_ONE))};
	return 0;
}

// The value in the piece before point i, `into` of its share behind its begin.
static uint32_t value_in(const struct dist_point *point, unsigned i, uint64_t into)
{
	uint32_t from = value_before(point, i), to = point[i].value;
	uint64_t share = point[i].below - share_before(point, i);
	uint32_t value = from;

	if (to > from)
		value += (uint32_t)(((wide)into * 2 * (to - from) + share) / ((wide)share * 2));
	return value ? value : 1;
}

static uint32_t value_at(const struct dist *d, uint64_t share)
{
	unsigned low = 0, high = d->n - 1; // the first point with a larger share

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (d->point[middle].below > share)
			high = middle;
		else
			low = middle + 1;
	}
	return value_in(d->point, low, share - share_before(d->point, low));
}

uint32_t dist_draw(const struct dist *d, struct prng *g)
{
	return value_at(d, prng_below(g, DIST_ONE));
}

// Values do not fall from one share to the next.
uint32_t dist_quantile(const struct dist *d, uint64_t share)
{
	assert(share <= DIST_ONE);
	return value_at(d, share ? share - 1 : 0);
}

// A piece by its sum, and in it a value by rejection: at least every second one is taken.
uint32_t dist_draw_of_byte(const struct dist *d, struct prng *g)
{
	const unsigned scale = 48; // sums of 2^92 in Q.20 become numbers of 64 bits
	wide all = (wide)d->mean_q20 * 2 * DIST_ONE >> scale, sum = 0;
	uint64_t at = prng_below(g, (uint64_t)all), share;
	unsigned i = 0, last = d->n - 1;
	uint32_t value;

	for (; i < last; i++) {
		sum += (piece_sum(d->point, i) << 20) + zero_sum_q20(d->point, i);
		if (sum >> scale > at)
			break;
	}
	while (i && d->point[i].below == d->point[i - 1].below)
		i--; // the last points may be a gap
	share = d->point[i].below - share_before(d->point, i);
	do
		value = value_in(d->point, i, prng_below(g, share));
	while (prng_below(g, d->point[i].value ? d->point[i].value : 1) >= value);
	return value;
}

// Like the mean: the rounded values of a linear piece a..b have the mean square
// (a^2 + ab + b^2) / 3 + 1/6.
double dist_mean_square(const struct dist *d)
{
	double sum = 0;

	for (unsigned i = 0; i < d->n; i++) {
		double share = (double)(d->point[i].below - share_before(d->point, i));
		double a = value_before(d->point, i), b = d->point[i].value;
		double square = a < b ? (a * a + a * b + b * b) / 3 + 1. / 6 : b * b;

		if (a == 0)
			square += b > 0 ? 0.5 / b : 1;
		sum += share * square;
	}
	return sum / (double)DIST_ONE;
}

#define LOG_BITS 56

// log2(x / 2^63) for x from 2^63 on, in Q.56, rounded down to `bits` digits but for 2^-61. Squaring
// doubles a logarithm, so each square tells the next binary digit. Each loses less than 2^-63 of
// itself, which counts half as much in every further digit.
static uint64_t log2_of_mantissa(uint64_t x, unsigned bits)
{
	uint64_t log = 0;

	for (unsigned i = 0; i < bits; i++) {
		wide square = (wide)x * x;
		unsigned digit = (unsigned)(square >> 127);

		log = log << 1 | digit;
		x = (uint64_t)(square >> (63 + digit));
	}
	return log << (LOG_BITS - bits);
}

#define LN2_Q64 0xb17217f7d1cf79acull

uint64_t dist_minus_ln(uint64_t random)
{
	uint64_t x = random + 1, log2;
	unsigned zeros;

	if (!x)
		return 0;
	// 64 - log2(x) = zeros + 1 - log2 of the mantissa. 40 digits leave 2^-40 open.
	zeros = (unsigned)__builtin_clzll(x);
	log2 = ((uint64_t)zeros << LOG_BITS) + (1ull << LOG_BITS);
	log2 -= log2_of_mantissa(x << zeros, 40);
	return (uint64_t)(((wide)log2 * LN2_Q64 + ((wide)1 << 87)) >> 88);
}

// log2 of a whole number, Q.56.
static uint64_t log2_q56(uint32_t x)
{
	unsigned zeros = (unsigned)__builtin_clzll(x);

	return ((uint64_t)(63 - zeros) << LOG_BITS) +
	       log2_of_mantissa((uint64_t)x << zeros, LOG_BITS);
}

// 2^f in Q.62 for f in Q.56 below 1: the series of e^(f ln 2).
static uint64_t exp2_q62(uint64_t f_q56)
{
	uint64_t z = (uint64_t)((wide)f_q56 * LN2_Q64 >> 58); // Q.62
	uint64_t term = 1ull << 62, sum = 0;

	for (unsigned k = 1; term; k++) {
		sum += term;
		term = (uint64_t)((wide)term * z / k >> 62);
	}
	return sum;
}

// (min / x)^shape, Q.62.
static uint64_t pareto_above(uint64_t log2_ratio_q56, uint32_t shape_ppm)
{
	wide log2 = (wide)log2_ratio_q56 * shape_ppm / 1000000;
	wide up = ((log2 >> LOG_BITS) + 1) << LOG_BITS; // 2^-log2 = 2^(up - log2) / 2^up

	if (up >> LOG_BITS > 62)
		return 0;
	if (up - log2 == (wide)1 << LOG_BITS)
		return 1ull << 62 >> (unsigned)(log2 >> LOG_BITS);
	return exp2_q62((uint64_t)(up - log2)) >> (unsigned)(up >> LOG_BITS);
}

int dist_pareto(
	struct dist_point *point, unsigned room, uint32_t shape_ppm, uint32_t min, uint32_t max)
{
	uint64_t all, value = min;
	unsigned n = 0;

	if (!min || min > max || max > DIST_VALUE || shape_ppm < 10000 || shape_ppm > 100000000)
		return -EINVAL;
	if (!room)
		return -ENOSPC;
	if (min == max) {
		*point = (struct dist_point){min, DIST_ONE};
		return 1;
	}
	all = (1ull << 62) - pareto_above(log2_q56(max) - log2_q56(min), shape_ppm);
	for (unsigned i = 0; value < max; i++) {
		uint64_t part =
			exp2_q62((uint64_t)(i % DIST_OCTAVE) * (1ull << LOG_BITS) / DIST_OCTAVE);
		uint64_t below;

		value = (uint64_t)((((wide)part * min << i / DIST_OCTAVE) + (1ull << 61)) >> 62);
		value = value < max ? value : max;
		if (n && value == point[n - 1].value)
			continue;
		if (n == room)
			return -ENOSPC;
		below = (1ull << 62) -
			pareto_above(log2_q56((uint32_t)value) - log2_q56(min), shape_ppm);
		point[n++] = (struct dist_point){
			(uint32_t)value, (uint64_t)((wide)below * DIST_ONE / all)};
	}
	return (int)n;
}
