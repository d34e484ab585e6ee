// SPDX-License-Identifier: BSD-3-Clause
// Exact decimals, units right and wrong, limits, and text that reads back.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <stdio.h>

#include "base/prng.h"
#include "conf/int.h"

static void is(enum units_kind kind, const char *text, uint64_t want)
{
	uint64_t v = 0;

	assert_int_equal(units_parse(kind, text, &v), UNITS_OK);
	assert_int_equal(v, want);
}

static void is_not(enum units_kind kind, const char *text, enum units_error want)
{
	uint64_t v = 77;

	assert_int_equal(units_parse(kind, text, &v), want);
	assert_int_equal(v, 77);
}

static void frames_per_second_have_either_case(void **state)
{
	(void)state;
	is(UNITS_PPS, "2mpps", 2000000);
	is(UNITS_PPS, "2Mpps", 2000000);
	is(UNITS_PPS, "1.5kpps", 1500);
	is(UNITS_PPS, "7 pps", 7);
	is_not(UNITS_PPS, "0.5pps", UNITS_NOT_WHOLE);
	is_not(UNITS_PPS, "7", UNITS_NO_UNIT);
	is_not(UNITS_PPS, "7bps", UNITS_WRONG_UNIT);
}

static void sizes_are_exact(void **state)
{
	(void)state;
	is(UNITS_SIZE, "0", 0);
	is(UNITS_SIZE, "26000", 26000);
	is(UNITS_SIZE, "64B", 64);
	is(UNITS_SIZE, "400KB", 400000);
	is(UNITS_SIZE, "400 KB", 400000);
	is(UNITS_SIZE, "12.5KB", 12500);
	is(UNITS_SIZE, "64KiB", 65536);
	is(UNITS_SIZE, "0.5KiB", 512);
	is(UNITS_SIZE, "16MB", 16000000);
	is(UNITS_SIZE, "2MiB", 2097152);
	is(UNITS_SIZE, "1GB", 1000000000);
	// Doubles would give 1100000000000000.1 and the like.
	is(UNITS_SIZE, "1100000.000001GB", 1100000000001000);
	is_not(UNITS_SIZE, "12.3456KB", UNITS_NOT_WHOLE);
	is_not(UNITS_SIZE, "400Kb", UNITS_WRONG_UNIT);
	is_not(UNITS_SIZE, "400us", UNITS_WRONG_UNIT);
	is_not(UNITS_SIZE, "KB", UNITS_NO_NUMBER);
	is_not(UNITS_SIZE, "-4KB", UNITS_NO_NUMBER);
	is_not(UNITS_SIZE, "", UNITS_NO_NUMBER);
	is_not(UNITS_SIZE, "1e3", UNITS_WRONG_UNIT);
	is_not(UNITS_SIZE, "12.KB", UNITS_WRONG_UNIT);
	is_not(UNITS_SIZE, "99999999999999999999", UNITS_TOO_LARGE);
	is_not(UNITS_SIZE, "9223372036854775808", UNITS_TOO_LARGE);
	is_not(UNITS_RATE, "25.0000000000000000000000000001Gbps", UNITS_NOT_WHOLE);
	is(UNITS_SIZE, "9223372036854775807", INT64_MAX);
}

static void rates_are_exact(void **state)
{
	(void)state;
	is(UNITS_RATE, "100Gbps", 100000000000);
	is(UNITS_RATE, "40Mbps", 40000000);
	is(UNITS_RATE, "2.5Gb/s", 2500000000);
	is(UNITS_RATE, "25 Gbps", 25000000000);
}

static void rates_want_their_unit(void **state)
{
	(void)state;
	is_not(UNITS_RATE, "100", UNITS_NO_UNIT);
	is_not(UNITS_RATE, "100GBps", UNITS_WRONG_UNIT);
	is_not(UNITS_RATE, "100KB", UNITS_WRONG_UNIT);
	is_not(UNITS_RATE, "1.5bps", UNITS_NOT_WHOLE);
}

static void times_are_exact(void **state)
{
	(void)state;
	is(UNITS_TIME, "55us", 55000000);
	is(UNITS_TIME, "1.5ms", 1500000000);
	is(UNITS_TIME, "20 ms", 20000000000);
	is(UNITS_TIME, "300s", 300000000000000);
	is(UNITS_TIME, "0.001ns", 1);
	is_not(UNITS_TIME, "0.0001ns", UNITS_NOT_WHOLE);
	is_not(UNITS_TIME, "20", UNITS_NO_UNIT);
	is_not(UNITS_TIME, "20min", UNITS_WRONG_UNIT);
	is_not(UNITS_TIME, "20us ", UNITS_WRONG_UNIT);
}

static void shares_and_quotients_read(void **state)
{
	uint64_t ppb;
	double v;

	(void)state;
	assert_int_equal(units_parse_share("20%", &ppb), UNITS_OK);
	assert_int_equal(ppb, 200000000);
	assert_int_equal(units_parse_share("12.5 %", &ppb), UNITS_OK);
	assert_int_equal(ppb, 125000000);
	assert_int_equal(units_parse_share("100%", &ppb), UNITS_OK);
	assert_int_equal(units_parse_share("100.1%", &ppb), UNITS_TOO_LARGE);
	assert_int_equal(units_parse_share("0.5", &ppb), UNITS_NO_UNIT);
	assert_int_equal(units_parse_real("20%", &v), UNITS_OK);
	assert_true(v == 0.2);
	assert_int_equal(units_parse_real("1/256", &v), UNITS_OK);
	assert_true(v == 1.0 / 256);
	assert_int_equal(units_parse_real("0.00390625", &v), UNITS_OK);
	assert_true(v == 1.0 / 256);
	assert_int_equal(units_parse_real("1/0", &v), UNITS_WRONG_UNIT);
	assert_int_equal(units_parse_real("nan", &v), UNITS_NO_NUMBER);
}

static void ranges_read(void **state)
{
	uint64_t low, high;

	(void)state;
	assert_int_equal(units_parse_range(UNITS_COUNT, "64..1518", &low, &high), UNITS_OK);
	assert_int_equal(low, 64);
	assert_int_equal(high, 1518);
	assert_int_equal(units_parse_range(UNITS_COUNT, "7", &low, &high), UNITS_OK);
	assert_int_equal(low, 7);
	assert_int_equal(high, 7);
	assert_int_equal(units_parse_range(UNITS_COUNT, "64..", &low, &high), UNITS_NO_NUMBER);
	assert_int_equal(units_parse_range(UNITS_COUNT, "64-1518", &low, &high), UNITS_WRONG_UNIT);
	assert_int_equal(units_parse_range(UNITS_COUNT, "6.4..7", &low, &high), UNITS_NOT_WHOLE);
	assert_int_equal(units_parse_range(UNITS_TIME, "0..10us", &low, &high), UNITS_OK);
	assert_int_equal(low, 0);
	assert_int_equal(high, 10000000);
	assert_int_equal(units_parse_range(UNITS_TIME, "1.5 ..2 us", &low, &high), UNITS_OK);
	assert_int_equal(low, 1500000);
	assert_int_equal(units_parse_range(UNITS_TIME, "500ns..2us", &low, &high), UNITS_OK);
	assert_int_equal(low, 500000);
	assert_int_equal(units_parse_range(UNITS_TIME, "1us..2", &low, &high), UNITS_NO_UNIT);
	assert_int_equal(units_parse_range(UNITS_TIME, "1..2", &low, &high), UNITS_NO_UNIT);
	assert_int_equal(units_parse_range(UNITS_TIME, "1KB..2us", &low, &high), UNITS_WRONG_UNIT);
}

static void shows(enum units_kind kind, uint64_t v, const char *want)
{
	char buf[64];

	assert_string_equal(units_format(kind, v, buf, sizeof(buf)), want);
}

static void the_longest_unit_that_fits_is_shown(void **state)
{
	char buf[64];

	(void)state;
	shows(UNITS_RATE, 100000000000, "100Gbps");
	shows(UNITS_RATE, 2500000000, "2.5Gbps");
	shows(UNITS_RATE, 40000001, "40000.001Kbps");
	shows(UNITS_TIME, 55000000, "55us");
	shows(UNITS_TIME, 1500000000, "1.5ms");
	shows(UNITS_TIME, 335360, "335.36ns");
	shows(UNITS_TIME, 0, "0us");
	shows(UNITS_SIZE, 12500, "12.5KB");
	shows(UNITS_SIZE, 65536, "64KiB");
	shows(UNITS_SIZE, 2097152, "2MiB");
	shows(UNITS_SIZE, 14530, "14530B");
	shows(UNITS_SIZE, 0, "0");
	shows(UNITS_COUNT, 1500, "1500");
	assert_string_equal(units_format_share(125000000, buf, sizeof(buf)), "12.5%");
	assert_string_equal(units_format_share(1000000000, buf, sizeof(buf)), "100%");
	assert_string_equal(units_format_share(1, buf, sizeof(buf)), "0.0000001%");
}

// Any value that is shown reads back to the same value.
static void what_is_shown_reads_back(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 1, "units");
	for (unsigned i = 0; i < 20000; i++) {
		enum units_kind kind = (enum units_kind)prng_below(&g, 4);
		uint64_t v = prng_u64(&g) >> (1 + prng_below(&g, 62)), back, scale = 1;
		char buf[64];

		for (uint64_t n = prng_below(&g, 10); n && scale < INT64_MAX / 10; n--)
			scale *= 10;
		if (v < INT64_MAX / scale)
			v *= scale;
		units_format(kind, v, buf, sizeof(buf));
		if (units_parse(kind, buf, &back) || back != v)
			fail_msg("seed 1: kind %d, %llu became %s", kind, (unsigned long long)v,
				buf);
	}
}

// Text from other programs: the micro sign, the Greek letter, blanks that do not break a line.
static void signs_of_other_programs_are_understood(void **state)
{
	double v;

	(void)state;
	is(UNITS_TIME, "1.5\u00b5s", 1500000);
	is(UNITS_TIME, "1.5\u03bcs", 1500000);
	is(UNITS_TIME, "55\u00a0us", 55000000);
	is(UNITS_TIME, "55 \u202f\u2009\u00b5s", 55000000);
	is(UNITS_RATE, "\u00a0100\u00a0Gbps", 100000000000);
	is(UNITS_SIZE, "4\u202fKB", 4000);
	is_not(UNITS_TIME, "1\u00b5", UNITS_WRONG_UNIT);
	is_not(UNITS_SIZE, "1\u00b5s", UNITS_WRONG_UNIT);
	assert_int_equal(units_parse_real("5\u00a0%", &v), UNITS_OK);
	assert_true(v == 0.05);
	shows(UNITS_TIME, 1500000, "1.5us");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_per_second_have_either_case),
		cmocka_unit_test(sizes_are_exact),
		cmocka_unit_test(rates_are_exact),
		cmocka_unit_test(rates_want_their_unit),
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(shares_and_quotients_read),
		cmocka_unit_test(ranges_read),
		cmocka_unit_test(the_longest_unit_that_fits_is_shown),
		cmocka_unit_test(what_is_shown_reads_back),
		cmocka_unit_test(signs_of_other_programs_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
