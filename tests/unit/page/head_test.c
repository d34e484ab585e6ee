// SPDX-License-Identifier: BSD-3-Clause
// The first lines of a page: verdicts, doubts, reasons; and the command that repeats the run.
#include "page_lab.h"

static void head(struct jw *w, struct saved *s)
{
	data_head(w, s, "a label");
	data_again(w, s);
	data_missing(w, s);
}

static void all_that_speaks_against_it(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json",
		"{\"schema\": 1, \"name\": \"n\", \"seed\": 7, \"window_from_us\": 1, "
		"\"window_to_us\": 2, \"warnings\": [{\"line\": 3, \"text\": \"odd\"}, "
		"{\"line\": null, \"text\": \"odder\"}, "
		"{\"line\": 4, \"text\": \"s1 is slow\", \"kind\": \"* is slow\"}, "
		"{\"line\": 5, \"text\": \"s2 is slow\", \"kind\": \"* is slow\"}], "
		"\"verdicts\": {\"conserved\": false, "
		"\"conservation\": \"s1: 2 frames\", \"lossless\": false, \"criteria\": "
		"[{\"name\": \"jain\", \"figure\": \"jain\", \"min\": 0.9, \"max\": null, "
		"\"value\": 0.5, \"verdict\": \"FAIL\"}], \"why\": [\"because\"]}, "
		"\"instrument\": {\"timing_broken\": true, \"timing\": \"late\", "
		"\"events_lost\": 5, \"captures_lost\": 6}, "
		"\"steady\": {\"verdict\": \"unsettled\", \"why\": \"queue q grows\"}, "
		"\"deadlocks\": [{\"class\": 3, \"seen_us\": 12, \"queues\": 3}]}\n");
	j = part_of(&l, head);
	assert_string_equal(text(j, "label"), "a label");
	assert_true(num(j, "seed") == 7 && num(j, "window_us.0") == 1 && num(j, "end_us") == 100);
	assert_int_equal(count(j, "doubt"), 10);
	assert_string_equal(text(j, "doubt.0"), "The instrument broke its own timing: late.");
	assert_string_equal(text(j, "doubt.1"), "Not every frame is accounted for: s1: 2 frames.");
	assert_string_equal(text(j, "doubt.2"), "A frame of a lossless class was dropped.");
	assert_string_equal(text(j, "doubt.3"),
		"A deadlock of class 3 was found at 12.000 us: 3 queues wait for each other.");
	assert_string_equal(text(j, "doubt.4"), "The run has not settled: queue q grows.");
	assert_non_null(strstr(text(j, "doubt.5"), "5 events were lost"));
	assert_non_null(strstr(text(j, "doubt.6"), "The capture lacks 6 frames"));
	assert_string_equal(text(j, "doubt.7"), "Line 3 of the scenario: odd.");
	assert_string_equal(text(j, "doubt.8"), "The scenario: odder.");
	assert_string_equal(
		text(j, "doubt.9"), "Line 4 of the scenario: s1 is slow (and 1 more like it).");
	assert_string_equal(text(j, "verdicts.0.verdict"), "FAIL");
	assert_true(num(j, "verdicts.0.min") == 0.9 && json_is_null(at(j, "verdicts.0.max")));
	assert_string_equal(text(j, "why.0"), "because");
	assert_int_equal(strlen(text(j, "again.digest")), 64);
	assert_int_equal(count(j, "missing"), 0);
	json_decref(j);
	lab_close(&l);
}

static void nothing_is_known(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", "{}");
	j = part_of(&l, head);
	assert_int_equal(count(j, "doubt"), 0);
	assert_int_equal(count(j, "verdicts"), 0);
	assert_string_equal(text(j, "again.digest"), "");
	assert_string_equal(text(j, "missing.0"), "summary.json is missing.");
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_speaks_against_it),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
