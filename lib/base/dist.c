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

#define LN2_Q64  0xb17217f7d1cf79acull
#define LN2_Q58  (LN2_Q64 >> 6)
#define ROOT_Q63 0xb504f333f9de6485ull // the square root of 2
#define PART(n)  ((1ull << 63) / (n))

// ln(x / 2^63) for x from 2^63 on, in Q.64, to 2^-56. With m = x / 2^63, halved above the root of
// 2, and s = (m - 1) / (m + 1), it is 2 (s + s^3 / 3 + s^5 / 5 + ...), where |s| < 0.172.
static uint64_t ln_of_mantissa(uint64_t x)
{
	static const uint64_t part[] = {PART(19), PART(17), PART(15), PART(13), PART(11), PART(9),
		PART(7), PART(5), PART(3), PART(1)};
	bool is_above = x > ROOT_Q63;
	uint64_t away = is_above ? -x : x - (1ull << 63);
	uint64_t sum_of_both = is_above ? (x >> 1) + (1ull << 63) : (x >> 1) + (1ull << 62);
	uint64_t s = (uint64_t)(((wide)away << 63) / sum_of_both);
	uint64_t square = (uint64_t)((wide)s * s >> 64), series = 0;

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		series = part[i] + (uint64_t)((wide)series * square >> 64);
	series = (uint64_t)((wide)s * series >> 62);
	return is_above ? LN2_Q64 - series : series;
}

uint64_t dist_minus_ln(uint64_t random)
{
	uint64_t x = random + 1;
	unsigned zeros;

	if (!x)
		return 0;
	zeros = (unsigned)__builtin_clzll(x); // x / 2^64 = mantissa / 2^(zeros + 1)
	return (uint64_t)(((wide)LN2_Q64 * (zeros + 1) - ln_of_mantissa(x << zeros) + (1u << 31)) >>
			  32);
}

// ln of a whole number, Q.58.
static uint64_t ln_q58(uint32_t x)
{
	unsigned zeros = (unsigned)__builtin_clzll(x);

	return (uint64_t)(((wide)LN2_Q64 * (63 - zeros) + ln_of_mantissa((uint64_t)x << zeros)) >>
			  6);
}

// e^z in Q.62, for z in Q.58 up to ln 2: the series.
static uint64_t exp_q62(uint64_t z_q58)
{
	uint64_t term = 1ull << 62, sum = 0;

	for (unsigned k = 1; term; k++) {
		sum += term;
		term = (uint64_t)((wide)term * z_q58 / k >> 58);
	}
	return sum;
}

// (min / x)^shape in Q.62, by ln(x / min).
static uint64_t pareto_above(uint64_t log_q58, uint32_t shape_ppm)
{
	wide power = (wide)log_q58 * shape_ppm / 1000000; // Q.58
	unsigned halves = (unsigned)(power / LN2_Q58) + 1;

	if (!power)
		return 1ull << 62;
	// e^-power = e^(halves ln 2 - power) / 2^halves
	return halves > 62 ? 0 : exp_q62((uint64_t)((wide)LN2_Q58 * halves - power)) >> halves;
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
	all = (1ull << 62) - pareto_above(ln_q58(max) - ln_q58(min), shape_ppm);
	for (unsigned i = 0; value < max; i++) {
		uint64_t part = exp_q62(LN2_Q58 / DIST_OCTAVE * (i % DIST_OCTAVE));
		uint64_t below;

		value = (uint64_t)((((wide)part * min << i / DIST_OCTAVE) + (1ull << 61)) >> 62);
		value = value < max ? value : max;
		if (n && value == point[n - 1].value)
			continue;
		if (n == room)
			return -ENOSPC;
		below = (1ull << 62) -
			pareto_above(ln_q58((uint32_t)value) - ln_q58(min), shape_ppm);
		point[n++] = (struct dist_point){
			(uint32_t)value, (uint64_t)((wide)below * DIST_ONE / all)};
	}
	return (int)n;
}
