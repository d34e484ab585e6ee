// SPDX-License-Identifier: BSD-3-Clause
// Distributions of the folder hdr: values, shares and counts; names with a slash; folders without
// them. Messages of fct.txt.
#include "saved_lab.h"

static void a_stored_distribution(void **state)
{
	static struct saved_dist d;
	static struct lab l;
	struct saved *s;
	char command[200];

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	assert_int_equal(saved_dist(s, &d, "group.a/b.fct_us"), 0);
	snprintf(command, sizeof(command), "mkdir '%s/hdr'", l.out);
	assert_int_equal(system(command), 0);
	put(&l, "hdr/group.a_b.fct_us.hgrm",
		"       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
		"       1.500 0.000000000000          1           1.00\n"
		"       2.500 0.500000000000          3           2.00\n"
		"       9.000 1.000000000000          4            inf\n"
		"#[Mean    =        4.000, StdDeviation   =        3.000]\n");
	assert_int_equal(saved_dist(s, &d, "group.a/b.fct_us"), 3);
	assert_true(d.n == 3 && d.value[1] == 2.5 && d.share[1] == 0.5 && d.count[1] == 3);
	assert_true(d.value[2] == 9 && d.share[2] == 1 && d.count[2] == 4);
	put(&l, "hdr/group.a_b.fct_us.hgrm", "nothing of the kind\n");
	assert_int_equal(saved_dist(s, &d, "group.a/b.fct_us"), 0);
	saved_close(s);
	lab_close(&l);
}

// Two of the messages end in the window, and of one of these no ideal time is known.
static void messages_of_the_window(void **state)
{
	static struct lab l;
	struct saved *s;
	double *v;
	size_t n;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", "{\"schema\": 1, \"window_from_us\": 2, \"window_to_us\": 9}");
	put(&l, "fct.txt",
		"0a000001 0a000002 49152 4791 1000 0 1000 500\n"
		"0a000001 0a000002 49152 4791 1000 5000 4000 0\n"
		"0a000001 0a000002 49152 4791 1000 0 3000 500\n"
		"0a000001 0a000002 49152 4791 1000 8000 3000 500\n");
	s = read_back(&l);
	v = saved_messages(s, false, &n);
	assert_int_equal(n, 2);
	assert_true(v[0] == 3 && v[1] == 4);
	free(v);
	v = saved_messages(s, true, &n);
	assert_int_equal(n, 1);
	assert_true(v[0] == 6);
	free(v);
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stored_distribution), cmocka_unit_test(messages_of_the_window)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
