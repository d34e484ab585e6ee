// SPDX-License-Identifier: BSD-3-Clause
// Entries about events are found along with them, whatever the order in which they were made.
#include "timeline/found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void entries_come_with_their_events(void **state)
{
	const struct found_entry *e;
	struct found f = {0};

	(void)state;
	found_sort(&f);
	assert_int_equal(found_of(&f, 0, &e), 0);
	found_add(&f, 7, FOUND_NO_END, 0);
	found_add(&f, 7, FOUND_ARROW, 5);
	found_add(&f, 2, FOUND_ARROW, 1);
	found_add(&f, 7, FOUND_ARROW, 3);
	found_add(&f, 9, FOUND_LATE, 0);
	found_sort(&f);
	assert_int_equal(found_of(&f, 0, &e), 0);
	assert_int_equal(found_of(&f, 2, &e), 1);
	assert_int_equal(e->id, 1);
	assert_int_equal(found_of(&f, 7, &e), 3);
	assert_true(e[0].what == FOUND_ARROW && e[0].id == 3 && e[1].id == 5);
	assert_int_equal(e[2].what, FOUND_NO_END);
	assert_int_equal(found_of(&f, 8, &e), 0);
	assert_int_equal(found_of(&f, 9, &e), 1);
	assert_int_equal(found_of(&f, 10, &e), 0);
	found_fini(&f);
}

static void there_can_be_many(void **state)
{
	const struct found_entry *e;
	struct found f = {0};

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		found_add(&f, (i * 7919) % 10000, FOUND_ARROW, i);
	found_sort(&f);
	for (uint32_t i = 0; i < 10000; i++) {
		assert_int_equal(found_of(&f, i, &e), 1);
		assert_int_equal((e->id * 7919) % 10000, i);
	}
	assert_false(f.no_memory);
	found_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_come_with_their_events),
		cmocka_unit_test(there_can_be_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
