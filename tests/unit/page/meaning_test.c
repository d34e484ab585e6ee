// SPDX-License-Identifier: BSD-3-Clause
// Meanings and units out of the JSON Schema.
#include "page_lab.h"

static void meanings(struct jw *w, struct saved *s)
{
	json_t *schema = meaning_schema();
	json_t *odd = json_pack("{s: s}", "description", "a range [0 to 1] of it");

	(void)s;
	assert_non_null(schema);
	jw_object(w, "flow", true);
	meaning_put(w, json_object_get(meaning_members(schema, "flows"), "data_rx_rate"), true);
	jw_end(w);
	jw_object(w, "total", true);
	meaning_put(w, json_object_get(meaning_members(schema, "total"), "drops"), true);
	jw_end(w);
	jw_array(w, "odd", true);
	meaning_put(w, odd, false);
	jw_end(w);
	jw_array(w, "none", true);
	meaning_put(w, json_object_get(meaning_members(schema, "nothing"), "x"), false);
	jw_end(w);
	json_decref(schema);
	json_decref(odd);
}

static void in_two_parts(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	j = part_of(&l, meanings);
	assert_string_equal(text(j, "flow.unit"), "Gb/s");
	assert_true(strlen(text(j, "flow.meaning")) > 5);
	assert_null(strchr(text(j, "flow.meaning"), '['));
	assert_string_equal(text(j, "total.unit"), "frames");
	assert_string_equal(text(j, "odd.0"), "");
	assert_string_equal(text(j, "odd.1"), "a range [0 to 1] of it");
	assert_string_equal(text(j, "none.1"), "");
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_two_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
