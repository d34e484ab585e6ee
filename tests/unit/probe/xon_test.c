// SPDX-License-Identifier: BSD-3-Clause
// Frames that are left of a group when XON comes, as step `xon` counts them.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "group_truth.h"
#include "rounds.h"

#define CLS 3

static void compare(struct probe *p, const struct device_params *par, uint64_t seed, double most)
{
	double u = truth_cost(par, 64), left = truth_xon(par, p->group[CLS].n_xoff + 2);
	const struct found *xon = &p->found->f[CLS][PROBE_XON];
	const struct found *hyst = &p->found->f[CLS][PROBE_HYSTERESIS];

	assert_int_equal(probe_xon(p, CLS), 0);
	if (xon->state != FOUND_IS || fabs(xon->value / u - left) > most)
		printf("seed %lu: XON at %g frames, not %g (%s)\n", seed, xon->value / u, left,
			xon->why ? xon->why : "found");
	assert_int_equal(xon->state, FOUND_IS);
	assert_true(fabs(xon->value / u - left) <= most);
	assert_true(hyst->value == (p->group[CLS].n_xoff - xon->value / u) * u);
	assert_true(xon->pm >= u);
	assert_int_equal(p->held, 0);
}

static void xon_is_exact(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(16); seed++) {
		struct device_params par = truth_draw(seed, seed % 2);
		struct device *d = device_new(&par);
		struct probe *p = truth_probe(d, CLS);

		// The coarse count may be wrong by more than a window.
		p->group[CLS].left_at_xon += seed % 3 == 0 ? 20 : seed % 3 == 1 ? 3 : 0;
		compare(p, &par, seed, 0);
		device_probe_free(p);
		device_free(d);
	}
}

static void late_loops_count_between_two_egress_ports(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(8); seed++) {
		struct device_params par = truth_draw(seed, seed % 2);
		struct device *d;
		struct probe *p;

		par.gap = PS_PER_US;
		d = device_new(&par);
		p = truth_probe(d, CLS);
		p->group[CLS].d += 2 * PS_PER_US;
		compare(p, &par, seed, 1);
		device_probe_free(p);
		device_free(d);
	}
}

static void with_one_egress_port_late_loops_leave_the_coarse_count(void **state)
{
	struct device_params par = truth_draw(1, false);
	struct device *d;
	struct probe *p;

	(void)state;
	par.gap = PS_PER_US;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	((struct probe_cfg *)(uintptr_t)p->cfg)->n_out = 1;
	assert_int_equal(probe_xon(p, CLS), 0);
	assert_int_equal(p->found->f[CLS][PROBE_XON].state, FOUND_IS);
	p->group[CLS].left_at_xon = 0;
	assert_int_equal(probe_xon(p, CLS), 0);
	assert_int_equal(p->found->f[CLS][PROBE_XON].state, FOUND_NOT);
	device_probe_free(p);
	device_free(d);
}

static void frames_that_we_lose_are_no_answer(void **state)
{
	struct device_params par = truth_draw(1, false);
	struct device *d;
	struct probe *p;

	(void)state;
	par.gap = PS_PER_US;
	par.bad = 2;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	p->group[CLS].d += 2 * PS_PER_US;
	compare(p, &par, 1, 1);
	device_params(d)->bad = 1000;
	assert_int_equal(probe_xon(p, CLS), 0);
	assert_int_equal(p->found->f[CLS][PROBE_XON].state, FOUND_NOT);
	assert_non_null(p->found->f[CLS][PROBE_XON].why);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xon_is_exact),
		cmocka_unit_test(late_loops_count_between_two_egress_ports),
		cmocka_unit_test(with_one_egress_port_late_loops_leave_the_coarse_count),
		cmocka_unit_test(frames_that_we_lose_are_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
