// SPDX-License-Identifier: BSD-3-Clause
// Fits of thresholds to counts that are made by the formula, cut to whole frames.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/prng.h"
#include "estimate/threshold.h"
#include "rounds.h"

struct drawn {
	double alpha, reserve, shared;
};

static double xoff_of(const struct drawn *d, const double *held)
{
	double b = d->alpha / (1 + d->alpha), free = d->shared;

	for (unsigned i = 0; i < THRESHOLD_OTHERS; i++)
		free -= fmax(0, held[i] - d->reserve);
	return ceil(d->reserve + b * free);
}

static struct threshold fit_of(const struct drawn *d, unsigned n)
{
	double alone = xoff_of(d, (double[THRESHOLD_OTHERS]){0});
	struct threshold_point p[3] = {{{floor(0.45 * alone)}, 0}, {{floor(0.9 * alone)}, 0}};

	p[0].xoff = xoff_of(d, p[0].held);
	p[1].xoff = xoff_of(d, p[1].held);
	p[2] = (struct threshold_point){{p[1].held[0], floor(0.8 * p[1].xoff)}, 0};
	p[2].xoff = xoff_of(d, p[2].held);
	assert_true(threshold_moves(alone, p, n, 2));
	return threshold_fit(alone, p, n, NULL, 0);
}

static void alpha_reserve_and_shared_buffer_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(500); seed++) {
		struct drawn d;
		struct threshold t;
		struct prng r;

		prng_init(&r, seed, "threshold");
		d.alpha = exp2((double)prng_below(&r, 7) - 4);
		d.reserve = prng_below(&r, 2) ? (double)prng_below(&r, 300) : 0;
		d.shared = 20000 + (double)prng_below(&r, 60000);
		t = fit_of(&d, 2 + seed % 2);
		if (t.alpha != d.alpha || fabs(t.reserve - d.reserve) > t.reserve_pm + 1)
			printf("seed %lu: alpha %g %g, reserve %g %g +- %g\n", seed, d.alpha,
				t.alpha, d.reserve, t.reserve, t.reserve_pm);
		assert_true(t.dynamic);
		assert_true(t.alpha == d.alpha);
		assert_true(fabs(t.alpha_raw / d.alpha - 1) < 0.05);
		assert_true(fabs(t.reserve - d.reserve) <= t.reserve_pm + 1);
		assert_true(fabs(t.shared / d.shared - 1) < 0.02);
	}
}

// The least number that one group holds with which XOFF comes at the frame at which it comes with
// `held`, while a second one holds `more`.
static struct threshold_edge edge_of(const struct drawn *d, double held, double more)
{
	struct threshold_edge e = {held, more, xoff_of(d, (double[THRESHOLD_OTHERS]){held, more})};

	while (xoff_of(d, (double[THRESHOLD_OTHERS]){e.held - 1, more}) == e.xoff)
		e.held--;
	return e;
}

// XOFF of 400 frames moves by some 20, of which a small reserve takes one: the slope between edges
// does not depend on it.
static void edges_tell_a_slope_that_whole_frames_do_not(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(500); seed++) {
		struct drawn d;
		struct threshold t;
		struct threshold_edge e[2];
		struct threshold_point p[2] = {0};
		double alone;
		struct prng r;

		prng_init(&r, seed, "edges");
		d.alpha = exp2((double)prng_below(&r, 2) - 4);
		d.reserve = (double)prng_below(&r, 20);
		d.shared = (350 + (double)prng_below(&r, 400)) * (1 + d.alpha) / d.alpha;
		alone = xoff_of(&d, (double[THRESHOLD_OTHERS]){0});
		for (unsigned k = 0; k < 2; k++) {
			p[k].held[0] = floor((k ? .9 : .45) * alone);
			p[k].xoff = xoff_of(&d, p[k].held);
			e[k] = edge_of(&d, p[k].held[0], 0);
		}
		t = threshold_fit(alone, p, 2, e, 2);
		if (fabs(t.alpha_raw - d.alpha) > t.alpha_raw_pm + 1e-9)
			printf("seed %lu: alpha %g, not %g +- %g\n", seed, d.alpha, t.alpha_raw,
				t.alpha_raw_pm);
		assert_true(t.power && t.alpha == d.alpha);
		assert_true(fabs(t.alpha_raw - d.alpha) <= t.alpha_raw_pm + 1e-9);
		assert_true(t.alpha_raw_pm < .01 * d.alpha);
	}
}

// Whole frames tell a reserve to 1.5 / b frames: with an alpha of 1/16 to 25, which are 3 % of the
// shared buffer. The edge with two other groups tells it to a frame.
static void an_edge_of_two_groups_tells_the_reserve(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(500); seed++) {
		struct drawn d;
		struct threshold t;
		struct threshold_edge e[3];
		struct threshold_point p[3] = {0};
		double alone;
		struct prng r;

		prng_init(&r, seed, "reserve");
		d.alpha = exp2((double)prng_below(&r, 5) - 4);
		d.reserve = prng_below(&r, 2) ? .25 * (double)prng_below(&r, 400) : 0;
		d.shared = (350 + (double)prng_below(&r, 900)) * (1 + d.alpha) / d.alpha;
		alone = xoff_of(&d, (double[THRESHOLD_OTHERS]){0});
		for (unsigned k = 0; k < 3; k++) {
			p[k].held[0] = floor((k == 0 ? .45 : k == 1 ? .9 : .6) * alone);
			p[k].held[1] = k == 2 ? floor(.7 * alone) : 0;
			p[k].xoff = xoff_of(&d, p[k].held);
			e[k] = edge_of(&d, p[k].held[0], p[k].held[1]);
		}
		t = threshold_fit(alone, p, 3, e, 3);
		if (fabs(t.reserve - d.reserve) > t.reserve_pm ||
			fabs(t.shared - d.shared) > t.shared_pm)
			printf("seed %lu: alpha %g, reserve %g not %g +- %g, "
			       "shared %g not %g +- %g\n",
				seed, d.alpha, d.reserve, t.reserve, t.reserve_pm, d.shared,
				t.shared, t.shared_pm);
		assert_true(t.power && t.alpha == d.alpha);
		assert_true(fabs(t.reserve - d.reserve) <= t.reserve_pm && t.reserve_pm <= 1.5);
		assert_true(fabs(t.shared - d.shared) <= t.shared_pm);
		assert_true(t.shared_pm < .005 * d.shared);
	}
}

// XOFF of 1000 frames by an alpha of 1/16. The edge of two groups says that the reserve is 100
// frames more than the points of one group do.
static void an_edge_that_the_points_contradict_does_not_count(void **state)
{
	const struct drawn d = {.alpha = 0.0625, .reserve = 30, .shared = 17000};
	struct threshold_point p[2] = {{{450}, 0}, {{900}, 0}};
	double alone = xoff_of(&d, (double[THRESHOLD_OTHERS]){0});
	struct threshold_edge e[3] = {edge_of(&d, 450, 0), edge_of(&d, 900, 0)};
	struct threshold t;

	(void)state;
	for (unsigned k = 0; k < 2; k++)
		p[k].xoff = xoff_of(&d, p[k].held);
	e[2] = edge_of(&d, 600, 700);
	e[2].held += 100;
	t = threshold_fit(alone, p, 2, e, 3);
	assert_true(t.alpha == d.alpha);
	assert_true(fabs(t.reserve - d.reserve) <= t.reserve_pm && t.reserve_pm > 20);
	e[2].held -= 100;
	t = threshold_fit(alone, p, 2, e, 3);
	assert_true(fabs(t.reserve - d.reserve) <= t.reserve_pm && t.reserve_pm == 1);
}

static void an_alpha_between_two_powers_stays_as_it_is(void **state)
{
	struct drawn d = {.alpha = 0.17, .shared = 40000};
	struct threshold t = fit_of(&d, 3);

	(void)state;
	assert_true(fabs(t.alpha - 0.17) < 0.17 * 0.01);
	assert_true(t.alpha == t.alpha_raw);
	assert_false(t.power);
}

static void powers_of_two_are_taken_within_their_share(void **state)
{
	(void)state;
	assert_true(threshold_snap(0.0623, 0.1) == 0.0625);
	assert_true(threshold_snap(1.09, 0.1) == 1);
	assert_true(threshold_snap(1.11, 0.1) == 1.11);
	assert_true(threshold_snap(300, 0.1) == 300);
	assert_true(threshold_snap(exp2(-8), 0.1) == exp2(-8));
	assert_true(threshold_snap(exp2(-9), 0.1) == exp2(-9));
}

static void noise_is_not_a_dynamic_threshold(void **state)
{
	const struct threshold_point still[] = {{{450}, 999}, {{900}, 998}};
	const struct threshold_point late[] = {{{450}, 994}, {{900}, 994}}; // 6 frames each
	const struct threshold_point small[] = {{{4500}, 9993}, {{9000}, 9986}};
	const struct threshold_point moved[] = {{{450}, 973}, {{900}, 947}};
	const struct threshold_point behind[] = {{{450}, 1000}, {{900}, 987}}; // a reserve

	(void)state;
	assert_false(threshold_moves(1000, still, 2, 2));
	assert_false(threshold_moves(1000, late, 2, 2));
	assert_false(threshold_moves(10000, small, 2, 2)); // alpha below 2^-8
	assert_true(threshold_moves(1000, moved, 2, 2));
	assert_true(threshold_moves(1000, behind, 2, 2));
	assert_false(threshold_moves(1000, moved, 2, 60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alpha_reserve_and_shared_buffer_are_found),
		cmocka_unit_test(edges_tell_a_slope_that_whole_frames_do_not),
		cmocka_unit_test(an_edge_of_two_groups_tells_the_reserve),
		cmocka_unit_test(an_edge_that_the_points_contradict_does_not_count),
		cmocka_unit_test(an_alpha_between_two_powers_stays_as_it_is),
		cmocka_unit_test(powers_of_two_are_taken_within_their_share),
		cmocka_unit_test(noise_is_not_a_dynamic_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
