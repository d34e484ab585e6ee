// SPDX-License-Identifier: BSD-3-Clause
// Tests of conf/alike: lines of a kind are counted, and the first of them is said.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "conf/conf.h"

static void kinds_stand_in_the_order_of_their_first_lines(void **state)
{
	static const char *const kind[] = {"b", "a", "b", "c", "b"};
	struct alike a = {0};

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(alike_add(&a, kind[i], i), 0);
	assert_int_equal(a.n, 3);
	assert_string_equal(a.kind[0].kind, "b");
	assert_true(a.kind[0].first == 0 && a.kind[0].n == 3);
	assert_true(a.kind[1].first == 1 && a.kind[1].n == 1);
	assert_true(a.kind[2].first == 3 && a.kind[2].n == 1);
	alike_free(&a);
	assert_int_equal(a.n, 0);
}

static void many_kinds_have_room(void **state)
{
	struct alike a = {0};
	char kind[100][4];

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		snprintf(kind[i % 100], sizeof(kind[0]), "%u", i % 100);
		assert_int_equal(alike_add(&a, kind[i % 100], i), 0);
	}
	assert_int_equal(a.n, 100);
	assert_true(a.kind[99].first == 99 && a.kind[99].n == 2);
	alike_free(&a);
}

static void the_first_is_said_with_the_number_of_the_others(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(
		alike_text(&(struct alike_kind){"k", 0, 1}, "odd", buf, sizeof(buf)), "odd");
	assert_string_equal(alike_text(&(struct alike_kind){"k", 0, 1220}, "odd", buf, sizeof(buf)),
		"odd (and 1219 more like it)");
}

static void a_value_is_a_star_in_the_kind(void **state)
{
	static const struct {
		const char *fmt, *kind;
	} row[] = {{"plain", "plain"}, {"%s class %u: 5%%", "* class *: 5%"}, {"%s%s", "*"},
		{"%.60s, %llu, %.1f GB at 100 %%", "*, *, * GB at 100 %"}, {"100 %", "100 *"}};
	char buf[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_string_equal(alike_pattern(row[i].fmt, buf, sizeof(buf)), row[i].kind);
	assert_string_equal(alike_pattern("too long", buf, 4), "too");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_stand_in_the_order_of_their_first_lines),
		cmocka_unit_test(many_kinds_have_room),
		cmocka_unit_test(the_first_is_said_with_the_number_of_the_others),
		cmocka_unit_test(a_value_is_a_star_in_the_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
