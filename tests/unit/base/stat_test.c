// SPDX-License-Identifier: BSD-3-Clause
// Tests of base/stat: values and rows by name.
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
};

static const struct stat_row rows[] = {
	STAT_ROW(struct object, rx_frames, "frames", "frames received"),
	STAT_ROW(struct object, rx_bytes, "bytes", "bytes received, with FCS"),
};

static const struct stat_table table = {"sw_port", rows, 2};
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

static void test_find(void **state)
{
	(void)state;
	assert_int_equal(stat_find(&table, "rx_frames"), 0);
	assert_int_equal(stat_find(&table, "rx_bytes"), 1);
	assert_int_equal(stat_find(&table, "rx_byte"), -1);
	assert_int_equal(stat_find(&empty, "rx_bytes"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
