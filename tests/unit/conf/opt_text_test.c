// SPDX-License-Identifier: BSD-3-Clause
// Values as a file would say them, limits, words nearly the same.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "conf/conf.h"

static const char *const colours[] = {"red", "green", NULL};

static void shows(const struct opt *row, const void *at, const char *want)
{
	char buf[200];

	assert_true(opt_format(row, at, buf, sizeof(buf)));
	assert_string_equal(buf, want);
}

static void values_print_as_a_file_says_them(void **state)
{
	static const char *const choices[] = {"ring", "incast()", NULL};
	const struct opt_choice ring = {0, 0}, incast = {1, 8};
	const struct opt_amount half = {.is_share = true, .share_ppb = 500000000};
	const struct opt_amount speed = {.per_gbps = true, .value = 4000};
	const struct opt_amount pps = {.is_pps = true, .value = 2500000};
	const struct opt_range range = {64, 1518}, one = {64, 64}, never = {OPT_NONE, OPT_NONE};
	const struct opt_range times = {0, 10000000}, time = {1500000, 1500000};
	const uint64_t size = 12500, automatic = OPT_AUTO, none = OPT_NONE;
	const uint8_t bits = 0x43, slots[4] = {1, 1, 2, 2}, mac[6] = {2, 0, 0, 0, 1, 0xff};
	const double p = 0.2, third = 1.0 / 3;
	const char *text = "0000:3b:00.0", *plain = "eth0";
	const int th = -3;
	const bool yes = true;
	const unsigned green = 1, permille = 125;

	(void)state;
	shows(&(struct opt){.type = OPT_SIZE, .size = 8}, &size, "12.5KB");
	shows(&(struct opt){.type = OPT_SIZE, .size = 8, .flags = OPT_F_AUTO}, &automatic, "auto");
	shows(&(struct opt){.type = OPT_TIME, .size = 8, .flags = OPT_F_NONE}, &none, "none");
	shows(&(struct opt){.type = OPT_SIZE_SHARE}, &half, "50%");
	shows(&(struct opt){.type = OPT_SIZE_SPEED}, &half, "50%");
	shows(&(struct opt){.type = OPT_SIZE_SPEED}, &speed, "4KB/Gbps");
	shows(&(struct opt){.type = OPT_RATE_PPS}, &half, "50%");
	shows(&(struct opt){.type = OPT_RATE_PPS}, &pps, "2.5Mpps");
	shows(&(struct opt){.type = OPT_RANGE}, &range, "64..1518");
	shows(&(struct opt){.type = OPT_RANGE}, &one, "64");
	shows(&(struct opt){.type = OPT_TIME_RANGE}, &times, "0us..10us");
	shows(&(struct opt){.type = OPT_TIME_RANGE}, &time, "1.5us");
	shows(&(struct opt){.type = OPT_TIME_RANGE, .flags = OPT_F_NONE}, &never, "none");
	shows(&(struct opt){.type = OPT_BITS}, &bits, "[0, 1, 6]");
	shows(&(struct opt){.type = OPT_SLOTS, .size = 4, .count = 4}, slots, "{0..1: 1, 2..3: 2}");
	shows(&(struct opt){.type = OPT_MAC}, mac, "02:00:00:00:01:ff");
	shows(&(struct opt){.type = OPT_PERCENT}, &p, "20%");
	shows(&(struct opt){.type = OPT_REAL}, &third, "0.33333333333333331");
	shows(&(struct opt){.type = OPT_TEXT}, &text, "\"0000:3b:00.0\"");
	shows(&(struct opt){.type = OPT_TEXT}, &plain, "eth0");
	shows(&(struct opt){.type = OPT_INT, .size = 4}, &th, "-3");
	shows(&(struct opt){.type = OPT_BOOL}, &yes, "true");
	shows(&(struct opt){.type = OPT_ENUM, .names = colours}, &green, "green");
	shows(&(struct opt){.type = OPT_CHOICE, .names = choices}, &ring, "ring");
	shows(&(struct opt){.type = OPT_CHOICE, .names = choices}, &incast, "incast(8)");
	shows(&(struct opt){.type = OPT_SHARE, .size = 4}, &permille, "12.5%");
}

static void what_is_no_value_does_not_print(void **state)
{
	const char *text = NULL;
	char buf[10];

	(void)state;
	assert_false(opt_format(&(struct opt){.type = OPT_TEXT}, &text, buf, sizeof(buf)));
	assert_false(opt_format(&(struct opt){.type = OPT_MAP}, &text, buf, sizeof(buf)));
}

static void a_row_says_what_it_takes(void **state)
{
	char buf[200];

	(void)state;
	assert_string_equal(
		opt_wants(&(struct opt){.type = OPT_ENUM, .names = colours}, buf, sizeof(buf)),
		"one of red, green");
	assert_string_equal(
		opt_wants(&(struct opt){.type = OPT_TIME, .flags = OPT_F_NONE}, buf, sizeof(buf)),
		"a time, as in 55us or 1.5ms, or none");
	assert_string_equal(
		opt_limits(&(struct opt){.type = OPT_SIZE, .max = 1000000}, buf, sizeof(buf)),
		"0..1MB");
	assert_string_equal(
		opt_limits(&(struct opt){.type = OPT_INT, .min = -8, .max = 7}, buf, sizeof(buf)),
		"-8..7");
	assert_string_equal(opt_limits(&(struct opt){.type = OPT_BOOL}, buf, sizeof(buf)), "");
}

static void near_words_are_near(void **state)
{
	(void)state;
	assert_int_equal(opt_distance("buffer", "buffer"), 0);
	assert_int_equal(opt_distance("bufer", "buffer"), 1);
	assert_int_equal(opt_distance("bfufer", "buffer"), 1);
	assert_int_equal(opt_distance("xof", "xoff"), 1);
	assert_int_equal(opt_distance("xon", "wred"), -1);
	assert_int_equal(opt_distance("a", "abcdefghijklmnopqrstuvwxyzabcdefghijkl"), -1);
	assert_int_equal(opt_distance("a_name_of_more_than_thirty[h1>receiver.0]",
				 "a_name_of_more_than_thirty[h2>reciever.0]"),
		2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_print_as_a_file_says_them),
		cmocka_unit_test(what_is_no_value_does_not_print),
		cmocka_unit_test(a_row_says_what_it_takes),
		cmocka_unit_test(near_words_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
