// SPDX-License-Identifier: BSD-3-Clause
// Every list of summary.json is a table with units and meanings, whatever is in it.
#include "page_lab.h"

static void tables(struct jw *w, struct saved *s)
{
	data_tables(w, s);
}

static json_t *table(json_t *j, const char *key)
{
	for (size_t i = 0; i < count(j, "tables"); i++)
		if (strcmp(text(json_array_get(at(j, "tables"), i), "key"), key) == 0)
			return json_array_get(at(j, "tables"), i);
	fail_msg("no table %s", key);
	return NULL;
}

static void each_column_has_its_meaning(void **state)
{
	static struct lab l;
	json_t *j, *flows, *one;
	size_t i;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	j = part_of(&l, tables);
	flows = table(j, "flows");
	assert_string_equal(text(flows, "title"), "Flows");
	assert_true(json_is_true(at(flows, "open")));
	assert_string_equal(text(flows, "rows.0.0"), "incast[h1>r.0]");
	assert_int_equal(count(flows, "rows"), 2);
	assert_int_equal(count(flows, "rows.0"), count(flows, "columns"));
	json_array_foreach(at(flows, "columns"), i, one) if (!*text(one, "meaning"))
		fail_msg("%s has no meaning", text(one, "name"));
	assert_string_equal(text(table(j, "total"), "rows.0.0"), "goodput_gbps");
	assert_string_equal(text(table(j, "total"), "rows.0.2"), "Gb/s");
	assert_int_equal(count(table(j, "ingress_groups"), "rows"), 2);
	assert_string_equal(text(table(j, "ingress_groups"), "title"), "Ingress groups");
	assert_string_equal(text(table(j, "nic_drops"), "title"), "NIC drops");
	assert_string_equal(text(table(j, "cnps"), "title"), "CNPs");
	json_decref(j);
	lab_close(&l);
}

static void what_is_unknown_or_odd(void **state)
{
	static struct lab l;
	json_t *j, *news;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json",
		"{\"schema\": 1, \"news\": [{\"a\": 1, \"b\": [1, \"x\"]}, {\"c\": true}, 7], "
		"\"empty\": [], \"texts\": [\"x\"]}");
	j = part_of(&l, tables);
	assert_int_equal(count(j, "tables"), 1);
	news = table(j, "news");
	assert_int_equal(count(news, "columns"), 3);
	assert_string_equal(text(news, "columns.0.unit"), "");
	assert_true(num(news, "rows.0.0") == 1 && json_is_null(at(news, "rows.0.2")));
	assert_true(json_is_true(at(news, "rows.1.2")));
	assert_string_equal(text(news, "rows.0.1.1"), "x");
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column_has_its_meaning),
		cmocka_unit_test(what_is_unknown_or_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
