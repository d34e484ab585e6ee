// SPDX-License-Identifier: BSD-3-Clause
// JUnit's XML of a sweep: what runs hand in, in the order of the runs, and one testcase for those
// without figures.
#include "record_lab.h"

#include "sweep/sweep.h"

static const char *const files[] = {"a/one.yaml"};

static void a_testsuite_for_each_run(void **state)
{
	static const char want[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"<testsuite name=\"handed in\"/>\n"
		"<testsuite name=\"one x=2\" tests=\"1\" failures=\"0\" errors=\"1\" "
		"skipped=\"0\" time=\"0\">\n"
		"  <testcase classname=\"one x=2\" name=\"run\">\n"
		"    <error message=\"1 &lt; &quot;2&quot;\"/>\n"
		"  </testcase>\n"
		"</testsuite>\n"
		"<testsuite name=\"one x=3\" tests=\"1\" failures=\"0\" errors=\"0\" "
		"skipped=\"1\" time=\"0\">\n"
		"  <testcase classname=\"one x=3\" name=\"run\">\n"
		"    <skipped message=\"not run\"/>\n"
		"  </testcase>\n"
		"</testsuite>\n"
		"</testsuites>\n";
	char name[] = "/tmp/quench-junit-XXXXXX", *text;
	struct sweep s;
	struct err err;
	struct out o;

	(void)state;
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "x=1,2,3", &err), 0);
	assert_int_equal(sweep_plan(&s, &err), 0);
	s.row[0].state = SWEEP_VERDICT;
	s.suite[0] = strdup("<testsuite name=\"handed in\"/>\n");
	s.row[1].state = SWEEP_ERROR;
	snprintf(s.row[1].err.text, sizeof(s.row[1].err.text), "1 < \"2\"");
	assert_int_equal(out_adopt(&o, mkstemp(name), name, &err), 0);
	sweep_junit(&s, &o);
	assert_int_equal(out_close(&o, &err), 0);
	text = text_of(name);
	assert_string_equal(text, want);
	free(text);
	unlink(name);
	sweep_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_testsuite_for_each_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
