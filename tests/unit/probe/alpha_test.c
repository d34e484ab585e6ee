// SPDX-License-Identifier: BSD-3-Clause
// The threshold of a group against the frames of others, as step `alpha` finds it in the tests'
// device.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "group_truth.h"
#include "rounds.h"

#define CLS 3

static const struct found *figure(const struct probe *p, enum probe_figure fig)
{
	return &p->found->f[CLS][fig];
}

static void a_static_threshold_stays_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(8); seed++) {
		struct device_params par = truth_draw(seed, false);
		struct device *d;
		struct probe *p;

		par.gap = seed % 2 ? 0 : PS_PER_US;
		d = device_new(&par);
		p = truth_probe(d, CLS);
		p->group[CLS].d += 3 * par.gap;
		assert_int_equal(probe_alpha(p, CLS), 0);
		assert_int_equal(figure(p, PROBE_THRESHOLD)->state, FOUND_IS);
		assert_true(figure(p, PROBE_THRESHOLD)->value == 0);
		assert_int_equal(figure(p, PROBE_ALPHA)->state, FOUND_NONE);
		assert_int_equal(p->found->n_curves, 1);
		assert_int_equal(p->held, 0);
		device_probe_free(p);
		device_free(d);
	}
}

// With three senders on an exact clock the reserve is known to a frame, and else to 1.5 / b.
static void check_buffer(const struct probe *p, const struct device_params *par)
{
	const double u = truth_cost(par, 64), b = par->alpha / (1 + par->alpha);
	const double frames = par->gap ? 1.5 / b + 1 : 2, share = par->gap ? 0.02 : 0.005;
	double reserve = figure(p, PROBE_RESERVE)->value, shared = figure(p, PROBE_SHARED)->value;

	if (fabs(reserve - (double)par->reserve) > frames * u ||
		fabs(shared / (double)par->buffer - 1) > share)
		printf("seed %lu: reserve %g of %lu, shared %g of %lu, alpha %g, cost %g\n",
			par->seed, reserve, par->reserve, shared, par->buffer, par->alpha, u);
	assert_true(fabs(reserve - (double)par->reserve) <= frames * u);
	assert_true(fabs(shared / (double)par->buffer - 1) < share);
}

static void alpha_is_the_power_of_two(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(12); seed++) {
		struct device_params par = truth_draw(seed, true);
		struct device *d;
		struct probe *p;

		par.gap = seed % 3 ? 0 : PS_PER_US;
		d = device_new(&par);
		p = truth_probe(d, CLS);
		p->group[CLS].d += 3 * par.gap;
		assert_int_equal(probe_alpha(p, CLS), 0);
		if (figure(p, PROBE_ALPHA)->value != par.alpha)
			printf("seed %lu: alpha %g, raw %g, not %g (%s)\n", seed,
				figure(p, PROBE_ALPHA)->value, figure(p, PROBE_ALPHA_RAW)->value,
				par.alpha, figure(p, PROBE_ALPHA)->why);
		assert_true(figure(p, PROBE_THRESHOLD)->value == 1);
		assert_true(figure(p, PROBE_ALPHA)->value == par.alpha);
		assert_true(fabs(figure(p, PROBE_ALPHA_RAW)->value / par.alpha - 1) < 0.02);
		check_buffer(p, &par);
		device_probe_free(p);
		device_free(d);
	}
}

// A count of XOFF that was too late for all of its repeats looks like a small alpha. The count is
// taken again, and the threshold is static.
static void a_late_count_is_no_alpha(void **state)
{
	struct device_params par = truth_draw(1, false);
	struct device *d = device_new(&par);
	struct probe *p = truth_probe(d, CLS);

	(void)state;
	p->group[CLS].n_xoff += 6;
	assert_int_equal(probe_alpha(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_THRESHOLD)->state, FOUND_IS);
	assert_true(figure(p, PROBE_THRESHOLD)->value == 0);
	device_probe_free(p);
	device_free(d);
}

static void one_sender_cannot_tell_it(void **state)
{
	struct device_params par = truth_draw(1, true);
	struct device *d = device_new(&par);
	struct probe *p = truth_probe(d, CLS);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->n_in = 1;
	assert_int_equal(probe_alpha(p, CLS), 0);
	for (unsigned k = PROBE_THRESHOLD; k <= PROBE_SHARED; k++) {
		assert_int_equal(figure(p, k)->state, FOUND_NOT);
		assert_non_null(figure(p, k)->why);
	}
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_threshold_stays_one),
		cmocka_unit_test(alpha_is_the_power_of_two),
		cmocka_unit_test(a_late_count_is_no_alpha),
		cmocka_unit_test(one_sender_cannot_tell_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
