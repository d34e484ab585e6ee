// SPDX-License-Identifier: BSD-3-Clause
// Rows that search: their files, the bisection, the criteria of its result.
#include <errno.h>
#include <math.h>

#include "suite_lab.h"

#define HEAD "# It searches.\nsearch: load.yaml\npath: flows.load.open_loop.rate\n"
#define RATE HEAD "from: 0.1\nto: 100\nby: 0.1\nunit: \"%\"\n"
#define WANT "expect: [{figure: rate_percent, min: 99.9}]\n"

// A device that passes up to a value. It notes its first trial and the settings of the last.
struct device {
	double passes; // up to this value
	enum suite_verdict beyond;
	unsigned trials;
	char first[32], set[64];
};

static enum suite_verdict try_value(
	void *arg, const struct suite_search *s, unsigned i, const char *value, const char **why)
{
	struct device *d = arg;

	*why = "our own loops were late";
	if (!d->trials++)
		snprintf(d->first, sizeof(d->first), "%s", value);
	snprintf(d->set, sizeof(d->set), "%s", s->each[i].n ? s->each[i].set[0] : "");
	return strtod(value, NULL) <= d->passes ? SUITE_PASS : d->beyond;
}

// Searches, and takes the result.
static struct suite_row *row_of(struct suite_sheet *s, const char *text, struct device *d)
{
	struct suite_row *r = suite_row_of(s, "row.search", text);
	struct err err = {0};

	if (suite_seek(r->search, suite_dir, try_value, d, &err))
		fail_msg("%s", err.text);
	assert_true(suite_take(s, r, suite_dir));
	return r;
}

static void a_search_has_a_scenario_and_cases(void **state)
{
	struct suite_sheet s = {0};
	const struct suite_row *r;
	const char *name;

	(void)state;
	r = suite_row_of(&s, "row.search",
		RATE "cases:\n  - {flows.load.open_loop.size: 64}\n"
		     "  - {flows.load.open_loop.size: 1518, hosts.h1.mtu: 9000}\n" WANT);
	assert_string_equal(r->stimulus, "It searches");
	assert_null(r->step);
	name = strrchr(suite_scenario(r), '/');
	assert_string_equal(name, "/load.yaml");
	assert_int_equal(r->search->n, 2);
	assert_string_equal(r->search->each[0].name, "size=64");
	assert_string_equal(r->search->each[1].name, "size=1518 mtu=9000");
	assert_string_equal(r->search->each[1].set[1], "hosts.h1.mtu=9000");
	assert_int_equal(suite_trials(r->search), 2 * 11);
	suite_free(&s);
}

static void the_highest_value_that_passes_is_found(void **state)
{
	static const double passes[] = {0.1, 0.2, 33.3, 49.9, 50, 50.1, 99.9};

	(void)state;
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		struct device d = {.passes = passes[i] + 1e-6, .beyond = SUITE_FAIL};
		struct suite_sheet s = {0};
		const struct suite_row *r = row_of(&s, RATE WANT, &d);

		assert_string_equal(d.first, "100%");
		assert_true(fabs(r->line[0].value - passes[i]) < 1e-6);
		assert_true(d.trials <= suite_trials(r->search));
		assert_int_equal(r->verdict, passes[i] < 99.9 ? SUITE_FAIL : SUITE_PASS);
		suite_free(&s);
	}
}

static void a_device_that_passes_at_the_end_is_tried_once(void **state)
{
	struct device d = {.passes = 1e9};
	struct suite_sheet s = {0};
	const struct suite_row *r =
		row_of(&s, RATE "cases: [{flows.load.open_loop.size: 64}]\n" WANT, &d);

	(void)state;
	assert_int_equal(d.trials, 1);
	assert_string_equal(d.set, "flows.load.open_loop.size=64");
	assert_string_equal(r->line[0].figure, "rate_percent, size=64");
	assert_true(r->line[0].value == 100);
	assert_int_equal(r->verdict, SUITE_PASS);
	suite_free(&s);
}

static void nothing_that_passes_is_a_fail(void **state)
{
	struct device d = {.passes = -1, .beyond = SUITE_FAIL};
	struct suite_sheet s = {0};
	const struct suite_row *r = row_of(&s, RATE WANT, &d);

	(void)state;
	assert_int_equal(r->verdict, SUITE_FAIL);
	assert_true(isnan(r->line[0].value));
	assert_string_equal(r->line[0].why, "not even 0.1% passed");
	suite_free(&s);
}

// Where the instrument was at fault above a value, the device passes at least up to it.
static void a_faulty_instrument_makes_no_fail(void **state)
{
	struct device d = {.passes = 50 + 1e-6, .beyond = SUITE_INVALID};
	struct suite_sheet s = {0};
	const struct suite_row *r = row_of(&s, RATE WANT, &d);

	(void)state;
	assert_true(fabs(r->line[0].value - 50) < 1e-6);
	assert_int_equal(r->verdict, SUITE_INVALID);
	assert_string_equal(r->line[0].why, "our own loops were late");
	r = row_of(&s, RATE "expect: [{figure: rate_percent, min: 40}]\n", &d);
	assert_int_equal(r->verdict, SUITE_PASS);
	d.passes = -1;
	r = row_of(&s, RATE "expect: [{figure: rate_percent, min: 40}]\n", &d);
	assert_int_equal(r->verdict, SUITE_INVALID);
	suite_free(&s);
}

static void a_trial_that_is_not_judged_ends_the_case(void **state)
{
	struct device d = {.passes = 50, .beyond = SUITE_NOT_JUDGED};
	struct suite_sheet s = {0};
	const struct suite_row *r = row_of(&s, RATE WANT, &d);

	(void)state;
	assert_int_equal(d.trials, 1);
	assert_int_equal(r->verdict, SUITE_INVALID);
	suite_free(&s);
}

static void an_ended_search_has_no_result(void **state)
{
	struct device d = {.passes = 50, .beyond = SUITE_NOT_RUN};
	struct suite_sheet s = {0};
	struct suite_row *r = suite_row_of(&s, "row.search", RATE WANT);
	struct err err = {0};

	(void)state;
	assert_int_equal(suite_seek(r->search, suite_dir, try_value, &d, &err), -ECANCELED);
	assert_false(suite_take(&s, r, suite_dir));
	suite_free(&s);
}

static void wrong_searches_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{"path: a\nto: 3\n" WANT, "`search` names a scenario"},
		{"search: a.yaml\nto: 3\n" WANT, "`path` the setting"},
		{HEAD WANT, "from a value to a greater one"},
		{HEAD "to: 3\nby: 0\n" WANT, "steps above 0"},
		{HEAD "to: 1e12\n" WANT, "from a value to a greater one"},
		{HEAD "to: much\n" WANT, "are numbers in `unit`"},
		{HEAD "to: 3\nsizes: 4\n" WANT, "unknown key 'sizes'"},
		{HEAD "to: 3\nunit: [3]\n" WANT, "'unit' of a search has one value"},
		{HEAD "to: 3\ncases: 4\n" WANT, "`cases` lists"},
		{HEAD "to: 3\ncases: [4]\n" WANT, "a case has settings"},
		{HEAD "to: 3\ncases: [{a: [4]}]\n" WANT, "'a' of a case has one value"},
		{HEAD "to: 3\n", "`expect` lists"},
		{HEAD "to: 3\nexpect: [{figure: a}, {figure: b}]\n", "has one criterion"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct suite_sheet s = {0};
		struct err err = {0};

		assert_true(suite_row_add(&s, "pfc", suite_file("wrong.search", wrong[i].text),
				    &err) < 0);
		if (!strstr(err.text, wrong[i].why))
			fail_msg("%zu: %s", i, err.text);
		assert_null(strchr(err.text, '\n'));
		suite_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_has_a_scenario_and_cases),
		cmocka_unit_test(the_highest_value_that_passes_is_found),
		cmocka_unit_test(a_device_that_passes_at_the_end_is_tried_once),
		cmocka_unit_test(nothing_that_passes_is_a_fail),
		cmocka_unit_test(a_faulty_instrument_makes_no_fail),
		cmocka_unit_test(a_trial_that_is_not_judged_ends_the_case),
		cmocka_unit_test(an_ended_search_has_no_result),
		cmocka_unit_test(wrong_searches_are_refused),
	};

	return cmocka_run_group_tests_name("suite_search", tests, make_suite_dir, drop_suite_dir);
}
