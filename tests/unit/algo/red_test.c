// SPDX-License-Identifier: BSD-3-Clause
// The marking curve (standards.md 4.1), exactly and statistically, its bins, codepoints, bad input.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "algo/red.h"

enum { NOT_ECT, ECT1, ECT0, CE };

static struct red_cfg compile(uint64_t kmin, uint64_t kmax, double pmax)
{
	struct red_params p = {.kmin_bytes = kmin, .kmax_bytes = kmax, .pmax = pmax};
	struct red_cfg cfg;

	assert_int_equal(red_cfg_init(&cfg, &p), 0);
	assert_true(cfg.on);
	return cfg;
}

// One decision with a known draw: xoshiro256++ gives rotl(s0 + s3, 23) + s0, with s0 = 0 just a
// rotated s3.
static int wants_with_draw(const struct red_cfg *cfg, uint32_t q, uint32_t draw)
{
	uint64_t out = (uint64_t)draw << 32;
	struct prng g = {{0, 1, 2, out >> 23 | out << 41}};

	return red_wants(cfg, &g, q);
}

// Number of the 2^32 draws that mark at q: wants is 1 below it and 0 from it on.
static uint64_t threshold(const struct red_cfg *cfg, uint32_t q)
{
	uint64_t low = 0, high = 1ull << 32;

	while (low < high) {
		uint64_t mid = (low + high) / 2;

		if (wants_with_draw(cfg, q, (uint32_t)mid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void assert_p(const struct red_cfg *cfg, uint32_t q, double want)
{
	double got = (double)threshold(cfg, q) / 0x1p32;

	if (fabs(got - want) > 1e-8)
		fail_msg("p(%u) = %.10f, wanted %.10f", q, got, want);
}

// standards.md 4.1, 5 KB / 200 KB / 1 %.
static void test_oracle(void **state)
{
	struct red_cfg cfg = compile(5000, 200000, 0.01);

	(void)state;
	assert_int_equal(threshold(&cfg, 0), 0);
	assert_int_equal(threshold(&cfg, 5000), 0);
	assert_p(&cfg, 53750, 0.0025);
	assert_p(&cfg, 102500, 0.005);
	assert_p(&cfg, 151250, 0.0075);
	assert_p(&cfg, 200000, 0.01);
	assert_int_equal(threshold(&cfg, 200001), 1ull << 32);
	assert_int_equal(threshold(&cfg, UINT32_MAX), 1ull << 32);
}

static void test_extremes(void **state)
{
	struct red_cfg step = compile(100000, 100000, 0.2), none = compile(0, 0, 0);
	struct red_cfg full = compile(100000, 400000, 1), never = compile(1000, 3000, 0);
	struct red_cfg wide = compile(0, UINT32_MAX, 1), narrow = compile(7, 8, 0.5);

	(void)state;
	assert_int_equal(threshold(&step, 100000), 0);
	assert_int_equal(threshold(&step, 100001), 1ull << 32);
	assert_int_equal(threshold(&none, 0), 0);
	assert_int_equal(threshold(&none, 1), 1ull << 32);
	assert_int_equal(threshold(&full, 400000), 1ull << 32); // 100 % is every frame
	assert_int_equal(threshold(&never, 3000), 0);
	assert_int_equal(threshold(&never, 3001), 1ull << 32);
	// A span of 4 GiB: 2^-48 a byte is 2^-17 in its middle.
	assert_in_range(threshold(&wide, 1u << 31), 1ull << 31, (1ull << 31) + (1ull << 15));
	assert_p(&narrow, 8, 0.5);
}

// design.md 7, rule 14: ten seeds, 25 bins, 10,000 frames each; none beyond 5 sigma, one in 100
// beyond 3.
static void run_curve(uint64_t kmin, uint64_t kmax, double pmax)
{
	const unsigned frames = 10000, bins = 25;
	struct red_cfg cfg = compile(kmin, kmax, pmax);
	unsigned beyond3 = 0, random_bins = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct prng g;

		prng_init(&g, seed, "curve");
		for (unsigned b = 0; b < bins; b++) {
			// From half of Kmin to 20 % beyond Kmax.
			uint64_t q = kmin / 2 + (kmax + kmax / 5 - kmin / 2) * b / (bins - 1);
			double p = q <= kmin  ? 0
				   : q > kmax ? 1
					      : pmax * (double)(q - kmin) / (double)(kmax - kmin);
			double sigma = sqrt(frames * p * (1 - p));
			unsigned marks = 0;

			for (unsigned i = 0; i < frames; i++)
				marks += red_mark(&cfg, NULL, &g, (uint32_t)q, ECT0);

			double off = fabs(marks - frames * p);

			if (off > 5 * sigma)
				fail_msg("seed %llu q %llu: %u marks, p %g",
					(unsigned long long)seed, (unsigned long long)q, marks, p);
			beyond3 += off > 3 * sigma;
			random_bins += sigma > 0;
		}
	}
	assert_true(beyond3 * 100 <= random_bins);
}

static void test_curve_1_percent(void **state)
{
	(void)state;
	run_curve(5000, 200000, 0.01);
}

static void test_curve_20_percent(void **state)
{
	(void)state;
	run_curve(100000, 400000, 0.2);
}

static void test_curve_100_percent(void **state)
{
	(void)state;
	run_curve(40000, 1000000, 1);
}

static void test_curve_kmin_is_kmax(void **state)
{
	(void)state;
	run_curve(100000, 100000, 0.2);
}

// Above Kmax every ECT frame is marked, and no other.
static void test_codepoints(void **state)
{
	struct red_cfg cfg = compile(1000, 2000, 1);
	struct prng g;

	(void)state;
	prng_init(&g, 1, "codepoints");
	assert_true(red_mark(&cfg, NULL, &g, 3000, ECT0));
	assert_true(red_mark(&cfg, NULL, &g, 3000, ECT1));
	assert_false(red_mark(&cfg, NULL, &g, 3000, CE));
	assert_false(red_mark(&cfg, NULL, &g, 3000, NOT_ECT));
	for (unsigned ecn = 0; ecn < 4; ecn++)
		assert_false(red_mark(&cfg, NULL, &g, 1000, ecn));
}

// Every length is in the bin whose edges enclose it, and the edges are where equal widths put them,
// or one byte above.
static void test_bins(void **state)
{
	static const uint32_t at[][2] = {{0, 1}, {0, 64}, {7, 70}, {7, 72}, {1000, 1065},
		{5000, 200000}, {100000, 400000}, {0, UINT32_MAX}, {UINT32_MAX - 100, UINT32_MAX},
		{50, 50}};

	(void)state;
	for (unsigned k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
		struct red_cfg cfg = compile(at[k][0], at[k][1], 0.5);
		uint64_t span = at[k][1] - at[k][0], step = span > 5000 ? span / 5000 : 1;
		double width = (double)span / RED_CURVE_SLOPE;

		assert_int_equal(red_curve_edge(&cfg, 0), 0);
		assert_int_equal(red_curve_edge(&cfg, 1), at[k][0] + 1ull);
		assert_int_equal(red_curve_edge(&cfg, RED_CURVE_ABOVE), at[k][1] + 1ull);
		assert_int_equal(red_curve_edge(&cfg, RED_CURVE_BINS), 1ull << 32);
		for (uint64_t q = at[k][0] + 1ull; q <= at[k][1]; q += step) {
			unsigned i = red_curve_bin(&cfg, (uint32_t)q);

			assert_in_range(i, 1, RED_CURVE_SLOPE);
			assert_true(
				red_curve_edge(&cfg, i) <= q && q < red_curve_edge(&cfg, i + 1));
		}
		if (at[k][1] < UINT32_MAX)
			assert_int_equal(red_curve_bin(&cfg, at[k][1] + 1), RED_CURVE_ABOVE);
		for (unsigned i = 1; span && i <= RED_CURVE_SLOPE; i++)
			assert_true(fabs((double)red_curve_edge(&cfg, i) - at[k][0] - 1 -
					    width * (i - 1)) < 1.001);
	}
}

// Counts of a long walk against a second count, and expectations against the formula, frame by
// frame.
static void test_curve_is_what_the_marker_did(void **state)
{
	struct red_cfg cfg = compile(10000, 30000, 0.1);
	struct red_bin want[RED_CURVE_BINS] = {0};
	double expected[RED_CURVE_BINS] = {0};
	struct red_curve c = {0};
	struct prng g, lengths;

	(void)state;
	prng_init(&g, 3, "curve");
	prng_init(&lengths, 3, "lengths");
	for (unsigned n = 0; n < 100000; n++) {
		uint32_t q = prng_u32(&lengths) % 40000;
		unsigned ecn = n % 4, i = q <= 10000 ? 0 : red_curve_bin(&cfg, q);
		bool marked = red_mark(&cfg, &c, &g, q, ecn);

		if (!i || ecn == NOT_ECT || ecn == CE) {
			assert_false(marked);
			continue;
		}
		want[i].ect_frames++;
		want[i].marked_frames += marked;
		want[i].over_bytes += q - 10000;
		expected[i] += q > 30000 ? 1 : 0.1 * (q - 10000) / 20000;
	}
	assert_memory_equal(c.bin, want, sizeof(want));
	for (unsigned i = 0; i < RED_CURVE_BINS; i++)
		assert_true(fabs(red_curve_expected(&cfg, &c.bin[i], i) - expected[i]) < 1e-6);
	assert_int_equal(c.bin[RED_CURVE_ABOVE].marked_frames, c.bin[RED_CURVE_ABOVE].ect_frames);
}

// The draw is the same whether it is counted or not, and whatever the codepoint.
static void test_counting_changes_nothing(void **state)
{
	struct red_cfg cfg = compile(1000, 2000, 0.5);
	struct red_curve c = {0};
	struct prng a, b;

	(void)state;
	prng_init(&a, 1, "same");
	prng_init(&b, 1, "same");
	for (unsigned n = 0; n < 10000; n++)
		assert_int_equal(red_mark(&cfg, &c, &a, n % 2500, n % 4),
			red_mark(&cfg, NULL, &b, n % 2500, n % 4));
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_average_learns_alike(void **state)
{
	struct prng draws;

	(void)state;
	prng_init(&draws, 1, "average");
	for (unsigned round = 0; round < 20000; round++) {
		struct red_avg one = {.bytes = prng_u64(&draws) >> 8}, all = one;
		uint32_t q = (uint32_t)prng_below(&draws, 4000000000), bytes = 64 + round % 9000;
		unsigned n = 1 + (unsigned)prng_below(&draws, 64);
		unsigned exponent = 1 + round % RED_EXPONENT_MAX;

		for (unsigned i = 0; i < n; i++)
			red_avg_learn(&one, exponent, q + i * bytes, 0, 1);
		red_avg_learn(&all, exponent, q, bytes, n);
		assert_memory_equal(&all, &one, sizeof(one));
	}
}

static void test_first_and_last(void **state)
{
	struct red_curve c = {0};

	(void)state;
	red_curve_marked(&c, 3);
	red_curve_marked(&c, 9);
	assert_int_equal(c.first_marked, 3);
	assert_int_equal(c.last_marked, 9);
}

// A frame comes, as a queue with an average takes it.
static uint32_t arrival(
	struct red_avg *a, unsigned exponent, uint32_t qlen_bytes, tstamp frame_ps, tstamp now)
{
	if (red_avg_is_idle(a))
		red_avg_idle(a, exponent, frame_ps, now);
	red_avg_learn(a, exponent, qlen_bytes, 0, 1);
	return red_avg_bytes(a);
}

// A length that lasts: after k arrivals the average is q (1 - (1 - 2^-n)^k); back from there
// likewise.
static void test_average_steps(void **state)
{
	static const uint32_t q[] = {1, 1500, 400000, UINT32_MAX};

	(void)state;
	for (unsigned n = 1; n <= RED_EXPONENT_MAX; n++)
		for (unsigned i = 0; i < 4; i++) {
			struct red_avg a = {.empty = TSTAMP_NEVER};
			double keep = 1, w = ldexp(1, -(int)n);

			for (unsigned k = 0; k < 500; k++) {
				arrival(&a, n, q[i], 1, 0);
				keep *= 1 - w;
				assert_true(fabs(ldexp((double)a.bytes, -24) - q[i] * (1 - keep)) <
					    0.01);
			}
			double top = ldexp((double)a.bytes, -24);

			for (unsigned k = 1; k <= 500; k++) {
				arrival(&a, n, 0, 1, 0);
				assert_true(fabs(ldexp((double)a.bytes, -24) -
						    top * pow(1 - w, k)) < 0.01);
			}
		}
}

// Worked: n = 9, as SONiC's images have it, and a queue of 100 KB: 195 bytes after one frame, 63.2
// KB after 512.
static void test_average_worked(void **state)
{
	struct red_avg a = {.empty = TSTAMP_NEVER};
	uint32_t avg = arrival(&a, 9, 100000, 1, 0);

	(void)state;
	assert_int_equal(avg, 195);
	for (unsigned k = 1; k < 512; k++)
		avg = arrival(&a, 9, 100000, 1, 0);
	assert_in_range(avg, 63240, 63250); // 100000 (1 - (511/512)^512) = 63248
}

// An idle queue had frames of length 0, one each time of the frame that ends it.
static void test_average_idle(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= RED_EXPONENT_MAX; n++)
		for (uint64_t m = 0; m < 70000; m = 2 * m + 1) {
			struct red_avg idle = {.bytes = 200000ull << 24, .empty = 1000};
			struct red_avg busy = {.bytes = 200000ull << 24, .empty = TSTAMP_NEVER};

			for (uint64_t k = 0; k < m; k++)
				arrival(&busy, n, 0, 80, 0);
			arrival(&busy, n, 1500, 80, 0);
			arrival(&idle, n, 1500, 80, 1000 + m * 80 + 79);
			assert_true(fabs(ldexp((double)idle.bytes - (double)busy.bytes, -24)) < 1);
			assert_true(idle.empty == TSTAMP_NEVER);
		}
}

static void test_average_at_the_ends(void **state)
{
	struct red_avg a = {0};

	(void)state;
	assert_int_equal(arrival(&a, 1, 3000, 1, TSTAMP_NEVER - 1), 1500); // empty so far
	red_avg_empty(&a, 5000);
	assert_int_equal(arrival(&a, 15, 0, 1, 4000), 1499); // time saturates
	red_avg_empty(&a, 0);
	assert_int_equal(arrival(&a, 15, 0, 1, TSTAMP_NEVER - 1), 0); // all forgotten
}

static void test_bad_params(void **state)
{
	static const struct red_params bad[] = {
		{.kmin_bytes = 2, .kmax_bytes = 1, .pmax = 0.1},
		{.kmin_bytes = 1, .kmax_bytes = 1ull << 32, .pmax = 0.1},
		{.kmin_bytes = 1, .kmax_bytes = 2, .pmax = -0.01},
		{.kmin_bytes = 1, .kmax_bytes = 2, .pmax = 1.01},
		{.kmin_bytes = 1, .kmax_bytes = 2, .pmax = NAN},
	};
	struct red_cfg cfg = {.kmin_bytes = 42};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(red_cfg_init(&cfg, &bad[i]), -EINVAL);
	assert_int_equal(cfg.kmin_bytes, 42); // untouched
}

static void a_row_for_each_counter_of_a_bin(void **state)
{
	(void)state;
	assert_int_equal(red_bin_stat_table.n, sizeof(struct red_bin) / 8);
	for (unsigned i = 0; i < red_bin_stat_table.n; i++)
		assert_int_equal(red_bin_stat_table.row[i].offset, 8 * i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracle),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_curve_1_percent),
		cmocka_unit_test(test_curve_20_percent),
		cmocka_unit_test(test_curve_100_percent),
		cmocka_unit_test(test_curve_kmin_is_kmax),
		cmocka_unit_test(test_codepoints),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_curve_is_what_the_marker_did),
		cmocka_unit_test(test_counting_changes_nothing),
		cmocka_unit_test(test_average_learns_alike),
		cmocka_unit_test(test_first_and_last),
		cmocka_unit_test(test_average_steps),
		cmocka_unit_test(test_average_worked),
		cmocka_unit_test(test_average_idle),
		cmocka_unit_test(test_average_at_the_ends),
		cmocka_unit_test(test_bad_params),
		cmocka_unit_test(a_row_for_each_counter_of_a_bin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
