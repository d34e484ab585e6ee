// SPDX-License-Identifier: BSD-3-Clause
// Marks, changes and faults of a run in the data of its page.
#include "page_lab.h"

static json_t *moments(const char *lines, unsigned marks)
{
	static struct lab l;
	char path[160];
	json_t *j;
	FILE *f;

	by_hand(&l);
	put(&l, "summary.json", SUMMARY);
	put(&l, "manifest.json",
		"{\"name\": \"n\", \"end_us\": 100000, \"resolved\": {\"record\": "
		"{\"events\": \"all\"}}}");
	snprintf(path, sizeof(path), "%s/events.csv", l.out);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s%s", EVENT_HEAD, lines);
	for (unsigned i = 0; i < marks; i++)
		fprintf(f, "%u,user_mark,a:s1,,,m%u,,,,,,,\n", 1000 + i, i);
	fclose(f);
	j = part_of(&l, data_lanes);
	lab_close(&l);
	return j;
}

static void a_mark_has_its_instant_and_text(void **state)
{
	json_t *j = moments("1.5,user_mark,a:s1,,,Kmin is 400KB,,,,,,,\n"
			    "2,mark,s1:r,3,,,,5000,,77,,,\n",
		0);

	(void)state;
	assert_int_equal(count(j, "moments"), 1);
	assert_true(num(j, "moments.0.t") == 1.5);
	assert_string_equal(text(j, "moments.0.event"), "user_mark");
	assert_string_equal(text(j, "moments.0.text"), "Kmin is 400KB");
	assert_string_equal(text(j, "moments.0.node"), "");
	json_decref(j);
}

// Each node that adopts a change has an event of its own.
static void a_change_is_one_moment(void **state)
{
	json_t *j = moments("2,set,s1:a,,,1 wred,,,,,,,\n2,user_mark,a:s1,,,x,,,,,,,\n"
			    "2,set,s2:a,,,1 wred pfc,,,,,,,\n2,set,a:s1,,,2 flows,,,,,,,\n"
			    "3,set,s1:a,,,2 wred,,,,,,,\n",
		0);

	(void)state;
	assert_int_equal(count(j, "moments"), 4);
	assert_string_equal(text(j, "moments.0.text"), "1 wred");
	assert_string_equal(text(j, "moments.0.node"), "s1 and 1 more");
	assert_string_equal(text(j, "moments.1.text"), "x");
	assert_string_equal(text(j, "moments.2.node"), "a");
	assert_string_equal(text(j, "moments.3.node"), "s1");
	json_decref(j);
}

// A fault is a moment when it first hits a frame, however often it does.
static void a_fault_is_the_moment_of_its_first_hit(void **state)
{
	json_t *j = moments("2,fault,s1:a,3,,1 drop,1082,,,100,,,\n"
			    "3,fault,s1:a,3,,2 ecn,1082,,,100,,,\n"
			    "4,fault,s1:a,3,,1 drop,1082,,,101,,,\n",
		0);

	(void)state;
	assert_int_equal(count(j, "moments"), 2);
	assert_string_equal(text(j, "moments.0.event"), "fault");
	assert_string_equal(text(j, "moments.0.text"), "1 drop, first of 2 hits");
	assert_string_equal(text(j, "moments.0.node"), "s1:a");
	assert_true(num(j, "moments.0.t") == 2);
	assert_string_equal(text(j, "moments.1.text"), "2 ecn");
	json_decref(j);
}

static void many_are_counted(void **state)
{
	json_t *j = moments("", PAGE_POINTS + 7);

	(void)state;
	assert_int_equal(count(j, "moments"), PAGE_POINTS);
	assert_true(num(j, "more_moments") == 7);
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_has_its_instant_and_text),
		cmocka_unit_test(a_change_is_one_moment),
		cmocka_unit_test(a_fault_is_the_moment_of_its_first_hit),
		cmocka_unit_test(many_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
