// SPDX-License-Identifier: BSD-3-Clause
// Random whole numbers: draws against the table, moments, quantiles, the exponential distribution
// against libm, bounded Pareto tables against the closed form.
#include <errno.h>
#include <string.h>

#include "draws.h"

#include "base/dist.h"

#define PERCENT (DIST_ONE / 100)
#define N(a)    (sizeof(a) / sizeof((a)[0]))

static struct dist made(const struct dist_point *point, unsigned n)
{
	struct dist d;

	assert_int_equal(dist_init(&d, point, n), 0);
	return d;
}

static void bad_tables(void **state)
{
	static const struct dist_point falls[] = {{0, 0}, {9, 5}, {10, 4}, {11, DIST_ONE}},
				       back[] = {{0, 0}, {9, 5}, {8, DIST_ONE}},
				       short_of_one[] = {{0, 0}, {9, DIST_ONE - 1}},
				       beyond_one[] = {{0, 0}, {9, DIST_ONE + 1}},
				       beyond[] = {{0, 0}, {DIST_VALUE + 1, DIST_ONE}};
	static struct dist_point many[DIST_MOST + 1];
	struct dist d = {.n = 77};

	(void)state;
	for (unsigned i = 0; i < N(many); i++)
		many[i] = (struct dist_point){i, DIST_ONE};
	assert_int_equal(dist_init(&d, falls, N(falls)), -EINVAL);
	assert_int_equal(dist_init(&d, back, N(back)), -EINVAL);
	assert_int_equal(dist_init(&d, short_of_one, N(short_of_one)), -EINVAL);
	assert_int_equal(dist_init(&d, beyond_one, N(beyond_one)), -EINVAL);
	assert_int_equal(dist_init(&d, beyond, N(beyond)), -EINVAL);
	assert_int_equal(dist_init(&d, many, N(many)), -EINVAL);
	assert_int_equal(dist_init(&d, many, 0), -EINVAL);
	assert_int_equal(d.n, 77);
	assert_int_equal(dist_init(&d, many, DIST_MOST), 0);
}

// One point, or points of one value: no draw differs.
static void a_constant_is_one_point(void **state)
{
	static const struct {
		struct dist_point point[3];
		unsigned n;
		uint32_t value;
	} c[] = {
		{{{64000, DIST_ONE}}, 1, 64000},
		{{{1, DIST_ONE}}, 1, 1},
		{{{0, DIST_ONE}}, 1, 1}, // a message has at least a byte
		{{{DIST_VALUE, DIST_ONE}}, 1, DIST_VALUE},
		{{{5, 0}, {5, PERCENT}, {5, DIST_ONE}}, 3, 5},
		{{{5, 0}, {7, 0}, {7, DIST_ONE}}, 3, 7}, // a gap, then a step
		{{{5, 0}, {5, DIST_ONE}, {7, DIST_ONE}}, 3, 5},
	};

	(void)state;
	for (unsigned i = 0; i < N(c); i++) {
		struct dist d = made(c[i].point, c[i].n);
		struct prng g;

		prng_init(&g, i, "constant");
		for (unsigned k = 0; k < 1000; k++) {
			assert_int_equal(dist_draw(&d, &g), c[i].value);
			assert_int_equal(dist_draw_of_byte(&d, &g), c[i].value);
		}
		assert_int_equal(dist_mean_q20(&d), (uint64_t)c[i].value << 20);
		assert_true(dist_mean_square(&d) == (double)c[i].value * c[i].value);
		assert_int_equal(dist_quantile(&d, 0), c[i].value);
		assert_int_equal(dist_quantile(&d, 1), c[i].value);
		assert_int_equal(dist_quantile(&d, DIST_ONE), c[i].value);
	}
}

#define VALUES 64

// The share of values up to k: that of numbers below k + 1/2.
static double up_to(const struct dist_point *point, unsigned n, unsigned k)
{
	double x = k + 0.5;
	unsigned i = 0;

	while (i < n && point[i].value <= x)
		i++;
	if (!i)
		return 0;
	if (i == n)
		return 1;

	double from = (double)point[i - 1].below, to = (double)point[i].below;
	double into = (x - point[i - 1].value) / (point[i].value - point[i - 1].value);

	return (from + (to - from) * into) / (double)DIST_ONE;
}

// Probabilities of the values 0..VALUES - 1.
static void shares_of(double share[VALUES], const struct dist_point *point, unsigned n)
{
	for (unsigned k = 0; k < VALUES; k++)
		share[k] = !k ? 0 : up_to(point, n, k) - (k > 1 ? up_to(point, n, k - 1) : 0);
}

// A table of few, small values: from 0 in every second one, with steps and gaps.
static unsigned random_table(struct dist_point point[8], uint64_t seed)
{
	unsigned n = 2 + seed % 7;
	struct prng g;

	prng_init(&g, seed, "table");
	for (unsigned i = 0; i < n; i++) {
		uint64_t share = prng_below(&g, DIST_ONE / n);
		uint32_t step = (uint32_t)prng_below(&g, 8);

		point[i].value = i ? point[i - 1].value + step * (step < 6) : step * (seed & 1);
		point[i].below = i ? point[i - 1].below + share * (share % 4 > 0) : share % 3;
	}
	point[n - 1].below = DIST_ONE;
	return n;
}

static void draws_have_the_shares_of_the_table(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct dist_point point[8];
		unsigned n = random_table(point, seed), seen[VALUES] = {0}, bytes[VALUES] = {0};
		struct dist d = made(point, n);
		double share[VALUES], mean = 0, square = 0;
		struct prng g;

		shares_of(share, point, n);
		for (unsigned k = 0; k < VALUES; k++) {
			mean += k * share[k];
			square += (double)k * k * share[k];
		}
		assert_true(fabs(mean - (double)dist_mean_q20(&d) / (1 << 20)) < 1e-6);
		assert_true(fabs(square - dist_mean_square(&d)) < 1e-9 * square);
		prng_init(&g, seed, "draws");
		for (unsigned i = 0; i < 50000; i++) {
			seen[dist_draw(&d, &g)]++;
			bytes[dist_draw_of_byte(&d, &g)]++;
		}
		draws_fit(seen, share, VALUES, 50000, seed, "values");
		for (unsigned k = 0; k < VALUES; k++)
			share[k] *= k / mean;
		draws_fit(bytes, share, VALUES, 50000, seed, "values of bytes");
	}
}

// The least value that has at least the share.
static void quantiles_are_those_of_the_draws(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct dist_point point[8];
		unsigned n = random_table(point, seed);
		struct dist d = made(point, n);
		struct prng g;

		prng_init(&g, seed, "shares");
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t share = prng_below(&g, DIST_ONE);
			uint32_t value = dist_quantile(&d, share);

			assert_in_range(value, 1, VALUES - 1);
			assert_true(up_to(point, n, value) >= (double)share / DIST_ONE - 1e-12);
			if (value > 1)
				assert_true(up_to(point, n, value - 1) <=
					    (double)share / DIST_ONE + 1e-12);
		}
	}
}

// 10 bins of one probability end where the points of the table do.
static void quantiles_of_points(void **state)
{
	static const struct dist_point point[] = {{0, 0}, {100, 10 * PERCENT}, {100, 30 * PERCENT},
		{200, 50 * PERCENT}, {300, 50 * PERCENT}, {DIST_VALUE, DIST_ONE}};
	struct dist d = made(point, N(point));

	(void)state;
	assert_int_equal(dist_quantile(&d, 0), 1);
	assert_int_equal(dist_quantile(&d, 10 * PERCENT), 100);
	assert_int_equal(dist_quantile(&d, 20 * PERCENT), 100);
	assert_int_equal(dist_quantile(&d, 30 * PERCENT), 100);
	assert_int_equal(dist_quantile(&d, 40 * PERCENT), 150);
	assert_int_equal(dist_quantile(&d, 50 * PERCENT), 200);
	assert_int_equal(dist_quantile(&d, 50 * PERCENT + 1), 300);
	assert_int_equal(dist_quantile(&d, DIST_ONE), DIST_VALUE);
}

// Sums of the longest range of values fit: mean (2^31 + 1 / 2^31) / 2.
static void the_longest_range(void **state)
{
	static const struct dist_point point[] = {{0, 0}, {DIST_VALUE, DIST_ONE}};
	struct dist d = made(point, N(point));
	double sum = 0, square = dist_mean_square(&d), mean = DIST_VALUE / 2.;
	struct prng g;

	(void)state;
	assert_int_equal(dist_mean_q20(&d), (uint64_t)DIST_VALUE << 19);
	assert_true(fabs(square / mean / mean - 4. / 3) < 1e-9);
	prng_init(&g, 1, "longest");
	for (unsigned i = 0; i < 100000; i++)
		sum += dist_draw(&d, &g);
	draws_near(sum, 1e5 * mean, 1e5 * (square - mean * mean), 1, "values");
	for (sum = 0; sum < 1;)
		sum = dist_draw_of_byte(&d, &g);
}

static double exponential_share(uint64_t random)
{
	return 1 - exp(-(double)dist_minus_ln(random) / 4294967296.0);
}

static void the_logarithm_is_right_to_the_last_bit(void **state)
{
	long double unit = 4294967296.0L;
	struct prng g;

	(void)state;
	assert_int_equal(dist_minus_ln(UINT64_MAX), 0);
	assert_int_equal(dist_minus_ln(0), (uint64_t)roundl(64 * logl(2) * unit));
	prng_init(&g, 1, "logarithm");
	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t r = prng_u64(&g);
		unsigned bits = prng_u32(&g) & 63;

		// small numbers, and numbers next to 2^64
		r = i % 3 == 0 ? r : i % 3 == 1 ? r >> bits : ~(r >> bits);

		long double exact = -logl(((long double)r + 1) / (unit * unit)) * unit;

		if (fabsl((long double)dist_minus_ln(r) - exact) > 0.5001L)
			fail_msg("-ln of %llu: %llu, not %Lf", (unsigned long long)r,
				(unsigned long long)dist_minus_ln(r), exact);
	}
	for (unsigned bit = 0; bit < 64; bit++) // powers of two, and their neighbours
		for (uint64_t r = (1ull << bit) - 2; r + 1 != (1ull << bit) + 2; r++) {
			long double exact =
				r == UINT64_MAX
					? 0
					: -logl(((long double)r + 1) / (unit * unit)) * unit;

			assert_true(fabsl((long double)dist_minus_ln(r) - exact) <= 0.5001L);
		}
}

// Draws are the same on every processor and by every compiler.
static void known_draws(void **state)
{
	static const uint64_t times[] = {4564636526, 1204114447, 3096811383, 288107321};
	static const uint32_t sizes[] = {1154, 7490, 1879, 1012};
	static struct dist_point p[DIST_PARETO];
	struct dist d;
	struct prng g;

	(void)state;
	prng_init(&g, 1, "known");
	for (unsigned i = 0; i < N(times); i++)
		assert_int_equal(dist_exponential(&g), times[i]);
	assert_int_equal(dist_pareto(p, DIST_PARETO, 1050000, 1000, 10000000), 852);
	assert_int_equal(p[100].value, 2954);
	assert_int_equal(p[100].below, 679364999314556211);
	assert_int_equal(p[700].value, 1961172);
	assert_int_equal(p[700].below, 999714051088255185);
	d = made(p, 852);
	for (unsigned i = 0; i < N(sizes); i++)
		assert_int_equal(dist_draw(&d, &g), sizes[i]);
}

static void exponential_times(void **state)
{
	static double u[100000];

	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		struct prng g, same;
		double sum = 0;

		prng_init(&g, seed, "exponential");
		same = g;
		for (unsigned i = 0; i < N(u); i++) {
			sum += (double)dist_exponential(&g) / 4294967296.0;
			u[i] = exponential_share(prng_u64(&same));
		}
		draws_near(sum, N(u), N(u), seed, "sum of exponential times");
		draws_are_uniform(u, N(u), seed, "exponential times");
	}
	// The mean over all numbers, by the middles of 2^22 slices, and their own errors.
	double sum = 0, exact = 0;

	for (uint64_t i = 0; i < 1 << 22; i++) {
		uint64_t r = i << 42 | 1ull << 41;

		sum += (double)dist_minus_ln(r);
		exact += -log(((double)r + 1) / 18446744073709551616.0) * 4294967296.0;
	}
	assert_true(fabs(sum - exact) < 0.005 * (1 << 22)); // of a last place, each
}

static const uint32_t shapes[] = {10000, 500000, 1000000, 1050000, 2000000, 100000000};
static const uint32_t bounds[][2] = {{1, 10}, {1000, 10000000}, {1, DIST_VALUE},
	{DIST_VALUE / 2, DIST_VALUE}, {1000, 1001}, {999983, 7000003}};

// The share of a bounded Pareto distribution up to x.
static long double pareto_share(long double shape, long double min, long double max, long double x)
{
	return expm1l(-shape * logl(x / min)) / expm1l(-shape * logl(max / min));
}

static void check_pareto(uint32_t ppm, uint32_t min, uint32_t max)
{
	static struct dist_point p[DIST_PARETO];
	int n = dist_pareto(p, DIST_PARETO, ppm, min, max);
	long double shape = ppm / 1e6L;

	assert_in_range(n, 2, DIST_PARETO);
	made(p, (unsigned)n);
	assert_int_equal(p[0].value, min);
	assert_int_equal(p[0].below, 0);
	assert_int_equal(p[n - 1].value, max);
	for (int i = 1; i < n; i++) {
		long double at = pareto_share(shape, min, max, p[i].value);
		long double x = (p[i].value + p[i - 1].value) / 2.L;
		long double half = pareto_share(shape, min, max, x);
		long double chord = (p[i].below + p[i - 1].below) / 2.L / DIST_ONE;
		long double most = 1.8e-5L * shape * (shape + 1) * powl(min / x, shape) /
				   -expm1l(-shape * logl((long double)max / min));

		assert_true(p[i].value > p[i - 1].value);
		assert_true(fabsl(at - (long double)p[i].below / DIST_ONE) < 1e-14L);
		if (min >= 1000) // each octave has its points
			assert_in_range((uint64_t)((half - chord + 1e-14L) * 1e18L), 0,
				(uint64_t)((most + 2e-14L) * 1e18L));
	}
}

static void pareto_tables_have_the_closed_form(void **state)
{
	(void)state;
	for (unsigned s = 0; s < N(shapes); s++)
		for (unsigned b = 0; b < N(bounds); b++)
			check_pareto(shapes[s], bounds[b][0], bounds[b][1]);
}

// The mean is shape / (shape - 1) (min - max (min/max)^shape) / (1 - (min/max)^shape).
static void pareto_means(void **state)
{
	static struct dist_point p[DIST_PARETO];

	(void)state;
	for (unsigned s = 1; s < N(shapes) - 1; s++) {
		int n = dist_pareto(p, DIST_PARETO, shapes[s], 1000, 10000000);
		struct dist d = made(p, (unsigned)n);
		double a = shapes[s] / 1e6, tail = pow(1e-4, a);
		double exact = a == 1 ? 1000 * log(1e4) / (1 - tail)
				      : a / (a - 1) * (1000 - 1e7 * tail) / (1 - tail);
		double off = (double)dist_mean_q20(&d) / (1 << 20) / exact - 1;

		assert_true(off > 0 && off < 3e-5);
	}
}

static void pareto_limits(void **state)
{
	struct dist_point p[DIST_PARETO];

	(void)state;
	assert_int_equal(dist_pareto(p, DIST_PARETO, 9999, 1, 2), -EINVAL);
	assert_int_equal(dist_pareto(p, DIST_PARETO, 100000001, 1, 2), -EINVAL);
	assert_int_equal(dist_pareto(p, DIST_PARETO, 1000000, 0, 2), -EINVAL);
	assert_int_equal(dist_pareto(p, DIST_PARETO, 1000000, 3, 2), -EINVAL);
	assert_int_equal(dist_pareto(p, DIST_PARETO, 1000000, 3, DIST_VALUE + 1), -EINVAL);
	assert_int_equal(dist_pareto(p, 0, 1000000, 1, 2), -ENOSPC);
	assert_int_equal(dist_pareto(p, 64, 1000000, 1 << 30, DIST_VALUE), -ENOSPC);
	assert_int_equal(dist_pareto(p, 65, 1000000, 1 << 30, DIST_VALUE), 65);
	assert_int_equal(dist_pareto(p, 1, 1000000, 7, 7), 1);
	assert_int_equal(p[0].value, 7);
	assert_int_equal(p[0].below, DIST_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_tables),
		cmocka_unit_test(a_constant_is_one_point),
		cmocka_unit_test(draws_have_the_shares_of_the_table),
		cmocka_unit_test(quantiles_are_those_of_the_draws),
		cmocka_unit_test(quantiles_of_points),
		cmocka_unit_test(the_longest_range),
		cmocka_unit_test(the_logarithm_is_right_to_the_last_bit),
		cmocka_unit_test(known_draws),
		cmocka_unit_test(exponential_times),
		cmocka_unit_test(pareto_tables_have_the_closed_form),
		cmocka_unit_test(pareto_means),
		cmocka_unit_test(pareto_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
