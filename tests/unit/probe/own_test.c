// SPDX-License-Identifier: BSD-3-Clause
// Steps marks and weights, and the steps that they need, against quench's own switch in virtual
// time, by seed.
#include "compile/compile.h"
#include "vt/vt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/int.h"
#include "rounds.h"

#define CLS    3
#define ROUNDS 10

static const char *const port[] = {"p1", "p2", "p3", "p4"};

// The settings of the switch, and the findings.
struct truth {
	uint64_t seed;
	unsigned rate, cell, average, response; // Gb/s, bytes, exponent, quanta
	bool dequeue;
	double latency; // us
	unsigned kmin, kmax;
	double pmax; // %
	unsigned weight[PKT_CLASSES];
	// findings
	double ms; // of scene time
	struct probe_found found;
};

static double draw(struct prng *g, double low, double high)
{
	return low + (high - low) * (double)(prng_u64(g) >> 11) * 0x1p-53;
}

static void truth_draw(struct truth *t, uint64_t seed)
{
	static const unsigned rates[] = {25, 40, 100}, cells[] = {1, 144, 208, 256},
			      averages[] = {0, 0, 0, 4, 7};
	struct prng g;

	*t = (struct truth){.seed = seed};
	prng_init(&g, seed, "own");
	t->rate = rates[prng_below(&g, 3)];
	t->cell = cells[prng_below(&g, 4)];
	t->average = averages[prng_below(&g, 5)];
	t->response = 10 + (unsigned)prng_below(&g, 690);
	t->dequeue = prng_below(&g, 2);
	t->latency = draw(&g, .2, 2);
	t->kmin = (unsigned)draw(&g, 20000, 60000);
	t->kmax = t->kmin + (unsigned)draw(&g, 20000, 200000);
	t->pmax = floor(1e4 * fmin(100, exp(draw(&g, log(2), log(120))))) / 1e4;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		t->weight[c] = c < 7 ? 1 + (unsigned)prng_below(&g, 20) : 0;
}

static char *scene_of(const struct truth *t, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	fprintf(f,
		"name: bench\nduration: 10s\nseed: %u\nsample: none\nswitches:\n  dut:\n"
		"    buffer: 16MB\n    cell: %uB\n    latency: %.3fus\n    pfc_response: %u\n"
		"    classes:\n",
		(unsigned)t->seed, t->cell, t->latency, t->response);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		fprintf(f, "      %u: {%s", c,
			t->weight[c] ? "strict: false, weight: " : "strict: true");
		if (t->weight[c])
			fprintf(f, "%u", t->weight[c]);
		if (c == CLS)
			fprintf(f,
				", lossless: true, pfc: {xoff: 200KB, headroom: 300KB}, "
				"wred: {min: %uB, max: %uB, probability: %.4f%%, mark: %s, "
				"weight: %u}",
				t->kmin, t->kmax, t->pmax, t->dequeue ? "dequeue" : "enqueue",
				t->average);
		fprintf(f, "}\n");
	}
	fprintf(f,
		"hosts: {p1..4: }\nlinks:\n- {between: [[p1..4], dut], rate: %uGbps, delay: "
		"100ns}\n",
		t->rate);
	fclose(f);
	return text;
}

static int steps(void *arg, struct lab *lab, struct err *err)
{
	struct truth *t = arg;
	const struct probe_cfg cfg = {.in = {0, 1, 3},
		.n_in = 3,
		.out = {2, 3},
		.n_out = 2,
		.dscp = {0, 8, 16, 24, 32, 40, 48, 56},
		.classes = 1 << CLS,
		.accuracy = .03,
		.most_hold = 50 * PS_PER_MS,
		.most_step = 5 * PS_PER_S,
		.most_time = 600 * PS_PER_S,
		.most_frames = 4000000,
		.most_buffer = 128000000,
		.seed = 1,
		.steps = 1u << PROBE_STEP_SELF | 1u << PROBE_STEP_MAP | 1u << PROBE_STEP_PAUSE |
			 1u << PROBE_STEP_OVERFILL | 1u << PROBE_STEP_XOFF | 1u << PROBE_STEP_CELL |
			 1u << PROBE_STEP_MARKS | 1u << PROBE_STEP_WEIGHTS};
	int rc = probe_run(lab, &cfg, NULL, &t->found, err);

	t->ms = (double)lab->scene_time / PS_PER_MS;
	return rc;
}

static bool is_near(
	const struct truth *t, unsigned cls, enum probe_figure fig, double is, double within)
{
	const struct found *f = &t->found.f[cls][fig];

	if (f->state == FOUND_IS && fabs(f->value - is) <= within)
		return true;
	print_message("  class %u, %s: state %u, %g +- %g, not %g (%s)\n", cls,
		probe_figure[fig].name, f->state, f->value, f->pm, is, f->why ? f->why : "");
	return false;
}

static bool is_right(const struct truth *t)
{
	const struct found *f = t->found.f[CLS];
	unsigned least = 1000;
	bool ok = true;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		least = t->weight[c] && t->weight[c] < least ? t->weight[c] : least;
	print_message(
		"seed %u, %u G, cell %u, %s, average %u, Pmax %.2f %%: Kmin %.2f %%, Kmax %.2f "
		"%%, Pmax %.2f %%; %.1f ms\n",
		(unsigned)t->seed, t->rate, t->cell, t->dequeue ? "dequeue" : "enqueue", t->average,
		t->pmax, 100 * (f[PROBE_KMIN].value / t->kmin - 1),
		100 * (f[PROBE_KMAX].value / t->kmax - 1),
		100 * (f[PROBE_PMAX].value / t->pmax - 1), t->ms);
	ok &= is_near(t, CLS, PROBE_MARK, t->dequeue ? 2 : 1, 0);
	ok &= is_near(t, CLS, PROBE_MARK_AVERAGED, t->average > 0, 0);
	ok &= is_near(t, CLS, PROBE_MARK_LINEAR, 1, 0);
	ok &= is_near(t, CLS, PROBE_KMIN, t->kmin, .03 * t->kmin);
	ok &= is_near(t, CLS, PROBE_KMAX, t->kmax, .01 * t->kmax);
	ok &= is_near(t, CLS, PROBE_PMAX, t->pmax, .03 * t->pmax);
	ok &= is_near(t, CLS, PROBE_NOT_ECT, 0, 0);
	if (t->cell > 64)
		ok &= is_near(t, CLS, PROBE_MARK_COUNTS, 0, 0);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		double w = (double)t->weight[c] / least;

		ok &= is_near(t, c, PROBE_STRICT, !t->weight[c], 0);
		if (t->weight[c])
			ok &= is_near(t, c, PROBE_WEIGHT, w, .01 * w);
	}
	return ok;
}

static void the_own_switch_is_found(void **state)
{
	const char *from = getenv("QUENCH_SEED"), *rounds = getenv("QUENCH_ROUNDS");
	const unsigned all = rounds ? (unsigned)atoi(rounds) : rounds_of(ROUNDS);
	const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
	unsigned wrong = 0;

	(void)state;
	for (uint64_t seed = first; seed < first + all; seed++) {
		struct scene_opts so = {.testers = port, .n_testers = 4};
		struct report *report = NULL;
		struct scene *scene = NULL;
		struct err err = {0};
		struct truth t;
		struct vt_opts o = {
			.record.no_files = true, .experiment = steps, .experiment_arg = &t};
		char *text;

		truth_draw(&t, seed);
		text = scene_of(&t, &so.size);
		so.text = text;
		if (compile_scene(&scene, "bench.yaml", &so, &err) ||
			vt_run(scene, &o, &report, &err))
			fail_msg("%s\n%s", err.text, text);
		wrong += !is_right(&t);
		report_free(report);
		scene_free(scene);
		found_free(&t.found);
		free(text);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_own_switch_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
