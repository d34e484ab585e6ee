// SPDX-License-Identifier: BSD-3-Clause
// Steps of a probe against the program's own switch, in virtual time: scenes drawn by seed, whose
// settings are the truth that the steps cannot see.
#include "compile/compile.h"
#include "vt/vt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"
#include "probe/int.h"
#include "rounds.h"

#define CLS   3 // lossless, as is class 4
#define LOSSY 1
#define PORTS 4

static const char *const port[] = {"p1", "p2", "p3", "p4"};

// A device, and the scene that makes it.
struct truth {
	unsigned rate, cell; // Gb/s, bytes
	bool dynamic;
	int th;
	uint64_t xoff, offset, reserve, headroom, buffer, pool, shared;
	unsigned quanta, refresh, response, latency; // %, quanta, ns
	bool tail_dynamic;
	int tail_th;
	uint64_t tail;
	bool dog, forwards;
	unsigned poll, detect, restore; // us
};

static uint64_t cells(const struct truth *t, uint64_t n)
{
	return n * (t->cell > 64 ? t->cell : 64);
}

static struct truth draw(uint64_t seed)
{
	static const unsigned rates[] = {25, 40, 100}, sizes[] = {1, 144, 208, 256};
	struct truth t;
	struct prng r;

	prng_init(&r, seed, "switch");
	t = (struct truth){.rate = rates[prng_below(&r, 3)],
		.cell = sizes[prng_below(&r, 4)],
		.dynamic = prng_below(&r, 3) > 0,
		.th = (int)prng_below(&r, 5) - 4,
		.reserve = prng_below(&r, 2) ? prng_below(&r, 20000) : 0,
		.quanta = 20000 + (unsigned)prng_below(&r, 45535),
		.refresh = 20 + (unsigned)prng_below(&r, 60),
		.response = 10 + (unsigned)prng_below(&r, 690),
		.latency = 200 + (unsigned)prng_below(&r, 1800),
		.tail_dynamic = prng_below(&r, 2),
		.tail_th = (int)prng_below(&r, 5) - 3};
	t.xoff = cells(&t, 400 + prng_below(&r, 1500));
	t.offset = cells(&t, 10 + prng_below(&r, 120));
	t.headroom = cells(&t, 800 + prng_below(&r, 1500));
	t.pool = prng_below(&r, 2) ? t.headroom * (2 + prng_below(&r, 2)) + t.headroom / 3 : 0;
	t.shared = cells(&t, 12000 + prng_below(&r, 12000));
	t.tail = cells(&t, 2000 + prng_below(&r, 2000));
	t.buffer = t.shared + 2 * PORTS * t.reserve + (t.pool ? t.pool : 2 * PORTS * t.headroom);
	t.dog = prng_below(&r, 2);
	t.forwards = prng_below(&r, 2);
	t.poll = 100 + (unsigned)prng_below(&r, 200);
	t.detect = t.poll * (unsigned)(2 + prng_below(&r, 3));
	t.restore = t.poll * (unsigned)(1 + prng_below(&r, 4));
	return t;
}

static void write_class(FILE *f, const struct truth *t, unsigned c)
{
	fprintf(f, "      %u: {lossless: true, pfc: {", c);
	if (t->dynamic)
		fprintf(f, "dynamic_th: %d", t->th);
	else
		fprintf(f, "xoff: %luB", t->xoff);
	fprintf(f,
		", xon_offset: %luB, reserved: %luB, headroom: %luB, "
		"quanta: %u, refresh: %u%%}}\n",
		t->offset, t->reserve, t->headroom, t->quanta, t->refresh);
}

static char *scene_text(const struct truth *t, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	fprintf(f,
		"name: own\nduration: 100s\nswitches:\n  dut:\n    buffer: %luB\n"
		"    cell: %uB\n",
		t->buffer, t->cell);
	fprintf(f, "    latency: %uns\n    pfc_response: %u\n", t->latency, t->response);
	if (t->pool)
		fprintf(f, "    pools: {headroom: %luB}\n", t->pool);
	if (t->dog)
		fprintf(f,
			"    pfc_watchdog: {poll: %uus, detection: %uus, "
			"restoration: %uus, action: %s}\n",
			t->poll, t->detect, t->restore, t->forwards ? "forward" : "drop");
	fprintf(f, "    classes:\n");
	write_class(f, t, CLS);
	write_class(f, t, CLS + 1);
	if (t->tail_dynamic)
		fprintf(f, "      %u: {drop: {dynamic_th: %d}}\n", LOSSY, t->tail_th);
	else
		fprintf(f, "      %u: {drop: {limit: %luB}}\n", LOSSY, t->tail);
	fprintf(f,
		"hosts: {p1..4: }\nlinks:\n"
		"- {between: [[p1..4], dut], rate: %uGbps, delay: 100ns}\n",
		t->rate);
	fclose(f);
	return text;
}

struct bench {
	uint64_t seed;
	struct truth t;
	struct probe_found found;
	unsigned wrong;
};

static int take(struct probe *p, int (*step)(struct probe *, unsigned), unsigned cls)
{
	int rc = step(p, cls);

	return rc ? rc : probe_clear(p);
}

static int run_steps(void *arg, struct lab *lab, struct err *err)
{
	struct bench *b = arg;
	struct probe_cfg cfg = {.in = {0, 1, 3},
		.n_in = 3,
		.out = {2, 3},
		.n_out = 2,
		.accuracy = .03,
		.most_hold = 50 * PS_PER_MS,
		.most_step = 5 * PS_PER_S,
		.most_time = 600 * PS_PER_S,
		.most_frames = 4000000,
		.most_buffer = 128000000,
		.seed = b->seed};
	struct probe p;
	int rc;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		cfg.dscp[c] = (uint8_t)(8 * c);
	probe_init(&p, lab, &cfg, &b->found, err);
	p.obeys = 3 << CLS;
	for (unsigned c = CLS; c <= CLS + 1; c++)
		b->found.dscps[c] = 0xffull << 8 * c;
	p.transit = b->t.latency * PS_PER_NS;
	p.response = b->t.response * p.quantum;
	rc = take(&p, probe_overfill, CLS);
	rc = rc ? rc : take(&p, probe_xoff, CLS);
	rc = rc ? rc : take(&p, probe_cell, CLS);
	rc = rc ? rc : take(&p, probe_refresh, CLS);
	rc = rc ? rc : take(&p, probe_xon, CLS);
	rc = rc ? rc : take(&p, probe_alpha, CLS);
	rc = rc ? rc : take(&p, probe_lossy, LOSSY);
	rc = rc ? rc : take(&p, probe_pool, CLS);
	rc = rc ? rc : take(&p, probe_watchdog, CLS);
	probe_list_free(&p);
	return rc;
}

static void run(struct bench *b, uint64_t seed)
{
	struct scene_opts so = {.testers = port, .n_testers = PORTS};
	const struct vt_opts o = {
		.record.no_files = true, .experiment = run_steps, .experiment_arg = b};
	struct report *report = NULL;
	struct scene *scene = NULL;
	struct err err = {0};
	char *text;
	int rc;

	*b = (struct bench){.seed = seed, .t = draw(seed)};
	so.text = text = scene_text(&b->t, &so.size);
	rc = compile_scene(&scene, "own.yaml", &so, &err);
	if (!rc)
		rc = vt_run(scene, &o, &report, &err);
	if (rc)
		fail_msg("seed %lu: %s\n%s", seed, err.text, text);
	report_free(report);
	scene_free(scene);
	free(text);
}

// A figure within `most` of the truth, which is 0 if it must be exact.
static void figure_is(
	struct bench *b, unsigned cls, enum probe_figure fig, double truth, double most)
{
	const struct found *f = &b->found.f[cls][fig];

	if (f->state == FOUND_IS && fabs(f->value - truth) <= most)
		return;
	b->wrong++;
	printf("seed %lu: %s is %g +- %g (state %d%s%s), not %g +- %g\n", b->seed,
		probe_figure[fig].name, f->value, f->pm, f->state, f->why ? ", " : "",
		f->why ? f->why : "", truth, most);
}

static void state_is(struct bench *b, unsigned cls, enum probe_figure fig, enum found_state state)
{
	const struct found *f = &b->found.f[cls][fig];

	b->wrong += f->state != state;
	if (f->state != state)
		printf("seed %lu: %s has state %d (%s)\n", b->seed, probe_figure[fig].name,
			f->state, f->why ? f->why : "");
}

static void compare_group(struct bench *b)
{
	const struct truth *t = &b->t;
	double alpha = exp2(t->th), u = (double)cells(t, 1), share = alpha / (1 + alpha);
	double xoff =
		(double)t->reserve + (t->dynamic ? share * (double)t->shared : (double)t->xoff);
	double offset = t->dynamic ? (double)t->offset / (1 + alpha) : (double)t->offset;
	double us = t->quanta * 512e-3 / t->rate;

	figure_is(b, CLS, PROBE_XOFF, xoff, fmax(u, 0.003 * xoff));
	figure_is(b, CLS, PROBE_XON, xoff - offset, fmax(u, 0.003 * xoff));
	figure_is(b, CLS, PROBE_HYSTERESIS, offset, 2 * u);
	figure_is(b, CLS, PROBE_HEADROOM, (double)t->headroom,
		fmax(2 * u, 0.006 * (double)t->headroom));
	figure_is(b, PROBE_DEVICE, PROBE_CELL, t->cell, 0);
	figure_is(b, CLS, PROBE_QUANTA, t->quanta, 0);
	figure_is(b, CLS, PROBE_REFRESH, us * t->refresh / 100, 0.001 * us * t->refresh / 100);
	figure_is(b, CLS, PROBE_FLAPS, 0, 0);
	figure_is(b, CLS, PROBE_PFC_FRAME, 0, 0);
	figure_is(b, CLS, PROBE_THRESHOLD, t->dynamic, 0);
	if (!t->dynamic)
		return;
	figure_is(b, CLS, PROBE_ALPHA, alpha, 0);
	figure_is(b, CLS, PROBE_ALPHA_RAW, alpha, 0.02 * alpha);
	figure_is(b, CLS, PROBE_SHARED, (double)t->shared, 0.02 * (double)t->shared);
	figure_is(b, CLS, PROBE_RESERVE, (double)t->reserve, 1.5 * u / share);
}

static void compare_tail(struct bench *b)
{
	const struct truth *t = &b->t;
	double alpha = exp2(t->tail_th), shared = (double)t->shared;
	double limit = t->tail_dynamic ? alpha * shared / (1 + 2 * alpha) : (double)t->tail;

	figure_is(b, LOSSY, PROBE_TAIL, t->tail_dynamic, 0);
	figure_is(b, LOSSY, PROBE_TAIL_LIMIT, limit, 0.01 * limit);
	figure_is(b, LOSSY, PROBE_DSCPS, 8, 0);
	if (!t->tail_dynamic)
		return;
	figure_is(b, LOSSY, PROBE_TAIL_ALPHA, alpha, 0);
	figure_is(b, LOSSY, PROBE_TAIL_SHARED, shared, 0.01 * shared);
}

static void compare_rest(struct bench *b)
{
	const struct truth *t = &b->t;
	const struct found *f = b->found.f[CLS];
	double u = (double)cells(t, 1);

	if (t->pool)
		figure_is(
			b, CLS, PROBE_POOL, (double)t->pool, fmax(12 * u, 0.01 * (double)t->pool));
	else
		state_is(b, CLS, PROBE_POOL, FOUND_AT_LEAST);
	if (!t->dog) {
		state_is(b, CLS, PROBE_WATCHDOG, FOUND_NONE);
		return;
	}
	figure_is(b, CLS, PROBE_WATCHDOG, t->forwards ? 2 : 1, 0);
	figure_is(b, CLS, PROBE_POLL, t->poll, 0.5);
	figure_is(b, CLS, PROBE_DETECT, t->detect, f[PROBE_DETECT].pm + 0.01 * t->detect);
	if (!t->forwards)
		figure_is(
			b, CLS, PROBE_RESTORE, t->restore, f[PROBE_RESTORE].pm + 0.02 * t->restore);
	b->wrong += 2 * f[PROBE_DETECT].pm > t->poll + 1;
}

static void the_steps_find_the_settings_of_a_scene(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(20); seed++) {
		struct bench b;

		run(&b, seed);
		compare_group(&b);
		compare_tail(&b);
		compare_rest(&b);
		found_free(&b.found);
		wrong += b.wrong;
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_steps_find_the_settings_of_a_scene),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
