// SPDX-License-Identifier: BSD-3-Clause
// The end of an import says in a few lines which ports, classes and thresholds there are.
#include "sonic_lab.h"

static void said(const struct sonic_import *in, const char *line)
{
	for (unsigned i = 0; i < in->n_said; i++) {
		if (strstr(in->said[i], line))
			return;
	}
	for (unsigned i = 0; i < in->n_said; i++)
		print_error("%s\n", in->said[i]);
	fail_msg("no line says '%s'", line);
}

static void an_import_ends_in_a_few_lines(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get_file(&in, TEST_DATA "/sonic/majority.json");
	assert_true(in.n_said <= 10);
	said(&in, "ports      3 of 8 taken: Ethernet4 .. Ethernet12; 5 not in service");
	said(&in, "lossless   class 3 (DSCP 26), class 4 (DSCP 4)");
	said(&in, "marked     class 3: 500000 to 1000000 bytes, 5% (WRED_PROFILE|W); class 4 "
		  "likewise");
	said(&in, "XOFF       class 3: at 2^-3 free (BUFFER_PROFILE|pg_lossless dynamic_th)");
	said(&in, "headroom   class 3: 55000 (BUFFER_PROFILE|pg_lossless xoff)");
	for (unsigned i = 0; i < in.n_said; i++)
		assert_non_null(strstr(in.yaml, in.said[i]));
	sonic_free(&in);
}

static void groups_are_told_with_their_differences(void **state)
{
	static const char text[] =
		"{'PORT':{'E0':{'speed':'10'},'E1':{'speed':'10'},'E2':{'speed':'10'}},"
		"'QUEUE':{'E0|3':{'scheduler':'a'}},'SCHEDULER':{'a':{'type':'DWRR',"
		"'weight':'5'}}}";
	struct sonic_import in;

	(void)state;
	sonic_get(&in, text);
	said(&in, "groups     of equal ports 1: 2 ports (the switch's values); 2: 1 port, class 3 "
		  "weight 5 (not given in group 1); --group takes one alone");
	said(&in, "decided    ports with a speed are in service, for no port has admin_status");
	said(&in, "lossless   no class: no BUFFER_PG has a profile with xoff");
	sonic_free(&in);
}

static void two_imports_give_the_same_bytes(void **state)
{
	struct sonic_import a, b;

	(void)state;
	sonic_get_file(&a, TEST_DATA "/sonic/leaf_32x100g.json");
	sonic_get_file(&b, TEST_DATA "/sonic/leaf_32x100g.json");
	assert_string_equal(a.yaml, b.yaml);
	sonic_free(&a);
	sonic_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_import_ends_in_a_few_lines),
		cmocka_unit_test(groups_are_told_with_their_differences),
		cmocka_unit_test(two_imports_give_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
