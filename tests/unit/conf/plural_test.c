// SPDX-License-Identifier: BSD-3-Clause
// One has no end, and everything else has: none, and what 32 bits would take for one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "conf/conf.h"

static void only_one_is_singular(void **state)
{
	(void)state;
	assert_string_equal(plural(0), "s");
	assert_string_equal(plural(1), "");
	assert_string_equal(plural(2), "s");
	assert_string_equal(plural((1ull << 32) + 1), "s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_one_is_singular),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
