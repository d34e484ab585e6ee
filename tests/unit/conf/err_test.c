// SPDX-License-Identifier: BSD-3-Clause
// The line is written, stays one line, and keeps both ends where it is too long.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "conf/conf.h"

static void the_line_is_written(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, -EINVAL, "%s:%d: %s", "a.yaml", 3, "wrong"), -EINVAL);
	assert_string_equal(e.text, "a.yaml:3: wrong");
}

static void it_stays_one_line(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, -1, "'%s' is wrong", "a\nb\t\x1b[31m"), -1);
	assert_string_equal(e.text, "'a b  [31m' is wrong");
}

static void a_long_line_keeps_both_ends(void **state)
{
	char text[2 * ERR_TEXT];
	struct err e;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	err_set(&e, -1, "file %s: it is wrong", text);
	assert_in_range(strlen(e.text), sizeof(e.text) - 2, sizeof(e.text) - 1);
	assert_memory_equal(e.text, "file x", 6);
	assert_non_null(strstr(e.text, "xx ... xx"));
	assert_string_equal(strrchr(e.text, 'x') + 1, ": it is wrong");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_is_written),
		cmocka_unit_test(it_stays_one_line),
		cmocka_unit_test(a_long_line_keeps_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
