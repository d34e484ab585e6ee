// SPDX-License-Identifier: BSD-3-Clause
// Which classes obey PFC, which DSCPs are theirs, and how the device forwards.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "rounds.h"

static void check(uint64_t seed, tstamp gap)
{
	struct device_params par = draw_device(seed);
	struct device *d;
	struct probe *p;
	double transit;

	par.gap = gap;
	par.obeys = (uint8_t)(seed * 37);
	draw_print(seed, &par);
	d = device_new(&par);
	p = device_probe(d, 8);
	assert_int_equal(probe_self(p), 0);
	assert_int_equal(p->found->f[PROBE_DEVICE][PROBE_FORWARDS].value, 1);
	transit = (double)(par.forward + probe_wire(p, PROBE_SHORT)) / PS_PER_US;
	assert_true(p->found->f[PROBE_DEVICE][PROBE_TRANSIT].value >= transit - 1e-9);
	assert_true(p->found->f[PROBE_DEVICE][PROBE_TRANSIT].value <=
		    transit + (double)p->lab->gap / PS_PER_US);
	assert_int_equal(probe_map(p), 0);
	assert_int_equal(p->obeys, par.obeys);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		uint64_t dscps = 0;

		for (unsigned k = 0; k < 64; k++)
			dscps |= (uint64_t)(par.cls[k] == c) << k;
		assert_int_equal(p->found->dscps[c], par.obeys >> c & 1 ? dscps : 0);
		assert_int_equal(p->found->f[c][PROBE_OBEYS].value, par.obeys >> c & 1);
	}
	device_probe_free(p);
	device_free(d);
}

static void classes_and_dscps_are_exact(void **state)
{
	unsigned n = rounds_of(16);

	(void)state;
	for (unsigned k = 0; k < n; k++)
		check(k + 1, k % 2 ? PS_PER_US : 0);
}

static struct probe *mapped(struct device *d, int expected)
{
	struct probe *p = device_probe(d, 0);

	assert_int_equal(probe_self(p), expected);
	if (!expected)
		assert_int_equal(probe_map(p), 0);
	return p;
}

static void a_device_that_obeys_pause_or_nothing_is_named(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;

	(void)state;
	for (unsigned pause = 0; pause < 2; pause++) {
		par.obeys = 0;
		par.obeys_pause = pause;
		d = device_new(&par);
		p = mapped(d, 0);
		assert_int_equal(p->obeys, 0);
		assert_int_equal(p->obeys_pause, pause);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			assert_int_equal(p->found->f[c][PROBE_OBEYS].value, pause ? 2 : 0);
		device_probe_free(p);
		device_free(d);
	}
}

// Where loops are long, a map must be outweighed by three others before a class obeys nothing.
static void a_device_that_is_away_for_a_moment_is_mapped_again(void **state)
{
	struct device_params par = device_usual();
	const uint8_t away[] = {
		1, 2, 0x24, 0x55}; // in the first map; in the second; in every other
	struct device *d;
	struct probe *p;

	(void)state;
	par.gap = PS_PER_US;
	for (unsigned k = 0; k < 4; k++) {
		d = device_new(&par);
		p = device_probe(d, 0);
		assert_int_equal(probe_self(p), 0);
		device_params(d)->away = away[k];
		assert_int_equal(probe_map(p), 0);
		assert_int_equal(p->obeys, k > 2 ? 0 : par.obeys);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			assert_int_equal(p->found->f[c][PROBE_OBEYS].state,
				k > 2 && par.obeys >> c & 1 ? FOUND_INVALID : FOUND_IS);
		device_probe_free(p);
		device_free(d);
	}
}

static int (*usual_step)(struct lab *, const struct lab_step *, struct lab_sight *, struct err *);

// A step in which our loops become longer than they were before.
static int slower_step(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	int rc = usual_step(lab, step, sight, err);

	lab->gap = 9 * PS_PER_US;
	return rc;
}

static void loops_that_become_longer_hide_no_class(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;

	(void)state;
	par.gap = PS_PER_US;
	d = device_new(&par);
	p = device_probe(d, 0);
	assert_int_equal(probe_self(p), 0);
	usual_step = p->lab->step;
	p->lab->step = slower_step;
	assert_int_equal(probe_map(p), 0);
	assert_int_equal(p->obeys, par.obeys);
	device_probe_free(p);
	device_free(d);
}

static void no_class_is_wrong_where_the_device_is_away_now_and_then(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(32); seed++) {
		struct device_params par = draw_device(seed);
		struct device *d;
		struct probe *p;

		draw_busy(&par);
		par.obeys = (uint8_t)(seed * 37);
		d = device_new(&par);
		p = device_probe(d, 8);
		assert_int_equal(probe_self(p), 0);
		assert_int_equal(probe_map(p), 0);
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			const struct found *f = &p->found->f[c][PROBE_OBEYS];

			if (f->state == FOUND_IS && f->value != (par.obeys >> c & 1))
				fail_msg("seed %lu: class %u obeys %g", seed, c, f->value);
		}
		device_probe_free(p);
		device_free(d);
	}
}

static void a_dscp_of_another_class_is_said(void **state)
{
	struct device_params par = device_usual();
	struct device *d = device_new(&par);
	struct probe *p = device_probe(d, 0);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->dscp[3] = 33; // of class 4
	assert_int_equal(probe_self(p), 0);
	assert_int_equal(probe_map(p), 0);
	assert_string_equal(p->found->f[3][PROBE_DSCPS].why, "the DSCP that was told is not of it");
	assert_int_equal(probe_dscp(p, 3), 24);
	device_probe_free(p);
	device_free(d);
}

// A device that trusts PCPs: tagged frames find the classes, and later steps send such frames.
static void pcps_are_mapped_where_they_are_asked_for(void **state)
{
	static const uint8_t of_pcp[8] = {0, 3, 0, 4, 5, 3, 6, 7};
	struct device_params par = device_usual();
	struct probe_cfg *cfg;
	struct device *d;
	struct probe *p;

	(void)state;
	par.trusts_pcp = true;
	memcpy(par.of_pcp, of_pcp, sizeof(of_pcp));
	d = device_new(&par);
	p = device_probe(d, 0);
	cfg = (struct probe_cfg *)(uintptr_t)p->cfg;
	cfg->map_pcp = cfg->by_pcp = true;
	assert_int_equal(probe_self(p), 0);
	assert_int_equal(probe_map(p), 0);
	assert_int_equal(p->obeys, par.obeys);
	assert_int_equal(p->found->pcps[3], par.obeys & 1 << 3 ? 1 << 1 | 1 << 5 : 0);
	assert_int_equal(p->found->pcps[4], par.obeys & 1 << 4 ? 1 << 3 : 0);
	assert_int_equal(p->found->f[3][PROBE_PCPS].value, 2);
	assert_int_equal(p->found->f[3][PROBE_DSCPS].state, FOUND_NOT);
	assert_int_equal(probe_data(p, 0, 2, 3, 1).pcp, 1);
	assert_int_equal(probe_data(p, 0, 2, 2, 1).pcp, TESTER_UNTAGGED);
	assert_true(probe_reaches(p, 3));
	assert_false(probe_reaches(p, 2));
	assert_int_equal(probe_overfill(p, 3), 0);
	assert_true(p->group[3].n_xoff_near > 0);
	device_probe_free(p);
	device_free(d);
}

// A device that trusts DSCPs takes tagged frames for the class of their DSCP: all PCPs are of it.
static void dscps_and_pcps_can_both_be_mapped(void **state)
{
	struct device_params par = device_usual();
	struct device *d = device_new(&par);
	struct probe *p = device_probe(d, 0);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->map_pcp = true;
	assert_int_equal(probe_self(p), 0);
	assert_int_equal(probe_map(p), 0);
	assert_int_equal(p->obeys, par.obeys);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		assert_int_equal(
			p->found->pcps[c], c == par.cls[0] && par.obeys >> c & 1 ? 255 : 0);
		assert_int_equal(p->found->dscps[c] != 0, par.obeys >> c & 1);
	}
	assert_int_equal(probe_data(p, 0, 2, 3, 1).pcp, TESTER_UNTAGGED);
	device_probe_free(p);
	device_free(d);
}

static void a_device_that_floods_or_is_silent_is_named(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;

	(void)state;
	par.floods = true;
	d = device_new(&par);
	p = mapped(d, 0);
	assert_int_equal(p->found->f[PROBE_DEVICE][PROBE_FORWARDS].value, 2);
	assert_int_equal(p->obeys, par.obeys);
	device_probe_free(p);
	device_free(d);
	par.floods = false;
	par.silent = true;
	d = device_new(&par);
	p = mapped(d, -EIO);
	assert_int_equal(p->found->f[PROBE_DEVICE][PROBE_FORWARDS].value, 0);
	assert_non_null(strstr(p->err->text, "does not forward frames from p1 to p3"));
	device_probe_free(p);
	device_free(d);
}

static void others_are_heard(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;
	double rate;

	(void)state;
	par.others = .05;
	d = device_new(&par);
	p = mapped(d, 0);
	assert_true(p->others);
	rate = .05 * (double)par.rate / (8 * (252 + 24));
	assert_true(fabs(p->found->f[PROBE_DEVICE][PROBE_OTHERS].value / rate - 1) < .01);
	assert_int_equal(p->obeys, par.obeys);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_and_dscps_are_exact),
		cmocka_unit_test(a_device_that_obeys_pause_or_nothing_is_named),
		cmocka_unit_test(a_device_that_is_away_for_a_moment_is_mapped_again),
		cmocka_unit_test(loops_that_become_longer_hide_no_class),
		cmocka_unit_test(no_class_is_wrong_where_the_device_is_away_now_and_then),
		cmocka_unit_test(pcps_are_mapped_where_they_are_asked_for),
		cmocka_unit_test(dscps_and_pcps_can_both_be_mapped),
		cmocka_unit_test(a_dscp_of_another_class_is_said),
		cmocka_unit_test(a_device_that_floods_or_is_silent_is_named),
		cmocka_unit_test(others_are_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
