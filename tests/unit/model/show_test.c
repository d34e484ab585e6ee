// SPDX-License-Identifier: BSD-3-Clause
// A model's rows as CSV and JSON; and the page explains every column.
#include "model_lab.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE TEST_DATA "/../../docs/howto/rtl.md"

static const char trace[] = "1000000,cnp\n2000000,sent,1086\n70000000,tick\n";

static char *contents(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	if (!f)
		fail_msg("%s cannot be read", path);
	assert_non_null(text);
	text[fread(text, 1, (1 << 20) - 1, f)] = 0;
	fclose(f);
	return text;
}

// The rows of the trace, as text that the caller frees.
static char *shown(const char *control, bool json)
{
	struct scene *s = lab_scene(control);
	const atomic_bool stop = false;
	struct show show = {.json = json, .stop = &stop};
	char path[] = "/tmp/model_show_XXXXXX", *text;
	int fd = mkstemp(path);
	struct model *m;
	struct out o;
	struct err err;

	assert_int_equal(out_adopt(&o, fd, path, &err), 0);
	assert_int_equal(model_new(&m, &s->control[0]->cfg, 1, show_row, &show, &err), 0);
	show.o = &o;
	show.model = m;
	show_head(&show);
	assert_int_equal(lab_feed(m, trace, false, &err), 0);
	assert_int_equal(out_close(&o, &err), 0);
	text = contents(path);
	unlink(path);
	model_free(m);
	scene_free(s);
	return text;
}

static void csv_has_a_cell_for_each_column(void **state)
{
	char *text = shown("{profile: paper}", false);

	(void)state;
	assert_string_equal(text,
		"t_ps,line,event,result,rate,window,deadline,target_rate,alpha,alpha_decimal,"
		"t_stage,bc_stage,bytes_left,timer_at,alpha_at,cut_at,cnp_alpha,cnp_cut,"
		"increased\n"
		"1000000,1,cnp,decrease,50000000000,,56000000,100000000000,1152921504606846976,"
		"1.000000000,0,0,10000000,56000000,56000000,,0,0,0\n"
		"2000000,2,sent,none,50000000000,,56000000,100000000000,1152921504606846976,"
		"1.000000000,0,0,9998914,56000000,56000000,,0,0,0\n"
		"56000000,,timer,alpha,50000000000,,56000000,100000000000,1148417904979476480,"
		"0.996093750,0,0,9998914,56000000,111000000,,0,0,0\n"
		"56000000,,timer,t_fast_recovery,75000000000,,111000000,100000000000,"
		"1148417904979476480,0.996093750,1,0,9998914,111000000,111000000,,0,0,1\n"
		"70000000,3,tick,none,75000000000,,111000000,100000000000,1148417904979476480,"
		"0.996093750,1,0,9998914,111000000,111000000,,0,0,1\n");
	free(text);
}

// One of a row's cells, in place.
static char *cell(char **row)
{
	char *c = strsep(row, ",\n");

	assert_non_null(c);
	return c;
}

// A column of CSV, by its name, in an object of JSON.
static void same_value(const json_t *object, const char *name, const char *text)
{
	const json_t *v = json_object_get(object, name);
	const char *dot = strchr(name, '.');

	if (!v && dot)
		v = json_object_get(json_object_get(object, "registers"), name);
	if (!v)
		fail_msg("JSON has no %s", name);
	if (!*text)
		assert_true(json_is_null(v));
	else if (json_is_string(v))
		assert_string_equal(json_string_value(v), text);
	else if (json_is_real(v))
		assert_true(json_real_value(v) == atof(text));
	else
		assert_int_equal(json_integer_value(v), atoll(text));
}

static void json_says_what_csv_says(void **state)
{
	static const char *const controls[] = {"{profile: paper}", "{qcn: {}}",
		"{profile: rdma_ip, alpha_bits: 18}", "{profile: connectx}", "{profile: dctcp}",
		"{profile: timely}"};

	(void)state;
	for (unsigned k = 0; k < sizeof(controls) / sizeof(controls[0]); k++) {
		char *csv = shown(controls[k], false), *json = shown(controls[k], true);
		char *line = csv, *object = json, *head = strsep(&line, "\n");
		unsigned rows = 0;

		while (*line) {
			char *names = strdup(head), *name = names;
			char *row = strsep(&line, "\n"), *one = strsep(&object, "\n");
			json_t *o = json_loads(one, 0, NULL);

			assert_non_null(o);
			while (name)
				same_value(o, cell(&name), cell(&row));
			assert_null(row);
			json_decref(o);
			free(names);
			rows++;
		}
		assert_true(rows >= 3);
		assert_string_equal(object, "");
		free(csv);
		free(json);
	}
}

// Each variable has its row in the table of its algorithm, and no other stands there.
static void the_page_has(const char *file, const char *heading, const char *control)
{
	struct scene *s = lab_scene(control);
	struct rp_state row[RP_STATES_MOST];
	char path[512], line[512], *page, *part, *end;
	unsigned n, rows = 0;
	struct model *m;
	struct err err;

	snprintf(path, sizeof(path), TEST_DATA "/../../docs/%s", file);
	page = contents(path);
	part = strstr(page, heading);
	if (!part)
		fail_msg("docs/%s has no section '%s'", file, heading);
	end = strstr(part + 1, "\n#");
	if (end)
		*end = 0;
	assert_int_equal(model_new(&m, &s->control[0]->cfg, 1, show_row, NULL, &err), 0);
	n = model_states(m, row, 0);
	for (unsigned i = 3; i < n; i++) {
		snprintf(line, sizeof(line), "| `%s` | %s | %s |\n", row[i].name,
			row[i].frac ? "fixed point" : row[i].unit, row[i].help);
		if (!strstr(part, line))
			fail_msg("docs/%s lacks under '%s': %s", file, heading, line);
	}
	for (const char *c = part; (c = strstr(c, "\n| `")); c++)
		rows++;
	assert_int_equal(rows, n - 3);
	model_free(m);
	scene_free(s);
	free(page);
}

static void the_page_explains_every_variable(void **state)
{
	(void)state;
	the_page_has("howto/rtl.md", "\n### DCQCN", "{profile: paper}");
	the_page_has("howto/rtl.md", "\n### QCN", "{qcn: {}}");
	the_page_has("howto/rtl.md", "\n### The RDMA IP", "{profile: rdma_ip}");
	the_page_has("algo/dctcp.md", "\n## Its variables", "{profile: dctcp}");
	the_page_has("algo/timely.md", "\n## Its variables", "{profile: timely}");
}

static void the_page_explains_every_event(void **state)
{
	char *page = contents(PAGE), line[128];

	(void)state;
	for (unsigned k = 0; k < TRACE_KINDS; k++) {
		snprintf(line, sizeof(line), "\n| `%s%s` |", trace_name((enum trace_kind)k),
			trace_values((enum trace_kind)k));
		if (!strstr(page, line))
			fail_msg("docs/howto/rtl.md lacks %s", line);
	}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_cell_for_each_column),
		cmocka_unit_test(json_says_what_csv_says),
		cmocka_unit_test(the_page_explains_every_variable),
		cmocka_unit_test(the_page_explains_every_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
