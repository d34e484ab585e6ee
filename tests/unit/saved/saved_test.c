// SPDX-License-Identifier: BSD-3-Clause
// Folders: a whole one, folders that lack a part, and a folder that is not of a run.
#include "saved_lab.h"

static void a_whole_one_misses_nothing(void **state)
{
	static struct lab l;
	struct saved *s;
	tstamp from, to;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	s = read_back(&l);
	assert_string_equal(saved_name(s), "two-to-one");
	assert_string_equal(saved_dir(s), l.out);
	assert_int_equal(saved_end(s), 2 * PS_PER_MS);
	saved_window(s, &from, &to);
	assert_int_equal(from, 500 * PS_PER_US);
	assert_int_equal(to, 2 * PS_PER_MS);
	assert_true(saved_events(s));
	while (saved_next(s))
		;
	assert_true(saved_series(s));
	while (saved_sample(s))
		;
	assert_non_null(saved_table(s, "fct.txt"));
	assert_non_null(saved_table(s, "marking.csv"));
	assert_true(saved_recorded(s, EV_MARK));
	assert_false(saved_recorded(s, EV_XOFF_HOLDER));
	misses_nothing(s);
	saved_close(s);
	lab_close(&l);
}

static void no_folder_of_a_run(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	assert_int_equal(saved_open(&s, l.out, &l.err), -EINVAL);
	assert_non_null(strstr(l.err.text, "no folder of a run"));
	put(&l, "summary.json", "");
	assert_int_equal(saved_open(&s, l.out, &l.err), -EINVAL);
	assert_non_null(strstr(
		l.err.text, ": the run in this folder cannot be read: summary.json is empty."));
	put(&l, "manifest.json", "{\"name\":");
	assert_int_equal(saved_open(&s, l.out, &l.err), -EINVAL);
	assert_non_null(strstr(l.err.text,
		": the run in this folder cannot be read: manifest.json is broken: line 1, "));
	assert_int_equal(saved_open(&s, l.file, &l.err), -ENOTDIR);
	assert_int_equal(saved_open(&s, "/tmp/quench-lab-none", &l.err), -ENOENT);
	assert_null(strchr(l.err.text, '\n'));
	lab_close(&l);
}

static void one_of_the_two_files_is_enough(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	assert_string_equal(saved_name(s), "by-hand");
	assert_null(saved_summary(s));
	assert_int_equal(saved_end(s), 100 * PS_PER_US);
	assert_true(misses(s, "summary.json is missing."));
	saved_close(s);
	put(&l, "summary.json", SUMMARY);
	put(&l, "manifest.json", "{\"name\": \"cut");
	s = read_back(&l);
	assert_null(saved_manifest(s));
	assert_string_equal(saved_name(s), "by-hand");
	assert_true(misses(s, "manifest.json is broken: line 1"));
	saved_close(s);
	put(&l, "manifest.json", "[]");
	s = read_back(&l);
	assert_true(misses(s, "manifest.json is broken: it is not a JSON object."));
	saved_close(s);
	lab_close(&l);
}

// Values of another kind than expected are none.
static void files_that_lie(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json",
		"{\"name\": 7, \"end_us\": \"x\", \"resolved\": [], \"missing\": {\"a\": 1}, "
		"\"not_recorded\": [1], \"events_limited\": 3}");
	put(&l, "summary.json",
		"{\"schema\": \"1\", \"name\": null, \"window_from_us\": -5, "
		"\"window_to_us\": 1e300}");
	s = read_back(&l);
	assert_string_equal(saved_name(s), "");
	assert_int_equal(saved_end(s), 0);
	assert_false(saved_recorded(s, EV_MARK));
	assert_true(misses(s, "summary.json has schema 0"));
	saved_close(s);
	lab_close(&l);
}

static void what_the_run_says_of_itself(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json",
		"{\"name\": \"n\", \"end_us\": 50, \"interrupted\": true, "
		"\"missing\": [\"events.csv: incomplete: No space left on device\"], "
		"\"not_recorded\": [\"timeseries.csv, qlen.txt: record.series is false\"], "
		"\"events_limited\": {\"mark\": 7}, \"resolved\": {\"record\": {\"events\": "
		"[\"mark\", \"xoff_holder\"]}}}");
	put(&l, "summary.json", "{\"schema\": 99, \"recorded_until_us\": 12.5}");
	s = read_back(&l);
	assert_true(saved_number(saved_summary(s), "recorded_until_us") == 12.5);
	assert_true(
		isnan(saved_number(saved_summary(s), "name")) && isnan(saved_number(NULL, "x")));
	assert_string_equal(saved_text(saved_manifest(s), "name"), "n");
	assert_string_equal(saved_text(saved_manifest(s), "end_us"), "");
	assert_true(misses(s, "summary.json has schema 99"));
	assert_true(misses(s, "interrupted at 50.000 us"));
	assert_true(misses(s, "No space left on device"));
	assert_true(misses(s, "record.series is false"));
	assert_true(misses(s, "7 events of type mark"));
	assert_true(misses(s, "Recording stopped at 12.500 us"));
	assert_true(saved_recorded(s, EV_MARK));
	assert_true(saved_recorded(s, EV_XOFF_HOLDER));
	assert_false(saved_recorded(s, EV_DROP));
	// A file that was left out by intention is told once.
	assert_false(saved_series(s));
	assert_false(misses(s, "timeseries.csv cannot be read"));
	assert_false(saved_events(s));
	assert_true(misses(s, "The record of events (events.csv or events.bin) is missing."));
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_one_misses_nothing),
		cmocka_unit_test(no_folder_of_a_run),
		cmocka_unit_test(one_of_the_two_files_is_enough),
		cmocka_unit_test(files_that_lie),
		cmocka_unit_test(what_the_run_says_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
