// SPDX-License-Identifier: BSD-3-Clause
// Response, hold and resume of devices by seed, within the widths that the step gives them.
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "draw.h"
#include "rounds.h"

static void is_near(const struct found *f, double truth, double least_pm)
{
	double pm = f->pm > least_pm ? f->pm : least_pm;

	print_message("  %g +- %g, is %g\n", f->value, f->pm, truth);
	assert_int_equal(f->state, FOUND_IS);
	assert_true(fabs(f->value - truth) <= pm);
}

static void check(uint64_t seed, tstamp gap)
{
	struct device_params par = draw_device(seed);
	struct device *d;
	struct probe *p;
	const struct found *f;

	par.gap = gap;
	par.resume = par.response / 3;
	draw_print(seed, &par);
	d = device_new(&par);
	p = device_probe(d, 8);
	assert_int_equal(probe_pause(p, 3), 0);
	f = p->found->f[3];
	is_near(&f[PROBE_RESPONSE], (double)par.response / PS_PER_US, 0);
	is_near(&f[PROBE_HOLD_ERROR], 0, 0);
	is_near(&f[PROBE_QUANTUM], (double)p->quantum, 0);
	is_near(&f[PROBE_RESUME], (double)par.resume / PS_PER_US, 0);
	if (!gap) {
		assert_true(fabs(f[PROBE_RESPONSE].value * PS_PER_US - (double)par.response) <
			    .05 * (double)probe_wire(p, PROBE_SHORT));
		is_near(&f[PROBE_RESPONSE_QUANTA], (double)par.response / (double)p->quantum, 0);
	}
	device_probe_free(p);
	device_free(d);
}

static void times_are_within_their_widths(void **state)
{
	unsigned n = rounds_of(16);

	(void)state;
	for (unsigned k = 0; k < n; k++)
		check(k + 1, k % 2 ? PS_PER_US : 0);
}

// An error of the hold that grows with the quanta is no chance.
static void a_device_that_holds_twice_as_long_is_seen(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;
	const struct found *f;

	(void)state;
	par.longer = 2;
	d = device_new(&par);
	p = device_probe(d, 8);
	assert_int_equal(probe_pause(p, 3), 0);
	f = p->found->f[3];
	is_near(&f[PROBE_QUANTUM], 2 * (double)p->quantum, 0);
	assert_true(f[PROBE_HOLD_ERROR].value - f[PROBE_HOLD_ERROR].pm > 1);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_within_their_widths),
		cmocka_unit_test(a_device_that_holds_twice_as_long_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
