// SPDX-License-Identifier: BSD-3-Clause
// Lanes: pauses that stay apart or merge, one that is open at the end, ticks that become counts.
#include "page_lab.h"

static void lanes(struct jw *w, struct saved *s)
{
	data_lanes(w, s);
}

static FILE *events_file(struct lab *l)
{
	char path[160];
	FILE *f;

	by_hand(l);
	put(l, "summary.json", SUMMARY);
	put(l, "manifest.json",
		"{\"name\": \"n\", \"end_us\": 100000, \"resolved\": {\"record\": "
		"{\"events\": \"all\"}}}");
	snprintf(path, sizeof(path), "%s/events.csv", l->out);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(EVENT_HEAD, f);
	return f;
}

static void few_pauses_stay_apart(void **state)
{
	static struct lab l;
	FILE *f = events_file(&l);
	json_t *j;

	(void)state;
	// A resume without a pause, a pause twice, one that is open at the end.
	fputs("1,resume_rx,a:s1,3,,xon,,,,,,,\n2,pause_rx,a:s1,3,,,,,9,,,,\n"
	      "3,pause_rx,a:s1,3,,,,,9,,,,\n5,resume_rx,a:s1,3,,xon,,,,,,,\n"
	      "6,pause_rx,a:s1,4,,,,,9,,,,\n7,pause_rx,a:s1,3,,,,,9,,,,\n"
	      "8,resume_rx,a:s1,3,,xon,,,,,,,\n",
		f);
	fclose(f);
	j = part_of(&l, lanes);
	assert_int_equal(count(j, "pauses"), 2);
	// The one that stood longest comes first.
	assert_true(num(j, "pauses.0.class") == 4 && num(j, "pauses.0.count") == 1);
	assert_true(num(j, "pauses.0.spans.0.0") == 6 && num(j, "pauses.0.spans.0.1") == 100000);
	assert_true(num(j, "pauses.1.count") == 2 && num(j, "pauses.1.total_us") == 4);
	assert_int_equal(count(j, "pauses.1.spans"), 2);
	assert_true(num(j, "pauses.1.bin_us") == 0);
	assert_true(num(j, "pauses.1.spans.0.0") == 2 && num(j, "pauses.1.spans.1.1") == 8);
	json_decref(j);
	lab_close(&l);
}

static void many_pauses_merge_and_lose_no_time(void **state)
{
	enum { PAUSES = 20000 };
	static struct lab l;
	FILE *f = events_file(&l);
	double last = 0;
	json_t *j;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < PAUSES; i++)
		fprintf(f, "%u,pause_rx,a:s1,3,,,,,9,,,,\n%u,resume_rx,a:s1,3,,xon,,,,,,,\n", 5 * i,
			5 * i + 2);
	fclose(f);
	j = part_of(&l, lanes);
	assert_true(num(j, "pauses.0.count") == PAUSES);
	assert_true(num(j, "pauses.0.total_us") == 2 * PAUSES);
	assert_true(num(j, "pauses.0.bin_us") > 0);
	n = count(j, "pauses.0.spans");
	assert_true(n >= 1 && n <= PAGE_POINTS);
	for (size_t i = 0; i < n; i++) {
		json_t *span = json_array_get(at(j, "pauses.0.spans"), i);

		assert_true(num(span, "0") >= last && num(span, "1") > num(span, "0"));
		last = num(span, "1");
	}
	assert_true(last == 5 * (PAUSES - 1) + 2);
	json_decref(j);
	lab_close(&l);
}

static void ticks_of_each_kind(void **state)
{
	static const char *const kinds[] = {"mark", "cnp_tx", "cnp_rx", "cut", "drop",
		"retransmission", "cnm", "deadlock", "storm"};
	static struct lab l;
	FILE *f = events_file(&l);
	json_t *j;

	(void)state;
	fputs("1,mark,s1:r,3,f,,,1,,1,,,\n2,cnp_tx,r:s1,,f,,,,,,,,\n3,iqcn_tx,s1:r,,f,9,,,,,,,\n"
	      "4,cnp_rx,a:s1,,f,,,,,,,,\n5,rp,a:s1,,f,decrease,,,,,1,2,0.5\n"
	      "5,rp,a:s1,,f,t_hyper_increase,,,,,1,2,0.5\n6,drop,s1:a,3,,tail,9,9,,,,,\n"
	      "7,nak,a:s1,,f,,,,,1,,,\n8,timeout,a:s1,,f,,,,,1,,,\n9,cnm_tx,s1:r,3,f,-1,,1,,,,,\n"
	      "10,deadlock,s1:r,3,,1 of 2,,,,,,,\n11,pfcwd_storm,s1:r,3,,drop,,1,,,,,\n",
		f);
	fclose(f);
	j = part_of(&l, lanes);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool found = false;

		for (size_t k = 0; k < count(j, "ticks"); k++)
			found |= strcmp(text(json_array_get(at(j, "ticks"), k), "kind"),
					 kinds[i]) == 0;
		if (!found)
			fail_msg("no lane of %s", kinds[i]);
	}
	assert_string_equal(text(j, "ticks.0.name"), "s1:r.3");
	assert_true(json_is_null(at(j, "ticks.0.n")) && num(j, "ticks.0.t.0") == 1);
	json_decref(j);
	lab_close(&l);
}

static void many_ticks_become_counts(void **state)
{
	enum { MARKS = 50000 };
	static struct lab l;
	FILE *f = events_file(&l);
	double sum = 0;
	json_t *j;

	(void)state;
	for (unsigned i = 0; i < MARKS; i++)
		fprintf(f, "%u,mark,s1:r,3,f,,,1,,1,,,\n", 2 * i);
	fclose(f);
	j = part_of(&l, lanes);
	assert_true(num(j, "ticks.0.count") == MARKS && num(j, "ticks.0.bin_us") == 100);
	assert_int_equal(count(j, "ticks.0.t"), count(j, "ticks.0.n"));
	for (size_t i = 0; i < count(j, "ticks.0.n"); i++)
		sum += json_number_value(json_array_get(at(j, "ticks.0.n"), i));
	assert_true(sum == MARKS);
	json_decref(j);
	lab_close(&l);
}

static void too_many_lanes_share_one(void **state)
{
	static struct lab l;
	FILE *f = events_file(&l);
	double sum = 0;
	json_t *j;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		fprintf(f, "%u,cnp_rx,h%u:s1,,f,,,,,,,,\n", i, i % 100);
	fclose(f);
	j = part_of(&l, lanes);
	n = count(j, "ticks");
	assert_true(n <= 25);
	for (size_t i = 0; i < n; i++)
		sum += num(json_array_get(at(j, "ticks"), i), "count");
	assert_true(sum == 300);
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_pauses_stay_apart),
		cmocka_unit_test(many_pauses_merge_and_lose_no_time),
		cmocka_unit_test(ticks_of_each_kind),
		cmocka_unit_test(many_ticks_become_counts),
		cmocka_unit_test(too_many_lanes_share_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
