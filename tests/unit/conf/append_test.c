// SPDX-License-Identifier: BSD-3-Clause
// Tests of conf/append: a text grows at its end, and never beyond its array.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/append.h"

static void a_text_grows_at_its_end(void **state)
{
	char buf[16] = "";

	(void)state;
	append_text(buf, sizeof(buf), "%s", "one");
	append_text(buf, sizeof(buf), ", %d", 2);
	assert_string_equal(buf, "one, 2");
}

static void a_text_ends_with_its_array(void **state)
{
	struct {
		char buf[8];
		char behind[8];
	} a = {"", "behind"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		append_text(a.buf, sizeof(a.buf), "%s", "12345");
		assert_int_equal(strlen(a.buf), i ? 7 : 5);
	}
	assert_string_equal(a.buf, "1234512");
	assert_string_equal(a.behind, "behind");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_grows_at_its_end),
		cmocka_unit_test(a_text_ends_with_its_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
