// SPDX-License-Identifier: BSD-3-Clause
// Step marks against the device of these tests: what it finds is what the device was given.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "draw.h"
#include "rounds.h"

#define CLS 3

static double draw(struct prng *g, double low, double high)
{
	return low + (high - low) * (double)(prng_u64(g) >> 11) * 0x1p-53;
}

// A device with a marker, by seed.
static struct device_params marker_of(uint64_t seed)
{
	static const unsigned cells[] = {1, 144, 208, 256}, averages[] = {0, 0, 0, 4, 7};
	static const rate_t rates[] = {25, 40, 100};
	struct device_params par = device_usual();
	struct prng g;

	prng_init(&g, seed, "marker");
	par.seed = seed;
	par.rate = rates[prng_below(&g, 3)] * RATE_GBPS;
	par.cell = cells[prng_below(&g, 4)];
	par.marks = prng_below(&g, 2) ? DEVICE_AT_ENQUEUE : DEVICE_AT_DEQUEUE;
	par.average = averages[prng_below(&g, 5)];
	par.marked = 1 << CLS;
	par.kmin = (uint64_t)draw(&g, 20000, 60000);
	par.kmax = par.kmin + (uint64_t)draw(&g, 20000, 200000);
	par.pmax = fmin(1, exp(draw(&g, log(.02), log(1.2))));
	par.forward = (tstamp)(draw(&g, .2, 2) * PS_PER_US);
	par.response = (tstamp)(draw(&g, 10, 700) * 512 * PS_PER_S / par.rate);
	par.resume = (tstamp)(draw(&g, .1, 1) * (double)par.response);
	par.headroom = 600000;
	return par;
}

static struct probe *probe_of(struct device *d)
{
	const struct device_params *par = device_params(d);
	struct probe *p = device_probe(d, 1 << CLS);

	p->unit = par->cell > 64 ? par->cell - PKT_FCS : PROBE_SHORT;
	p->transit = par->forward + probe_wire(p, PROBE_SHORT);
	p->response = par->response;
	return p;
}

static void is_near(const struct probe *p, enum probe_figure fig, double is, double within)
{
	const struct found *f = &p->found->f[CLS][fig];

	if (f->state != FOUND_IS || fabs(f->value - is) > within)
		fail_msg("%s: state %u, %g +- %g, not %g (%s)", probe_figure[fig].name, f->state,
			f->value, f->pm, is, f->why ? f->why : "");
}

static void is_right(const struct device_params *par, const struct probe *p)
{
	const struct found *f = p->found->f[CLS];

	print_message(
		"seed %lu, %s %u, cell %u, %lu G: Kmin %.2f %% (%.2f), Kmax %.2f %%, Pmax %g: "
		"%.2f %% (%.2f), %.1f ms, %u steps\n",
		par->seed, par->marks == DEVICE_AT_ENQUEUE ? "enqueue" : "dequeue", par->average,
		par->cell, (unsigned long)(par->rate / RATE_GBPS),
		100 * (f[PROBE_KMIN].value / par->kmin - 1), 100 * f[PROBE_KMIN].pm / par->kmin,
		100 * (f[PROBE_KMAX].value / par->kmax - 1), par->pmax,
		f[PROBE_PMAX].value / par->pmax - 100, f[PROBE_PMAX].pm / par->pmax,
		(double)p->lab->scene_time / PS_PER_MS, p->lab->steps);
	is_near(p, PROBE_MARK, par->marks == DEVICE_AT_ENQUEUE ? 1 : 2, 0);
	is_near(p, PROBE_MARK_AVERAGED, par->average > 0, 0);
	is_near(p, PROBE_MARK_LINEAR, 1, 0);
	is_near(p, PROBE_KMIN, par->kmin, .03 * par->kmin);
	is_near(p, PROBE_KMAX, par->kmax, .01 * par->kmax);
	is_near(p, PROBE_PMAX, 100 * par->pmax, 3 * par->pmax);
	is_near(p, PROBE_NOT_ECT, 0, 0);
	if (par->cell > 64 && !par->average)
		is_near(p, PROBE_MARK_COUNTS, !par->marks_count, 0);
}

static bool is_said(const struct probe *p, enum probe_figure fig)
{
	return p->found->f[CLS][fig].state == FOUND_IS;
}

// A line may be missing, but a line that is given is right.
static void no_line_is_wrong_where_the_device_is_away_now_and_then(void **state)
{
	const unsigned all = rounds_of(12);
	unsigned told = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= all; seed++) {
		struct device_params par = marker_of(seed);
		struct device *d;
		struct probe *p;

		draw_busy(&par);
		par.average = 0;
		d = device_new(&par);
		p = probe_of(d);
		assert_int_equal(probe_marks(p, CLS), 0);
		if (is_said(p, PROBE_KMAX)) {
			is_near(p, PROBE_MARK, par.marks == DEVICE_AT_ENQUEUE ? 1 : 2, 0);
			is_near(p, PROBE_MARK_LINEAR, 1, 0);
			is_near(p, PROBE_KMIN, par.kmin, .05 * par.kmin);
			is_near(p, PROBE_KMAX, par.kmax, .02 * par.kmax);
			is_near(p, PROBE_PMAX, 100 * par.pmax, 6 * par.pmax);
			told++;
		} else {
			print_message("seed %lu: %s\n", seed, p->found->f[CLS][PROBE_KMAX].why);
		}
		device_probe_free(p);
		device_free(d);
	}
	print_message("%u of %u lines\n", told, all);
	assert_true(3 * told >= 2 * all);
}

static void markers_are_found(void **state)
{
	const unsigned all = rounds_of(8);

	(void)state;
	for (uint64_t seed = 1; seed <= all; seed++) {
		struct device_params par = marker_of(seed);
		struct device *d;
		struct probe *p;

		par.marks_count = seed % 3 == 0;
		d = device_new(&par);
		p = probe_of(d);
		assert_int_equal(probe_marks(p, CLS), 0);
		is_right(&par, p);
		assert_int_equal(p->found->n_curves, 1);
		device_probe_free(p);
		device_free(d);
	}
}

// A device that marks at enqueue from 30 KB on, up to 90 KB and 20 %.
static struct device_params plain_marker(void)
{
	struct device_params par = device_usual();

	par.marks = DEVICE_AT_ENQUEUE;
	par.marked = 1 << CLS;
	par.kmin = 30000;
	par.kmax = 90000;
	par.pmax = .2;
	par.headroom = 600000;
	return par;
}

static struct probe *marks_of(const struct device_params *par, struct device **d)
{
	struct probe *p;

	*d = device_new(par);
	p = probe_of(*d);
	assert_int_equal(probe_marks(p, CLS), 0);
	return p;
}

static void end(struct probe *p, struct device *d)
{
	device_probe_free(p);
	device_free(d);
}

static void is_plain(const struct device_params *par, const struct probe *p)
{
	is_near(p, PROBE_MARK, 1, 0);
	is_near(p, PROBE_MARK_AVERAGED, par->average > 0, 0);
	is_near(p, PROBE_KMIN, par->kmin, .03 * par->kmin);
	is_near(p, PROBE_KMAX, par->kmax, .01 * par->kmax);
	is_near(p, PROBE_PMAX, 100 * par->pmax, 3 * par->pmax);
}

// Lines that end near 100 %, of averages, too: whether they end in a step moves Kmax and Pmax, and
// the last unmarked frame tells little of an average.
static void ends_near_all_marked_are_told(void **state)
{
	static const struct {
		unsigned average, cell;
		double kmin, kmax, pmax;
	} of[] = {{4, 144, 58256, 172504, 1}, {0, 144, 87934, 308793, 1}, {0, 64, 83632, 177655, 1},
		{0, 64, 38336, 101642, .97}};

	(void)state;
	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (uint64_t seed = 1; seed <= rounds_of(2); seed++) {
			struct device_params par = plain_marker();
			struct device *d;
			struct probe *p;

			par.seed = seed;
			par.average = of[i].average;
			par.cell = of[i].cell;
			par.kmin = (uint64_t)of[i].kmin;
			par.kmax = (uint64_t)of[i].kmax;
			par.pmax = of[i].pmax;
			p = marks_of(&par, &d);
			print_message("seed %lu, line %u:", seed, i);
			is_right(&par, p);
			end(p, d);
		}
}

// Counts hold with a loop gap of 150 frames, of averages, too.
static void a_loop_gap_leaves_counts(void **state)
{
	(void)state;
	for (unsigned average = 0; average <= 7; average += 7) {
		struct device_params par = plain_marker();
		struct device *d;
		struct probe *p;

		par.gap = PS_PER_US;
		par.average = average;
		p = marks_of(&par, &d);
		is_plain(&par, p);
		end(p, d);
	}
}

// Others in another class: ramps alone.
static void others_leave_ramps(void **state)
{
	struct device_params par = plain_marker();
	struct device *d;
	struct probe *p;

	(void)state;
	par.others = .05;
	p = marks_of(&par, &d);
	assert_true(p->others);
	is_plain(&par, p);
	end(p, d);
}

static void one_sender_is_enough(void **state)
{
	struct device_params par = plain_marker();
	struct device *d = device_new(&par);
	struct probe *p = probe_of(d);

	(void)state;
	((struct probe_cfg *)(uintptr_t)p->cfg)->n_in = 1;
	assert_int_equal(probe_marks(p, CLS), 0);
	is_plain(&par, p);
	end(p, d);
}

static void no_marker_is_told(void **state)
{
	struct device_params par = device_usual();
	const struct found *f;
	struct device *d;
	struct probe *p = marks_of(&par, &d);

	(void)state;
	f = p->found->f[CLS];
	assert_int_equal(f[PROBE_MARK].state, FOUND_NONE);
	assert_true(f[PROBE_MARK].value > par.xoff);
	assert_int_equal(f[PROBE_KMIN].state, FOUND_NOT);
	assert_non_null(f[PROBE_KMIN].why);
	end(p, d);
}

// The queue is full before all frames are marked.
static void kmax_beyond_the_buffer_is_a_bound(void **state)
{
	struct device_params par = plain_marker();
	const struct found *f;
	struct device *d;
	struct probe *p;

	(void)state;
	par.kmax = 900000;
	par.pmax = .9;
	par.headroom = 60000;
	p = marks_of(&par, &d);
	f = p->found->f[CLS];
	is_near(p, PROBE_MARK, 1, 0);
	is_near(p, PROBE_KMIN, par.kmin, .03 * par.kmin);
	assert_int_equal(f[PROBE_KMAX].state, FOUND_AT_LEAST);
	assert_true(f[PROBE_KMAX].value > 2 * par.xoff && f[PROBE_KMAX].value < par.kmax);
	assert_int_equal(f[PROBE_PMAX].state, FOUND_AT_LEAST);
	end(p, d);
}

// A device that marks every frame has no line from which a frame could be told.
static void a_device_that_marks_all_frames_is_told(void **state)
{
	struct device_params par = plain_marker();
	const struct found *f;
	struct device *d;
	struct probe *p;

	(void)state;
	par.kmin = 0;
	par.kmax = 1;
	p = marks_of(&par, &d);
	f = p->found->f[CLS];
	assert_int_equal(f[PROBE_KMIN].state, FOUND_AT_MOST);
	assert_int_equal(f[PROBE_KMAX].state, FOUND_AT_MOST);
	assert_true(f[PROBE_KMAX].value > 0 && f[PROBE_KMAX].value < 4000);
	assert_int_equal(f[PROBE_PMAX].state, FOUND_NOT);
	assert_int_equal(f[PROBE_MARK].state, FOUND_NOT);
	assert_string_equal(f[PROBE_MARK].why, "all frames are marked");
	is_near(p, PROBE_NOT_ECT, 0, 0);
	end(p, d);
}

static void frames_that_cannot_be_marked_are_dropped(void **state)
{
	struct device_params par = plain_marker();
	struct device *d;
	struct probe *p;

	(void)state;
	par.drops_not_ect = true;
	p = marks_of(&par, &d);
	is_near(p, PROBE_NOT_ECT, 1, 0);
	end(p, d);
}

static void a_class_that_cannot_be_held_is_told(void **state)
{
	struct device_params par = plain_marker();
	struct device *d;
	struct probe *p;

	(void)state;
	par.obeys = 0;
	p = marks_of(&par, &d);
	assert_int_equal(p->found->f[CLS][PROBE_KMIN].state, FOUND_NOT);
	assert_non_null(p->found->f[CLS][PROBE_KMIN].why);
	end(p, d);
}

static void our_own_losses_are_no_marks(void **state)
{
	struct device_params par = plain_marker();
	struct device *d;
	struct probe *p;

	(void)state;
	par.bad = 1000;
	p = marks_of(&par, &d);
	assert_int_equal(p->found->f[CLS][PROBE_KMIN].state, FOUND_INVALID);
	assert_non_null(p->found->f[CLS][PROBE_KMIN].why);
	end(p, d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markers_are_found),
		cmocka_unit_test(no_line_is_wrong_where_the_device_is_away_now_and_then),
		cmocka_unit_test(ends_near_all_marked_are_told),
		cmocka_unit_test(a_loop_gap_leaves_counts),
		cmocka_unit_test(others_leave_ramps),
		cmocka_unit_test(one_sender_is_enough),
		cmocka_unit_test(no_marker_is_told),
		cmocka_unit_test(kmax_beyond_the_buffer_is_a_bound),
		cmocka_unit_test(a_device_that_marks_all_frames_is_told),
		cmocka_unit_test(frames_that_cannot_be_marked_are_dropped),
		cmocka_unit_test(a_class_that_cannot_be_held_is_told),
		cmocka_unit_test(our_own_losses_are_no_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
