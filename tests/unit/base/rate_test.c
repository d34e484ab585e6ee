// SPDX-License-Identifier: BSD-3-Clause
// Byte times, wire times, their error at odd rates, measured rates.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/prng.h"
#include "base/rate.h"

static void test_link_rates_are_exact(void **state)
{
	static const struct {
		rate_t rate;
		tstamp byte;
	} row[] = {{10 * RATE_GBPS, 800}, {25 * RATE_GBPS, 320}, {40 * RATE_GBPS, 200},
		{100 * RATE_GBPS, 80}, {400 * RATE_GBPS, 20}, {RATE_MIN, 80 * PS_PER_US}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		byte_ps ps = rate_byte_ps(row[i].rate);

		assert_int_equal(ps, row[i].byte << 20);
		assert_int_equal(rate_time(ps, 0), 0);
		assert_int_equal(rate_time(ps, 1), row[i].byte);
		assert_int_equal(rate_time(ps, 1106), 1106 * row[i].byte);
		assert_int_equal(rate_time(ps, 65536), 65536 * row[i].byte);
	}
}

// standards.md 10: 1048 bytes take 335.36, 209.60 and 83.84 ns.
static void test_reference_frame(void **state)
{
	(void)state;
	assert_int_equal(rate_time(rate_byte_ps(25 * RATE_GBPS), 1048), 335360);
	assert_int_equal(rate_time(rate_byte_ps(40 * RATE_GBPS), 1048), 209600);
	assert_int_equal(rate_time(rate_byte_ps(100 * RATE_GBPS), 1048), 83840);
}

// The simulator's rule in its own doubles: seconds cut to 2^-64 s, then to ns.
static tstamp by_doubles(unsigned bytes, rate_t rate)
{
	double seconds = (double)bytes * 8 / (double)rate;

	return (tstamp)((unsigned __int128)(uint64_t)(seconds * 0x1p64) * 1000000000 >> 64);
}

static void test_the_simulators_time(void **state)
{
	static const unsigned gbps[] = {1, 10, 25, 40, 100, 400};
	struct prng r;

	(void)state;
	assert_int_equal(rate_simulator_time(40 * RATE_GBPS, 60), 11 * PS_PER_NS);
	assert_int_equal(rate_simulator_time(RATE_GBPS, 1056), 8447 * PS_PER_NS);
	for (unsigned i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++)
		for (unsigned bytes = 0; bytes <= 9000; bytes++)
			assert_int_equal(rate_simulator_time(gbps[i] * RATE_GBPS, bytes),
				by_doubles(bytes, gbps[i] * RATE_GBPS) * PS_PER_NS);
	prng_init(&r, 7, "simulator");
	for (unsigned i = 0; i < 100000; i++) {
		rate_t rate = RATE_MBPS + prng_u64(&r) % (400 * RATE_GBPS);
		unsigned bytes = 1 + (unsigned)(prng_u64(&r) % 9000);

		if (rate_simulator_time(rate, bytes) != by_doubles(bytes, rate) * PS_PER_NS)
			fail_msg("%u bytes at %llu", bytes, (unsigned long long)rate);
	}
}

// One division and the double agree at all rates and lengths, above all where the time is whole ns
// or nearly so.
static void test_the_simulators_time_in_one_division(void **state)
{
	struct prng r;

	(void)state;
	prng_init(&r, 8, "simulator");
	for (unsigned i = 0; i < 1000000; i++) {
		rate_t rate = RATE_MIN + (prng_u64(&r) >> (24 + prng_below(&r, 20)));
		uint32_t bytes = (uint32_t)(prng_u64(&r) >> (40 + prng_below(&r, 24)));
		uint64_t ns = 1 + prng_below(&r, 1 << 20);

		if (i % 3) // as good as whole ns
			rate = 8ull * bytes * 1000000000 / ns + i % 3 - 1;
		if (rate < RATE_MIN || 8ull * bytes >= rate)
			continue;
		if (rate_simulator_time(rate, bytes) != by_doubles(bytes, rate) * PS_PER_NS)
			fail_msg("%u bytes at %llu", bytes, (unsigned long long)rate);
	}
}

static void test_slower_than_the_format(void **state)
{
	(void)state;
	assert_int_equal(rate_byte_ps(RATE_MIN - 1), rate_byte_ps(RATE_MIN));
	assert_int_equal(rate_byte_ps(0), rate_byte_ps(RATE_MIN));
}

// Half a unit of Q44.20 a byte, and the floor at the end: below one ps in 64 KiB.
static void test_error_at_random_rates(void **state)
{
	uint64_t seed = 5;
	struct prng g;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "rate");
	for (unsigned i = 0; i < 10000; i++) {
		rate_t rate = RATE_MIN + prng_below(&g, 400 * RATE_GBPS);
		uint32_t bytes = (uint32_t)prng_below(&g, 65537);
		tstamp exact = (tstamp)((unsigned __int128)bytes * 8 * PS_PER_S / rate);
		tstamp got = rate_time(rate_byte_ps(rate), bytes);

		assert_in_range(got, exact ? exact - 1 : 0, exact + 1);
	}
}

static void test_rate_of(void **state)
{
	(void)state;
	assert_int_equal(rate_of(1250, PS_PER_US), 10 * RATE_GBPS);
	assert_int_equal(rate_of(1, 3 * PS_PER_S), 2); // 8/3 bit/s, rounded down
	assert_int_equal(rate_of(1ull << 50, 100 * PS_PER_S), (1ull << 50) * 8 / 100);
	assert_int_equal(rate_of(1000, 0), 0);
	assert_int_equal(rate_of(0, PS_PER_S), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_rates_are_exact),
		cmocka_unit_test(test_reference_frame),
		cmocka_unit_test(test_the_simulators_time),
		cmocka_unit_test(test_the_simulators_time_in_one_division),
		cmocka_unit_test(test_slower_than_the_format),
		cmocka_unit_test(test_error_at_random_rates),
		cmocka_unit_test(test_rate_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
