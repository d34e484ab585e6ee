// SPDX-License-Identifier: BSD-3-Clause
// Plots over time: exact while there are few samples, binned with their bounds where there are
// many; the longest queues, flows or groups.
#include "page_lab.h"

static void series(struct jw *w, struct saved *s)
{
	data_series(w, s);
}

static FILE *series_file(struct lab *l)
{
	char path[160];
	FILE *f;

	by_hand(l);
	put(l, "manifest.json", MANIFEST);
	snprintf(path, sizeof(path), "%s/timeseries.csv", l->out);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(SERIES_HEAD, f);
	return f;
}

// A dynamic threshold is drawn where it is at most, as `why` and `check` say it.
static void a_threshold_that_moves_is_drawn_at_most(void **state)
{
	static struct lab l;
	FILE *f = series_file(&l);
	json_t *j;

	(void)state;
	put(&l, "summary.json",
		"{\"schema\": 1, \"ingress_groups\": [{\"port\": \"s1:a\", \"class\": 3, "
		"\"max_bytes_total\": 10, \"xoff_bytes\": 120, \"xon_bytes\": 90, "
		"\"xoff_most_bytes\": 100, \"xon_most_bytes\": 70}]}");
	fputs("10,queue,s1:r.3,5,6,7,1,0,0,0,,,,,\n", f);
	fclose(f);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues.0.lines"), 2);
	assert_string_equal(text(j, "queues.0.lines.0.name"), "XOFF of s1:a at most");
	assert_true(num(j, "queues.0.lines.0.bytes") == 100);
	assert_string_equal(text(j, "queues.0.lines.1.name"), "XON of s1:a at most");
	assert_true(num(j, "queues.0.lines.1.bytes") == 70);
	json_decref(j);
	lab_close(&l);
}

static void few_samples_stay_as_they_are(void **state)
{
	static struct lab l;
	FILE *f = series_file(&l);
	json_t *j;

	(void)state;
	put(&l, "summary.json",
		"{\"schema\": 1, \"queues\": [{\"port\": \"s1:r\", \"class\": 3, "
		"\"kmin_bytes\": 1000, \"kmax_bytes\": 2000}], \"ingress_groups\": [{\"port\": "
		"\"s1:a\", \"class\": 3, \"max_bytes_total\": 10, \"xoff_bytes\": 100, "
		"\"xon_bytes\": 90}, {\"port\": \"s1:b\", \"class\": 3, \"max_bytes_total\": 50, "
		"\"xoff_bytes\": 100, \"xon_bytes\": 91}, {\"port\": \"s12:b\", \"class\": 3, "
		"\"max_bytes_total\": 99, \"xoff_bytes\": 100, \"xon_bytes\": 92}]}");
	fputs("10,queue,s1:r.3,5,6,7,1,0,0,0,,,,,\n10,queue,s1:q.3,0,0,0,1,0,0,0,,,,,\n"
	      "10,flow,f[a>r.0],,,,,,,,1,2,3,0.5,0\n20,queue,s1:r.3,9,8,12,1,0,0,0,,,,,\n"
	      "20,flow,f[a>r.0],,,,,,,,3,,,,0\n",
		f);
	fclose(f);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues"), 1);
	assert_true(num(j, "more_queues") == 0);
	assert_true(num(j, "queues.0.bin_us") == 10 && num(j, "queues.0.t.1") == 20);
	assert_true(num(j, "queues.0.mean.0") == 6 && num(j, "queues.0.min.0") == 5 &&
		    num(j, "queues.0.max.0") == 7);
	assert_true(num(j, "queues.0.min.1") == 8 && num(j, "queues.0.max.1") == 12);
	assert_int_equal(count(j, "queues.0.lines"), 4);
	assert_string_equal(text(j, "queues.0.lines.0.name"), "Kmin");
	assert_string_equal(text(j, "queues.0.lines.2.name"), "XOFF of s1:b");
	assert_true(num(j, "queues.0.lines.3.bytes") == 91);
	assert_string_equal(text(j, "queues.0.lines.3.of"), "group");
	assert_string_equal(text(j, "rates.0.name"), "f[a>r.0]");
	assert_string_equal(text(j, "rates.0.group"), "f");
	assert_true(num(j, "rates.0.goodput.1") == 3 && num(j, "rates.0.rc.0") == 2);
	assert_true(json_is_null(at(j, "rates.0.rc.1")) && num(j, "rates.0.alpha.0") == 0.5);
	assert_null(at(j, "rates.0.rc_min"));
	json_decref(j);
	lab_close(&l);
}

static void many_samples_are_binned(void **state)
{
	enum { SAMPLES = 2500 }; // three in a bin
	static struct lab l;
	FILE *f = series_file(&l);
	json_t *j;

	(void)state;
	put(&l, "summary.json", SUMMARY);
	for (unsigned i = 0; i < SAMPLES; i++)
		fprintf(f, "%u,queue,s1:r.3,%u,%u,%u,1,0,0,0,,,,,\n", i + 1, i, i, i + 1);
	fclose(f);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues.0.t"), (SAMPLES + 2) / 3);
	assert_true(num(j, "queues.0.bin_us") == 3);
	assert_true(num(j, "queues.0.t.0") == 3 && num(j, "queues.0.mean.0") == 1);
	assert_true(num(j, "queues.0.min.0") == 0 && num(j, "queues.0.max.0") == 3);
	// The last bin has one sample.
	assert_true(num(j, "queues.0.t.833") == 2500 && num(j, "queues.0.mean.833") == 2499);
	json_decref(j);
	lab_close(&l);
}

static void many_flows_are_groups_and_many_queues_the_longest(void **state)
{
	static struct lab l;
	FILE *f = series_file(&l);
	json_t *j;

	(void)state;
	put(&l, "summary.json", SUMMARY);
	for (unsigned t = 1; t <= 2; t++) {
		for (unsigned i = 0; i < 20; i++)
			fprintf(f, "%u,queue,s1:r%u.3,%u,%u,%u,1,0,0,0,,,,,\n", t, i, i, i, i);
		fprintf(f, "%u,queue,s1:ack.6,0,0,0.3,1,0,0,0,,,,,\n", t);
		for (unsigned i = 0; i < 20; i++)
			fprintf(f, "%u,flow,%s[a>r.%u],,,,,,,,%u,%u,,,0\n", t,
				i % 2 ? "odd" : "even", i, i, 2 * i);
	}
	fclose(f);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues"), 8);
	assert_true(num(j, "more_queues") == 12); // that of length 0 is none
	assert_string_equal(text(j, "queues.0.name"), "s1:r19.3");
	assert_string_equal(text(j, "queues.7.name"), "s1:r12.3");
	assert_int_equal(count(j, "rates"), 2);
	assert_string_equal(text(j, "rates.0.name"), "even");
	assert_true(num(j, "rates.0.flows") == 10 && num(j, "rates.0.goodput.0") == 9);
	assert_true(num(j, "rates.1.goodput_min.1") == 1 && num(j, "rates.1.goodput_max.1") == 19);
	assert_true(num(j, "rates.1.rc_max.0") == 38);
	assert_true(num(j, "more_rates") == 0);
	json_decref(j);
	lab_close(&l);
}

// A queue that is never more than a hundredth of the longest tells nothing in a plot.
static void short_queues_get_no_plot(void **state)
{
	static struct lab l;
	FILE *f = series_file(&l);
	json_t *j;

	(void)state;
	put(&l, "summary.json", SUMMARY);
	fputs("10,queue,s1:r.3,6600,6600,6600,1,0,0,0,,,,,\n"
	      "10,queue,s1:a.6,66,66,66,1,0,0,0,,,,,\n",
		f);
	fclose(f);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues"), 1);
	assert_true(num(j, "more_queues") == 1);
	json_decref(j);
	lab_close(&l);
}

static void none(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues"), 0);
	assert_int_equal(count(j, "rates"), 0);
	json_decref(j);
	put(&l, "timeseries.csv", SERIES_HEAD);
	j = part_of(&l, series);
	assert_int_equal(count(j, "queues"), 0);
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_samples_stay_as_they_are),
		cmocka_unit_test(a_threshold_that_moves_is_drawn_at_most),
		cmocka_unit_test(many_samples_are_binned),
		cmocka_unit_test(many_flows_are_groups_and_many_queues_the_longest),
		cmocka_unit_test(short_queues_get_no_plot),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
