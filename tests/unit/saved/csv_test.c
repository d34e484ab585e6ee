// SPDX-License-Identifier: BSD-3-Clause
// Lines cut into cells, and numbers that are exact or refused.
#include "saved_lab.h"

#include "saved/int.h"

static void cells_of_a_line(void **state)
{
	char line[] = "a,,c,", many[3 * CSV_COLUMNS], *cell[CSV_COLUMNS];

	(void)state;
	assert_int_equal(csv_split(line, ',', cell), 4);
	assert_string_equal(cell[0], "a");
	assert_string_equal(cell[1], "");
	assert_string_equal(cell[2], "c");
	assert_string_equal(cell[3], "");
	assert_int_equal(csv_find(cell, 4, "c"), 2);
	assert_int_equal(csv_find(cell, 4, "d"), -1);
	memset(many, ',', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	assert_int_equal(csv_split(many, ',', cell), CSV_COLUMNS);
}

static void fixed_point_is_exact(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{"0", true, 0},
		{"12", true, 12000000},
		{"12.000345", true, 12000345},
		{"12.5", true, 12500000},
		{"18446744073709.551615", true, UINT64_MAX},
		{"18446744073709.551616", false, 0},
		{"12.0003456", false, 0},
		{"", false, 0},
		{".5", false, 0},
		{"1.2.3", false, 0},
		{"-1", false, 0},
		{"1e3", false, 0},
		{" 1", false, 0},
		{"99999999999999999999", false, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 7;

		if (csv_fixed(cases[i].text, 6, &value) != cases[i].good)
			fail_msg("'%s'", cases[i].text);
		assert_int_equal(value, cases[i].good ? cases[i].value : 7);
	}
}

static void reals(void **state)
{
	double v = 0;

	(void)state;
	assert_true(csv_real("", &v) && isnan(v));
	assert_true(csv_real("0.25", &v) && v == 0.25);
	assert_true(csv_real("-3.5e2", &v) && v == -350);
	assert_false(csv_real("x", &v));
	assert_false(csv_real("1x", &v));
	assert_false(csv_real("inf", &v));
	assert_false(csv_real("nan", &v));
}

static void lines_of_a_file(void **state)
{
	static struct lab l;
	struct csv c;

	(void)state;
	by_hand(&l);
	put(&l, "x.csv", "a,b\n\n1,2\n3");
	assert_int_equal(csv_open(&c, l.out, "none.csv", ','), -ENOENT);
	assert_int_equal(csv_open(&c, l.dir, "out", ','), -EISDIR);
	assert_int_equal(csv_open(&c, l.out, "x.csv", ','), 0);
	assert_int_equal(csv_next(&c), CSV_ROW);
	assert_int_equal(c.n, 2);
	assert_int_equal(csv_next(&c), CSV_ROW);
	assert_int_equal(c.n, 1);
	assert_int_equal(csv_next(&c), CSV_ROW);
	assert_string_equal(c.cell[1], "2");
	assert_int_equal(c.number, 3);
	assert_int_equal(csv_next(&c), CSV_CUT);
	assert_int_equal(csv_next(&c), CSV_END);
	csv_close(&c);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_of_a_line),
		cmocka_unit_test(fixed_point_is_exact),
		cmocka_unit_test(reals),
		cmocka_unit_test(lines_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
