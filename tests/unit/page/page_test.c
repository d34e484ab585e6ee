// SPDX-License-Identifier: BSD-3-Clause
// The file of a page: one that is whole, names that try to leave the data, files that cannot be
// written.
#include "page_lab.h"

static char *page(struct lab *l, unsigned n)
{
	struct saved *run[2] = {read_back(l), n > 1 ? read_back(l) : NULL};
	char path[160];

	snprintf(path, sizeof(path), "%s/report.html", l->out);
	if (page_write(run, n, path, &l->err))
		fail_msg("%s", l->err.text);
	saved_close(run[0]);
	saved_close(run[1]);
	return lab_file(l, "report.html");
}

// The data of a page as JSON.
static json_t *data_in(const char *html)
{
	const char *from = strstr(html, "id=\"data\">"),
		   *to = from ? strstr(from, "</script>") : NULL;
	json_error_t where;
	json_t *j;

	assert_non_null(to);
	from += strlen("id=\"data\">");
	j = json_loadb(from, (size_t)(to - from), 0, &where);
	if (!j)
		fail_msg("%s at %d", where.text, where.position);
	return j;
}

static void a_run(void **state)
{
	static struct lab l;
	char *html;
	json_t *j;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	html = page(&l, 1);
	assert_true(strncmp(html, "<!doctype html>\n", 16) == 0);
	assert_non_null(strstr(html, "<title>two-to-one · quench</title>"));
	assert_non_null(strstr(html, "Permission is hereby granted"));
	// Nothing is fetched.
	assert_null(strstr(html, "<link"));
	assert_null(strstr(html, " src="));
	j = data_in(html);
	assert_true(num(j, "points") == PAGE_POINTS);
	assert_int_equal(count(j, "runs"), 1);
	assert_true(json_is_null(at(j, "compare")));
	assert_string_equal(text(j, "runs.0.queues.0.name"), "s1:r.3");
	assert_int_equal(count(j, "runs.0.rates"), 2);
	assert_true(count(j, "runs.0.ticks") >= 3 && count(j, "runs.0.tables") > 10);
	assert_int_equal(count(j, "runs.0.missing"), 0);
	json_decref(j);
	free(html);
	html = page(&l, 2);
	j = data_in(html);
	assert_int_equal(count(j, "runs"), 2);
	assert_int_equal(count(j, "compare.sets"), 1);
	json_decref(j);
	free(html);
	lab_close(&l);
}

static void hostile_names(void **state)
{
	static struct lab l;
	char *html;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json",
		"{\"name\": \"</script><script>alert(1)//<!--\", \"resolved\": {\"<b>\": \"&\"}}");
	put(&l, "events.csv",
		EVENT_HEAD "1,pause_rx,</script>:s1,3,,,,,9,,,,\n2,mark,<!--:s1,3,\"',,,1,,,,,\n");
	html = page(&l, 1);
	assert_null(strstr(html, "<script>alert"));
	assert_non_null(strstr(html, "&lt;/script&gt;"));
	j = data_in(html);
	assert_string_equal(text(j, "runs.0.name"), "</script><script>alert(1)//<!--");
	assert_string_equal(text(j, "runs.0.pauses.0.name"), "</script>:s1");
	json_decref(j);
	free(html);
	lab_close(&l);
}

static void where_nothing_can_be_written(void **state)
{
	static struct lab l;
	struct saved *run;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	run = read_back(&l);
	assert_int_equal(page_write(&run, 1, "/nowhere/at/all.html", &l.err), -ENOENT);
	assert_non_null(strstr(l.err.text, "/nowhere/at/all.html"));
	if (access("/dev/full", W_OK) == 0)
		assert_int_equal(page_write(&run, 1, "/dev/full", &l.err), -ENOSPC);
	saved_close(run);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(where_nothing_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
