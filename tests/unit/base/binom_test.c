// SPDX-License-Identifier: BSD-3-Clause
// Intervals and chi-square against published values, the fit against its own counts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/prng.h"
#include "base/binom.h"

static void near(double value, double want, double within)
{
	if (!(fabs(value - want) <= within))
		fail_msg("%.9g, wanted %.9g", value, want);
}

// Newcombe 1998, table I, method 3.
static void intervals_are_wilsons(void **state)
{
	static const struct {
		unsigned n, m;
		double low, high;
	} row[] = {{263, 81, 0.2553, 0.3662}, {148, 15, 0.0624, 0.1605}, {20, 0, 0, 0.1611},
		{29, 1, 0.0061, 0.1718}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		double low, high;

		binom_wilson(row[i].n, row[i].m, &low, &high);
		near(low, row[i].low, 5e-5);
		near(high, row[i].high, 5e-5);
		binom_wilson(row[i].n, row[i].n - row[i].m, &low, &high);
		near(1 - high, row[i].low, 5e-5);
		near(1 - low, row[i].high, 5e-5);
	}
}

static void nothing_seen_says_nothing(void **state)
{
	struct binom none[2] = {{0}, {.n = 10}};
	double low, high;

	(void)state;
	binom_wilson(0, 0, &low, &high);
	assert_true(low == 0 && high == 1);
	assert_true(isnan(binom_fit(none, 2)));
	assert_true(isnan(binom_fit_error(none, 2, 0.5)));
	assert_true(isnan(binom_sigmas(0, 0, 0.5)));
	assert_true(isnan(binom_sigmas(10, 0, 0)));
	assert_true(isnan(binom_sigmas(10, 10, 1)));
	assert_true(binom_chi_square_above(0, 0) == 1);
}

// The usual table of critical values.
static void chi_square_is_that_of_tables(void **state)
{
	static const struct {
		unsigned degrees;
		double x, above;
	} row[] = {{1, 3.841, 0.05}, {1, 6.635, 0.01}, {2, 5.991, 0.05}, {3, 7.815, 0.05},
		{10, 18.307, 0.05}, {25, 37.652, 0.05}, {50, 67.505, 0.05}, {60, 88.379, 0.01},
		{99, 69.230, 0.99}, {100, 118.498, 0.1}};

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		near(binom_chi_square_above(row[i].x, row[i].degrees), row[i].above, 5e-5);
	near(binom_chi_square_above(1e6, 64), 0, 1e-12);
	near(binom_chi_square_above(1e-6, 64), 1, 1e-12);
}

// One group: the fit is m / (n s). Several that agree exactly with a factor: that factor.
static void exact_counts_give_the_factor(void **state)
{
	struct binom one = {.n = 1000, .m = 30, .shape = 0.5};
	struct binom line[4] = {
		{1000, 50, 0.25}, {1000, 100, 0.5}, {1000, 150, 0.75}, {1000, 200, 1}};
	struct binom all = {.n = 10, .m = 10, .shape = 0.5};

	(void)state;
	near(binom_fit(&one, 1), 0.06, 1e-12);
	near(binom_fit_error(&one, 1, 0.06), sqrt(0.03 * 0.97 / 1000) / 0.5, 1e-12);
	near(binom_fit(line, 4), 0.2, 1e-12);
	near(binom_fit(&all, 1), 2, 1e-12);
	near(binom_fit_error(&all, 1, 2), 0, 0);
	near(binom_sigmas(1000, 50, 0.04), 10 / sqrt(38.4), 1e-12);
}

// Drawn counts: over ten seeds the fit is off by what binom_fit_error says, not more and not less.
static void drawn_counts_are_off_by_their_error(void **state)
{
	double squares = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct binom b[20];
		struct prng g;
		double off;

		prng_init(&g, seed, "fit");
		for (unsigned i = 0; i < 20; i++) {
			b[i] = (struct binom){.n = 5000, .shape = (i + 0.5) / 20};
			for (unsigned k = 0; k < 5000; k++)
				b[i].m += prng_u32(&g) < 0.2 * b[i].shape * 0x1p32;
		}
		off = (binom_fit(b, 20) - 0.2) / binom_fit_error(b, 20, 0.2);
		assert_true(fabs(off) < 5);
		squares += off * off;
	}
	assert_true(binom_chi_square_above(squares, 10) > 1e-4);
	assert_true(binom_chi_square_above(squares, 10) < 1 - 1e-4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_wilsons),
		cmocka_unit_test(nothing_seen_says_nothing),
		cmocka_unit_test(chi_square_is_that_of_tables),
		cmocka_unit_test(exact_counts_give_the_factor),
		cmocka_unit_test(drawn_counts_are_off_by_their_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
