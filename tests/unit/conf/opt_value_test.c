// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/opt_value: every type, right, of the wrong unit and out of range.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <stdio.h>

#include "conf/conf.h"

static const char *const colours[] = {"red", "green", NULL};
static struct err err;

// A scalar, or a list or map where the text says so.
static int read_into(const struct opt *row, void *at, const char *text)
{
	struct arena a = {0};
	struct yamldoc_node *n = NULL;
	char doc[200];
	int rc;

	snprintf(doc, sizeof(doc), "k: %s", text);
	assert_int_equal(yamldoc_parse(&a, &n, "t", doc, strlen(doc), &err), 0);
	rc = opt_value(row, at, yamldoc_get(n, "k"), &err);
	arena_free(&a);
	return rc;
}

static void refuse(const struct opt *row, const char *text, const char *want)
{
	unsigned char field[64] = {0}, before[64] = {0};

	assert_int_equal(read_into(row, field, text), -EINVAL);
	assert_string_equal(err.text, want);
	assert_memory_equal(field, before, sizeof(field));
}

static void whole_numbers_keep_their_range(void **state)
{
	const struct opt row = {.key = "n", .type = OPT_UINT, .size = 2, .min = 1, .max = 65535};
	const struct opt narrow = {.key = "n", .type = OPT_UINT, .size = 1};
	const struct opt any = {.key = "n",
		.type = OPT_UINT,
		.size = 8,
		.max = 9,
		.flags = OPT_F_AUTO | OPT_F_NONE};
	const struct opt sign = {.key = "n", .type = OPT_INT, .size = 4, .min = -8, .max = 7};
	uint16_t v = 0;
	uint64_t wide = 0;
	int32_t i = 0;

	(void)state;
	assert_int_equal(read_into(&row, &v, "65535"), 0);
	assert_int_equal(v, 65535);
	refuse(&row, "0", "t:1:4: n: 0 is out of range; it can be 1..65535");
	refuse(&row, "1.5",
		"t:1:4: n: '1.5' has more decimals than can be kept; leave the last ones out");
	refuse(&row, "4us", "t:1:4: n: '4us' has the wrong unit; write a whole number");
	refuse(&row, "auto", "t:1:4: n: 'auto' is not right; write a whole number");
	refuse(&narrow, "256", "t:1:4: n: 256 is out of range; it can be less");
	assert_int_equal(read_into(&any, &wide, "auto"), 0);
	assert_true(wide == OPT_AUTO);
	assert_int_equal(read_into(&any, &wide, "none"), 0);
	assert_true(wide == OPT_NONE);
	refuse(&any, "10", "t:1:4: n: 10 is out of range; it can be 0..9");
	assert_int_equal(read_into(&sign, &i, "-8"), 0);
	assert_int_equal(i, -8);
	refuse(&sign, "-9", "t:1:4: n: -9 is out of range; it can be -8..7");
}

static void a_unit_must_be_the_right_one(void **state)
{
	const struct opt time = {
		.key = "t", .type = OPT_TIME, .size = 8, .min = 1000000, .max = 1000000000};
	uint64_t v = 0;

	(void)state;
	assert_int_equal(read_into(&time, &v, "55us"), 0);
	assert_int_equal(v, 55000000);
	refuse(&time, "55", "t:1:4: t: '55' has no unit; write a time, as in 55us or 1.5ms");
	refuse(&time, "55KB",
		"t:1:4: t: '55KB' has the wrong unit; write a time, as in 55us or 1.5ms");
	refuse(&time, "55s", "t:1:4: t: 55s is out of range; it can be 1us..1ms");
}

static void amounts_are_absolute_or_shares(void **state)
{
	const struct opt row = {.key = "x",
		.type = OPT_SIZE_SHARE,
		.size = sizeof(struct opt_amount),
		.max = 1000,
		.flags = OPT_F_NONE};
	const struct opt share = {.key = "r", .type = OPT_SHARE, .size = 4};
	struct opt_amount a = {0};
	unsigned permille = 0;

	(void)state;
	assert_int_equal(read_into(&row, &a, "1KB"), 0);
	assert_int_equal(a.value, 1000);
	assert_false(a.is_share);
	assert_int_equal(read_into(&row, &a, "75%"), 0);
	assert_true(a.is_share);
	refuse(&row, "101%", "t:1:4: x: 101% is out of range; it can be 0%..100%");
	refuse(&row, "2KB", "t:1:4: x: 2KB is out of range; it can be 0..1KB");
	assert_int_equal(read_into(&share, &permille, "12.5%"), 0);
	assert_int_equal(permille, 125);
	refuse(&share, "12.55%",
		"t:1:4: r: '12.55%' has more decimals than can be kept; leave the last ones out");
	refuse(&share, "12", "t:1:4: r: '12' has no unit; write a share, as in 50%");
}

static void words_are_of_a_list(void **state)
{
	const struct opt row = {.key = "c", .type = OPT_ENUM, .size = 4, .names = colours};
	const struct opt flag = {.key = "b", .type = OPT_BOOL, .size = 1};
	const struct opt text = {.key = "s", .type = OPT_TEXT, .size = sizeof(char *)};
	unsigned v = 9;
	bool b = true;

	(void)state;
	assert_int_equal(read_into(&row, &v, "green"), 0);
	assert_int_equal(v, 1);
	refuse(&row, "blue", "t:1:4: c: 'blue' is not right; write one of red, green");
	assert_int_equal(read_into(&flag, &b, "off"), 0);
	assert_false(b);
	refuse(&flag, "maybe", "t:1:4: b: 'maybe' is not right; write true or false");
	refuse(&text, "[a]", "t:1:4: s cannot be a list; write a text");
}

static void reals_keep_their_range(void **state)
{
	const struct opt row = {.key = "g", .type = OPT_REAL, .size = 8, .min = 1, .max = 1000000};
	double v = 0;

	(void)state;
	assert_int_equal(read_into(&row, &v, "1/256"), 0);
	assert_true(v == 1.0 / 256);
	refuse(&row, "0", "t:1:4: g: 0 is out of range; it can be 1e-06..1");
	refuse(&row, "2", "t:1:4: g: 2 is out of range; it can be 1e-06..1");
	refuse(&row, "x", "t:1:4: g: 'x' is not right; write a number, as in 0.5 or 1/256");
}

static void addresses_are_whole(void **state)
{
	const struct opt mac = {.key = "m", .type = OPT_MAC, .size = 6};
	const struct opt ip = {.key = "i", .type = OPT_IP, .size = sizeof(struct opt_ip)};
	const uint8_t want[6] = {2, 0, 0, 0, 0, 0xaa}, four[4] = {10, 1, 2, 3};
	struct opt_ip a = {0};
	uint8_t m[6];

	(void)state;
	assert_int_equal(read_into(&mac, m, "\"02:00:00:00:00:aa\""), 0);
	assert_memory_equal(m, want, 6);
	refuse(&mac, "\"01:00:00:00:00:aa\"",
		"t:1:4: m: 01:00:00:00:00:aa is a group address; the first byte is even");
	refuse(&mac, "\"02:00:00:00:00\"",
		"t:1:4: m: '02:00:00:00:00' is not right; write an address, as in "
		"02:00:00:00:00:01");
	assert_int_equal(read_into(&ip, &a, "10.1.2.3"), 0);
	assert_memory_equal(a.bytes, four, 4);
	assert_false(a.v6);
	assert_int_equal(read_into(&ip, &a, "\"fd00::1\""), 0);
	assert_true(a.v6);
	assert_int_equal(a.bytes[15], 1);
	refuse(&ip, "10.1.2",
		"t:1:4: i: '10.1.2' is not right; write an address, as in 10.0.0.1 or fd00::1");
	static const char *const nobody[] = {
		"0.0.0.0", "224.0.0.1", "255.255.255.255", "\"::\"", "\"ff02::1\""};

	for (unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++)
		assert_int_equal(read_into(&ip, &a, nobody[i]), -EINVAL);
	refuse(&ip, "239.1.1.1",
		"t:1:4: i: 239.1.1.1 is no host's address; write one, as in 10.0.0.1 or fd00::1");
	assert_int_equal(read_into(&ip, &a, "223.255.255.254"), 0);
}

static void bitmaps_slots_and_ranges_read(void **state)
{
	const struct opt bits = {.key = "b", .type = OPT_BITS, .size = 1, .flags = OPT_F_NONE};
	const struct opt slots = {
		.key = "m", .type = OPT_SLOTS, .size = 16, .count = 8, .max = 1000};
	const struct opt range = {.key = "r",
		.type = OPT_RANGE,
		.size = sizeof(struct opt_range),
		.min = 64,
		.max = 1518};
	uint16_t m[8] = {0};
	struct opt_range r;
	uint8_t b = 0;

	(void)state;
	assert_int_equal(read_into(&bits, &b, "[0..1, 6]"), 0);
	assert_int_equal(b, 0x43);
	assert_int_equal(read_into(&bits, &b, "none"), 0);
	assert_int_equal(b, 0);
	refuse(&bits, "[8]", "t:1:5: b: 8 is out of range; a class is 0..7");
	assert_int_equal(read_into(&slots, m, "{0..2: 7, 5: 1000}"), 0);
	assert_int_equal(m[2], 7);
	assert_int_equal(m[3], 0);
	assert_int_equal(m[5], 1000);
	refuse(&slots, "{8: 1}", "t:1:5: m: the key '8' is not right; it can be 0..7");
	assert_int_equal(read_into(&range, &r, "64..1518"), 0);
	assert_int_equal(r.high, 1518);
	refuse(&range, "63..100", "t:1:4: r: 63..100 is out of range; it can be 64..1518");
	refuse(&range, "100..64", "t:1:4: r: 100..64 runs backwards; write the smaller end first");
}

static void names_and_lists_are_kept_for_their_owner(void **state)
{
	const struct opt names = {.key = "n", .type = OPT_NODE, .size = sizeof(void *)};
	const struct opt list = {.key = "l", .type = OPT_LIST, .size = sizeof(void *)};
	const void *p = NULL;

	(void)state;
	assert_int_equal(read_into(&names, &p, "h1..8"), 0);
	assert_int_equal(read_into(&names, &p, "[a, b]"), 0);
	refuse(&names, "{a: b}",
		"t:1:4: n cannot be a map; write a name, a range as in h1..8, or a list of them");
	assert_int_equal(read_into(&list, &p, "[1]"), 0);
	assert_int_equal(read_into(&list, &p, ""), 0);
	refuse(&list, "a",
		"t:1:4: l: 'a' is not right; write a list, each line beginning with '-'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_keep_their_range),
		cmocka_unit_test(a_unit_must_be_the_right_one),
		cmocka_unit_test(amounts_are_absolute_or_shares),
		cmocka_unit_test(words_are_of_a_list),
		cmocka_unit_test(reals_keep_their_range),
		cmocka_unit_test(addresses_are_whole),
		cmocka_unit_test(bitmaps_slots_and_ranges_read),
		cmocka_unit_test(names_and_lists_are_kept_for_their_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
