// SPDX-License-Identifier: BSD-3-Clause
// Option tables: defaults, layers, sources, keys unknown or excluding each other, nested tables;
// every type right, of the wrong unit and out of range.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <stdio.h>

#include "conf/int.h"

struct inner {
	struct opt_src src;
	uint64_t size;
	struct opt_amount xoff;
	int th;
};

struct thing {
	struct opt_src src;
	uint64_t rate;
	bool on;
	struct inner in;
	struct inner cls[4];
	const struct yamldoc_node *names;
};

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))

static const struct opt inner_rows[] = {
	{.key = "size", .type = OPT_SIZE, OPT_AT(struct inner, size), .max = 1000000, .def = "2KB"},
	{.key = "xoff",
		.type = OPT_SIZE_SHARE,
		OPT_AT(struct inner, xoff),
		.max = 1000000,
		.def = "none",
		.flags = OPT_F_NONE,
		.excludes = "dynamic_th"},
	{.key = "dynamic_th",
		.type = OPT_INT,
		OPT_AT(struct inner, th),
		.min = -8,
		.max = 7,
		.def = "-3",
		.excludes = "xoff"},
};
static const struct opt_table inner_table = {"inner", inner_rows, N(inner_rows), false};

static const struct opt rows[] = {
	{.key = "rate",
		.type = OPT_RATE,
		OPT_AT(struct thing, rate),
		.min = 1,
		.max = 1000000000,
		.flags = OPT_F_REQUIRED},
	{.key = "enable", .type = OPT_BOOL, OPT_AT(struct thing, on), .def = "true"},
	{.key = "in", .type = OPT_MAP, OPT_AT(struct thing, in), .sub = &inner_table},
	{.key = "classes",
		.type = OPT_KEYED,
		OPT_AT(struct thing, cls),
		.count = 4,
		.sub = &inner_table},
	{.key = "names", .type = OPT_NODE, OPT_AT(struct thing, names)},
};
static const struct opt_table table = {"thing", rows, N(rows), true};

static struct arena arena;
static struct err err;
static struct thing t;

static int setup(void **state)
{
	(void)state;
	t = (struct thing){0};
	opt_init(&table, &t);
	return 0;
}

static const struct yamldoc_node *parse(const char *text)
{
	struct yamldoc_node *root = NULL;

	if (yamldoc_parse(&arena, &root, "t.yaml", text, strlen(text), &err))
		fail_msg("%s", err.text);
	return root;
}

static void apply(const char *text)
{
	if (opt_apply(&table, &t, parse(text), &err))
		fail_msg("%s", err.text);
}

static void refuse(const char *text, const char *want)
{
	assert_int_equal(opt_apply(&table, &t, parse(text), &err), -EINVAL);
	assert_string_equal(err.text, want);
}

static void defaults_fill_the_struct(void **state)
{
	(void)state;
	assert_true(t.on);
	assert_int_equal(t.in.size, 2000);
	assert_int_equal(t.cls[3].size, 2000);
	assert_int_equal(t.cls[3].th, -3);
	assert_int_equal(t.in.xoff.value, OPT_NONE);
	assert_null(opt_source(&table, &t, "enable"));
}

static void later_layers_win_and_are_the_source(void **state)
{
	(void)state;
	apply("rate: 40Mbps\nin: {size: 1KB}\n");
	apply("rate: 50Mbps\nclasses: {1..2: {size: 5KB}, 0: }\n");
	apply("in:\n");
	assert_int_equal(t.rate, 50000000);
	assert_int_equal(t.in.size, 1000);
	assert_int_equal(t.cls[0].size, 2000);
	assert_int_equal(t.cls[1].size, 5000);
	assert_int_equal(t.cls[2].size, 5000);
	assert_int_equal(opt_source(&table, &t, "rate")->line, 1);
	assert_int_equal(opt_source(&inner_table, &t.cls[1], "size")->line, 2);
	assert_null(opt_source(&inner_table, &t.cls[3], "size"));
}

static void an_unknown_key_gets_the_nearest(void **state)
{
	(void)state;
	refuse("rat: 1", "t.yaml:1:1: unknown key 'rat' in a thing; did you mean 'rate'?");
	refuse("in: {sice: 1}", "t.yaml:1:6: unknown key 'sice' in inner; did you mean 'size'?");
	refuse("xofff: 1", "t.yaml:1:1: unknown key 'xofff' in a thing; did you mean 'in.xoff'?");
	refuse("zebra: 1",
		"t.yaml:1:1: unknown key 'zebra' in a thing; the keys of a thing are rate, "
		"enable, in, "
		"classes, names");
}

static void the_wrong_shape_is_told(void **state)
{
	(void)state;
	refuse("[a]", "t.yaml:1:1: a thing is a map of options, as in {key: value}");
	refuse("in: 3", "t.yaml:1:5: in: write a map of options, as in {key: value}");
	refuse("rate: {a: b}",
		"t.yaml:1:7: rate cannot be a map; write a rate, as in 100Gbps or 40Mbps");
	refuse("rate:", "t.yaml:1:6: rate has no value; write a rate, as in 100Gbps or 40Mbps");
	refuse("classes: {4: {}}",
		"t.yaml:1:11: classes: the key '4' is not right; it can be 0..3");
	refuse("classes: {0..1: , 1: }",
		"t.yaml:1:19: classes: 1 stands here twice; write it once");
}

static void excluding_keys_do_not_meet(void **state)
{
	(void)state;
	refuse("in: {xoff: 1KB, dynamic_th: 1}",
		"t.yaml:1:6: 'xoff' and 'dynamic_th' exclude each other; keep one");
	apply("in: {xoff: 50%}");
	assert_true(t.in.xoff.is_share);
	assert_int_equal(t.in.xoff.share_ppb, 500000000);
	apply("in: {dynamic_th: 2}");
	assert_int_equal(t.in.th, 2);
	assert_int_equal(t.in.xoff.value, OPT_NONE);
	assert_false(t.in.xoff.is_share);
	assert_null(opt_source(&inner_table, &t.in, "xoff"));
}

static void a_missing_key_is_told(void **state)
{
	const struct yamldoc_node *at = parse("enable: false");

	(void)state;
	assert_int_equal(opt_require(&table, &t, at, &err), -EINVAL);
	assert_string_equal(err.text,
		"t.yaml:1:1: 'rate' is missing in this thing; write a rate, as in 100Gbps or "
		"40Mbps");
	apply("rate: 1bps");
	assert_int_equal(opt_require(&table, &t, at, &err), 0);
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const char *const colours[] = {"red", "green", NULL};

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

static void refuse_value(const struct opt *row, const char *text, const char *want)
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
	refuse_value(&row, "0", "t:1:4: n: 0 is out of range; it can be 1..65535");
	refuse_value(&row, "1.5",
		"t:1:4: n: '1.5' has more decimals than can be kept; leave the last ones out");
	refuse_value(&row, "-1", "t:1:4: n: -1 is out of range; it can be 1..65535");
	refuse_value(&row, "-x", "t:1:4: n: '-x' is not right; write a whole number");
	refuse_value(&row, "4us", "t:1:4: n: '4us' has the wrong unit; write a whole number");
	refuse_value(&row, "auto", "t:1:4: n: 'auto' is not right; write a whole number");
	refuse_value(&narrow, "256", "t:1:4: n: 256 is out of range; it can be less");
	assert_int_equal(read_into(&any, &wide, "auto"), 0);
	assert_true(wide == OPT_AUTO);
	assert_int_equal(read_into(&any, &wide, "none"), 0);
	assert_true(wide == OPT_NONE);
	refuse_value(&any, "10", "t:1:4: n: 10 is out of range; it can be 0..9");
	assert_int_equal(read_into(&sign, &i, "-8"), 0);
	assert_int_equal(i, -8);
	refuse_value(&sign, "-9", "t:1:4: n: -9 is out of range; it can be -8..7");
}

static void numbers_may_be_hexadecimal(void **state)
{
	const struct opt row = {
		.key = "n", .type = OPT_UINT, .size = 8, .max = INT64_MAX, .flags = OPT_F_NONE};
	const struct opt size = {.key = "n", .type = OPT_SIZE, .size = 8, .max = 100};
	uint64_t v = 0;

	(void)state;
	assert_int_equal(read_into(&row, &v, "0x7f00000010Ab"), 0);
	assert_true(v == 0x7f00000010ab);
	refuse_value(&row, "0x", "t:1:4: n: '0x' is not right; write a whole number, or none");
	refuse_value(&row, "0x1g", "t:1:4: n: '0x1g' is not right; write a whole number, or none");
	refuse_value(&row, "0x8000000000000000",
		"t:1:4: n: 0x8000000000000000 is out of range; it can be 0..9223372036854775807");
	assert_int_equal(read_into(&row, &v, "0x11111111111111111"), -EINVAL);
	assert_int_equal(read_into(&size, &v, "0x10"), -EINVAL);
}

static void a_unit_must_be_the_right_one(void **state)
{
	const struct opt time = {
		.key = "t", .type = OPT_TIME, .size = 8, .min = 1000000, .max = 1000000000};
	uint64_t v = 0;

	(void)state;
	assert_int_equal(read_into(&time, &v, "55us"), 0);
	assert_int_equal(v, 55000000);
	refuse_value(&time, "55", "t:1:4: t: '55' has no unit; write a time, as in 55us or 1.5ms");
	refuse_value(&time, "55KB",
		"t:1:4: t: '55KB' has the wrong unit; write a time, as in 55us or 1.5ms");
	refuse_value(&time, "55s", "t:1:4: t: 55s is out of range; it can be 1us..1ms");
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
	refuse_value(&row, "101%", "t:1:4: x: 101% is out of range; it can be 0%..100%");
	refuse_value(&row, "2KB", "t:1:4: x: 2KB is out of range; it can be 0..1KB");
	assert_int_equal(read_into(&share, &permille, "12.5%"), 0);
	assert_int_equal(permille, 125);
	refuse_value(&share, "12.55%",
		"t:1:4: r: '12.55%' has more decimals than can be kept; leave the last ones out");
	refuse_value(&share, "12", "t:1:4: r: '12' has no unit; write a share, as in 50%");
}

static void amounts_may_be_for_each_gbps(void **state)
{
	struct opt row = {.key = "x",
		.type = OPT_SIZE_SPEED,
		.size = sizeof(struct opt_amount),
		.max = 1000000,
		.flags = OPT_F_NONE};
	struct opt_amount a = {0};

	(void)state;
	assert_int_equal(read_into(&row, &a, "12.5KB/Gbps"), 0);
	assert_int_equal(a.value, 12500);
	assert_true(a.per_gbps && !a.is_share);
	assert_int_equal(read_into(&row, &a, "1KB"), 0);
	assert_false(a.per_gbps);
	refuse_value(&row, "2MB/Gbps", "t:1:4: x: 2MB/Gbps is out of range; it can be 0..1MB");
	refuse_value(&row, "1Gbps/Gbps",
		"t:1:4: x: '1Gbps/Gbps' has the wrong unit; write a size, as in 400KB, for each "
		"Gbps of the link, as in 4KB/Gbps, or a share of the buffer, as in 50%, or none");
	row.type = OPT_SIZE_SHARE;
	refuse_value(&row, "1KB/Gbps",
		"t:1:4: x: '1KB/Gbps' has the wrong unit; write a size, as in 400KB, or a share of "
		"the buffer, as in 50%, or none");
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
	refuse_value(&row, "blue", "t:1:4: c: 'blue' is not right; write one of red, green");
	assert_int_equal(read_into(&flag, &b, "off"), 0);
	assert_false(b);
	refuse_value(&flag, "maybe", "t:1:4: b: 'maybe' is not right; write true or false");
	refuse_value(&text, "[a]", "t:1:4: s cannot be a list; write a text");
}

// A word that takes a number has it in brackets, and the others have none.
static void choices_may_have_a_number(void **state)
{
	static const char *const names[] = {"ring", "incast()", "in", NULL};
	const struct opt row = {.key = "c",
		.type = OPT_CHOICE,
		.size = sizeof(struct opt_choice),
		.names = names,
		.min = 1,
		.max = 99};
	static const char *const bad[] = {"incast", "incast()", "incast(x)", "incast(8", "ring(8)",
		"incast(-1)", "incasts(8)", "rin"};
	struct opt_choice c;
	char want[160];

	(void)state;
	assert_int_equal(read_into(&row, &c, "incast(8)"), 0);
	assert_true(c.which == 1 && c.n == 8);
	assert_int_equal(read_into(&row, &c, "in"), 0);
	assert_true(c.which == 2 && c.n == 0);
	refuse_value(&row, "incast(100)", "t:1:4: c: incast(100) is out of range; it can be 1..99");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want),
			"t:1:4: c: '%s' is not right; write one of ring, incast(N), in", bad[i]);
		refuse_value(&row, bad[i], want);
	}
}

static void reals_keep_their_range(void **state)
{
	const struct opt row = {.key = "g", .type = OPT_REAL, .size = 8, .min = 1, .max = 1000000};
	double v = 0;

	(void)state;
	assert_int_equal(read_into(&row, &v, "1/256"), 0);
	assert_true(v == 1.0 / 256);
	refuse_value(&row, "0", "t:1:4: g: 0 is out of range; it can be 1e-06..1");
	refuse_value(&row, "2", "t:1:4: g: 2 is out of range; it can be 1e-06..1");
	refuse_value(&row, "x", "t:1:4: g: 'x' is not right; write a number, as in 0.5 or 1/256");
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
	refuse_value(&mac, "\"01:00:00:00:00:aa\"",
		"t:1:4: m: 01:00:00:00:00:aa is a group address; the first byte is even");
	refuse_value(&mac, "\"02:00:00:00:00\"",
		"t:1:4: m: '02:00:00:00:00' is not right; write an address, as in "
		"02:00:00:00:00:01");
	assert_int_equal(read_into(&ip, &a, "10.1.2.3"), 0);
	assert_memory_equal(a.bytes, four, 4);
	assert_false(a.v6);
	assert_int_equal(read_into(&ip, &a, "\"fd00::1\""), 0);
	assert_true(a.v6);
	assert_int_equal(a.bytes[15], 1);
	refuse_value(&ip, "10.1.2",
		"t:1:4: i: '10.1.2' is not right; write an address, as in 10.0.0.1 or fd00::1");
	static const char *const nobody[] = {
		"0.0.0.0", "224.0.0.1", "255.255.255.255", "\"::\"", "\"ff02::1\""};

	for (unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++)
		assert_int_equal(read_into(&ip, &a, nobody[i]), -EINVAL);
	refuse_value(&ip, "239.1.1.1",
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
	const struct opt times = {.key = "r",
		.type = OPT_TIME_RANGE,
		.size = sizeof(struct opt_range),
		.max = 20000000,
		.flags = OPT_F_NONE};
	uint16_t m[8] = {0};
	struct opt_range r;
	uint8_t b = 0;

	(void)state;
	assert_int_equal(read_into(&bits, &b, "[0..1, 6]"), 0);
	assert_int_equal(b, 0x43);
	assert_int_equal(read_into(&bits, &b, "none"), 0);
	assert_int_equal(b, 0);
	refuse_value(&bits, "[8]", "t:1:5: b: 8 is out of range; a class is 0..7");
	assert_int_equal(read_into(&slots, m, "{0..2: 7, 5: 1000}"), 0);
	assert_int_equal(m[2], 7);
	assert_int_equal(m[3], 0);
	assert_int_equal(m[5], 1000);
	refuse_value(&slots, "{8: 1}", "t:1:5: m: the key '8' is not right; it can be 0..7");
	assert_int_equal(read_into(&range, &r, "64..1518"), 0);
	assert_int_equal(r.high, 1518);
	refuse_value(&range, "63..100", "t:1:4: r: 63..100 is out of range; it can be 64..1518");
	refuse_value(
		&range, "100..64", "t:1:4: r: 100..64 runs backwards; write the smaller end first");
	assert_int_equal(read_into(&times, &r, "0..10us"), 0);
	assert_int_equal(r.low, 0);
	assert_int_equal(r.high, 10000000);
	assert_int_equal(read_into(&times, &r, "none"), 0);
	assert_true(r.low == OPT_NONE && r.high == OPT_NONE);
	refuse_value(&times, "auto",
		"t:1:4: r: 'auto' is not right; write a time, as in 55us, or a range, as in "
		"0..10us, or none");
	refuse_value(&times, "0..30us", "t:1:4: r: 0..30us is out of range; it can be 0us..20us");
}

static void names_and_lists_are_kept_for_their_owner(void **state)
{
	const struct opt names = {.key = "n", .type = OPT_NODE, .size = sizeof(void *)};
	const struct opt list = {.key = "l", .type = OPT_LIST, .size = sizeof(void *)};
	const void *p = NULL;

	(void)state;
	assert_int_equal(read_into(&names, &p, "h1..8"), 0);
	assert_int_equal(read_into(&names, &p, "[a, b]"), 0);
	refuse_value(&names, "{a: b}",
		"t:1:4: n cannot be a map; write a name, a range as in h1..8, or a list of them");
	assert_int_equal(read_into(&list, &p, "[1]"), 0);
	assert_int_equal(read_into(&list, &p, ""), 0);
	refuse_value(&list, "a",
		"t:1:4: l: 'a' is not right; write a list, each line beginning with '-'");
}

int main(void)
{
	const struct CMUnitTest tests_teardown[] = {
		cmocka_unit_test_setup(defaults_fill_the_struct, setup),
		cmocka_unit_test_setup(later_layers_win_and_are_the_source, setup),
		cmocka_unit_test_setup(an_unknown_key_gets_the_nearest, setup),
		cmocka_unit_test_setup(the_wrong_shape_is_told, setup),
		cmocka_unit_test_setup(excluding_keys_do_not_meet, setup),
		cmocka_unit_test_setup(a_missing_key_is_told, setup),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_keep_their_range),
		cmocka_unit_test(numbers_may_be_hexadecimal),
		cmocka_unit_test(a_unit_must_be_the_right_one),
		cmocka_unit_test(amounts_are_absolute_or_shares),
		cmocka_unit_test(amounts_may_be_for_each_gbps),
		cmocka_unit_test(words_are_of_a_list),
		cmocka_unit_test(choices_may_have_a_number),
		cmocka_unit_test(reals_keep_their_range),
		cmocka_unit_test(addresses_are_whole),
		cmocka_unit_test(bitmaps_slots_and_ranges_read),
		cmocka_unit_test(names_and_lists_are_kept_for_their_owner),
	};

	return cmocka_run_group_tests(tests_teardown, NULL, teardown) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
