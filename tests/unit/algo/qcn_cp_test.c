// SPDX-License-Identifier: BSD-3-Clause
// The congestion point against the worked examples of standards.md 1.8 and its formulas in exact
// numbers.
#include "defaults.h"
#include "algo/qcn_cp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

typedef __int128 wide;

static struct qcn_cp_params defaults(void)
{
	struct qcn_cp_params p;

	qcn_cp_defaults(&p);
	return p;
}

static int verdict(const struct qcn_cp_params *p)
{
	struct qcn_cp_cfg cfg;

	return qcn_cp_cfg_init(&cfg, p);
}

static struct qcn_cp_cfg compiled(const struct qcn_cp_params *p)
{
	struct qcn_cp_cfg cfg;

	assert_int_equal(qcn_cp_cfg_init(&cfg, p), 0);
	return cfg;
}

// A sample at queue length q with q_old before; returns whether a CNM is sent.
static bool sample(struct qcn_cp *cp, uint32_t q, uint32_t q_old, struct qcn_cp_feedback *fb)
{
	cp->qlen_old = q_old;
	cp->sample = 0;
	return qcn_cp_frame(cp, 64, q, fb);
}

static void defaults_are_the_mibs(void **state)
{
	struct qcn_cp_params p = defaults();

	(void)state;
	assert_int_equal(p.set_point, 26000);
	assert_int_equal(p.weight, 1);
	assert_int_equal(p.sample_base, 150000);
	assert_int_equal(p.randomise_percent, 15);
	assert_int_equal(p.quant, QCN_CP_DIV63);
	assert_int_equal(verdict(&p), 0);
}

// standards.md 1.8, all eight lines, in both quantizations, without randomisation.
static void worked_examples_hold(void **state)
{
	static const struct {
		uint32_t q, q_old;
		bool cnm;
		uint8_t qntzfb;
		int16_t qoffset, qdelta;
		int64_t next;
	} want[] = {
		{30000, 28000, true, 3, -62, 31, 150000},
		{100000, 60000, true, 63, -1156, 625, 18750},
		{58000, 26000, true, 46, -500, 500, 25000},
		{45000, 45000, true, 9, -296, 0, 75000},
		{40000, 50000, false, 0, -218, -156, 150000},
		{20000, 20000, false, 0, 93, 0, 150000},
		{26001, 26000, false, 0, 0, 0, 150000},
		{27000, 26000, true, 1, -15, 15, 150000},
	};

	(void)state;
	for (int quant = QCN_CP_DIV63; quant <= QCN_CP_MSB6; quant++) {
		struct qcn_cp_params p = defaults();
		struct qcn_cp_cfg cfg;
		struct qcn_cp cp;
		struct prng g;

		p.randomise_percent = 0;
		p.quant = (enum qcn_cp_quant)quant;
		cfg = compiled(&p);
		prng_init(&g, 1, "cp");
		qcn_cp_init(&cp, &cfg, &g);
		for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
			struct qcn_cp_feedback fb;

			assert_int_equal(sample(&cp, want[i].q, want[i].q_old, &fb), want[i].cnm);
			assert_int_equal(fb.qntzfb, want[i].qntzfb);
			assert_int_equal(fb.qoffset, want[i].qoffset);
			assert_int_equal(fb.qdelta, want[i].qdelta);
			assert_int_equal(cp.sample, want[i].next);
			assert_int_equal(cp.qlen_old, want[i].q);
		}
		assert_int_equal(cp.samples[0], 3);
		assert_int_equal(cp.samples[46], 1);
	}
}

static void offsets_saturate_in_the_cnms_units(void **state)
{
	struct qcn_cp_params p = defaults();
	struct qcn_cp_cfg cfg;
	struct qcn_cp_feedback fb;
	struct qcn_cp cp;
	struct prng g;

	(void)state;
	cfg = compiled(&p);
	prng_init(&g, 1, "cp");
	qcn_cp_init(&cp, &cfg, &g);
	assert_true(sample(&cp, UINT32_MAX, 0, &fb));
	assert_int_equal(fb.qoffset, INT16_MIN);
	assert_int_equal(fb.qdelta, INT16_MAX);
	assert_int_equal(fb.qntzfb, 63);
	assert_false(sample(&cp, 0, UINT32_MAX, &fb));
	assert_int_equal(fb.qdelta, INT16_MIN);
	assert_int_equal(fb.qoffset, 26000 / 64);
}

// 100 frames of 1500 bytes make the first sample_base; the next one samples. A sample without CNM
// moves qlen_old and the counter all the same.
static void frames_are_counted_down_to_the_sample(void **state)
{
	struct qcn_cp_params p = defaults();
	struct qcn_cp_feedback fb;
	struct qcn_cp_cfg cfg;
	struct qcn_cp cp;
	struct prng g;

	(void)state;
	p.randomise_percent = 0;
	cfg = compiled(&p);
	prng_init(&g, 1, "cp");
	qcn_cp_init(&cp, &cfg, &g);
	for (int i = 0; i < 100; i++)
		assert_false(qcn_cp_frame(&cp, 1500, 90000, &fb));
	assert_int_equal(cp.sample, 0);
	assert_int_equal(cp.qlen_old, 0);
	assert_true(qcn_cp_frame(&cp, 1500, 90000, &fb)); // Fb -(64000 + 180000), clamped
	assert_int_equal(fb.qntzfb, 63);
	for (int i = 0; i < 12; i++)
		assert_false(qcn_cp_frame(&cp, 1500, 20000, &fb));
	assert_int_equal(cp.qlen_old, 90000);
	assert_false(
		qcn_cp_frame(&cp, 1500, 20000, &fb)); // 19500 > 18750: sampled, below the set point
	assert_int_equal(cp.qlen_old, 20000);
	assert_int_equal(cp.sample, 150000);
	assert_int_equal(cp.samples[0], 1);
}

static void bases_fall_with_feedback_or_follow_the_table(void **state)
{
	static const int64_t exact[] = {150000, 75000, 50000, 37500, 30000, 25000, 21428, 18750};
	static const uint64_t pseudo[] = {150000, 75000, 50000, 37500, 30000, 25000, 21500, 18500};
	struct qcn_cp_params p = defaults();
	struct qcn_cp_cfg cfg;

	(void)state;
	p.randomise_percent = 0;
	cfg = compiled(&p);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++) {
		assert_int_equal(cfg.least[i], exact[i]);
		assert_int_equal(cfg.span[i], 1);
		p.sample_table[i] = pseudo[i];
	}
	cfg = compiled(&p);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		assert_int_equal(cfg.least[i], pseudo[i]);
}

// [127500, 172500] around 150000 and [21250, 28750] around 25000: both ends are met, the mean is
// the base.
static void samples_are_randomised_around_the_base(void **state)
{
	static const struct {
		uint32_t q;
		int64_t low, high;
	} want[] = {{30000, 127500, 172500}, {58000, 21250, 28750}};
	struct qcn_cp_params p = defaults();
	struct qcn_cp_cfg cfg;

	(void)state;
	cfg = compiled(&p);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct qcn_cp_feedback fb;
		struct qcn_cp cp;
		struct prng g;

		prng_init(&g, seed, "cp");
		qcn_cp_init(&cp, &cfg, &g);
		assert_int_equal(cp.sample, 150000);
		for (unsigned k = 0; k < 2; k++) {
			int64_t span = want[k].high - want[k].low, sum = 0;
			int64_t least = INT64_MAX, most = 0;

			for (int i = 0; i < 10000; i++) {
				sample(&cp, want[k].q, k ? 26000 : 28000, &fb);
				least = cp.sample < least ? cp.sample : least;
				most = cp.sample > most ? cp.sample : most;
				sum += cp.sample;
			}
			assert_in_range(least, want[k].low, want[k].low + span / 500);
			assert_in_range(most, want[k].high - span / 500, want[k].high);
			// the standard error of the mean is span / sqrt(12) / 100; within five of
			// it
			assert_in_range(sum / 10000, (want[k].low + want[k].high) / 2 - span / 69,
				(want[k].low + want[k].high) / 2 + span / 69);
		}
	}
}

// The bytes between samples, counted here frame by frame, are the congestion point's, by the
// level of the feedback; and its mean is the table's, within five standard errors, at each level.
static void the_spacing_is_the_tables(void **state)
{
	struct qcn_cp_params p = defaults();
	struct qcn_cp_cfg cfg;

	(void)state;
	cfg = compiled(&p);
	for (unsigned level = 0; level < QCN_CP_LEVELS; level++) {
		uint32_t q = (uint32_t)(26000 + cfg.limit * (8 * level + 4) / 63 +
					1); // steady: Fb = Q_sp - Q
		uint64_t frames = 0, bytes = 0, n;
		double base, error, mean;
		struct qcn_cp_feedback fb;
		struct qcn_cp cp;
		struct prng g;

		prng_init(&g, level + 1, "spacing");
		qcn_cp_init(&cp, &cfg, &g);
		cp.qlen_old = q;
		for (n = 0; n < 3000 && frames < 2000000;) {
			uint32_t len = 64 + (uint32_t)(frames++ * 997 % 1455);
			uint64_t before = cp.samples[8 * level + 4];

			bytes += len;
			qcn_cp_frame(&cp, len, q, &fb);
			if (cp.samples[8 * level + 4] == before)
				continue;
			assert_int_equal(fb.qntzfb, 8 * level + 4);
			n++;
			bytes = n == 1 ? 0 : bytes; // the first sample only begins
		}
		assert_int_equal(cp.spacing[level].n, n - 1);
		assert_int_equal(cp.spacing[level].bytes, bytes);
		base = (double)cfg.least[level] + (double)(cfg.span[level] - 1) / 2;
		error = (double)cfg.span[level] / 3.4641016 / 54.763; // sqrt(12), sqrt(2999)
		mean = (double)(bytes - cp.spacing[level].beyond) / (double)(n - 1);
		assert_float_equal(mean, base, 5 * error);
		assert_true(cp.spacing[level].beyond < bytes);
		assert_true((double)cp.spacing[level].beyond / (double)(n - 1) < 1518);
	}
}

// Fb and QntzFb from the formula in exact fractions of 2^-10 bytes.
static unsigned exact_qntzfb(const struct qcn_cp_params *p, uint32_t q, uint32_t q_old)
{
	wide w = (wide)1 << (10 + p->weight), qsp = (wide)p->set_point;
	wide fb = ((wide)q - qsp) * 1024 + ((wide)q - q_old) * w, limit = qsp * (2 * w + 1024);
	unsigned bits = 0;

	fb = fb < 0 ? 0 : fb > limit ? limit : fb;
	if (p->quant == QCN_CP_DIV63)
		return (unsigned)(fb * 63 / limit);
	while (limit >> bits)
		bits++;
	return bits > 6 ? (unsigned)(fb >> (bits - 6)) : (unsigned)fb;
}

static void any_weight_and_set_point_quantize_exactly(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 7, "qcn_cp");
	for (int run = 0; run < 2000; run++) {
		struct qcn_cp_params p = defaults();
		struct qcn_cp_feedback fb;
		struct qcn_cp_cfg cfg;
		struct qcn_cp cp;

		p.set_point = 100 + prng_below(&g, run % 2 ? 200000 : UINT32_MAX - 100u);
		p.weight = (int)prng_below(&g, 21) - 10;
		p.quant = (enum qcn_cp_quant)prng_below(&g, 2);
		cfg = compiled(&p);
		qcn_cp_init(&cp, &cfg, &g);
		for (int i = 0; i < 50; i++) {
			uint64_t most = i % 5 ? 4 * p.set_point : UINT32_MAX;
			uint32_t q, old;

			most = most < UINT32_MAX ? most : UINT32_MAX;
			q = (uint32_t)prng_below(&g, most + 1);
			old = (uint32_t)prng_below(&g, most + 1);
			assert_int_equal(sample(&cp, q, old, &fb), exact_qntzfb(&p, q, old) > 0);
			assert_int_equal(fb.qntzfb, exact_qntzfb(&p, q, old));
		}
	}
}

static void values_out_of_range_are_refused(void **state)
{
	(void)state;
#define REFUSED(field, value)                           \
	do {                                            \
		struct qcn_cp_params p = defaults();    \
                                                        \
		p.field = (value);                      \
		assert_int_equal(verdict(&p), -EINVAL); \
	} while (0)
	REFUSED(set_point, 99);
	REFUSED(set_point, 1ull << 32);
	REFUSED(weight, -11);
	REFUSED(weight, 11);
	REFUSED(sample_base, 9999);
	REFUSED(sample_base, 1ull << 32);
	REFUSED(sample_table[7], 1ull << 32);
	REFUSED(randomise_percent, 100);
	REFUSED(quant, 2);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_mibs),
		cmocka_unit_test(worked_examples_hold),
		cmocka_unit_test(offsets_saturate_in_the_cnms_units),
		cmocka_unit_test(frames_are_counted_down_to_the_sample),
		cmocka_unit_test(bases_fall_with_feedback_or_follow_the_table),
		cmocka_unit_test(samples_are_randomised_around_the_base),
		cmocka_unit_test(the_spacing_is_the_tables),
		cmocka_unit_test(any_weight_and_set_point_quantize_exactly),
		cmocka_unit_test(values_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
