// SPDX-License-Identifier: BSD-3-Clause
// Rows of a suite as their files say them.
#include <errno.h>
#include <math.h>

#include "suite_lab.h"

static void a_scenario_has_its_first_sentence(void **state)
{
	struct suite_sheet s = {0};
	struct suite_row *r;

	(void)state;
	r = suite_row_of(&s, "L01-storm.yaml",
		"# SPDX-License-Identifier: BSD-3-Clause\n# A storm of\n# 5.12 us begins. More.\n"
		"name: x\n# Another.\n");
	assert_string_equal(r->name, "L01-storm");
	assert_string_equal(r->suite, "pfc");
	assert_string_equal(r->stimulus, "A storm of 5.12 us begins");
	assert_null(r->step);
	assert_int_equal(r->verdict, SUITE_NOT_RUN);
	r = suite_row_of(&s, "other.yaml", "# One sentence.\nname: x\n");
	assert_string_equal(r->stimulus, "One sentence");
	suite_free(&s);
}

static void a_step_has_criteria(void **state)
{
	struct suite_sheet s = {0};
	const struct suite_row *r;

	(void)state;
	r = suite_row_of(&s, "xoff.step",
		"# It fills.\nstep: xoff\nexpect:\n  - {figure: xoff_bytes}\n"
		"  - {figure: resume_us, min: -1.5, max: 1000}\n"
		"  - {figure: kmin_bytes, below: xoff_bytes}\n"
		"  - {figure: flaps, is: \"no\"}\n"
		"  - {figure: not_ect, not: marked}\n");
	assert_string_equal(r->step, "xoff");
	assert_int_equal(r->n_want, 5);
	assert_true(r->want[0].any);
	assert_false(r->want[1].any);
	assert_true(r->want[1].min == -1.5 && r->want[1].max == 1000);
	assert_string_equal(r->want[2].why, "xoff_bytes");
	assert_string_equal(r->want[3].seen, "no");
	assert_false(r->want[3].never);
	assert_true(r->want[4].never);
	suite_free(&s);
}

static void wrong_steps_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{"expect: [{figure: xoff_bytes}]\n", "`step` names a step"},
		{"step: xoff\n", "`expect` lists"},
		{"step: xoff\nexpect: []\n", "`expect` lists"},
		{"step: xoff\nexpect: [xoff_bytes]\n", "1:"},
		{"step: xoff\nexpect: [{max: 3}]\n", "names its figure"},
		{"step: xoff\nexpect: [{figure: a, max: 3KB}]\n", "a limit is a number"},
		{"step: xoff\nexpect: [{figure: a, most: 3}]\n", "unknown key 'most'"},
		{"step: xoff\nexpect: [{figure: a, max: [3]}]\n", "has one value"},
		{"step: xoff\nhosts: 3\nexpect: [{figure: a}]\n", "unknown key 'hosts'"},
		{"step: [", ":"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct suite_sheet s = {0};
		struct err err = {0};

		assert_true(suite_row_add(
				    &s, "pfc", suite_file("wrong.step", wrong[i].text), &err) < 0);
		if (!strstr(err.text, wrong[i].why) && i != 3)
			fail_msg("%zu: %s", i, err.text);
		assert_null(strchr(err.text, '\n'));
		assert_int_equal(s.n, 0);
		suite_free(&s);
	}
}

static void rows_grow(void **state)
{
	struct suite_sheet s = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "row%u.yaml", i);
		suite_row_of(&s, name, "# A row.\n");
	}
	assert_int_equal(s.n, 100);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(atoi(s.row[i].name + 3), i);
	suite_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scenario_has_its_first_sentence),
		cmocka_unit_test(a_step_has_criteria),
		cmocka_unit_test(wrong_steps_are_refused),
		cmocka_unit_test(rows_grow),
	};

	return cmocka_run_group_tests_name("suite_row", tests, make_suite_dir, drop_suite_dir);
}
