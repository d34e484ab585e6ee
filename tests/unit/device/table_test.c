// SPDX-License-Identifier: BSD-3-Clause
// The table, probe.csv, junit.xml and the page: which lines they have, and how values look there.
#include "device_lab.h"

static void a_section_of_each_class(void **state)
{
	char *text = table_text(false);

	(void)state;
	has_text(text, "class 3  obeys PFC, DSCP 24 26");
	has_text(text, "  XOFF ");
	has_text(text, "114,192 B  ");
	has_text(text, "  XON (hysteresis 9,984 B) ");
	has_text(text, "  alpha (as measured 0.0623) ");
	has_text(text, "  response 1.536 us (31B.3.7: 394 quanta), quanta ");
	has_text(text, "  marks, length at the instant, linear ");
	has_text(text, "device dut ");
	has_text(text, "not measured of class 3: headroom pool (wants 5 ports)\n");
	has_text(text, "probe: 40 lists in 20ms of scene time\n");
	assert_null(strstr(text, "verdict"));
	assert_null(strstr(text, "class 5"));
	assert_null(strstr(text, " \n"));
	free(text);
}

static void a_marker_that_is_not_there(void **state)
{
	char *text;

	(void)state;
	found_state(&found, 3, PROBE_MARK, FOUND_NONE, 2283840, NULL);
	text = table_text(false);
	has_text(text, "none up to 2,283,840 B");
	free(text);
	text = written(device_csv, false);
	has_text(text, "\n3,mark,word,none,2283840,,,,,NONE UP TO,\n");
	free(text);
	text = written(device_json, false);
	has_text(text, "\"mark\": {\"state\": \"none\", \"value\": 2283840,");
	free(text);
	free(written(device_page, false));
	free(written(device_scenario, false));
}

static void verdicts_stand_last(void **state)
{
	char *text;

	(void)state;
	wants(3, PROBE_XOFF, 114000);
	wants(3, PROBE_KMIN, 50000);
	text = table_text(true);
	has_text(text, "configured");
	has_text(text, "114,000 B");
	has_text(text, "PASS\n");
	has_text(text, "FAIL\n");
	has_text(text, "against want.yaml: ");
	free(text);
}

static void csv_has_a_line_of_each_figure(void **state)
{
	char *text;

	(void)state;
	wants(3, PROBE_XOFF, 114000);
	wants(3, PROBE_MARK, 1);
	text = written(device_csv, true);
	has_text(text,
		"class,figure,unit,state,value,half_width,least,most,configured,verdict,why\n");
	has_text(text, "\n3,xoff_bytes,B,is,114192,208,,,114000,PASS,\n");
	has_text(text, "\n3,mark,word,is,at dequeue,,,,at enqueue,FAIL,\n");
	has_text(text, "\n3,headroom_pool_bytes,B,not_measured,,,,,,NOT MEASURED,wants 5 ports\n");
	has_text(text, "\ndevice,cell_bytes,B,is,208,,,,,,\n");
	free(text);
}

static void junit_has_what_is_configured(void **state)
{
	char *text;

	(void)state;
	about.after_xoff = 0;
	about.response_limit = 0;
	wants(3, PROBE_XOFF, 114000);
	wants(3, PROBE_KMIN, 50000);
	text = written(device_junit, true);
	has_text(text, "tests=\"2\" failures=\"1\" errors=\"0\"");
	has_text(text, "name=\"class 3 xoff_bytes\"");
	has_text(text, "FAIL: found 24,729 B, +- 71 B, configured 50,000 B");
	free(text);
}

static void the_page_has_tables_and_curves(void **state)
{
	struct probe_curve *c =
		found_curve(&found, "marks", 3, "queue length, bytes", "share of frames marked");
	char *text;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(found_point(c, 64.0 * i, i > 400 ? .04 : 0, 100), 0);
	text = written(device_page, false);
	has_text(text, "<h1>dut as <code>quench probe</code> found it</h1>");
	has_text(text, "<h2>Class 3</h2>");
	has_text(text, "Class 3: marks");
	has_text(text, "fit: Kmin, Kmax, Pmax");
	has_text(text, "200 points of 1000");
	assert_null(strstr(text, ".0 -")); // the fit stays within the chart
	has_text(text, "</html>\n");
	free(text);
}

// Classes of which only the PFC that they obey is known stand folded, behind the others.
static void the_page_folds_classes_without_figures(void **state)
{
	char *text;
	const char *folded;

	(void)state;
	found_is(&found, 5, PROBE_OBEYS, 0, 0);
	found_is(&found, 6, PROBE_OBEYS, 0, 0);
	wants(3, PROBE_XOFF, 114000);
	text = written(device_page, true);
	folded = strstr(text, "<details><summary>Classes of which only <i>obeys</i> was found: 5, "
			      "6</summary>");
	assert_non_null(folded);
	assert_true(strstr(text, "<h2>Class 3</h2>") < folded);
	has_text(folded, "<h2>Class 5</h2>");
	has_text(folded, "</details>");
	has_text(text, "want.yaml.");
	free(text);
	text = written(device_page, false);
	has_text(text, "<details>");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, found_make, found_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_section_of_each_class),
		TEST(a_marker_that_is_not_there),
		TEST(verdicts_stand_last),
		TEST(csv_has_a_line_of_each_figure),
		TEST(junit_has_what_is_configured),
		TEST(the_page_has_tables_and_curves),
		TEST(the_page_folds_classes_without_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
