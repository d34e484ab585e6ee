// SPDX-License-Identifier: BSD-3-Clause
// Samples read back: every column, what an object does not have, lines that are none.
#include "saved_lab.h"

#include "saved/int.h"

static void every_column(void **state)
{
	static struct lab l;
	const struct saved_sample *v;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", SUMMARY);
	put(&l, "timeseries.csv",
		SERIES_HEAD "100,queue,s1:r.3,1,2,3,4.5,6,7,8.25,,,,,\n"
			    "100,rxbuf,r:s1.rxbuf,9,,,,,,,,,,,\n"
			    "100.5,flow,f,,,,,,,,10,11,12,0.5,13\n"
			    "101,cloud,f,,,,,,,,10,11,12,0.5,13\n"
			    "101,flow,f,,,,,,,,ten,11,12,0.5,13\n"
			    "101,flow,f\n"
			    "101,flow,f,,,,,");
	s = read_back(&l);
	assert_true(saved_series(s));
	v = saved_sample(s);
	assert_int_equal(v->t, 100 * PS_PER_US);
	assert_int_equal(v->kind, SAVED_QUEUE);
	assert_string_equal(saved_line(s, v->object), "s1:r.3");
	assert_true(v->value[SAVED_QLEN] == 1 && v->value[SAVED_QLEN_MEAN] == 2 &&
		    v->value[SAVED_QLEN_MAX] == 3 && v->value[SAVED_TX_GBPS] == 4.5 &&
		    v->value[SAVED_MARKED] == 6 && v->value[SAVED_DROPPED] == 7 &&
		    v->value[SAVED_PAUSED_US] == 8.25 && isnan(v->value[SAVED_ALPHA]));
	v = saved_sample(s);
	assert_true(v->kind == SAVED_RXBUF && v->value[SAVED_QLEN] == 9);
	assert_true(isnan(v->value[SAVED_QLEN_MEAN]));
	v = saved_sample(s);
	assert_true(v->kind == SAVED_FLOW && v->t == 100500000 && isnan(v->value[SAVED_QLEN]));
	assert_true(v->value[SAVED_GOODPUT_GBPS] == 10 && v->value[SAVED_RC_GBPS] == 11 &&
		    v->value[SAVED_RT_GBPS] == 12 && v->value[SAVED_ALPHA] == 0.5 &&
		    v->value[SAVED_CNP_RX] == 13);
	assert_null(saved_sample(s));
	assert_true(misses(s, "timeseries.csv has 3 lines that cannot be read, the first of which "
			      "is line 5."));
	assert_true(misses(s, "timeseries.csv ends within line 8."));
	assert_int_equal(saved_lines(s), 3);
	saved_close(s);
	lab_close(&l);
}

static void no_file_of_samples(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	assert_false(saved_series(s));
	assert_null(saved_sample(s));
	assert_true(misses(s, "timeseries.csv is missing."));
	put(&l, "timeseries.csv", "a,b\n");
	assert_false(saved_series(s));
	assert_true(misses(s, "timeseries.csv does not begin with the names of its columns."));
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column),
		cmocka_unit_test(no_file_of_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
