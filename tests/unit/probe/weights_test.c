// SPDX-License-Identifier: BSD-3-Clause
// Step weights against the device of these tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "device.h"
#include "rounds.h"

static void is_weight(const struct probe *p, unsigned cls, double is)
{
	const struct found *f = &p->found->f[cls][PROBE_WEIGHT];

	if (f->state != FOUND_IS || fabs(f->value - is) > .01 * is ||
		fabs(f->value - is) > f->pm + 1e-9)
		fail_msg("class %u: state %u, %g +- %g, not %g (%s)", cls, f->state, f->value,
			f->pm, is, f->why ? f->why : "");
}

static void is_strict(const struct probe *p, unsigned cls, bool strict)
{
	const struct found *f = &p->found->f[cls][PROBE_STRICT];

	assert_int_equal(f->state, FOUND_IS);
	assert_int_equal(f->value, strict);
}

static void weights_and_strict_classes_are_found(void **state)
{
	const unsigned all = rounds_of(20);

	(void)state;
	for (uint64_t seed = 1; seed <= all; seed++) {
		struct device_params par = device_usual();
		unsigned least = 1000;
		struct device *d;
		struct probe *p;
		struct prng g;

		prng_init(&g, seed, "weights");
		print_message("seed %u\n", (unsigned)seed);
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			par.weight[c] = 1 + (unsigned)prng_below(&g, 20);
			// the reference, class 3, is strict, too, in a third of the devices
			if (c > 5 + prng_below(&g, 3) || (c == 3 && seed % 3 == 0))
				par.weight[c] = 0;
			least = par.weight[c] && par.weight[c] < least ? par.weight[c] : least;
		}
		d = device_new(&par);
		p = device_probe(d, 8);
		p->obeys = par.obeys;
		assert_int_equal(probe_weights(p), 0);
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			is_strict(p, c, !par.weight[c]);
			if (par.weight[c])
				is_weight(p, c, (double)par.weight[c] / least);
		}
		device_probe_free(p);
		device_free(d);
	}
}

static void a_loop_gap_does_not_matter(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;

	(void)state;
	par.gap = PS_PER_US;
	par.weight[3] = 4;
	par.weight[5] = 20;
	par.weight[7] = 0;
	d = device_new(&par);
	p = device_probe(d, 8);
	p->obeys = par.obeys;
	assert_int_equal(probe_weights(p), 0);
	is_weight(p, 0, 1);
	is_weight(p, 3, 4);
	is_weight(p, 5, 20);
	is_strict(p, 7, true);
	device_probe_free(p);
	device_free(d);
}

// Somebody else sends in class 0: no weight of it, and the other ones carry a warning.
static void others_are_told(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;

	(void)state;
	par.others = .05;
	par.weight[4] = 3;
	d = device_new(&par);
	p = device_probe(d, 8);
	p->obeys = par.obeys;
	assert_int_equal(probe_weights(p), 0);
	assert_int_equal(p->found->f[0][PROBE_WEIGHT].state, FOUND_NOT);
	assert_non_null(p->found->f[0][PROBE_WEIGHT].why);
	assert_int_equal(p->found->f[4][PROBE_WEIGHT].state, FOUND_OTHERS);
	assert_true(fabs(p->found->f[4][PROBE_WEIGHT].value - 3) < .05);
	device_probe_free(p);
	device_free(d);
}

static void one_class_has_no_weight(void **state)
{
	struct device_params par = device_usual();
	struct device *d = device_new(&par);
	struct probe *p = device_probe(d, 8);

	(void)state;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (c != 3)
			((struct probe_cfg *)(uintptr_t)p->cfg)->dscp[c] = PROBE_NO_DSCP;
	assert_int_equal(probe_weights(p), 0);
	assert_int_equal(p->found->f[3][PROBE_WEIGHT].state, FOUND_NOT);
	assert_non_null(p->found->f[3][PROBE_WEIGHT].why);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_and_strict_classes_are_found),
		cmocka_unit_test(a_loop_gap_does_not_matter),
		cmocka_unit_test(others_are_told),
		cmocka_unit_test(one_class_has_no_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
