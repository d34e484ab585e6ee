// SPDX-License-Identifier: BSD-3-Clause
// The output of a sweep, to the letter: figures that do not apply, values that never came, runs
// that did not run; CSV, JSON, JUnit's XML, and each warning once with the number of its runs.
#include "record_lab.h"

#include <math.h>

#include "sweep/sweep.h"

static char name[] = "/tmp/quench-sweep-XXXXXX";
static const char *const files[] = {"a/one.yaml"};

static const struct sweep_column columns[] = {
	{"jain", "jain", 1, 6, "Jain", "", 1, 4},
	{"queue_p99_bytes", "bottleneck.p99_bytes", 1, 0, "q p99", "KB", 1e3, 1},
	{"messages", "main.messages", 1, 0, NULL, NULL, 1, 0},
	{"t_conv_us_total", "main.t_conv_us_total", 1, 3, "converged", "us", 1, 0},
};

// Three runs of which the second has not begun, and the third could not.
static void make(struct sweep *s)
{
	struct err err;

	sweep_init(s, files, 1);
	memcpy(s->column, columns, sizeof(columns));
	s->n_columns = 4;
	assert_int_equal(sweep_vary(s, "x.min=1KB,[1, 2],none", &err), 0);
	assert_int_equal(sweep_plan(s, &err), 0);
	s->row[0] = (struct sweep_row){.state = SWEEP_PASSED,
		.steady = SWEEP_UNSETTLED,
		.why = "it grows",
		.value = {NAN, 123456, 7, INFINITY}};
	s->row[2] = (struct sweep_row){.state = SWEEP_ERROR, .err = {"no \"x\""}};
}

static void to_the_letter(void **state)
{
	char *text = NULL;
	struct sweep s;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	make(&s);
	sweep_text(&s, f);
	fclose(f);
	assert_string_equal(text, "run             Jain  q p99  converged  verdict\n"
				  "                         KB         us\n"
				  "one min=1KB        -  123.5    not yet  ok, unsettled\n"
				  "one min=[1, 2]     -      -          -  not run\n"
				  "one min=none       -      -          -  error\n");
	free(text);
	sweep_free(&s);
}

static void file(void (*put)(const struct sweep *, struct out *), const char *want)
{
	char got[1024] = {0};
	struct sweep s;
	struct err err;
	struct out o;
	FILE *f;

	make(&s);
	assert_int_equal(out_open(&o, name, &err), 0);
	put(&s, &o);
	assert_int_equal(out_close(&o, &err), 0);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	assert_string_equal(got, want);
	sweep_free(&s);
}

static void as_csv(void **state)
{
	(void)state;
	file(sweep_csv,
		"scenario,x.min,jain,queue_p99_bytes,messages,t_conv_us_total,steady,verdict\n"
		"a/one.yaml,1KB,,123456,7,inf,unsettled,ok\n"
		"a/one.yaml,\"[1, 2]\",,,,,,not run\n"
		"a/one.yaml,none,,,,,,error\n");
}

static void as_json(void **state)
{
	(void)state;
	file(sweep_json,
		"{\n"
		"  \"runs\": [\n"
		"    {\"scenario\": \"a/one.yaml\", \"set\": {\"x.min\": \"1KB\"}, \"verdict\": "
		"\"ok\", \"steady\": \"unsettled\", \"steady_why\": \"it grows\", "
		"\"jain\": null, \"queue_p99_bytes\": 123456, \"messages\": 7, "
		"\"t_conv_us_total\": \"inf\"},\n"
		"    {\"scenario\": \"a/one.yaml\", \"set\": {\"x.min\": \"[1, 2]\"}, "
		"\"verdict\": \"not "
		"run\"},\n"
		"    {\"scenario\": \"a/one.yaml\", \"set\": {\"x.min\": \"none\"}, \"verdict\": "
		"\"error\", "
		"\"error\": \"no \\\"x\\\"\"}\n"
		"  ]\n"
		"}\n");
}

// Two groups of three seeds, the seed varied first: in one of them the seed changes nothing, in the
// other it does, and one figure is missing in one run.
static void make_seeds(struct sweep *s)
{
	struct err err;

	sweep_init(s, files, 1);
	memcpy(s->column, columns, sizeof(columns));
	s->n_columns = 4;
	assert_int_equal(sweep_vary(s, "seed=1..3", &err), 0);
	assert_int_equal(sweep_vary(s, "x=a,b", &err), 0);
	assert_int_equal(sweep_plan(s, &err), 0);
	for (unsigned i = 0; i < 6; i++)
		s->row[i] = (struct sweep_row){
			.state = SWEEP_PASSED, .value = {0.5, 10000, 7, INFINITY}};
	s->row[1].value[0] = 0.4;
	s->row[3].value[0] = NAN;
	s->row[3].value[1] = 13000;
	s->row[5].state = SWEEP_VERDICT;
}

static void seeds_are_taken_together(void **state)
{
	char *text = NULL;
	struct sweep s;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	make_seeds(&s);
	sweep_seeds_text(&s, f);
	fclose(f);
	assert_string_equal(text, "\n"
				  "mean over seeds    Jain  q p99  converged  seeds\n"
				  "                            KB         us\n"
				  "one x=a          0.5000   10.0    not yet  3, all the same\n"
				  "one x=b          0.4500   11.0    not yet  3\n"
				  "+- (95 %)        0.6353    4.3          -\n"
				  "seeds                 2      3          3\n"
				  "\n"
				  "the seed changes no figure in 1 of 2 rows\n");
	free(text);
	sweep_free(&s);
}

// Runs that were stopped or failed are in no mean. One run has no interval, and proves nothing.
static void a_single_run_has_no_interval(void **state)
{
	char *text = NULL;
	struct sweep s;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	make_seeds(&s);
	s.row[0].state = s.row[2].state = SWEEP_STOPPED;
	s.row[1].state = s.row[3].state = s.row[5].state = SWEEP_ERROR;
	sweep_seeds_text(&s, f);
	fclose(f);
	assert_string_equal(text, "\n"
				  "mean over seeds    Jain  q p99  converged  seeds\n"
				  "                            KB         us\n"
				  "one x=a          0.5000   10.0    not yet  1\n"
				  "one x=b               -      -          -  0\n");
	free(text);
	sweep_free(&s);
}

static void seeds_as_csv(void **state)
{
	char got[1024] = {0};
	struct sweep s;
	struct err err;
	struct out o;
	FILE *f;

	(void)state;
	make_seeds(&s);
	assert_int_equal(out_open(&o, name, &err), 0);
	sweep_seeds_csv(&s, &o);
	assert_int_equal(out_close(&o, &err), 0);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	assert_string_equal(got,
		"scenario,x,seeds,same,jain_mean,jain_ci95,jain_n,queue_p99_bytes_mean,"
		"queue_p99_bytes_ci95,queue_p99_bytes_n,messages_mean,messages_ci95,messages_n,"
		"t_conv_us_total_mean,t_conv_us_total_ci95,t_conv_us_total_n\n"
		"a/one.yaml,a,3,yes,0.500000,0.000000,3,10000.000,0.000,3,7.000,0.000,3,inf,,3\n"
		"a/one.yaml,b,3,no,0.450000,0.635310,2,11000.000,4302.653,3,7.000,0.000,3,inf,,3"
		"\n");
	sweep_free(&s);
}

static int make_file(void **state)
{
	int fd = mkstemp(name);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(name);
}

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
	char file[] = "/tmp/quench-junit-XXXXXX", *text;
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
	assert_int_equal(out_adopt(&o, mkstemp(file), file, &err), 0);
	sweep_junit(&s, &o);
	assert_int_equal(out_close(&o, &err), 0);
	text = text_of(file);
	assert_string_equal(text, want);
	free(text);
	unlink(file);
	sweep_free(&s);
}

static void says(const char *const *warned, unsigned n, const char *want)
{
	struct sweep_row row[32] = {0};
	const struct sweep s = {.row = row, .n_runs = n};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = 0; i < n; i++)
		snprintf(row[i].warned, sizeof(row[i].warned), "%s", warned[i]);
	sweep_warnings(&s, f);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void each_is_said_once(void **state)
{
	static const char *const warned[] = {
		"a is odd\n", "", "b is odd\na is odd\n", "b\n", "c\nc\n"};

	(void)state;
	says(warned, 5,
		"warnings in 4 of 5 runs\n  2 runs: a is odd\n  1 run: b is odd\n  1 run: b\n  1 "
		"run: c\n");
}

static void where_nothing_warns_nothing_is_said(void **state)
{
	static const char *const warned[] = {"", ""};

	(void)state;
	says(warned, 2, "");
}

static void there_is_an_end(void **state)
{
	char text[25][8], want[1024] = "warnings in 25 of 25 runs\n";
	const char *warned[25];

	(void)state;
	for (unsigned i = 0; i < 25; i++) {
		snprintf(text[i], sizeof(text[i]), "w%u\n", i);
		warned[i] = text[i];
		if (i < 20)
			sprintf(want + strlen(want), "  1 run: w%u\n", i);
	}
	strcat(want, "  and others; `quench run` tells those of one run\n");
	says(warned, 25, want);
}

int main(void)
{
	const struct CMUnitTest tests_make_file[] = {
		cmocka_unit_test(to_the_letter),
		cmocka_unit_test(as_csv),
		cmocka_unit_test(as_json),
		cmocka_unit_test(seeds_are_taken_together),
		cmocka_unit_test(a_single_run_has_no_interval),
		cmocka_unit_test(seeds_as_csv),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_testsuite_for_each_run),
		cmocka_unit_test(each_is_said_once),
		cmocka_unit_test(where_nothing_warns_nothing_is_said),
		cmocka_unit_test(there_is_an_end),
	};

	return cmocka_run_group_tests(tests_make_file, make_file, remove_file) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
