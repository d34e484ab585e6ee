// SPDX-License-Identifier: BSD-3-Clause
// probe.json: its figures with state, value and half width; its schema has each of them.
#include <jansson.h>

#include "device_lab.h"

static json_t *parsed(char *text)
{
	json_error_t why;
	json_t *root = json_loads(text, 0, &why);

	if (!root)
		fail_msg("line %d: %s in:\n%s", why.line, why.text, text);
	free(text);
	return root;
}

static const json_t *class_3(const json_t *root)
{
	return json_object_get(json_object_get(root, "classes"), "3");
}

static void figures_of_a_class(void **state)
{
	const json_t *c, *f;
	json_t *root;

	(void)state;
	wants(3, PROBE_XOFF, 114000);
	found_state(&found, 3, PROBE_REFRESH, FOUND_NONE, 0, "the pause runs out");
	found.pcps[3] = 1 << 5;
	root = parsed(written(device_json, true));
	c = class_3(root);
	f = json_object_get(c, "xoff_bytes");
	assert_string_equal(json_string_value(json_object_get(f, "state")), "is");
	assert_true(json_number_value(json_object_get(f, "value")) == 114192);
	assert_true(json_number_value(json_object_get(f, "half_width")) == 208);
	assert_true(json_number_value(json_object_get(f, "configured")) == 114000);
	assert_string_equal(json_string_value(json_object_get(f, "verdict")), "PASS");
	f = json_object_get(c, "mark");
	assert_string_equal(json_string_value(json_object_get(f, "value")), "at dequeue");
	f = json_object_get(c, "refresh_us");
	assert_string_equal(json_string_value(json_object_get(f, "state")), "none");
	f = json_object_get(c, "headroom_pool_bytes");
	assert_string_equal(json_string_value(json_object_get(f, "why")), "wants 5 ports");
	assert_true(json_is_null(json_object_get(f, "value")));
	assert_int_equal(json_array_size(json_object_get(c, "dscp")), 2);
	f = json_object_get(c, "pcp");
	assert_int_equal(json_integer_value(json_array_get(f, 0)), 5);
	f = json_object_get(json_object_get(root, "figures"), "cell_bytes");
	assert_true(json_number_value(json_object_get(f, "value")) == 208);
	assert_null(json_object_get(json_object_get(root, "classes"), "5"));
	json_decref(root);
}

static void curves_have_their_points(void **state)
{
	struct probe_curve *c = found_curve(&found, "marks", 3, "queue, bytes", "marked, %");
	const json_t *curves;
	json_t *root;

	(void)state;
	assert_int_equal(found_point(c, 64, 1.5, 100), 0);
	root = parsed(written(device_json, false));
	curves = json_object_get(root, "curves");
	assert_int_equal(json_array_size(curves), 1);
	assert_int_equal(json_array_size(json_object_get(json_array_get(curves, 0), "points")), 1);
	json_decref(root);
}

static void the_schema_has_every_figure(void **state)
{
	const json_t *classes, *figures, *properties;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_t *root;

	(void)state;
	device_schema(f);
	fclose(f);
	root = parsed(text);
	properties = json_object_get(root, "properties");
	figures = json_object_get(json_object_get(properties, "figures"), "properties");
	classes = json_object_get(json_object_get(properties, "classes"), "patternProperties");
	classes = json_object_get(json_object_get(classes, "^[0-7]$"), "properties");
	for (unsigned i = 0; i < PROBE_FIGURES; i++)
		if (!json_object_get(
			    probe_figure[i].device ? figures : classes, probe_figure[i].name))
			fail_msg("%s is not in the schema", probe_figure[i].name);
	json_decref(root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, found_make, found_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(figures_of_a_class),
		TEST(curves_have_their_points),
		TEST(the_schema_has_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
