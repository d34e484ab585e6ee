// SPDX-License-Identifier: BSD-3-Clause
// manifest.json: what was run in front, and all that differs between machines in one object at the
// end.
#include "record_lab.h"

static void content(void **state)
{
	struct scene_set set[] = {{"seed", "7"}};
	const char *here;
	struct lab l;
	char *text;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	text = lab_file(&l, "manifest.json");
	here = strstr(text, "  \"here\": {");
	assert_non_null(here);
	for (unsigned i = 0; i < 6; i++) {
		static const char *const front[] = {"\"version\": \"" QUENCH_VERSION "\"",
			"\"name\": \"two-to-one\"", "\"clock\": \"virtual\"", "\"seed\": 7",
			"\"duration_us\": 2000.000000", "\"resolved\": \""};
		const char *at = strstr(text, front[i]);

		if (!at || at > here)
			fail_msg("%s is missing", front[i]);
	}
	for (unsigned i = 0; i < 5; i++) {
		static const char *const behind[] = {"\"command\": \"quench run\"",
			"\"host\": ", "\"cpu\": ", "\"wall_s\": ", "\"cpu_s\": "};

		if (!strstr(here, behind[i]))
			fail_msg("%s is missing", behind[i]);
	}
	free(text);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
