// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/opt: defaults, layers, sources, keys unknown or excluding each other, nested tables.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <stdio.h>

#include "conf/conf.h"

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
static const struct opt_table inner_table = {"inner", inner_rows, N(inner_rows)};

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
static const struct opt_table table = {"thing", rows, N(rows)};

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
	refuse("in: {sice: 1}", "t.yaml:1:6: unknown key 'sice' in a inner; did you mean 'size'?");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(defaults_fill_the_struct, setup),
		cmocka_unit_test_setup(later_layers_win_and_are_the_source, setup),
		cmocka_unit_test_setup(an_unknown_key_gets_the_nearest, setup),
		cmocka_unit_test_setup(the_wrong_shape_is_told, setup),
		cmocka_unit_test_setup(excluding_keys_do_not_meet, setup),
		cmocka_unit_test_setup(a_missing_key_is_told, setup),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
