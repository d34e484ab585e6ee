// SPDX-License-Identifier: BSD-3-Clause
// Bitmaps of equal entries are what one comparison after the other says, whatever stands behind the
// array.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/equal.h"
#include "base/prng.h"

#define ROUNDS 3000
#define SEED   17

#define WORD sizeof(uint32_t)

static struct prng rng;

static unsigned below(unsigned n)
{
	return (unsigned)prng_below(&rng, n);
}

static uint64_t bits_below(unsigned n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

// A few entries that take turns in no order, each of which differs from another in one bit.
static void draw_entries(uint8_t *at, unsigned size, unsigned n)
{
	uint8_t of[4][WORD];

	for (unsigned k = 0; k < 4; k++) {
		for (unsigned i = 0; i < size; i++)
			of[k][i] = (uint8_t)(k ? of[k - 1][i] : below(256));
		of[k][below(size)] ^= (uint8_t)(1u << below(8));
	}
	for (unsigned i = 0; i < n; i++)
		memcpy(at + i * size, of[below(1 + below(4))], size);
}

static uint64_t equal_entries(const uint8_t *at, unsigned size, unsigned n, const uint8_t *like)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < n; i++)
		equal |= (uint64_t)!memcmp(at + i * size, like, size) << i;
	return equal;
}

static void bytes_are_compared(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned n = 1 + below(EQUAL_MOST), i = below(n);
		uint8_t at[EQUAL_MOST];

		draw_entries(at, 1, EQUAL_MOST);
		assert_int_equal(
			equal_bytes(at, n, at[i]) & bits_below(n), equal_entries(at, 1, n, at + i));
	}
}

static void rows_are_compared(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned n = 1 + below(EQUAL_MOST), i = below(n);
		uint8_t at[EQUAL_MOST * ROW], of[EQUAL_MOST], was[EQUAL_MOST];
		uint8_t number = (uint8_t)below(256);
		uint64_t equal;

		draw_entries(at, ROW, EQUAL_MOST);
		for (unsigned k = 0; k < EQUAL_MOST; k++)
			of[k] = was[k] = (uint8_t)below(256);
		equal = equal_rows(at, n, at + i * ROW, of, number);
		assert_int_equal(equal & bits_below(n), equal_entries(at, ROW, n, at + i * ROW));
		for (unsigned k = 0; k < n; k++)
			assert_int_equal(of[k], was[k] | (equal >> k & 1 ? number : 0));
	}
}

static void a_row_is_compared_with_the_next(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned n = 1 + below(EQUAL_MOST);
		uint8_t at[(EQUAL_MOST + 1) * ROW];
		uint64_t equal;

		draw_entries(at, ROW, EQUAL_MOST + 1);
		equal = equal_to_next(at, n);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(
				equal >> i & 1, !memcmp(at + i * ROW, at + (i + 1) * ROW, ROW));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_compared),
		cmocka_unit_test(rows_are_compared),
		cmocka_unit_test(a_row_is_compared_with_the_next),
	};

	printf("seed %d\n", SEED);
	prng_init(&rng, SEED, "equal");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
