// SPDX-License-Identifier: BSD-3-Clause
// Tests of base/stat: reading, difference, and the texts made from a table.
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
	const uint64_t then[2] = {1, UINT64_MAX - 5};
	uint64_t now[2], diff[2];

	(void)state;
	assert_string_equal(rows[0].name, "rx_frames");
	assert_int_equal(rows[1].offset, offsetof(struct object, rx_bytes));
	assert_int_equal(stat_get(&table, &o, 0), 3);
	stat_snapshot(&table, &o, now);
	assert_int_equal(now[0], 3);
	assert_int_equal(now[1], UINT64_MAX);
	stat_diff(&table, now, then, diff);
	assert_int_equal(diff[0], 2);
	assert_int_equal(diff[1], 5);
}

static void test_find(void **state)
{
	(void)state;
	assert_int_equal(stat_find(&table, "rx_frames"), 0);
	assert_int_equal(stat_find(&table, "rx_bytes"), 1);
	assert_int_equal(stat_find(&table, "rx_byte"), -1);
	assert_int_equal(stat_find(&empty, "rx_bytes"), -1);
}

static void assert_text(size_t length, const char *buf, const char *want)
{
	assert_string_equal(buf, want);
	assert_int_equal(length, strlen(want));
}

static void test_texts(void **state)
{
	const uint64_t v[2] = {12, UINT64_MAX};
	char buf[300];

	(void)state;
	assert_text(
		stat_csv_header(&table, buf, sizeof(buf)), buf, "rx_frames_frames,rx_bytes_bytes");
	assert_text(stat_csv(&table, v, buf, sizeof(buf)), buf, "12,18446744073709551615");
	assert_text(stat_json(&table, v, buf, sizeof(buf)), buf,
		"{\"rx_frames\": 12, \"rx_bytes\": 18446744073709551615}");
	assert_text(stat_prometheus(&table, v, "node=\"s1\",port=\"h1\"", buf, sizeof(buf)), buf,
		"quench_sw_port_rx_frames_frames{node=\"s1\",port=\"h1\"} 12\n"
		"quench_sw_port_rx_bytes_bytes{node=\"s1\",port=\"h1\"} 18446744073709551615\n");
}

static void test_empty_table(void **state)
{
	char buf[8] = "x";

	(void)state;
	assert_text(stat_csv_header(&empty, buf, sizeof(buf)), buf, "");
	assert_text(stat_csv(&empty, NULL, buf, sizeof(buf)), buf, "");
	assert_text(stat_json(&empty, NULL, buf, sizeof(buf)), buf, "{}");
	assert_text(stat_prometheus(&empty, NULL, "", buf, sizeof(buf)), buf, "");
}

// At every size: cut, NUL-terminated, nothing behind it touched, the whole length returned.
static void test_cut(void **state)
{
	static const char whole[] = "{\"rx_frames\": 12, \"rx_bytes\": 345}";
	const uint64_t v[2] = {12, 345};

	(void)state;
	for (size_t size = 0; size <= sizeof(whole) + 1; size++) {
		char buf[sizeof(whole) + 8];

		memset(buf, '#', sizeof(buf));
		assert_int_equal(stat_json(&table, v, buf, size), sizeof(whole) - 1);
		if (size) {
			size_t kept = size < sizeof(whole) ? size - 1 : sizeof(whole) - 1;

			assert_memory_equal(buf, whole, kept);
			assert_int_equal(buf[kept], 0);
		}
		for (size_t i = size; i < sizeof(buf); i++)
			assert_int_equal(buf[i], '#');
	}
	assert_int_equal(stat_csv(&table, v, NULL, 0), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_empty_table),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
