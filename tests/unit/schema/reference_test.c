// SPDX-License-Identifier: BSD-3-Clause
// Tests of the reference: config/reference.yaml is what the tables say now, and loads.
#include "scene_lab.h"

#include "schema/schema.h"

static void the_reference_is_current(void **state)
{
	FILE *f = fopen(CONFIG "/reference.yaml", "r");
	static char have[1 << 18];
	char *want = scene_reference();

	(void)state;
	assert_non_null(f);
	assert_non_null(want);
	have[fread(have, 1, sizeof(have) - 1, f)] = 0;
	fclose(f);
	if (strcmp(have, want) != 0)
		fail_msg("config/reference.yaml is old; write it with: quench check --reference "
			 ">config/reference.yaml");
	free(want);
}

static void the_reference_loads(void **state)
{
	char *text = scene_reference();
	struct scene *s = lab(text);

	(void)state;
	assert_string_equal(s->name, "reference");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	free(text);
}

static void no_line_is_wider_than_100_columns(void **state)
{
	char *text = scene_reference();

	(void)state;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 100)
			fail_msg("%zu columns: %s", strlen(line), line);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reference_is_current),
		cmocka_unit_test(the_reference_loads),
		cmocka_unit_test(no_line_is_wider_than_100_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
