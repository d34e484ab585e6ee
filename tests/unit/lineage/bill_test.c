// SPDX-License-Identifier: BSD-3-Clause
// Tests of bills: sums in order, and roots without those that nothing leads to.
#include "lineage_lab.h"

#include "lineage/int.h"

static void sums_are_by_both_numbers(void **state)
{
	struct tally t = {0};

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		tally_add(lin, &t, i % 10, i % 7, i);
	assert_int_equal(t.n, 70);
	for (uint32_t i = 0; i < t.n; i++) {
		tstamp sum = 0;

		for (uint32_t k = 0; k < 1000; k++)
			sum += k % 10 == t.sum[i].a && k % 7 == t.sum[i].b ? k : 0;
		assert_int_equal(t.sum[i].ps, sum);
	}
	tally_fini(&t);
}

static void the_longest_comes_first(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:r.3", "h1:s1.3", 0);
	stop("s1:h2.3", "s1:h3.3", "h2:s1.3", 100);
	stop("r:s1.3", NULL, "s1:r.3", 400);
	finish(500);
	assert_int_equal(lineage_counts(lin).roots, 3);
	for (uint32_t i = 0; i < 3; i++) {
		// Equal ones in the order in which they were met.
		static const char *const name[] = {"egress s1:r.3", "egress s1:h3.3", "host r"};
		static const tstamp ps[] = {400, 400, 200};

		assert_string_equal(root_name(i), name[i]);
		assert_int_equal(lineage_root(lin, i)->ps, ps[i]);
	}
	assert_int_equal(lineage_counts(lin).bills, 4);
	for (uint32_t i = 1; i < 4; i++)
		assert_true(lineage_bill(lin, i - 1)->ps >= lineage_bill(lin, i)->ps);
	assert_int_equal(lineage_bill(lin, 3)->ps, 100);
	assert_int_equal(lineage_counts(lin).edges, 4);
	assert_int_equal(lineage_edge(lin, 0)->root, 0);
	assert_int_equal(lineage_edge(lin, 3)->ps, 100);
}

static void nothing_has_no_roots(void **state)
{
	(void)state;
	finish(500);
	assert_int_equal(lineage_counts(lin).roots, 0);
	assert_int_equal(lineage_counts(lin).bills, 0);
	assert_int_equal(lineage_counts(lin).rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(sums_are_by_both_numbers),
		LIN_TEST(the_longest_comes_first),
		LIN_TEST(nothing_has_no_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
