// SPDX-License-Identifier: BSD-3-Clause
// The headroom that groups of a device of the tests share, as step `pool` finds it.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "group_truth.h"
#include "rounds.h"

#define CLS 3

static const struct found *find(
	const struct device_params *par, struct device **d, struct probe **p)
{
	*d = device_new(par);
	*p = truth_probe(*d, CLS);
	assert_int_equal(probe_pool(*p, CLS), 0);
	return &(*p)->found->f[CLS][PROBE_POOL];
}

static void a_pool_is_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(12); seed++) {
		struct device_params par = truth_draw(seed, seed % 2);
		struct device *d;
		struct probe *p;
		const struct found *f;
		double truth;

		par.pool = par.headroom * (seed % 3 + 1) + par.headroom / 3;
		truth = (double)(par.pool / truth_cost(&par, 64) * truth_cost(&par, 64));
		f = find(&par, &d, &p);
		if (fabs(f->value - truth) > f->pm)
			printf("seed %lu: %g +- %g, not %g\n", seed, f->value, f->pm, truth);
		assert_int_equal(f->state, FOUND_IS);
		assert_true(fabs(f->value - truth) <= f->pm);
		assert_true(f->pm < 0.05 * truth);
		device_probe_free(p);
		device_free(d);
	}
}

static void headroom_of_each_group_is_at_least_their_sum(void **state)
{
	struct device_params par = truth_draw(3, true);
	struct device *d;
	struct probe *p;
	const struct found *f = find(&par, &d, &p);
	double own = (double)(par.headroom / truth_cost(&par, 64) * truth_cost(&par, 64));

	(void)state;
	assert_int_equal(f->state, FOUND_AT_LEAST);
	assert_true(fabs(f->value / own - 6) < 0.1); // three ports of two classes
	device_probe_free(p);
	device_free(d);
}

static void one_group_tells_nothing(void **state)
{
	struct device_params par = truth_draw(3, true);
	struct device *d;
	struct probe *p;

	(void)state;
	par.obeys = 8;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	((struct probe_cfg *)(uintptr_t)p->cfg)->n_in = 1;
	assert_int_equal(probe_pool(p, CLS), 0);
	assert_int_equal(p->found->f[CLS][PROBE_POOL].state, FOUND_NOT);
	assert_non_null(p->found->f[CLS][PROBE_POOL].why);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_found),
		cmocka_unit_test(headroom_of_each_group_is_at_least_their_sum),
		cmocka_unit_test(one_group_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
