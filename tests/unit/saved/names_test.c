// SPDX-License-Identifier: BSD-3-Clause
// Names keep their numbers, whatever comes behind them.
#include "saved_lab.h"

#include "saved/int.h"

static void each_once_in_order(void **state)
{
	struct arena a = {0};
	struct names n = {0};
	char text[16];

	(void)state;
	assert_int_equal(names_find(&n, "a", 1), -1);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5000; i++) {
			int len = snprintf(text, sizeof(text), "name%u", i);

			assert_int_equal(names_number(&n, &a, text, (size_t)len), (int)i);
		}
	assert_int_equal(n.n, 5000);
	assert_string_equal(n.name[4999], "name4999");
	// The beginning of a name is another name.
	assert_int_equal(names_find(&n, "name49999", 8), 4999);
	assert_int_equal(names_find(&n, "name", 4), -1);
	names_fini(&n);
	assert_int_equal(n.n, 0);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_once_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
