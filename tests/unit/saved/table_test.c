// SPDX-License-Identifier: BSD-3-Clause
// Small files as tables: with a header and without one, whole and broken.
#include "saved_lab.h"

static void both_kinds_of_table(void **state)
{
	const struct saved_table *t;
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", SUMMARY);
	put(&l, "marking.csv", "object,ratio\ns1:r.3,0.5\ns1:r.3,1\nbroken\n");
	put(&l, "fct.txt", "0a000001 0a000002 49152 4791 1000 0 2000 1500\n");
	s = read_back(&l);
	t = saved_table(s, "marking.csv");
	assert_non_null(t);
	assert_int_equal(t->rows, 2);
	assert_int_equal(t->columns, 2);
	assert_string_equal(t->name[1], "ratio");
	assert_int_equal(saved_column(t, "ratio"), 1);
	assert_int_equal(saved_column(t, "none"), -1);
	assert_string_equal(t->cell[2], "s1:r.3");
	assert_string_equal(t->cell[3], "1");
	assert_true(misses(s, "marking.csv has 1 line that cannot be read, the first of which is "
			      "line 4."));
	assert_ptr_equal(saved_table(s, "marking.csv"), t);
	t = saved_table(s, "fct.txt");
	assert_int_equal(t->rows, 1);
	assert_int_equal(t->columns, 8);
	assert_string_equal(t->name[6], "fct");
	assert_string_equal(t->cell[6], "2000");
	assert_null(saved_table(s, "iqcn.csv"));
	put(&l, "iqcn.csv", "");
	assert_null(saved_table(s, "iqcn.csv"));
	assert_true(misses(s, "iqcn.csv does not begin with the names of its columns."));
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_of_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
