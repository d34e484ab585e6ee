// SPDX-License-Identifier: BSD-3-Clause
// Faults of the bench in the middle of a probe: the device starts again, a link is lost, our own
// ports lose frames. A figure is found all the same, or says why it is not; none is wrong.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device.h"
#include "rounds.h"

#define CLS    3
#define STEPS  2000
#define ROUNDS 12

enum fault { NONE, RESTARTS, LINK, LOSS, FAULTS };

static const char *const fault_name[FAULTS] = {"none", "restart", "link", "loss"};

// A probe with a fault in the steps of the lab from number `from` on.
struct bench {
	struct device *d;
	int (*step)(struct lab *lab, const struct lab_step *step, struct lab_sight *sight,
		struct err *err);
	enum fault fault;
	unsigned from, times, n;
	const char *name; // only in steps of this name; NULL: in any
	double share;     // of the step's time, at which the fault comes
	tstamp took[STEPS];
	tstamp lasts;
	struct probe_found found;
	struct err err;
	int rc;
};

static struct bench *bench;

static void plant(struct bench *b, const struct lab_step *step)
{
	tstamp in = (tstamp)(b->share * (double)(b->n < STEPS ? b->took[b->n] : 0));

	if (b->n < b->from || !b->times || (b->name && strcmp(step->name, b->name) != 0))
		return;
	b->times--;
	if (b->fault == RESTARTS)
		device_restarts(b->d, in, b->lasts);
	else if (b->fault == LINK)
		device_link_is_lost(b->d, 2, in, b->lasts);
	else if (b->fault == LOSS)
		device_params(b->d)->bad = 1;
}

static int step(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	struct bench *b = bench;
	int rc;

	plant(b, step);
	rc = b->step(lab, step, sight, err);
	if (b->fault == NONE && b->n < STEPS)
		b->took[b->n] = sight->took;
	b->n++;
	return rc;
}

static struct device_params bench_device(void)
{
	struct device_params par = device_usual();

	par.cell = 208;
	par.xoff = 60000;
	par.headroom = 30000;
	par.marks = DEVICE_AT_DEQUEUE;
	par.marked = 1 << CLS;
	par.kmin = 10000;
	par.kmax = 30000;
	par.pmax = 1;
	par.weight[1] = 3;
	return par;
}

static void run(struct bench *b)
{
	const struct device_params par = bench_device();
	struct probe *p;
	struct probe_cfg cfg;

	bench = b;
	b->d = device_new(&par);
	p = device_probe(b->d, 1 << CLS);
	cfg = *p->cfg;
	cfg.steps = (1u << PROBE_STEP_WATCHDOG) - 1;
	cfg.most_frames = 20000;
	cfg.accuracy = .1;
	cfg.most_buffer = 6400000;
	b->found = (struct probe_found){0};
	b->n = 0;
	b->step = device_lab(b->d)->step;
	device_lab(b->d)->step = step;
	b->rc = probe_run(device_lab(b->d), &cfg, NULL, &b->found, &b->err);
	device_probe_free(p);
	device_free(b->d);
}

// Half widths, of statistical figures both, and a frame or two of counts.
static double allowed(enum probe_figure fig, const struct found *a, const struct found *b)
{
	if (!probe_figure[fig].unit)
		return 0;
	return 2 * (a->pm + b->pm) + .01 * fabs(a->value) + 1e-9;
}

// Whether a length counts bytes of frames, and says so.
static bool is_uncelled(const struct found *f)
{
	return f->why && (!strcmp(f->why, "bytes of frames: the cell is not known") ||
				 !strcmp(f->why, "each group had as much headroom as one alone"));
}

// The figures that are wrong, and the figures that are missing.
static void judge(
	const struct bench *right, const struct bench *b, unsigned *wrong, unsigned *missing)
{
	for (unsigned c = 0; c < PROBE_COLUMNS; c++)
		for (enum probe_figure k = 0; k < PROBE_FIGURES; k++) {
			const struct found *f = &b->found.f[c][k], *r = &right->found.f[c][k];

			if (r->state == FOUND_NOT || is_uncelled(f) ||
				(f->state == r->state &&
					fabs(f->value - r->value) <= allowed(k, f, r)))
				continue;
			if (f->state == FOUND_NOT || f->state == FOUND_INVALID) {
				*missing += 1;
				assert_true(c != CLS || f->why);
			} else {
				*wrong += 1;
			}
			print_message("  class %u, %s: state %u, %g (%s), not state %u, %g\n", c,
				probe_figure[k].name, f->state, f->value, f->why ? f->why : "",
				r->state, r->value);
		}
}

// The findings of a probe without faults, to be freed.
static struct bench undisturbed(void)
{
	struct bench right = {.fault = NONE};

	run(&right);
	assert_int_equal(right.rc, 0);
	assert_true(right.n < STEPS);
	return right;
}

static void a_fault_in_one_step_changes_no_figure(void **state)
{
	const char *from = getenv("QUENCH_SEED"), *rounds = getenv("QUENCH_ROUNDS");
	const unsigned all = rounds ? (unsigned)atoi(rounds) : rounds_of(ROUNDS);
	const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
	struct bench right = undisturbed();
	unsigned wrong = 0, missing = 0;

	(void)state;
	for (uint64_t seed = first; seed < first + all; seed++) {
		struct bench b = right;
		struct prng g;

		prng_init(&g, seed, "fault");
		b.fault = (enum fault)(RESTARTS + prng_below(&g, FAULTS - RESTARTS));
		b.from = (unsigned)prng_below(&g, right.n);
		b.times = 1;
		b.share = (double)prng_below(&g, 1000) / 1000;
		b.lasts = PS_PER_US << prng_below(&g, 14);
		print_message("seed %u: %s in step %u, at %.3f of it, for %.0f us\n",
			(unsigned)seed, fault_name[b.fault], b.from, b.share,
			(double)b.lasts / PS_PER_US);
		run(&b);
		if (b.rc)
			fail_msg("%s", b.err.text);
		judge(&right, &b, &wrong, &missing);
		found_free(&b.found);
	}
	found_free(&right.found);
	assert_int_equal(wrong, 0);
	assert_int_equal(missing, 0);
}

// The steps of the lab with these names never go well.
static void a_step_that_never_goes_well_is_invalid_and_others_go_on(void **state)
{
	static const struct {
		const char *name;
		enum fault fault;
		enum probe_figure fig; // a figure of the step
		const char *why;
		unsigned lost; // figures at most that lack this step
	} bad[] = {
		{"pause", LOSS, PROBE_RESPONSE, "our own ports lost frames", 5},
		{"pause", LINK, PROBE_RESPONSE, "a link was lost", 5},
		{"drain", RESTARTS, PROBE_DROPS_FIRST, "the device ", 18},
		{"overfill", LOSS, PROBE_DROPS_FIRST, "our own ports lost frames", 18},
		{"xoff", LINK, PROBE_XOFF, "a link was lost", 16},
		{"refresh", RESTARTS, PROBE_REFRESH, "the device ", 4},
		{"weights", LOSS, PROBE_WEIGHT, "our own ports lost frames", 16},
		{"map", LINK, PROBE_OBEYS, "a link was lost", 200},
	};
	struct bench right = undisturbed();

	(void)state;
	for (unsigned k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct bench b = right;
		unsigned wrong = 0, missing = 0;
		const struct found *f = &b.found.f[CLS][bad[k].fig];

		b.fault = bad[k].fault;
		b.name = bad[k].name;
		b.times = UINT32_MAX;
		b.share = .05;
		b.lasts = 100 * PS_PER_US;
		print_message("%s in each step %s\n", fault_name[b.fault], b.name);
		run(&b);
		assert_int_equal(b.rc, 0);
		judge(&right, &b, &wrong, &missing);
		assert_int_equal(wrong, 0);
		assert_in_range(missing, 1, bad[k].lost);
		assert_int_equal(f->state, FOUND_INVALID);
		assert_true(!strncmp(f->why, bad[k].why, strlen(bad[k].why)));
		found_free(&b.found);
	}
	found_free(&right.found);
}

// It comes back while the probe goes on: the steps before and after it are found.
static void a_device_that_is_away_for_a_while_is_asked_again(void **state)
{
	struct bench right = undisturbed(), b = right;
	unsigned wrong = 0, missing = 0;

	(void)state;
	b.fault = RESTARTS;
	b.name = "xoff";
	b.times = 1;
	b.lasts = 20 * PS_PER_S;
	run(&b);
	assert_int_equal(b.rc, 0);
	judge(&right, &b, &wrong, &missing);
	assert_int_equal(wrong, 0);
	assert_int_equal(b.found.f[CLS][PROBE_RESPONSE].state, FOUND_IS);
	assert_int_equal(b.found.f[1][PROBE_WEIGHT].state, FOUND_IS);
	found_free(&b.found);
	found_free(&right.found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_in_one_step_changes_no_figure),
		cmocka_unit_test(a_step_that_never_goes_well_is_invalid_and_others_go_on),
		cmocka_unit_test(a_device_that_is_away_for_a_while_is_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
