// SPDX-License-Identifier: BSD-3-Clause
// Known outputs, seeding, uniformity of prng_below.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/prng.h"

// The first outputs of xoshiro256++ 1.0 from state {1, 2, 3, 4}, as its reference code gives them.
static void test_known_outputs(void **state)
{
	static const uint64_t want[] = {41943041, 58720359, 3588806011781223, 3591011842654386,
		9228616714210784205u, 9973669472204895162u, 14011001112246962877u,
		12406186145184390807u, 15849039046786891736u, 10450023813501588000u};
	struct prng g = {{1, 2, 3, 4}};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(prng_u64(&g), want[i]);
}

// FNV-1a over the eight bytes of the seed and the name; then four outputs of splitmix64. With seed
// 0 and no name the hash of eight zero bytes is 0xa8c7f832281a39c5 (offset basis times prime^8).
static void test_state_is_splitmix_of_fnv(void **state)
{
	struct prng g;
	uint64_t x = 0xcbf29ce484222325;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		x *= 0x100000001b3;
	assert_int_equal(x, 0xa8c7f832281a39c5);
	prng_init(&g, 0, "");
	for (unsigned i = 0; i < 4; i++) {
		uint64_t z = x += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		assert_int_equal(g.s[i], z ^ z >> 31);
	}
}

static void test_seed_and_name_both_matter(void **state)
{
	struct prng a, b, c, d, again;

	(void)state;
	prng_init(&a, 1, "s1:h1");
	prng_init(&b, 1, "s1:h2");
	prng_init(&c, 2, "s1:h1");
	prng_init(&d, 1ull << 40 | 1, "s1:h1");
	prng_init(&again, 1, "s1:h1");

	uint64_t first = prng_u64(&a);

	assert_int_equal(first, prng_u64(&again));
	assert_int_not_equal(first, prng_u64(&b));
	assert_int_not_equal(first, prng_u64(&c));
	assert_int_not_equal(first, prng_u64(&d));
}

// 10 bins of 10,000 draws, ten seeds: each bin within 5 sigma of 1000, one in a hundred beyond 3.
static void test_below_is_uniform(void **state)
{
	unsigned beyond3 = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct prng g;
		int bin[10] = {0};

		prng_init(&g, seed, "uniform");
		for (unsigned i = 0; i < 10000; i++) {
			uint64_t v = prng_below(&g, 10);

			assert_true(v < 10);
			bin[v]++;
		}
		for (unsigned i = 0; i < 10; i++) {
			int off = bin[i] - 1000; // sigma^2 = 10000 * 0.1 * 0.9

			assert_true(off * off <= 25 * 900);
			beyond3 += off * off > 9 * 900;
		}
	}
	assert_true(beyond3 <= 1);
}

static void test_below_one_is_zero(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 3, "one");
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(prng_below(&g, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_outputs),
		cmocka_unit_test(test_state_is_splitmix_of_fnv),
		cmocka_unit_test(test_seed_and_name_both_matter),
		cmocka_unit_test(test_below_is_uniform),
		cmocka_unit_test(test_below_one_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
