// SPDX-License-Identifier: BSD-3-Clause
// Where a device of the tests drops the frames of a lossy class, as step `lossy` counts it.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "draw.h"
#include "group_truth.h"
#include "rounds.h"

#define CLS 1

static struct found *figure(const struct probe *p, enum probe_figure fig)
{
	return &p->found->f[CLS][fig];
}

// A lossy class with this alpha; 0: a static limit.
static struct device_params lossy_draw(uint64_t seed, double alpha)
{
	struct device_params p = truth_draw(seed, true);
	struct prng r;

	prng_init(&r, seed, "lossy");
	p.forward = 50 * PS_PER_NS; // it lies before the queue here
	p.tail_alpha = alpha;
	p.tail = 100000 + prng_below(&r, 300000);
	return p;
}

static void a_static_limit_is_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(8); seed++) {
		struct device_params par = lossy_draw(seed, 0);
		struct device *d = device_new(&par);
		struct probe *p = truth_probe(d, CLS);
		double limit = (double)par.tail;

		assert_int_equal(probe_lossy(p, CLS), 0);
		if (fabs(figure(p, PROBE_TAIL_LIMIT)->value / limit - 1) > 0.01)
			printf("seed %lu: %g, not %g\n", seed, figure(p, PROBE_TAIL_LIMIT)->value,
				limit);
		assert_true(figure(p, PROBE_TAIL)->state == FOUND_IS);
		assert_true(figure(p, PROBE_TAIL)->value == 0);
		assert_true(fabs(figure(p, PROBE_TAIL_LIMIT)->value / limit - 1) < 0.01);
		assert_int_equal(figure(p, PROBE_TAIL_ALPHA)->state, FOUND_NONE);
		device_probe_free(p);
		device_free(d);
	}
}

static void alpha_and_the_shared_buffer_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(10); seed++) {
		double alpha = exp2((double)(seed % 5) - 3);
		struct device_params par = lossy_draw(seed, alpha);
		struct device *d = device_new(&par);
		struct probe *p = truth_probe(d, CLS);
		double limit = alpha * (double)par.buffer / (1 + 2 * alpha);

		assert_int_equal(probe_lossy(p, CLS), 0);
		if (fabs(figure(p, PROBE_TAIL_LIMIT)->value / limit - 1) > 0.01 ||
			figure(p, PROBE_TAIL_ALPHA)->value != alpha)
			printf("seed %lu: %g, not %g; alpha %g, not %g\n", seed,
				figure(p, PROBE_TAIL_LIMIT)->value, limit,
				figure(p, PROBE_TAIL_ALPHA)->value, alpha);
		assert_true(figure(p, PROBE_TAIL)->value == 1);
		assert_true(fabs(figure(p, PROBE_TAIL_LIMIT)->value / limit - 1) < 0.01);
		assert_true(figure(p, PROBE_TAIL_ALPHA)->value == alpha);
		assert_true(
			fabs(figure(p, PROBE_TAIL_SHARED)->value / (double)par.buffer - 1) < 0.01);
		device_probe_free(p);
		device_free(d);
	}
}

// A kind, an alpha or a limit may be missing. A value that is given is right.
static void nothing_is_wrong_where_the_device_is_away_now_and_then(void **state)
{
	unsigned n = rounds_of(20), told = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++) {
		double alpha = seed % 4 ? exp2((double)(seed % 3) - 2) : 0;
		struct device_params par = lossy_draw(seed, alpha);
		double limit =
			alpha > 0 ? alpha * (double)par.buffer / (1 + 2 * alpha) : (double)par.tail;
		const struct found *kind, *found, *is;
		struct device *d;
		struct probe *p;

		draw_busy(&par);
		d = device_new(&par);
		p = truth_probe(d, CLS);
		assert_int_equal(probe_lossy(p, CLS), 0);
		kind = figure(p, PROBE_TAIL);
		found = figure(p, PROBE_TAIL_LIMIT);
		is = figure(p, PROBE_TAIL_ALPHA);
		printf("seed %lu: limit %.2f %% (%.2f), alpha %g (%g) of %g\n", seed,
			100 * (found->value / limit - 1), 100 * found->pm / limit, is->value,
			is->pm, alpha);
		assert_int_equal(found->state, FOUND_IS);
		assert_true(fabs(found->value - limit) <= fmax(found->pm, .01 * limit));
		if (kind->state == FOUND_IS)
			assert_true(kind->value == (alpha > 0));
		if (is->state == FOUND_IS)
			assert_true(fabs(is->value - alpha) <= is->pm);
		told += alpha > 0 && is->state == FOUND_IS && is->value == alpha;
		assert_int_equal(figure(p, PROBE_DSCPS)->state, FOUND_INVALID);
		device_probe_free(p);
		device_free(d);
	}
	assert_true(2 * told >= n);
}

static void a_limit_of_the_queue_is_all_senders(void **state)
{
	struct device_params par = lossy_draw(1, 0);
	struct device *d;
	struct probe *p;

	(void)state;
	par.queue = 200000;
	par.tail = 1000000;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_TAIL)->state, FOUND_IS);
	assert_true(figure(p, PROBE_TAIL)->value == 2);
	assert_true(fabs(figure(p, PROBE_TAIL_LIMIT)->value / 200000 - 1) < 0.15);
	device_probe_free(p);
	device_free(d);
}

static void too_few_ports_and_no_drop_are_said(void **state)
{
	struct device_params par = lossy_draw(1, 0.5);
	struct device *d = device_new(&par);
	struct probe *p = truth_probe(d, CLS);
	struct probe_cfg *cfg = (struct probe_cfg *)(uintptr_t)p->cfg;

	(void)state;
	cfg->n_in = 2;
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_TAIL_LIMIT)->state, FOUND_IS);
	assert_int_equal(figure(p, PROBE_TAIL)->state, FOUND_NOT);
	cfg->most_buffer = 10000;
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_TAIL_LIMIT)->state, FOUND_NOT);
	device_params(d)->tail_alpha = 0;
	device_params(d)->tail = 100000000;
	device_params(d)->buffer = 100000000;
	cfg->most_buffer = 10000000;
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_TAIL_LIMIT)->state, FOUND_AT_LEAST);
	cfg->n_in = 1;
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_TAIL_LIMIT)->state, FOUND_NOT);
	device_probe_free(p);
	device_free(d);
}

// DSCPs 8 to 15 are of the class, as the device's map says; another map mixes them.
static void dscps_of_the_queue_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(8); seed++) {
		struct device_params par = lossy_draw(seed, 0.5);
		struct device *d;
		struct probe *p;
		uint64_t truth = 0;
		struct prng r;

		prng_init(&r, seed, "dscps");
		for (unsigned k = 0; k < 64; k++) {
			par.cls[k] = (uint8_t)prng_below(&r, PKT_CLASSES);
			truth |= (uint64_t)(par.cls[k] == CLS) << k;
		}
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			par.weight[c] = (unsigned)prng_below(&r, 20);
		d = device_new(&par);
		p = truth_probe(d, CLS);
		for (unsigned k = 0; k < 64; k++) // as step `map` finds them
			if (par.obeys >> par.cls[k] & 1)
				p->found->dscps[par.cls[k]] |= 1ull << k;
		assert_int_equal(probe_lossy(p, CLS), 0);
		if (p->found->dscps[CLS] != truth)
			printf("seed %lu: DSCPs %lx, not %lx\n", seed, p->found->dscps[CLS], truth);
		assert_true(p->found->dscps[CLS] == truth);
		device_probe_free(p);
		device_free(d);
	}
}

static void frames_of_others_leave_alpha_open(void **state)
{
	struct device_params par = lossy_draw(2, 0.5);
	struct device *d;
	struct probe *p;

	(void)state;
	par.others = 0.05;
	d = device_new(&par);
	p = truth_probe(d, CLS);
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_int_equal(figure(p, PROBE_TAIL)->state, FOUND_OTHERS);
	assert_int_equal(figure(p, PROBE_TAIL_LIMIT)->state, FOUND_OTHERS);
	assert_int_equal(figure(p, PROBE_TAIL_ALPHA)->state, FOUND_NOT);
	device_probe_free(p);
	device_free(d);
}

// A lossless class for whose reserve step `alpha` found only an upper bound.
static void a_shared_buffer_that_is_known_better_tells_the_reserve(void **state)
{
	struct device_params par = lossy_draw(2, 0.5);
	struct device *d;
	struct probe *p;
	const struct found *reserve;

	(void)state;
	par.cell = 1;
	par.buffer = 2000000;
	par.alpha = 0.125;
	par.reserve = 6000;
	d = device_new(&par);
	p = truth_probe(d, 3);
	reserve = &p->found->f[3][PROBE_RESERVE];
	found_is(p->found, 3, PROBE_ALPHA, 0.125, 0);
	found_is(p->found, 3, PROBE_SHARED, 2000000 + 9 * 6000, 80000);
	found_is(p->found, 3, PROBE_RESERVE, 0, 9000);
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_true(fabs(p->found->f[3][PROBE_SHARED].value / 2000000 - 1) < 0.005);
	assert_true(fabs(reserve->value - 6000) < reserve->pm);
	assert_true(reserve->pm < 2000);
	found_is(p->found, 3, PROBE_SHARED, 9000000, 80000);
	assert_int_equal(probe_lossy(p, CLS), 0);
	assert_true(p->found->f[3][PROBE_SHARED].value == 9000000);
	assert_non_null(figure(p, PROBE_TAIL_SHARED)->why);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_limit_is_found),
		cmocka_unit_test(alpha_and_the_shared_buffer_are_found),
		cmocka_unit_test(nothing_is_wrong_where_the_device_is_away_now_and_then),
		cmocka_unit_test(a_limit_of_the_queue_is_all_senders),
		cmocka_unit_test(dscps_of_the_queue_are_found),
		cmocka_unit_test(frames_of_others_leave_alpha_open),
		cmocka_unit_test(too_few_ports_and_no_drop_are_said),
		cmocka_unit_test(a_shared_buffer_that_is_known_better_tells_the_reserve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
