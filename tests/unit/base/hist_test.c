// SPDX-License-Identifier: BSD-3-Clause
// Buckets, relative error, quantiles, weighted means, shares, merging.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/prng.h"

static struct hist h, other; // 43 KB each

static void test_buckets_tile_the_range(void **state)
{
	(void)state;
	assert_int_equal(hist_lower(0), 0);
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_lower(i), next = hist_lower(i + 1);

		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(next - 1), i);
		// Under 0.8 %, the header says: width / lower <= 1/128.
		assert_true((next - low - 1) * 128 <= low);
	}
	assert_int_equal(hist_lower(HIST_BUCKETS), 1ull << 48);
	assert_int_equal(hist_index(1ull << 48), HIST_BUCKETS - 1);
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
}

// As it is where nothing has been done: an array of histograms costs nothing before it is used.
static void test_empty(void **state)
{
	(void)state;
	assert_int_equal(hist_quantile(&other, 500), 0);
	assert_true(hist_min(&other) == UINT64_MAX);
	hist_init(&h);
	assert_memory_equal(&h, &other, sizeof(h));
	assert_int_equal(hist_quantile(&h, 500), 0);
	assert_true(hist_mean(&h) == 0);
	assert_true(hist_share_above(&h, 0) == 0);
	assert_true(hist_min(&h) == UINT64_MAX);
}

// 1..100: quantiles by counting.
static void test_small_values_are_exact(void **state)
{
	(void)state;
	hist_init(&h);
	for (uint64_t v = 1; v <= 100; v++)
		hist_add(&h, v, 1);
	assert_int_equal(hist_quantile(&h, 0), 1);
	assert_int_equal(hist_quantile(&h, 10), 1);
	assert_int_equal(hist_quantile(&h, 11), 2);
	assert_int_equal(hist_quantile(&h, 500), 50);
	assert_int_equal(hist_quantile(&h, 501), 51);
	assert_int_equal(hist_quantile(&h, 990), 99);
	assert_int_equal(hist_part(&h, 9900, 10000), 99);
	assert_int_equal(hist_part(&h, 9901, 10000), 100);
	assert_int_equal(hist_part(&h, 9999, 10000), 100);
	assert_int_equal(hist_quantile(&h, 991), 100);
	assert_int_equal(hist_quantile(&h, 1000), 100);
	assert_true(hist_mean(&h) == 50.5);
	assert_true(hist_share_above(&h, 90) == 0.10);
	assert_true(hist_share_above(&h, 100) == 0);
	assert_int_equal(hist_min(&h), 1);
	assert_int_equal(h.max, 100);
}

// A time-weighted mean is the integral over the time; weights are ps, so the sum needs 128 bits.
static void test_weights(void **state)
{
	(void)state;
	hist_init(&h);
	hist_add(&h, 0, 600);
	hist_add(&h, 104, 50);
	hist_add(&h, 304, 150);
	hist_add(&h, 200, 200);
	assert_int_equal(h.n, 1000);
	assert_true(hist_mean(&h) == (104 * 50 + 304 * 150 + 200 * 200) / 1000.0);
	assert_int_equal(hist_quantile(&h, 600), 0);
	assert_int_equal(hist_quantile(&h, 601), 104);
	assert_int_equal(hist_quantile(&h, 850), 200); // exact up to 255
	assert_int_equal(hist_quantile(&h, 851), 304); // never above the maximum
	assert_true(hist_share_above(&h, 104) == 0.35);

	hist_init(&h);
	for (unsigned i = 0; i < 100; i++)
		hist_add(&h, 4000000000, 10000000000000000); // 4 GB for 10,000 s
	assert_true(h.sum == (unsigned __int128)4000000000 * 1000000000000000000);
	assert_true(hist_mean(&h) == 4e9);
	assert_int_equal(hist_quantile(&h, 500), 4000000000);
}

static void near(uint64_t got, uint64_t exact)
{
	uint64_t off = got > exact ? got - exact : exact - got;

	assert_true(off <= exact / 128);
}

// Values at random: every quantile is within 0.8 % of the exact one, by sorting.
static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void test_quantiles_against_sorting(void **state)
{
	static uint64_t v[5000];
	uint64_t seed = 11;
	struct prng g;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "hist");
	hist_init(&h);
	for (unsigned i = 0; i < 5000; i++) {
		v[i] = prng_u64(&g) >> (16 + prng_below(&g, 48));
		hist_add(&h, v[i], 1);
	}
	qsort(v, 5000, sizeof(v[0]), by_value);
	for (unsigned permille = 1; permille <= 1000; permille++) {
		uint64_t exact = v[permille * 5 - 1], got = hist_quantile(&h, permille);

		near(got, exact);
	}
	assert_int_equal(hist_min(&h), v[0]);
	assert_int_equal(h.max, v[4999]);
}

// For samples of any kind and size each percentile is within 0.8 % of the exact one. It lies
// between the least and the largest value, and is no less than a lower percentile.
static void test_random_samples(void **state)
{
	static uint64_t v[1000];
	struct prng g;

	(void)state;
	prng_init(&g, 13, "samples");
	for (unsigned i = 0; i < 400; i++) {
		unsigned n = 1 + (unsigned)prng_below(&g, 1000),
			 kinds = 1 + (unsigned)prng_below(&g, 5);
		uint64_t from = prng_u64(&g) >> (17 + prng_below(&g, 47)), below = 0;
		uint64_t spread = 1 + (prng_u64(&g) >> (17 + prng_below(&g, 47)));

		hist_init(&h);
		for (unsigned k = 0; k < n; k++) {
			v[k] = from + (i % 2 ? prng_below(&g, kinds) * (spread / kinds)
					     : prng_below(&g, spread));
			hist_add(&h, v[k], 1);
		}
		qsort(v, n, sizeof(v[0]), by_value);
		for (unsigned permille = 0; permille <= 1000; permille++) {
			unsigned rank = (n * permille + 999) / 1000;
			uint64_t got = hist_quantile(&h, permille);

			near(got, v[rank ? rank - 1 : 0]);
			assert_true(got >= v[0] && got <= v[n - 1] && got >= below);
			below = got;
		}
		assert_true(hist_quantile(&h, 1000) == v[n - 1]);
		if (v[0] == v[n - 1])
			assert_true(hist_quantile(&h, 500) == v[0]); // frames of one length
	}
}

static void test_values_beyond_the_last_bucket(void **state)
{
	(void)state;
	hist_init(&h);
	hist_add(&h, UINT64_MAX, 1);
	assert_true(hist_quantile(&h, 500) == UINT64_MAX); // the last bucket has no edge but max
	hist_add(&h, 7, 3);
	assert_int_equal(hist_quantile(&h, 750), 7);
}

static void test_merge(void **state)
{
	(void)state;
	hist_init(&h);
	hist_init(&other);
	hist_add(&h, 10, 2);
	hist_merge(&h, &other); // an empty one changes nothing
	assert_int_equal(hist_min(&h), 10);
	hist_add(&other, 5, 1);
	hist_add(&other, 5000, 1);
	hist_merge(&h, &other);
	assert_int_equal(h.n, 4);
	assert_int_equal(hist_min(&h), 5);
	assert_int_equal(h.max, 5000);
	assert_true(h.sum == 5025);
	assert_int_equal(hist_quantile(&h, 750), 10);
	assert_int_equal(hist_quantile(&h, 1000), 5000);
}

// Values that are counted by bucket, with sum and extremes from elsewhere, give the same histogram
// as values added one by one.
static void test_counted_and_settled(void **state)
{
	static struct hist counted;
	struct prng g;

	(void)state;
	prng_init(&g, 12, "settle");
	hist_init(&h);
	hist_init(&counted);
	hist_settle(&counted);
	assert_memory_equal(&counted, &h, sizeof(h));
	for (unsigned part = 0; part < 3; part++) {
		uint64_t sum = 0, min = UINT64_MAX, max = 0;

		for (unsigned i = 0; i < 1000; i++) {
			uint64_t v = prng_u64(&g) >> (8 + prng_below(&g, 56));

			hist_add(&h, v, 1);
			hist_count(&counted, v);
			sum += v;
			min = v < min ? v : min;
			max = v > max ? v : max;
		}
		hist_bound(&counted, sum, min, max);
	}
	hist_settle(&counted);
	assert_memory_equal(&counted, &h, sizeof(h));
}

// Bounds that are further out than the values leave the edges of the buckets.
static void test_bounds_that_are_too_far(void **state)
{
	(void)state;
	hist_init(&h);
	hist_count(&h, 1001); // of 1000..1003
	hist_count(&h, 5001); // of 4992..5023
	hist_bound(&h, 6002, 7, 1000000);
	hist_settle(&h);
	assert_int_equal(hist_min(&h), 1000);
	assert_int_equal(h.max, 5023);
	assert_true(hist_mean(&h) == 3001);
	assert_int_equal(hist_quantile(&h, 500), 1000);
}

static void test_settled_within_its_bounds(void **state)
{
	(void)state;
	hist_init(&h);
	memset(h.bucket, 0xff, sizeof(h.bucket));
	for (unsigned i = hist_index(900); i <= hist_index(2000); i++)
		h.bucket[i] = 0;
	hist_count(&h, 1001);
	hist_count(&h, 1500);
	hist_bound(&h, 2501, 900, 2000);
	hist_settle(&h);
	assert_int_equal(h.n, 2);
	assert_int_equal(hist_min(&h), 1000);
	assert_int_equal(hist_quantile(&h, 1000), 1503);
	assert_true(hist_mean(&h) == 1250.5);
}

static void test_maximum_of_a_period(void **state)
{
	(void)state;
	hist_init(&h);
	assert_int_equal(hist_take_max(&h), 0);
	hist_add(&h, 900, 1);
	hist_add(&h, 70, 1);
	assert_int_equal(hist_take_max(&h), 900);
	hist_add(&h, 80, 1);
	assert_int_equal(hist_take_max(&h), 80);
	assert_int_equal(hist_take_max(&h), 0);
}

// A window: what was there at its start is taken away; the maximum is what the sampler saw in it.
static void test_subtract(void **state)
{
	struct hist_early *then;

	(void)state;
	hist_init(&h);
	hist_add(&h, 3, 5);
	hist_add(&h, 90000, 2);
	then = hist_keep(&h);
	assert_int_equal(then->buckets, hist_index(90000) + 1);
	hist_take_max(&h);
	hist_add(&h, 100, 10);
	hist_add(&h, 1000, 30);
	hist_subtract(&h, then, hist_take_max(&h));
	free(then);
	assert_int_equal(h.n, 40);
	assert_true(h.sum == 31000);
	assert_int_equal(hist_min(&h), 100);
	assert_int_equal(h.max, 1000);
	assert_int_equal(hist_quantile(&h, 250), 100);
	assert_int_equal(hist_quantile(&h, 990), 1000);
	then = hist_keep(&h);
	hist_subtract(&h, then, 0);
	free(then);
	assert_int_equal(h.n, 0);
	assert_int_equal(h.max, 0);
	assert_int_equal(hist_min(&h), UINT64_MAX);
}

// The writer has stored the weight and the sum, and not yet the bucket: what is seen agrees with
// itself, and so does what is left of it since an earlier look.
static void test_look_between_two_stores(void **state)
{
	struct hist_early *early;

	(void)state;
	hist_init(&h);
	hist_add(&h, 100, 10);
	h.n += 1000;
	early = hist_keep(&h);
	assert_non_null(early);
	h.bucket[hist_index(0)] += 1000;
	hist_add(&h, 300, 5);
	h.n += 1000000;
	hist_look(&other, &h, UINT64_MAX);
	assert_int_equal(other.n, 1015);
	assert_int_equal(hist_quantile(&other, 999), 300);
	assert_true(other.sum == 2500 && other.max == 300);
	assert_int_equal(hist_min(&other), 0); // though the writer has not said so yet
	h.bucket[hist_index(500)]++;
	hist_look(&other, &h, UINT64_MAX);
	assert_int_equal(hist_quantile(&other, 1000), hist_lower(hist_index(500) + 1) - 1);
	h.bucket[hist_index(500)]--;
	hist_look(&other, &h, UINT64_MAX);
	hist_subtract(&other, early, 300);
	assert_int_equal(other.n, 1005);
	assert_int_equal(hist_quantile(&other, 995), 0);
	assert_int_equal(hist_quantile(&other, 1000), 300);
	free(early);
}

// Buckets above the bound are neither looked at nor written, and the figures do not ask for them.
static void test_look_below_a_bound(void **state)
{
	(void)state;
	hist_init(&h);
	hist_add(&h, 10, 3);
	hist_add(&h, 1000, 1);
	memset(&other, 0xff, sizeof(other));
	hist_look(&other, &h, 1000);
	assert_int_equal(other.n, 4);
	assert_int_equal(other.max, 1000);
	assert_int_equal(hist_quantile(&other, 1000), 1000);
	assert_true(hist_share_above(&other, 1000000) == 0);
	assert_true(hist_deviation(&other) == hist_deviation(&h));
	assert_true(other.bucket[hist_index(1000) + 1] == UINT64_MAX);
}

static void test_deviation(void **state)
{
	(void)state;
	hist_init(&h);
	assert_true(hist_deviation(&h) == 0);
	hist_add(&h, 7, 1000);
	assert_true(hist_deviation(&h) == 0);
	hist_init(&h);
	hist_add(&h, 10, 3);
	hist_add(&h, 20, 1);
	assert_true(fabs(hist_deviation(&h) - sqrt(18.75)) < 1e-12); // 12.5 +- 7.5 and 2.5
	// Uniform over 0..n-1: sqrt((n^2 - 1) / 12), also where buckets are wide.
	hist_init(&h);
	for (uint64_t v = 0; v < 1 << 16; v++)
		hist_add(&h, v, 1);
	assert_true(fabs(hist_deviation(&h) / (65536 / sqrt(12)) - 1) < 1e-4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_tile_the_range),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_small_values_are_exact),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_quantiles_against_sorting),
		cmocka_unit_test(test_random_samples),
		cmocka_unit_test(test_values_beyond_the_last_bucket),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_counted_and_settled),
		cmocka_unit_test(test_bounds_that_are_too_far),
		cmocka_unit_test(test_settled_within_its_bounds),
		cmocka_unit_test(test_maximum_of_a_period),
		cmocka_unit_test(test_subtract),
		cmocka_unit_test(test_look_between_two_stores),
		cmocka_unit_test(test_look_below_a_bound),
		cmocka_unit_test(test_deviation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
