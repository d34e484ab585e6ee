// SPDX-License-Identifier: BSD-3-Clause
// Verdicts of rows from the files of a run and of a probe.
#include <math.h>

#include "suite_lab.h"

#define SUMMARY                                                                                  \
	"{\"interrupted\": %s, \"window_to_us\": 2000, \"verdicts\": {\"instrument_lost\": %d, " \
	"\"criteria\": [{\"name\": \"conserved\", \"figure\": \"\", \"min\": 1, \"max\": 1, "    \
	"\"value\": 1, \"verdict\": \"PASS\"}, {\"name\": \"it\", \"figure\": \"drops\", "       \
	"\"min\": null, \"max\": 0, \"value\": 3, \"verdict\": \"%s\"}]}, \"instrument\": "      \
	"{\"timing_broken\": %s, \"events_lost\": 0}}"

// The row of a run whose criterion has this verdict.
static struct suite_row *run_of(struct suite_sheet *s, const char *interrupted, int lost,
	const char *verdict, const char *broken)
{
	struct suite_row *r = suite_row_of(s, "row.yaml", "# A row.\n");
	char text[1024];

	snprintf(text, sizeof(text), SUMMARY, interrupted, lost, verdict, broken);
	suite_file("summary.json", text);
	return suite_take(s, r, suite_dir) ? r : NULL;
}

static void a_run_has_the_verdicts_of_its_criteria(void **state)
{
	struct suite_sheet s = {0};
	const struct suite_row *r;

	(void)state;
	r = run_of(&s, "false", 0, "FAIL", "false");
	assert_non_null(r);
	assert_int_equal(r->n, 1); // what every run is asked is not shown where it holds
	assert_string_equal(r->line[0].figure, "it");
	assert_true(isinf(r->line[0].min) && r->line[0].max == 0 && r->line[0].value == 3);
	assert_int_equal(r->verdict, SUITE_FAIL);
	assert_true(r->scene_s == 0.002);
	assert_int_equal(run_of(&s, "false", 0, "PASS", "false")->verdict, SUITE_PASS);
	r = run_of(&s, "false", 0, "NOT JUDGED", "false");
	assert_int_equal(r->verdict, SUITE_NOT_JUDGED);
	assert_non_null(r->line[0].why);
	assert_int_equal(suite_status(&s, true), 1);
	suite_free(&s);
}

static void a_faulty_instrument_makes_no_fail(void **state)
{
	struct suite_sheet s = {0};

	(void)state;
	assert_int_equal(run_of(&s, "false", 1, "FAIL", "false")->verdict, SUITE_INVALID);
	assert_int_equal(run_of(&s, "false", 0, "FAIL", "true")->verdict, SUITE_INVALID);
	assert_int_equal(run_of(&s, "false", 0, "INVALID", "false")->verdict, SUITE_INVALID);
	assert_int_equal(run_of(&s, "false", 0, "PASS", "false")->verdict, SUITE_PASS);
	assert_int_equal(suite_status(&s, false), 3);
	assert_int_equal(suite_count(&s, SUITE_INVALID), 3);
	suite_free(&s);
}

static void a_run_that_was_ended_has_no_result(void **state)
{
	struct suite_sheet s = {0};

	(void)state;
	assert_null(run_of(&s, "true", 0, "PASS", "false"));
	assert_int_equal(s.row[0].verdict, SUITE_NOT_RUN);
	suite_file("summary.json", "{\"interrupted\": fal");
	assert_false(suite_take(&s, &s.row[0], suite_dir));
	suite_free(&s);
}

static const char probe[] =
	"{\"interrupted\": false, \"scene_time_us\": 700, \"figures\": {\"cell_bytes\": "
	"{\"state\": \"is\", \"value\": 208, \"half_width\": 0, \"configured\": 208, \"verdict\": "
	"\"PASS\"}}, "
	"\"classes\": {\"0\": {\"obeys\": {\"state\": \"is\", \"value\": \"nothing\"}}, \"3\": {"
	"\"xoff_bytes\": {\"state\": \"is\", \"value\": 1000, \"half_width\": 64, \"configured\": "
	"2000, \"verdict\": \"FAIL\"}, \"kmin_bytes\": {\"state\": \"is\", \"value\": 900, "
	"\"half_width\": 10}, \"headroom_bytes\": {\"state\": \"at_least\", \"value\": 500}, "
	"\"alpha\": {\"state\": \"invalid\", \"value\": null, \"why\": \"late\"}, \"flaps\": "
	"{\"state\": \"is\", \"value\": \"no\"}, \"kmax_bytes\": {\"state\": \"none\", \"value\": "
	"9000}, \"refresh_us\": {\"state\": \"not_measured\", \"value\": null, \"why\": \"three "
	"ports\"}}}}";

static void figures_of_a_probe_are_judged(void **state)
{
	static const struct {
		const char *want;
		enum suite_verdict verdict;
	} all[] = {
		{"figure: cell_bytes", SUITE_PASS}, {"figure: xoff_bytes", SUITE_FAIL},
		{"figure: xoff_bytes, min: 900, max: 1100", SUITE_PASS},
		{"figure: xoff_bytes, max: 940", SUITE_PASS}, // within the half width
		{"figure: xoff_bytes, max: 930", SUITE_FAIL},
		{"figure: xoff_bytes, min: 1070", SUITE_FAIL},
		{"figure: kmin_bytes", SUITE_NOT_JUDGED}, // no configuration has it
		{"figure: kmin_bytes, below: xoff_bytes", SUITE_PASS},
		{"figure: xoff_bytes, below: kmin_bytes", SUITE_FAIL},
		{"figure: kmin_bytes, below: nothing", SUITE_NOT_JUDGED},
		{"figure: headroom_bytes, min: 800", SUITE_PASS}, // at least 500
		{"figure: headroom_bytes, max: 400", SUITE_FAIL},
		{"figure: alpha, max: 1", SUITE_INVALID}, {"figure: flaps, is: \"no\"", SUITE_PASS},
		{"figure: flaps, is: \"yes\"", SUITE_FAIL},
		{"figure: flaps, not: \"yes\"", SUITE_PASS},
		{"figure: flaps, not: \"no\"", SUITE_FAIL},
		{"figure: kmax_bytes, is: none", SUITE_PASS},
		{"figure: kmax_bytes, not: none", SUITE_FAIL},
		{"figure: xoff_bytes, is: none", SUITE_FAIL},
		{"figure: xoff_bytes, not: none", SUITE_PASS},
		{"figure: refresh_us, max: 1", SUITE_NOT_JUDGED},
		{"figure: weight", SUITE_NOT_JUDGED}, // nobody has it
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct suite_sheet s = {0};
		struct suite_row *r;
		char text[256];

		snprintf(
			text, sizeof(text), "# A step.\nstep: xoff\nexpect: [{%s}]\n", all[i].want);
		r = suite_row_of(&s, "row.step", text);
		suite_file("probe.json", probe);
		assert_true(suite_take(&s, r, suite_dir));
		assert_int_equal(r->n, 1);
		if (r->verdict != all[i].verdict)
			fail_msg("%s: %s", all[i].want, suite_verdict_name[r->verdict]);
		if (r->verdict == SUITE_NOT_JUDGED || r->verdict == SUITE_INVALID)
			assert_non_null(r->line[0].why);
		suite_free(&s);
	}
}

// A bound has no half width, and the line says that it is one.
static void a_bound_is_told_as_one(void **state)
{
	static const struct {
		const char *state, *verdict, *why;
	} all[] = {
		{"at_least", "FAIL", "it is this at least"},
		{"at_most", "FAIL", "it is this at most"},
		{"at_most", "AT MOST", "it is this at most"},
		{"is", "FAIL", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct suite_sheet s = {0};
		struct suite_row *r = suite_row_of(
			&s, "row.step", "# A step.\nstep: marks\nexpect: [{figure: kmax_bytes}]\n");
		char text[512];

		snprintf(text, sizeof(text),
			"{\"interrupted\": false, \"figures\": {\"kmax_bytes\": "
			"{\"state\": \"%s\", "
			"\"value\": 416, \"half_width\": 0, \"configured\": 4000, \"verdict\": "
			"\"%s\"}}}",
			all[i].state, all[i].verdict);
		suite_file("probe.json", text);
		assert_true(suite_take(&s, r, suite_dir));
		assert_int_equal(
			r->verdict, strcmp(all[i].verdict, "FAIL") ? SUITE_PASS : SUITE_FAIL);
		assert_int_equal(isnan(r->line[0].half), all[i].why != NULL);
		if (all[i].why)
			assert_string_equal(r->line[0].why, all[i].why);
		suite_free(&s);
	}
}

static void a_row_passes_if_a_part_of_it_could_be_judged(void **state)
{
	struct suite_sheet s = {0};
	struct suite_row *r = suite_row_of(&s, "row.step",
		"# A step.\nstep: xoff\nexpect: [{figure: cell_bytes}, {figure: weight}]\n");

	(void)state;
	suite_file("probe.json", probe);
	assert_true(suite_take(&s, r, suite_dir));
	assert_int_equal(r->verdict, SUITE_PASS);
	assert_int_equal(suite_status(&s, false), 0);
	assert_int_equal(suite_status(&s, true), 3);
	suite_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_has_the_verdicts_of_its_criteria),
		cmocka_unit_test(a_faulty_instrument_makes_no_fail),
		cmocka_unit_test(a_run_that_was_ended_has_no_result),
		cmocka_unit_test(figures_of_a_probe_are_judged),
		cmocka_unit_test(a_bound_is_told_as_one),
		cmocka_unit_test(a_row_passes_if_a_part_of_it_could_be_judged),
	};

	return cmocka_run_group_tests_name("suite_taken", tests, make_suite_dir, drop_suite_dir);
}
