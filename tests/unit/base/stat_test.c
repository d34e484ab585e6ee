// SPDX-License-Identifier: BSD-3-Clause
// Tests of base/stat: values, rows by name, differences.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/stat.h"

struct object {
	char name[7];
	uint64_t rx_frames;
	uint32_t between;
	uint64_t rx_bytes;
	uint64_t by_class[2];
	uint64_t longest_ps;
	uint64_t no_row;
};

static const struct stat_row rows[] = {
	STAT_ROW(struct object, rx_frames, "frames", "frames received"),
	STAT_ROW(struct object, rx_bytes, "bytes", "bytes received, with FCS"),
	STAT_NAMED(struct object, "class_1_frames", by_class[1], "frames", "of class 1"),
	STAT_WHOLE(struct object, longest_ps, "ps", "longest pause"),
};

static const struct stat_table table = {"sw_port", rows, sizeof(rows) / sizeof(rows[0])};
static const struct stat_table empty = {"none", NULL, 0};

static void test_rows(void **state)
{
	const struct object o = {.rx_frames = 3, .rx_bytes = UINT64_MAX};

	(void)state;
	assert_string_equal(rows[0].name, "rx_frames");
	assert_int_equal(rows[1].offset, offsetof(struct object, rx_bytes));
	assert_int_equal(stat_get(&table, &o, 0), 3);
	assert_int_equal(stat_get(&table, &o, 1), UINT64_MAX);
}

static const struct object early = {"early", 3, 7, UINT64_MAX - 1, {1, 2}, 50, 4};
static const struct object late = {"late", 13, 8, 5, {11, 22}, 40, 5};

static void counters_are_told_by_difference(void **state)
{
	struct object to = {"to", 0, 9, 0, {77, 0}, 0, 99};

	(void)state;
	stat_diff(&table, &to, &late, &early);
	assert_int_equal(to.rx_frames, 10);
	assert_int_equal(to.rx_bytes, 7); // a counter that wrapped
	assert_int_equal(to.by_class[1], 20);
	assert_int_equal(to.longest_ps, 40); // an extreme, of the whole run
	// Fields without a row are left alone.
	assert_string_equal(to.name, "to");
	assert_int_equal(to.between, 9);
	assert_int_equal(to.by_class[0], 77);
	assert_int_equal(to.no_row, 99);
}

static void a_difference_may_stand_where_the_later_look_stood(void **state)
{
	struct object to, in_place;

	(void)state;
	memcpy(&to, &late, sizeof(to)); // with what pads it
	memcpy(&in_place, &late, sizeof(in_place));
	stat_diff(&table, &to, &late, &early);
	stat_diff(&table, &in_place, &in_place, &early);
	assert_memory_equal(&to, &in_place, sizeof(to));
	assert_int_equal(in_place.no_row, 5);
	stat_diff(&empty, &in_place, &late, &early);
	assert_memory_equal(&to, &in_place, sizeof(to));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(counters_are_told_by_difference),
		cmocka_unit_test(a_difference_may_stand_where_the_later_look_stood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
