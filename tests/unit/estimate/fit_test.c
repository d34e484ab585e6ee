// SPDX-License-Identifier: BSD-3-Clause
// Fits of a marker's line to counts that a line of known values has drawn.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "base/prng.h"
#include "estimate/fit.h"
#include "rounds.h"

#define UNIT 64 // bytes of a frame
#define WIDE 4  // frames of a bin
#define MOST 4096
#define DRAW 400

static bool draws(struct prng *g, double p)
{
	return (double)(prng_u64(g) >> 11) * 0x1p-53 < p;
}

// Counts of `ramps` ramps of `length` frames, in bins; bins that reach over kmax are left out.
static unsigned ramp_bins(struct prng *g, const struct fit_line *is, unsigned length,
	unsigned ramps, double curved, struct fit_bin *bin)
{
	unsigned n = 0;

	for (unsigned at = 1; at + WIDE <= length && n < MOST; at += WIDE, n++) {
		bin[n] = (struct fit_bin){(at + (WIDE - 1) / 2.) * UNIT, 0, 0};
		for (unsigned i = 0; i < WIDE * ramps; i++) {
			double q = (at + i % WIDE) * UNIT, p = fit_line_at(is, q);

			bin[n].n++;
			bin[n].m += draws(g, curved ? pow(p, curved) : p);
		}
	}
	return n;
}

// The 95 % intervals of `all` draws hold the true value as often as a binomial count allows
// (3.3 standard deviations).
static void holds_it(unsigned held, unsigned all, const char *what)
{
	double want = .95 * all, spread = sqrt(.95 * .05 * all);

	print_message("%s: %u of %u intervals hold it\n", what, held, all);
	if (rounds_are_all())
		assert_true(held >= want - 3.3 * spread && held <= want + 3.3 * spread + 1);
}

// Ramps, and a queue that is held at two lengths, as the step does it.
static void intervals_hold_the_truth(void **state)
{
	static const struct fit_line line[] = {{.kmin = 24729, .kmax = 58880, .pmax = .0488},
		{.kmin = 4000, .kmax = 90000, .pmax = .3},
		{.kmin = 30000, .kmax = 40000, .pmax = .8},
		{.kmin = 50000, .kmax = 200000, .pmax = .02}};
	static struct fit_bin bin[MOST];
	const unsigned all = rounds_of(DRAW) / 4;

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		unsigned kmin_held = 0, pmax_held = 0;

		for (unsigned seed = 1; seed <= all; seed++) {
			struct fit_line l;
			struct prng g;
			unsigned n;

			prng_init(&g, seed, "fit");
			n = ramp_bins(&g, &line[k], (unsigned)(line[k].kmax / UNIT), 40, 0, bin);
			for (unsigned i = 0; i < 2; i++) {
				double x = i ? .94 : .1;
				double q = line[k].kmin + x * (line[k].kmax - line[k].kmin);
				struct fit_bin *b = &bin[n++];

				*b = (struct fit_bin){q, 40000, 0};
				for (unsigned j = 0; j < 40000; j++)
					b->m += draws(&g, x * line[k].pmax);
			}
			assert_true(fit_step(bin, n, line[k].kmax, &l));
			kmin_held += fabs(l.kmin - line[k].kmin) <= l.kmin_pm;
			pmax_held += fabs(l.pmax - line[k].pmax) <= l.pmax_pm;
		}
		holds_it(kmin_held, all, "Kmin");
		holds_it(pmax_held, all, "Pmax");
	}
}

static void ramps_alone_hold_the_truth(void **state)
{
	static const struct fit_line is = {.kmin = 20000, .kmax = 70000, .pmax = .4};
	static struct fit_bin bin[MOST];
	const unsigned all = rounds_of(DRAW);
	unsigned kmin_held = 0, pmax_held = 0;

	(void)state;
	for (unsigned seed = 1; seed <= all; seed++) {
		struct fit_line l;
		struct prng g;
		unsigned n;

		prng_init(&g, seed, "ramps");
		n = ramp_bins(&g, &is, (unsigned)(is.kmax / UNIT), 60, 0, bin);
		assert_true(fit_step(bin, n, is.kmax, &l));
		kmin_held += fabs(l.kmin - is.kmin) <= l.kmin_pm;
		pmax_held += fabs(l.pmax - is.pmax) <= l.pmax_pm;
	}
	holds_it(kmin_held, all, "Kmin");
	holds_it(pmax_held, all, "Pmax");
}

// A line without a step: the longest length without a mark bounds kmax from below.
static void a_line_up_to_one_is_fitted(void **state)
{
	static const struct fit_line is = {.kmin = 20000, .kmax = 70000, .pmax = 1};
	static struct fit_bin bin[MOST];
	const unsigned all = rounds_of(DRAW);
	unsigned kmin_held = 0, kmax_held = 0;

	(void)state;
	for (unsigned seed = 1; seed <= all; seed++) {
		double unmarked = 0;
		struct fit_line l;
		struct prng g;
		unsigned n;

		prng_init(&g, seed, "whole");
		n = ramp_bins(&g, &is, 1200, 60, 0, bin);
		for (unsigned i = 0; i < n; i++)
			unmarked = bin[i].m < bin[i].n ? bin[i].q : unmarked;
		assert_true(fit_whole(bin, n, unmarked, &l));
		assert_true(l.pmax == 1);
		kmin_held += fabs(l.kmin - is.kmin) <= l.kmin_pm;
		kmax_held += fabs(l.kmax - is.kmax) <= l.kmax_pm;
	}
	holds_it(kmin_held, all, "Kmin");
	holds_it(kmax_held, all, "Kmax");
}

// Of a line, 1 in 1000 fits is judged not to be one; of a curve, hardly any passes.
static void only_a_line_is_taken_for_one(void **state)
{
	static const struct fit_line is = {.kmin = 10000, .kmax = 60000, .pmax = .5};
	static struct fit_bin bin[MOST];
	const unsigned all = rounds_of(DRAW);
	unsigned lines = 0, curves = 0;

	(void)state;
	for (unsigned seed = 1; seed <= all; seed++) {
		struct fit_line l;
		struct prng g;
		unsigned n;

		prng_init(&g, seed, "shape");
		n = ramp_bins(&g, &is, 900, 40, 0, bin);
		assert_true(fit_step(bin, n, is.kmax, &l));
		lines += fit_shape(bin, n, &l) < .001;
		n = ramp_bins(&g, &is, 900, 40, 2, bin);
		assert_true(fit_step(bin, n, is.kmax, &l));
		curves += fit_shape(bin, n, &l) < .001;
	}
	print_message("%u lines, %u curves of %u not linear\n", lines, curves, all);
	assert_true(lines <= 4);
	assert_true(curves >= all - all / 50);
}

static void nothing_to_fit_is_said(void **state)
{
	struct fit_bin none[2] = {{100, 10, 0}, {200, 10, 0}}, all[1] = {{100, 10, 10}};
	struct fit_line l;

	(void)state;
	assert_false(fit_step(none, 2, 300, &l));
	assert_false(fit_step(none, 0, 300, &l));
	assert_false(fit_step(all, 1, 300, &l));
	assert_false(fit_whole(none, 2, 200, &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(ramps_alone_hold_the_truth),
		cmocka_unit_test(a_line_up_to_one_is_fitted),
		cmocka_unit_test(only_a_line_is_taken_for_one),
		cmocka_unit_test(nothing_to_fit_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
