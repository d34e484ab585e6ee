// SPDX-License-Identifier: BSD-3-Clause
// How a device of the tests keeps up its pauses, as step `refresh` finds it.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "draw.h"
#include "group_truth.h"
#include "rounds.h"

#define CLS 3

static const struct found *figure(const struct probe *p, enum probe_figure fig)
{
	return &p->found->f[CLS][fig];
}

static void refresh_is_exact(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(12); seed++) {
		struct device_params par = truth_draw(seed, seed % 2);
		struct device *d = device_new(&par);
		struct probe *p = truth_probe(d, CLS);
		double us = par.refresh * par.quanta * 512e6 / (double)par.rate;

		assert_int_equal(probe_refresh(p, CLS), 0);
		if (fabs(figure(p, PROBE_REFRESH)->value / us - 1) > 0.0001)
			printf("seed %lu: %g us, not %g\n", seed, figure(p, PROBE_REFRESH)->value,
				us);
		assert_int_equal(figure(p, PROBE_REFRESH)->state, FOUND_IS);
		assert_true(fabs(figure(p, PROBE_REFRESH)->value / us - 1) < 0.0001);
		assert_true(fabs(figure(p, PROBE_REFRESH_SHARE)->value / par.refresh / 100 - 1) <
			    0.0001);
		assert_true(figure(p, PROBE_QUANTA)->value == par.quanta);
		assert_true(figure(p, PROBE_FLAPS)->value == 0);
		assert_int_equal(figure(p, PROBE_PFC_FRAME)->state, FOUND_IS);
		assert_true(figure(p, PROBE_PFC_FRAME)->value == 0);
		assert_int_equal(p->held, 0);
		device_probe_free(p);
		device_free(d);
	}
}

static void reserved_bits_are_said(void **state)
{
	struct device_params par = truth_draw(1, false);
	struct device *d;
	struct probe *p;

	(void)state;
	par.reserved = 1;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	assert_int_equal(probe_refresh(p, CLS), 0);
	assert_true(figure(p, PROBE_PFC_FRAME)->value == 1);
	device_probe_free(p);
	device_free(d);
}

static void a_late_loop_widens_its_refresh(void **state)
{
	struct device_params par = truth_draw(1, false);
	struct device *d;
	struct probe *p;
	double us;

	(void)state;
	par.gap = PS_PER_US;
	us = par.refresh * par.quanta * 512e6 / (double)par.rate;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	assert_int_equal(probe_refresh(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_REFRESH)->state, FOUND_IS);
	assert_true(figure(p, PROBE_REFRESH)->pm > 0);
	assert_true(fabs(figure(p, PROBE_REFRESH)->value - us) <= figure(p, PROBE_REFRESH)->pm);
	device_probe_free(p);
	device_free(d);
}

static void a_late_device_widens_its_refresh(void **state)
{
	unsigned n = rounds_of(12), told = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++) {
		struct device_params par = truth_draw(seed, seed % 2);
		double us = par.refresh * par.quanta * 512e6 / (double)par.rate;
		const struct found *f;
		struct device *d;
		struct probe *p;

		draw_busy(&par);
		d = device_new(&par);
		p = truth_probe(d, CLS);
		f = figure(p, PROBE_REFRESH);
		assert_int_equal(probe_refresh(p, CLS), 0);
		printf("seed %lu: %g +- %g of %g us\n", seed, f->value, f->pm, us);
		assert_true(f->state == FOUND_IS || f->state == FOUND_VARIES);
		assert_true(f->state == FOUND_VARIES || fabs(f->value - us) <= f->pm);
		told += f->state == FOUND_IS && f->pm < us / 10;
		device_probe_free(p);
		device_free(d);
	}
	assert_true(2 * told >= n);
}

static void a_pause_that_runs_out_is_said(void **state)
{
	struct device_params par = truth_draw(2, false);
	struct device *d;
	struct probe *p;

	(void)state;
	par.refresh = 0;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	assert_int_equal(probe_refresh(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_REFRESH)->state, FOUND_NONE);
	assert_true(figure(p, PROBE_REFRESH)->value > 2 * par.quanta * 512e6 / (double)par.rate);
	device_probe_free(p);
	device_free(d);
}

static void one_sender_cannot_tell_it(void **state)
{
	struct device_params par = truth_draw(3, false);
	struct device *d = device_new(&par);
	struct probe *p = truth_probe(d, CLS);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->n_in = 1;
	assert_int_equal(probe_refresh(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_REFRESH)->state, FOUND_NOT);
	assert_non_null(figure(p, PROBE_REFRESH)->why);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refresh_is_exact),
		cmocka_unit_test(reserved_bits_are_said),
		cmocka_unit_test(a_late_loop_widens_its_refresh),
		cmocka_unit_test(a_late_device_widens_its_refresh),
		cmocka_unit_test(a_pause_that_runs_out_is_said),
		cmocka_unit_test(one_sender_cannot_tell_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
