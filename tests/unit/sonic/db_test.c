// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/sonic_db: SONiC's ways to write references, keys and numbers; what is no
// config_db.json.
#include "sonic_lab.h"

#include "sonic/int.h"

static void what_is_no_config_is_told_with_its_place(void **state)
{
	(void)state;
	sonic_is_refused(
		"{'PORT':\n {'Ethernet0' {}}}", NULL, "db.json:2:15: ':' expected near '{'");
	sonic_is_refused("[]", NULL,
		"db.json:1:1: holds no object of tables; a SONiC switch's config_db.json is "
		"wanted");
	sonic_is_refused("{'PORT':3}", NULL,
		"db.json: 'PORT' is no object; a table of config_db.json is one of rows");
	sonic_is_refused("{}", NULL,
		"db.json: has no table PORT; a SONiC switch's config_db.json is wanted");
	sonic_is_refused(
		"{'A':{},'A':{}}", NULL, "db.json:1:11: duplicate object key near '\"A\"'");
}

static void a_key_has_ports_and_a_range(void **state)
{
	(void)state;
	assert_true(sonic_db_is_of("Ethernet0|3-4", "Ethernet0"));
	assert_true(sonic_db_is_of("Ethernet0,Ethernet4|3-4", "Ethernet4"));
	assert_true(sonic_db_is_of("Ethernet0,Ethernet4", "Ethernet4"));
	assert_false(sonic_db_is_of("Ethernet0,Ethernet40|3", "Ethernet4"));
	assert_false(sonic_db_is_of("Ethernet40|4", "Ethernet4"));
}

static void rows_are_found_by_reference_and_index(void **state)
{
	struct arena a = {0};
	struct err err;
	struct sonic *s = calloc(1, sizeof(*s));
	const char *key;
	int64_t n = 0;

	(void)state;
	assert_non_null(s);
	s->a = &a;
	s->err = &err;
	s->root = json_loads("{\"T\":{\"x\":{\"n\":\"12\",\"m\":7,\"o\":\"12x\"}},"
			     "\"Q\":{\"E0|3-4\":{},\"E0|6\":{},\"E0,E4|0-2\":{}}}",
		0, NULL);
	assert_non_null(s->root);

	const json_t *row = sonic_db_row(s, "T", "[T|x]");

	assert_ptr_equal(row, sonic_db_row(s, "T", "x"));
	assert_non_null(row);
	assert_null(sonic_db_row(s, "T", "y"));
	assert_true(sonic_db_is_used(s, row));
	assert_true(sonic_db_number(s, row, "T|x", "n", 0, 12, &n) && n == 12);
	assert_true(sonic_db_number(s, row, "T|x", "m", 0, 12, &n) && n == 7);
	assert_false(sonic_db_number(s, row, "T|x", "none", 0, 12, &n));
	assert_int_equal(s->n_left, 0);
	assert_false(sonic_db_number(s, row, "T|x", "n", 0, 11, &n));
	assert_false(sonic_db_number(s, row, "T|x", "o", 0, 12, &n));
	assert_int_equal(n, 7);
	assert_int_equal(s->n_left, 2);
	assert_non_null(sonic_db_indexed(s, "Q", "E0", 4, &key));
	assert_string_equal(key, "E0|3-4");
	assert_non_null(sonic_db_indexed(s, "Q", "E4", 1, &key));
	assert_string_equal(key, "E0,E4|0-2");
	assert_null(sonic_db_indexed(s, "Q", "E0", 5, &key));
	assert_null(sonic_db_indexed(s, "Q", "E4", 3, &key));
	json_decref(s->root);
	free(s);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_config_is_told_with_its_place),
		cmocka_unit_test(a_key_has_ports_and_a_range),
		cmocka_unit_test(rows_are_found_by_reference_and_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
