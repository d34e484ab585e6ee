// SPDX-License-Identifier: BSD-3-Clause
// Runs that differ in their seed only: means with intervals, differences over equal seeds, gaps.
#include "overlay_lab.h"

static struct overlay_lab l;

static void add_sized(const char *control, unsigned seed, const char *small, const char *large)
{
	char resolved[100];

	snprintf(
		resolved, sizeof(resolved), "\"flows\": {\"web\": {\"control\": \"%s\"}}", control);
	add_run(&l, "virtual", seed, resolved);
	write_into(&l, "summary.json",
		"{\"schema\": 1, \"groups\": [{\"group\": \"few\", \"flows\": 1}, "
		"{\"group\": \"web\", \"flows\": 9}], \"slowdown_by_size\": ["
		"{\"group\": \"few\", \"to_bytes\": 7, \"slowdown_p99\": 70, \"slowdown_p50\": 7}, "
		"{\"group\": \"web\", \"to_bytes\": null, \"slowdown_p99\": 60}, "
		"{\"group\": \"web\", \"to_bytes\": 1000, \"slowdown_p99\": %s}, "
		"{\"group\": \"web\", \"to_bytes\": 20000, \"slowdown_p99\": %s}]}",
		small, large);
}

// t of one degree of freedom is 12.7062. The pairs are of seeds 1 and 2; seed 3 has no mate.
static void means_and_differences(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_sized("dcqcn", 1, "2", "10");
	add_sized("dcqcn", 2, "4", "null");
	add_sized("dctcp", 2, "3", "8");
	add_sized("dctcp", 1, "1", "5");
	add_sized("dctcp", 3, "2", "null");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "line,to_bytes,slowdown_p99,ci95,runs,less,difference,difference_ci95,pairs");
	has_line(&l, "dcqcn,1000,3,12.7062047,2,,,,");
	has_line(&l, "dcqcn,20000,10,,1,,,,");
	has_line(&l, "dctcp,1000,2,2.48413771,3,dcqcn,-1,0,2");
	has_line(&l, "dctcp,20000,6.5,19.0593071,2,dcqcn,-5,,1");
	assert_null(strstr(l.csv, ",70,"));
	assert_null(strstr(l.csv, ",60,"));
	overlay_end(&l);
}

// A bin that has no percentile is a gap in the line.
static void a_missing_value_is_a_gap(void **state)
{
	char path[200], *text;

	(void)state;
	overlay_begin(&l);
	add_sized("dcqcn", 1, "null", "10");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "n,1000,,,0,,,,");
	has_line(&l, "n,20000,10,,1,,,,");
	assert_int_equal(overlay_draw(l.o, l.lab.out, "gap", 0, &l.lab.err), 0);
	snprintf(path, sizeof(path), "%s/gap.dat", l.lab.out);
	text = text_of(path);
	assert_non_null(strstr(text, "[KB], slowdown p99\n1 NaN\n20 10\n"));
	free(text);
	overlay_end(&l);
}

static void a_group_that_the_user_names(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_sized("dcqcn", 1, "2", "10");
	read_figure(&l, (struct overlay_want){
				.figure = OVERLAY_SLOWDOWN, .group = "few", .percentile = "50"});
	has_line(&l, "n,7,7,,1,,,,");
	assert_null(strstr(l.csv, "1000"));
	overlay_end(&l);
}

// The same run twice is no sample of two.
static void one_seed_twice_is_two_lines(void **state)
{
	char line[256];

	(void)state;
	overlay_begin(&l);
	add_sized("dcqcn", 1, "2", "10");
	add_sized("dcqcn", 1, "4", "10");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "n,1000,2,,1,,,,");
	snprintf(line, sizeof(line), "%s,1000,4,,1,n,2,,1", l.dir[1]);
	has_line(&l, line);
	overlay_end(&l);
}

// The shares of two runs at each value of either: 1 and 3, and 2 and 3. Between two known values
// the share is on the line that joins them.
static void distributions_are_averaged_by_value(void **state)
{
	static const char *const values[] = {
		"1.0 0.5 1 2\n3.0 1.0 2 inf\n", "2.0 0.0 3 1\n2.0 0.5 3 2\n3.0 1.0 4 inf\n"};

	(void)state;
	overlay_begin(&l);
	for (unsigned i = 0; i < 2; i++) {
		char path[256];

		add_sized("dcqcn", i + 1, "2", "10");
		snprintf(path, sizeof(path), "%s/hdr", l.dir[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		write_into(&l, "hdr/group.web.slowdown.hgrm", "%s", values[i]);
	}
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_CDF, .of = "slowdown"});
	has_line(&l, "line,slowdown,share,ci95,runs,less,difference,difference_ci95,pairs");
	has_line(&l, "n,1,0.25,3.17655118,2,,,,");
	has_line(&l, "n,2,0.75,0,2,,,,");
	has_line(&l, "n,3,1,0,2,,,,");
	overlay_free(l.o);
	free(l.csv);
	add_sized("dcqcn", 3, "2", "10"); // of which no message has ended
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_CDF, .of = "slowdown"});
	has_line(&l, "n,2,0.75,0,2,,,,");
	overlay_end(&l);
}

// fct.txt has each message, so a share holds until the next value.
static void each_message_is_a_step(void **state)
{
	static const char row[] = "0a000001 0a000002 49152 4791 1000 0 %u 500\n"
				  "0a000001 0a000002 49152 4791 1000 0 3000 500\n";
	char path[200], *text;

	(void)state;
	overlay_begin(&l);
	for (unsigned i = 1; i <= 2; i++) {
		add_run(&l, "virtual", i, "");
		write_into(&l, "summary.json",
			"{\"schema\": 1, \"window_to_us\": 1000, "
			"\"groups\": [{\"group\": \"g\", \"flows\": 1, \"messages\": 2}]}");
		write_into(&l, "fct.txt", row, i * 1000);
	}
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_CDF});
	has_line(&l, "n,1,0.25,3.17655118,2,,,,");
	has_line(&l, "n,2,0.5,0,2,,,,");
	has_line(&l, "n,3,1,0,2,,,,");
	assert_int_equal(overlay_draw(l.o, l.lab.out, "cdf", 0, &l.lab.err), 0);
	snprintf(path, sizeof(path), "%s/cdf.gp", l.lab.out);
	text = text_of(path);
	assert_non_null(strstr(text, "with steps"));
	free(text);
	overlay_free(l.o);
	free(l.csv);
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_CDF, .of = "slowdown"});
	has_line(&l, "n,4,0.5,0,2,,,,");
	overlay_end(&l);
}

// A message whose ideal time is not known (0) has a completion time and no slowdown.
static void a_message_without_an_ideal_time_has_no_slowdown(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_run(&l, "virtual", 1, "");
	write_into(&l, "summary.json",
		"{\"schema\": 1, \"window_to_us\": 1000, "
		"\"groups\": [{\"group\": \"g\", \"flows\": 1, \"messages\": 2}]}");
	write_into(&l, "fct.txt",
		"0a000001 0a000002 49152 4791 1000 0 1000 500\n"
		"0a000001 0a000002 49152 4791 1000 0 3000 0\n");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_CDF, .of = "slowdown"});
	has_line(&l, "n,2,1,,1,,,,");
	overlay_free(l.o);
	free(l.csv);
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_CDF});
	has_line(&l, "n,3,1,,1,,,,");
	overlay_end(&l);
}

// A port without a pause in one of the runs was paused for no time there.
static void a_port_without_a_pause_counts_as_zero(void **state)
{
	static const char *const pauses[] = {"{\"port\": \"h1:s1\", \"priority\": 3, "
					     "\"direction\": \"rx\", \"pause_ratio\": 0.5}, "
					     "{\"port\": \"s1:h1\", \"priority\": 3, "
					     "\"direction\": \"tx\", \"pause_ratio\": 0.5}",
		""};
	char path[200], *text;

	(void)state;
	overlay_begin(&l);
	for (unsigned i = 0; i < 4; i++) {
		char resolved[40];

		snprintf(resolved, sizeof(resolved), "\"control\": \"%s\"", i < 2 ? "a" : "b");
		add_run(&l, "virtual", i % 2 + 1, resolved);
		write_into(&l, "summary.json", "{\"schema\": 1, \"pauses\": [%s]}", pauses[i > 0]);
	}
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_PAUSES});
	has_line(&l, "a,h1:s1.3,25,317.655118,2,,,,");
	assert_null(strstr(l.csv, "s1:h1"));
	assert_int_equal(overlay_draw(l.o, l.lab.out, "pauses", 0, &l.lab.err), 0);
	snprintf(path, sizeof(path), "%s/pauses.dat", l.lab.out);
	text = text_of(path);
	assert_non_null(strstr(text, "\n0 0.1666666667 \"h1:s1.3\"\n")); // of b
	free(text);
	overlay_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_and_differences),
		cmocka_unit_test(a_missing_value_is_a_gap),
		cmocka_unit_test(a_group_that_the_user_names),
		cmocka_unit_test(one_seed_twice_is_two_lines),
		cmocka_unit_test(distributions_are_averaged_by_value),
		cmocka_unit_test(each_message_is_a_step),
		cmocka_unit_test(a_message_without_an_ideal_time_has_no_slowdown),
		cmocka_unit_test(a_port_without_a_pause_counts_as_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
