// SPDX-License-Identifier: BSD-3-Clause
// The configuration as paths, values and sources.
#include "page_lab.h"

static void config(struct jw *w, struct saved *s)
{
	data_config(w, s);
}

static const char *row(json_t *j, const char *path, unsigned column)
{
	for (size_t i = 0; i < count(j, "config"); i++) {
		json_t *one = json_array_get(at(j, "config"), i);

		if (strcmp(text(one, "0"), path) == 0)
			return json_string_value(json_array_get(one, column));
	}
	fail_msg("no %s", path);
	return NULL;
}

static void of_a_run(void **state)
{
	struct scene_set set[] = {{"switches.s1.classes.3.wred.max", "150KB"}};
	static struct lab l;
	json_t *j;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	j = part_of(&l, config);
	assert_string_equal(row(j, "duration", 1), "2ms");
	assert_string_equal(row(j, "duration", 2), "scene.yaml:2");
	assert_string_equal(row(j, "drain", 2), "default");
	assert_string_equal(row(j, "switches.s1.classes.3.wred.max", 1), "150KB");
	assert_string_equal(row(j, "switches.s1.classes.3.wred.max", 2), "--set");
	assert_string_equal(row(j, "links.0.rate", 1), "25Gbps");
	assert_string_equal(row(j, "links.0.between", 1), "[[\"h1..2\", \"r\"], \"s1\"]");
	assert_string_equal(row(j, "flows.incast.message", 2), "scene.yaml:18");
	json_decref(j);
	lab_close(&l);
}

static void where_sources_are_not_known(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", "{\"resolved\": {\"a\": {\"b\": 1}, \"c\": [{\"d\": true}]}}");
	j = part_of(&l, config);
	assert_string_equal(row(j, "a.b", 1), "1");
	assert_string_equal(row(j, "c.0.d", 1), "true");
	assert_string_equal(row(j, "c.0.d", 2), "");
	json_decref(j);
	put(&l, "manifest.json", "{}");
	j = part_of(&l, config);
	assert_int_equal(count(j, "config"), 0);
	json_decref(j);
	lab_close(&l);
}

// So many flows of two options in the manifest.
static void manifest(const struct lab *l, unsigned flows)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "{\"resolved\": {\"duration\": \"1ms\", \"flows\": {");
	for (unsigned i = 0; i < flows; i++)
		fprintf(f, "%s\"f%u\": {\"from\": \"h1\", \"to\": \"r\"}", i ? ", " : "", i);
	fprintf(f, "}, \"flowsome\": {\"a\": 1}}}");
	fclose(f);
	put(l, "manifest.json", text);
	free(text);
}

static void of_very_many_flows_the_first_are_shown(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	manifest(&l, 4096);
	j = part_of(&l, config);
	assert_int_equal(count(j, "config"), 2 + 2 * 4096);
	json_decref(j);
	manifest(&l, 4097);
	j = part_of(&l, config);
	assert_int_equal(count(j, "config"), 2 + 2 * 64 + 1);
	assert_string_equal(row(j, "flows.f63.to", 1), "r");
	assert_string_equal(row(j, "flowsome.a", 1), "1");
	assert_string_equal(row(j, "flows", 1), "4033 more, which manifest.json has");
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_run),
		cmocka_unit_test(where_sources_are_not_known),
		cmocka_unit_test(of_very_many_flows_the_first_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
