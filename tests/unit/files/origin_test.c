// SPDX-License-Identifier: BSD-3-Clause
// manifest.json says where each value comes from that is no default.
#include "record_lab.h"

#include <jansson.h>

static const char *source(json_t *manifest, const char *path)
{
	return json_string_value(json_object_get(json_object_get(manifest, "sources"), path));
}

static void all_but_defaults(void **state)
{
	struct scene_set set[] = {{"switches.s1.classes.3.wred.max", "150KB"}};
	static struct lab l;
	char *text;
	json_t *m;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	text = lab_file(&l, "manifest.json");
	m = json_loads(text, 0, NULL);
	assert_non_null(m);
	assert_string_equal(source(m, "name"), "scene.yaml:1");
	assert_string_equal(source(m, "controls.dcqcn.profile"), "scene.yaml:6");
	assert_string_equal(source(m, "controls.dcqcn.g"), "profile paper at 25Gbps");
	assert_string_equal(source(m, "switches.s1.classes.3.wred.min"), "scene.yaml:14");
	assert_string_equal(source(m, "switches.s1.classes.3.wred.max"), "--set");
	assert_string_equal(source(m, "links.0.between"), "scene.yaml:16");
	assert_null(source(m, "seed"));
	assert_null(source(m, "switches.s1.cell"));
	json_decref(m);
	free(text);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_but_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
