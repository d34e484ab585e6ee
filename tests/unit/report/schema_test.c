// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of summary.json: JSON itself, with each kind and each member of it. Whether
// summary.json is as it says is asked by schema_command.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/int.h"
#include "summary/summary.h"

static json_t *schema;

static int read_it(void **state)
{
	char *text = NULL;
	json_error_t why;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	report_schema(f);
	fclose(f);
	schema = json_loads(text, 0, &why);
	if (!schema)
		fail_msg("line %d: %s", why.line, why.text);
	free(text);
	return 0;
}

static int drop_it(void **state)
{
	(void)state;
	json_decref(schema);
	return 0;
}

static json_t *of_kind(const struct kind *k)
{
	json_t *o = json_object_get(json_object_get(schema, "properties"), k->key);

	return k->single ? o : json_object_get(o, "items");
}

static bool requires(const json_t *o, const char *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(o, "required"), i,
		v) if (!strcmp(json_string_value(v), name)) return true;
	return false;
}

static void every_member_is_there(void **state)
{
	struct figure f;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		json_t *o = summary_kind[k]->key ? of_kind(summary_kind[k]) : NULL;
		size_t n = 0;

		for (unsigned i = 0; o && kind_member(summary_kind[k], i, &f); i++, n++) {
			json_t *m = json_object_get(json_object_get(o, "properties"), f.name);

			if (!m || !json_object_get(m, "description"))
				fail_msg("%s lacks %s", summary_kind[k]->key, f.name);
			assert_int_equal(requires(o, f.name), !f.only);
		}
		assert_int_equal(json_object_size(json_object_get(o, "properties")), n);
		if (summary_kind[k]->key)
			assert_int_equal(
				requires(schema, summary_kind[k]->key), !summary_kind[k]->if_any);
	}
}

static void its_number_is_that_of_the_file(void **state)
{
	json_t *p = json_object_get(json_object_get(schema, "properties"), "schema");

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(p, "const")), REPORT_SCHEMA);
	assert_true(requires(schema, "schema"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_there),
		cmocka_unit_test(its_number_is_that_of_the_file),
	};

	return cmocka_run_group_tests(tests, read_it, drop_it);
}
