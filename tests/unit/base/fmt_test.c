// SPDX-License-Identifier: BSD-3-Clause
// Numbers as text: against snprintf over the whole range, and the forms that files promise.
#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"

static void check_u64(uint64_t v)
{
	char got[FMT_MAX + 1], want[FMT_MAX + 1];

	*fmt_u64(got, v) = '\0';
	snprintf(want, sizeof(want), "%" PRIu64, v);
	assert_string_equal(got, want);
}

static void u64_is_printf(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 1, "fmt");
	for (uint64_t p = 1, i = 0; i < 20; i++, p *= 10) {
		check_u64(p - 1);
		check_u64(p);
	}
	check_u64(UINT64_MAX);
	for (unsigned i = 0; i < 10000; i++)
		check_u64(prng_u64(&g) >> prng_below(&g, 64));
}

// Every number of up to five digits, and every pair of digits in each place of longer ones.
static void each_digit_is_right(void **state)
{
	(void)state;
	for (uint64_t v = 0; v < 100000; v++)
		check_u64(v);
	for (uint64_t p = 1, i = 0; i < 18; i++, p *= 10)
		for (uint64_t v = 0; v < 100; v++) {
			check_u64(p * 10 + v);
			check_u64(p * v);
			check_u64(p * v + p - 1);
		}
}

// Zeros are kept, and nothing behind the digits is written.
static void tails_have_their_length(void **state)
{
	char got[10], want[10];
	uint32_t power = 1;

	(void)state;
	for (unsigned n = 1; n <= 9; n++) {
		uint32_t v[] = {0, 1, power, power * 9, (uint32_t)(power * 10ull - 1)};

		for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
			memset(got, 'x', sizeof(got));
			assert_ptr_equal(fmt_tail(got, v[i], n), got + n);
			snprintf(want, sizeof(want), "%0*u", (int)n, v[i]);
			assert_memory_equal(got, want, n);
			assert_int_equal(got[n], 'x');
		}
		power *= 10;
	}
}

static void check_us(tstamp t)
{
	char got[FMT_MAX + 1], want[FMT_MAX + 1];
	int n = snprintf(want, sizeof(want), "%llu", t / PS_PER_US);

	if (t % PS_PER_US)
		snprintf(want + n, sizeof(want) - (size_t)n, ".%06llu", t % PS_PER_US);
	*fmt_us(got, t) = '\0';
	assert_string_equal(got, want);
}

static void instants_are_printf(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 2, "fmt");
	for (unsigned i = 0; i < 10000; i++)
		check_us(prng_u64(&g) >> prng_below(&g, 64));
	for (uint64_t p = 1, i = 0; i < 20; i++, p *= 10) {
		check_us(p - 1);
		check_us(p);
	}
}

static void fixed_keeps_zeros(void **state)
{
	char t[FMT_MAX + 1];

	(void)state;
	*fmt_fixed(t, 1, 3) = '\0';
	assert_string_equal(t, "0.001");
	*fmt_fixed(t, 123456, 3) = '\0';
	assert_string_equal(t, "123.456");
	*fmt_fixed(t, UINT64_MAX, 9) = '\0';
	assert_string_equal(t, "18446744073.709551615");
	*fmt_fixed_signed(t, -5, 1) = '\0';
	assert_string_equal(t, "-0.5");
	*fmt_fixed_signed(t, INT64_MIN, 9) = '\0';
	assert_string_equal(t, "-9223372036.854775808");
}

static void instants_lose_no_ps(void **state)
{
	char t[FMT_MAX + 1];

	(void)state;
	*fmt_us(t, 0) = '\0';
	assert_string_equal(t, "0");
	*fmt_us(t, 12 * PS_PER_US) = '\0';
	assert_string_equal(t, "12");
	*fmt_us(t, 12 * PS_PER_US + 345) = '\0';
	assert_string_equal(t, "12.000345");
	*fmt_us(t, UINT64_MAX) = '\0';
	assert_string_equal(t, "18446744073709.551615");
}

static void units_of_the_files(void **state)
{
	char t[FMT_MAX + 1];

	(void)state;
	*fmt_gbps(t, 25000000000) = '\0';
	assert_string_equal(t, "25.000000");
	*fmt_gbps(t, 999) = '\0';
	assert_string_equal(t, "0");
	*fmt_q60(t, 1ull << 60) = '\0';
	assert_string_equal(t, "1.000000");
	*fmt_q60(t, 1ull << 59) = '\0';
	assert_string_equal(t, "0.500000");
	*fmt_hex(t, 0x0a000001, 8) = '\0';
	assert_string_equal(t, "0a000001");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u64_is_printf),
		cmocka_unit_test(each_digit_is_right),
		cmocka_unit_test(tails_have_their_length),
		cmocka_unit_test(instants_are_printf),
		cmocka_unit_test(fixed_keeps_zeros),
		cmocka_unit_test(instants_lose_no_ps),
		cmocka_unit_test(units_of_the_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
