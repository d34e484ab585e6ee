// SPDX-License-Identifier: BSD-3-Clause
// JSON writer: the exact text of nested values, escapes and roundings.
#include "out/out.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char name[] = "/tmp/quench-jw-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(name);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(name);
}

static void same(struct out *o, const char *want)
{
	char got[512] = {0};
	struct err err;
	FILE *f;

	assert_int_equal(out_close(o, &err), 0);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	assert_string_equal(got, want);
}

static void nests(void **state)
{
	struct out o;
	struct err err;
	struct jw w;

	(void)state;
	assert_int_equal(out_open(&o, name, &err), 0);
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	jw_str(&w, "name", "a\"b\\c\n\x01");
	jw_object(&w, "flat", true);
	jw_u64(&w, "n", 18446744073709551615ull);
	jw_bool(&w, "on", true);
	jw_key(&w, "\"k\": ", 5);
	jw_null(&w, NULL);
	jw_array(&w, "in", false);
	jw_u64(&w, NULL, 1);
	jw_number(&w, NULL, "2.000001");
	jw_i64(&w, NULL, 3);
	jw_i64(&w, NULL, INT64_MIN);
	jw_end(&w);
	jw_end(&w);
	jw_array(&w, "rows", false);
	jw_object(&w, NULL, true);
	jw_null(&w, "x");
	jw_end(&w);
	jw_object(&w, NULL, true);
	jw_end(&w);
	jw_end(&w);
	jw_object(&w, "empty", false);
	jw_end(&w);
	jw_end(&w);
	same(&o, "{\n"
		 "  \"name\": \"a\\\"b\\\\c\\n\\u0001\",\n"
		 "  \"flat\": {\"n\": 18446744073709551615, \"on\": true, \"k\": null, "
		 "\"in\": [1, 2.000001, 3, -9223372036854775808]},\n"
		 "  \"rows\": [\n"
		 "    {\"x\": null},\n"
		 "    {}\n"
		 "  ],\n"
		 "  \"empty\": {}\n"
		 "}\n");
}

// Text is looked at eight characters at a time.
static void an_escape_is_seen_at_each_place(void **state)
{
	static const struct {
		char odd;
		const char *as;
	} is[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\x1f', "\\u001f"},
		{'\x01', "\\u0001"}, {'\x80', "\\ufffd"}, {'!', "!"}, {'~', "~"}};
	struct err err;

	(void)state;
	for (unsigned k = 0; k < sizeof(is) / sizeof(is[0]); k++)
		for (unsigned at = 0; at < 19; at++) {
			char text[] = "aZ09 #]~\x7f{aZ09 #]~\x7f", want[64];
			struct out o;
			struct jw w;

			text[at] = is[k].odd;
			snprintf(want, sizeof(want), "[\"%.*s%s%s\"]\n", (int)at, text, is[k].as,
				text + at + 1);
			assert_int_equal(out_open(&o, name, &err), 0);
			jw_init(&w, &o);
			jw_array(&w, NULL, true);
			jw_str(&w, NULL, text);
			jw_end(&w);
			same(&o, want);
		}
}

// A reader of JSON refuses a file with one byte that is no UTF-8 (RFC 8259 8.1): a character that
// was cut, a byte of Latin-1, a surrogate.
static void bytes_that_are_no_utf8_are_replaced(void **state)
{
	struct out o;
	struct err err;
	struct jw w;

	(void)state;
	assert_int_equal(out_open(&o, name, &err), 0);
	jw_init(&w, &o);
	jw_array(&w, NULL, true);
	jw_str(&w, NULL, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a");
	jw_str(&w, NULL, "a\xe2\x82");
	jw_str(&w, NULL, "\xe9z\xed\xa0\x80");
	jw_end(&w);
	same(&o, "[\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a\", \"a\\ufffd\\ufffd\", "
		 "\"\\ufffdz\\ufffd\\ufffd\\ufffd\"]\n");
}

static void rounds_to_nearest(void **state)
{
	struct out o;
	struct err err;
	struct jw w;

	(void)state;
	assert_int_equal(out_open(&o, name, &err), 0);
	jw_init(&w, &o);
	jw_array(&w, NULL, true);
	jw_num(&w, NULL, 1.0 / 3, 3);
	jw_num(&w, NULL, 2.0 / 3, 3);
	jw_num(&w, NULL, -0.0004, 3);
	jw_num(&w, NULL, -12.5, 1);
	jw_num(&w, NULL, 99.96, 0);
	jw_num(&w, NULL, -7, 0);
	jw_num(&w, NULL, NAN, 2);
	jw_num(&w, NULL, 1e30, 2);
	jw_end(&w);
	same(&o, "[0.333, 0.667, 0.000, -12.5, 100, -7, null, null]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nests),
		cmocka_unit_test(an_escape_is_seen_at_each_place),
		cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
		cmocka_unit_test(rounds_to_nearest),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
