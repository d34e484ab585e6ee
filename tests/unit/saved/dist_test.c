// SPDX-License-Identifier: BSD-3-Clause
// Distributions of the folder hdr: values, shares and counts; names with a slash; folders without
// them.
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_stored_distribution)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
