// SPDX-License-Identifier: BSD-3-Clause
// The watchdog of a device of the tests, as step `watchdog` finds it.
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

static struct device_params dog_draw(uint64_t seed)
{
	struct device_params p = truth_draw(seed, false);
	struct prng r;

	prng_init(&r, seed, "dog");
	p.wd_poll = (100 + prng_below(&r, 300)) * PS_PER_US;
	p.wd_detect = p.wd_poll * (1 + prng_below(&r, 3)) + prng_below(&r, 2) * p.wd_poll / 2;
	p.wd_restore = p.wd_poll * (1 + prng_below(&r, 4));
	p.wd_forwards = prng_below(&r, 2);
	return p;
}

// Whether the interval holds the truth, and is no wider than a poll and `wider`.
static void holds(const struct found *f, tstamp truth, tstamp poll, double wider, uint64_t seed)
{
	double us = (double)truth * 1e-6;

	if (fabs(f->value - us) > f->pm + 0.02 * us)
		printf("seed %lu: %g +- %g us, not %g\n", seed, f->value, f->pm, us);
	assert_int_equal(f->state, FOUND_IS);
	assert_true(fabs(f->value - us) <= f->pm + 0.02 * us);
	assert_true(2 * f->pm <= (double)poll * 1e-6 + wider);
}

static void action_and_times_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(10); seed++) {
		struct device_params par = dog_draw(seed);
		struct device *d = device_new(&par);
		struct probe *p = truth_probe(d, CLS);

		assert_int_equal(probe_watchdog(p, CLS), 0);
		if (fabs(figure(p, PROBE_POLL)->value - (double)par.wd_poll * 1e-6) > 1)
			printf("seed %lu: poll %g us, not %g (%s)\n", seed,
				figure(p, PROBE_POLL)->value, (double)par.wd_poll * 1e-6,
				figure(p, PROBE_POLL)->why ? figure(p, PROBE_POLL)->why : "");
		assert_int_equal(figure(p, PROBE_WATCHDOG)->state, FOUND_IS);
		assert_true(figure(p, PROBE_WATCHDOG)->value == (par.wd_forwards ? 2 : 1));
		assert_int_equal(figure(p, PROBE_POLL)->state, FOUND_IS);
		assert_true(fabs(figure(p, PROBE_POLL)->value - (double)par.wd_poll * 1e-6) < 1);
		holds(figure(p, PROBE_DETECT), par.wd_detect, par.wd_poll, 1, seed);
		if (!par.wd_forwards)
			holds(figure(p, PROBE_RESTORE), par.wd_restore, par.wd_poll, 5, seed);
		else
			assert_int_equal(figure(p, PROBE_RESTORE)->state, FOUND_NOT);
		device_probe_free(p);
		device_free(d);
	}
}

static void none_is_said_with_the_time_that_it_was_waited_for(void **state)
{
	struct device_params par = truth_draw(1, false);
	struct device *d = device_new(&par);
	struct probe *p = truth_probe(d, CLS);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->most_hold = 2 * PS_PER_MS;
	assert_int_equal(probe_watchdog(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_WATCHDOG)->state, FOUND_NONE);
	assert_true(figure(p, PROBE_WATCHDOG)->value == 2000);
	assert_int_equal(figure(p, PROBE_DETECT)->state, FOUND_NOT);
	device_probe_free(p);
	device_free(d);
}

static void too_short_a_step_bounds_the_detection(void **state)
{
	struct device_params par = dog_draw(1);
	struct device *d = device_new(&par);
	struct probe *p = truth_probe(d, CLS);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->most_step = 3 * PS_PER_MS;
	assert_int_equal(probe_watchdog(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_WATCHDOG)->state, FOUND_IS);
	assert_int_equal(figure(p, PROBE_DETECT)->state, FOUND_AT_MOST);
	assert_true(figure(p, PROBE_DETECT)->value >= (double)par.wd_detect * 1e-6);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(action_and_times_are_found),
		cmocka_unit_test(none_is_said_with_the_time_that_it_was_waited_for),
		cmocka_unit_test(too_short_a_step_bounds_the_detection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
