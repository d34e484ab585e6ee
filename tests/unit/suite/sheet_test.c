// SPDX-License-Identifier: BSD-3-Clause
// The sheet as a table, as verify.json, as JUnit's XML and as a page.
#include <jansson.h>
#include <math.h>

#include "suite_lab.h"

static struct suite_line lines[] = {
	{.figure = "source.a[h1>r].lost",
		.min = 0,
		.max = 0,
		.value = 2,
		.half = NAN,
		.verdict = SUITE_FAIL},
	{.figure = "class 3 <xoff>",
		.min = -INFINITY,
		.max = 900,
		.value = 800,
		.half = 64,
		.verdict = SUITE_PASS},
	{.figure = "kmin",
		.any = true,
		.min = NAN,
		.max = NAN,
		.value = NAN,
		.half = NAN,
		.verdict = SUITE_NOT_JUDGED,
		.why = "no configuration"},
};

static void make_sheet(struct suite_sheet *s)
{
	struct suite_row *r = suite_row_of(s, "storm.yaml", "# A storm & more. B.\n");

	r->line = lines;
	r->n = 3;
	r->verdict = SUITE_FAIL;
	r->scene_s = 0.5;
	r = suite_row_of(s, "pool.step", "# The pool.\nstep: pool\nexpect: [{figure: a}]\n");
	suite_refuse(s, r, SUITE_NOT_JUDGED, "it wants 9 ports, and there are 4");
	s->command = "quench verify pfc";
}

// The text of a sheet as a file; freed by the caller.
static char *written(void (*put)(const struct suite_sheet *, struct out *))
{
	struct suite_sheet s = {0};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct err err;
	struct out o;

	make_sheet(&s);
	assert_int_equal(out_stream(&o, f, "test", &err), 0);
	put(&s, &o);
	assert_int_equal(out_close(&o, &err), 0);
	fclose(f);
	suite_free(&s);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void a_table(void **state)
{
	struct suite_sheet s = {0};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	make_sheet(&s);
	suite_text(&s, f);
	fclose(f);
	has(text, "pfc\n  FAIL        storm: A storm & more\n");
	has(text, "    source.a[h1>r].lost = 0: saw 2  FAIL\n");
	has(text, "    class 3 <xoff> <= 900: saw 800 +-64  PASS\n");
	has(text, "    kmin as configured: saw -  NOT JUDGED: no configuration\n");
	has(text, "  NOT JUDGED  pool: The pool\n    it wants 9 ports, and there are 4\n");
	has(text, "2 rows: 1 NOT JUDGED 1 FAIL\n");
	free(text);
	suite_free(&s);
}

static void verify_json(void **state)
{
	char *text = written(suite_json);
	json_t *root = json_loads(text, 0, NULL), *row, *c;

	(void)state;
	assert_non_null(root);
	row = json_array_get(json_object_get(root, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "verdict")), "FAIL");
	c = json_object_get(row, "criteria");
	assert_int_equal(json_array_size(c), 3);
	assert_true(json_is_null(json_object_get(json_array_get(c, 1), "min")));
	assert_true(json_is_null(json_object_get(json_array_get(c, 2), "seen")));
	c = json_object_get(root, "verdicts");
	assert_int_equal(json_integer_value(json_object_get(c, "NOT JUDGED")), 1);
	json_decref(root);
	free(text);
}

static void junit(void **state)
{
	char *text = written(suite_junit);

	(void)state;
	has(text, "name=\"pfc/storm\"");
	has(text, "class 3 &lt;xoff&gt;");
	has(text, "saw 2; = 0 was expected");
	has(text, "it wants 9 ports");
	has(text, "<skipped");
	has(text, "</testsuites>");
	free(text);
}

static void page(void **state)
{
	char *text = written(suite_page);

	(void)state;
	has(text, "<h2>pfc</h2>");
	has(text, "A storm &amp; more.");
	has(text, "class 3 &lt;xoff&gt;");
	has(text, "href=\"#pfc-pool\">NOT JUDGED: pool");
	assert_null(strstr(text, "://"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table),
		cmocka_unit_test(verify_json),
		cmocka_unit_test(junit),
		cmocka_unit_test(page),
	};

	return cmocka_run_group_tests_name("suite_sheet", tests, make_suite_dir, drop_suite_dir);
}
