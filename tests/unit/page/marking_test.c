// SPDX-License-Identifier: BSD-3-Clause
// Marking curves of a folder: a curve for each queue, with its marker's thresholds.
#include "page_lab.h"

static void marking(struct jw *w, struct saved *s)
{
	data_marking(w, s);
}

static void a_curve_for_each_queue(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json",
		"{\"schema\": 1, \"markings\": [{\"port\": \"s1:r\", \"class\": 3, "
		"\"kmin_bytes\": 10, \"kmax_bytes\": 20, \"pmax\": 0.5}]}");
	put(&l, "marking.csv",
		"object,from_bytes,to_bytes,ect_frames,ecn_marked_frames,expected_frames,ratio,"
		"theory,low_95,high_95\ns1:r.3,0,10,100,0,0,0,0,0,0.1\n"
		"s1:r.3,11,,50,25,25,0.5,0.5,0.4,0.6\ns1:q.3,0,10,1,0,0,0,0,0,x\n");
	j = part_of(&l, marking);
	assert_int_equal(count(j, "marking"), 2);
	assert_string_equal(text(j, "marking.0.name"), "s1:r.3");
	assert_true(num(j, "marking.0.kmin") == 10 && num(j, "marking.0.pmax") == 0.5);
	assert_int_equal(count(j, "marking.0.ratio"), 2);
	assert_true(num(j, "marking.0.ratio.1") == 0.5 && num(j, "marking.0.high.1") == 0.6);
	assert_true(num(j, "marking.0.marked.1") == 25 && num(j, "marking.0.frames.0") == 100);
	assert_true(json_is_null(at(j, "marking.0.to.1")));
	assert_true(
		json_is_null(at(j, "marking.1.kmin")) && json_is_null(at(j, "marking.1.high.0")));
	json_decref(j);
	put(&l, "marking.csv", "ratio\n1\n");
	j = part_of(&l, marking);
	assert_int_equal(count(j, "marking"), 0);
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_curve_for_each_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
