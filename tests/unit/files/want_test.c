// SPDX-License-Identifier: BSD-3-Clause
// What of a run's course goes into its files, by the scenario's block `record`; figures do not
// depend on it.
#include <dirent.h>
#include <sys/stat.h>

#include "record_lab.h"

#include "files/int.h"

static struct {
	unsigned n;
	char line[256];
} heard;

static void hear(void *arg, const char *line)
{
	(void)arg;
	heard.n++;
	snprintf(heard.line, sizeof(heard.line), "%s", line);
}

static struct lab l;

// Runs with `record` as given.
static void run(const char *record)
{
	const struct scene_set set = {"record", record};
	struct scene_opts so = {.set = &set, .n_set = 1};
	struct vt_opts vo = {.record = {.dir = l.out, .force = true, .say = hear}};

	lab_end(&l);
	heard.n = 0;
	if (compile_scene(&l.scene, l.file, &so, &l.err))
		fail_msg("%s", l.err.text);
	if (vt_run(l.scene, &vo, &l.rec, &l.err))
		fail_msg("%s", l.err.text);
}

static int open_lab(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static bool is_there(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", l.out, name);
	return access(path, F_OK) == 0;
}

static size_t size_of(const char *name)
{
	char *text = is_there(name) ? lab_file(&l, name) : strdup("");
	size_t n = strlen(text);

	free(text);
	return n;
}

static bool says(const char *name, const char *what)
{
	char *text = lab_file(&l, name);
	bool found = strstr(text, what);

	free(text);
	return found;
}

static unsigned lines_with(const char *name, const char *what)
{
	char *text = lab_file(&l, name);
	unsigned n = times_in(text, what);

	free(text);
	return n;
}

// summary.json without the members about its files.
static char *figures(void)
{
	char *text = lab_file(&l, "summary.json"), *at = strstr(text, "\"recorded_until_us\"");

	if (!at)
		return text;

	char *end = strchr(at, '\n'), *from = at;

	while (from[-1] != '\n')
		from--;
	memmove(from, end + 1, strlen(end + 1) + 1);
	return text;
}

// Without files nobody asks for what only events.csv has, and nodes never tell what is the
// recorder's own.
static void what_is_asked_of_nodes(void **state)
{
	struct scene_opts so = {0};
	uint64_t all, none, figures, named, summary;
	struct scene *s;

	(void)state;
	if (compile_scene(&s, l.file, &so, &l.err))
		fail_msg("%s", l.err.text);
	all = record_events_wanted(s, &(struct record_opts){0});
	figures = record_events_wanted(s, &(struct record_opts){.no_files = true});
	s->record.events = 0;
	none = record_events_wanted(s, &(struct record_opts){0});
	s->record.events = 1ull << EV_XOFF_HOLDER;
	named = record_events_wanted(s, &(struct record_opts){0});
	s->record.events = 1ull << EV_RP_ALPHA | 1ull << EV_NAK;
	s->record.flows = SCENE_FLOWS_SUMMARY;
	summary = record_events_wanted(s, &(struct record_opts){0});
	scene_free(s);
	assert_int_equal(all >> EV_DROP & 1, 1);
	assert_int_equal(all >> EV_CE_RX & 1, 1);
	assert_int_equal(all >> EV_XOFF_HOLDER & 1, 0);
	assert_int_equal(figures >> EV_DROP & 1, 0);
	assert_int_equal(figures >> EV_FDB & 1, 0);
	assert_int_equal(figures >> EV_MARK & 1, 1);
	assert_int_equal(figures & ~all, 0);
	assert_true(none == figures);
	assert_true(named == (figures | 1ull << EV_XOFF_HOLDER));
	assert_true(summary == (figures | 1ull << EV_NAK)); // no flow has lines
	assert_int_equal(all & (1ull << EV_NONE | 1ull << EV_DEADLOCK), 0);
}

static void nothing_of_the_course(void **state)
{
	static const char *const gone[] = {
		"events.csv", "fct.txt", "pfc.txt", "timeseries.csv", "qlen.txt"};
	char *all, *none;

	(void)state;
	run("{}");
	all = figures();
	assert_false(says("manifest.json", "not_recorded"));
	run("{events: none, series: no}");
	none = figures();
	assert_string_equal(all, none);
	free(all);
	free(none);
	for (unsigned i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		assert_false(is_there(gone[i]));
	assert_true(says("manifest.json", "\"events.csv: record.events is none\""));
	assert_true(says("manifest.json", "\"fct.txt: record.events lacks msg_done\""));
	assert_true(says("manifest.json", "\"timeseries.csv, qlen.txt: record.series is false\""));
}

static void types_that_are_named(void **state)
{
	(void)state;
	run("{events: [mark, msg_done, xoff_holder]}");
	assert_true(says("events.csv", ",mark,"));
	assert_true(says("events.csv", ",msg_done,"));
	assert_true(says("events.csv", ",xoff_holder,"));
	assert_false(says("events.csv", ",rp,"));
	assert_false(says("events.csv", ",xoff_tx,"));
	assert_true(size_of("fct.txt") > 0);
	assert_false(is_there("pfc.txt"));
	run("{events: [pause_rx, resume_rx]}");
	assert_true(size_of("pfc.txt") > 0);
	assert_false(is_there("fct.txt"));
}

// Changes of alpha have lines where they are asked for; they are counted in any case.
static void alpha_where_it_is_named(void **state)
{
	double counted = 0;
	unsigned named = 0;
	char *all, *alphas, *text, *at;

	(void)state;
	run("{}");
	all = figures();
	assert_false(says("events.csv", ",rp_alpha,"));
	assert_false(says("events.csv", ",alpha,"));
	run("{events: [all, rp_alpha]}");
	alphas = figures();
	assert_string_equal(all, alphas);
	free(all);
	free(alphas);
	at = text = lab_file(&l, "events.csv");
	for (char *line; (line = strsep(&at, "\n"));)
		named += strstr(line, ",rp_alpha,") && strtod(line, NULL) >= 500;
	free(text);
	counted = report_value(l.rec, "flow.incast[h1>r.0].rp_alpha") +
		  report_value(l.rec, "flow.incast[h2>r.0].rp_alpha");
	assert_true(named > 20 && counted == named);
}

static void flows_with_lines(void **state)
{
	(void)state;
	run("{flows: one in 2}");
	assert_true(says("timeseries.csv", ",incast[h1>r.0],"));
	assert_false(says("timeseries.csv", ",incast[h2>r.0],"));
	assert_true(says("timeseries.csv", ",s1:r.3,"));
	assert_true(says("manifest.json", "events.csv: one flow in 2 has lines (record.flows)\""));
	for (unsigned i = 0; i < 3; i++) {
		static const char *const what[] = {",rp,", ",cnp_tx,", ",msg_done,"};
		char line[64];

		snprintf(line, sizeof(line), "%s%s:s1,,incast[h1>r.0],", what[i],
			i == 1 ? "r" : "h1");
		assert_true(says("events.csv", line));
		snprintf(line, sizeof(line), "%s%s:s1,,incast[h2>r.0],", what[i],
			i == 1 ? "r" : "h2");
		assert_int_equal(says("events.csv", line), i == 2);
	}
	run("{flows: summary}");
	assert_false(says("events.csv", ",rp,"));
	assert_true(says("events.csv", ",msg_done,"));
	assert_true(says("events.csv", ",mark,"));
	assert_false(says("timeseries.csv", ",incast["));
	assert_true(says("timeseries.csv", ",s1:r.3,"));
	run("{flows: top 1}");
	assert_false(says("timeseries.csv", ",incast["));
	assert_true(says("manifest.json", "none of the 2 flows has lines (record.flows)\""));
}

static bool is_whole(const char *name)
{
	char *text = lab_file(&l, name);
	size_t n = strlen(text);
	bool whole = !n || text[n - 1] == '\n';

	free(text);
	return whole;
}

// All files that grow stop together at a whole line, it is said once while the run goes on, and
// figures are those of a run with all its files.
static void no_more_bytes_than_the_limit(void **state)
{
	static const char *const file[] = {"events.csv", "timeseries.csv", "fct.txt", "pfc.txt"};
	char *all, *some;
	size_t bytes = 0;

	(void)state;
	run("{}");
	assert_int_equal(heard.n, 0);
	for (unsigned i = 0; i < 4; i++)
		bytes += size_of(file[i]);
	assert_true(bytes > 50000);
	all = figures();
	run("{limit: 20KB}");
	some = figures();
	assert_string_equal(all, some);
	free(all);
	free(some);
	bytes = 0;
	for (unsigned i = 0; i < 4; i++) {
		bytes += size_of(file[i]);
		assert_true(is_whole(file[i]));
	}
	assert_in_range(bytes, 20000 - 300, 20000);
	assert_int_equal(heard.n, 1);
	assert_non_null(strstr(heard.line, "the files hold 20KB (record.limit): recording "
					   "stopped at "));
	assert_true(says("manifest.json", heard.line));
	assert_true(says("summary.json", "\"recorded_until_us\": "));
	assert_non_null(strstr(report_text(l.rec), heard.line));
}

// The limit is of frames in a capture too.
static void a_capture_ends_at_the_limit(void **state)
{
	struct stat st;
	char path[160];

	(void)state;
	lab_close(&l);
	lab_open(&l, LAB_TWO_TO_ONE "ports: {s1:r: {capture: true}}\n");
	run("{events: none, series: no, limit: 50KB}");
	snprintf(path, sizeof(path), "%s/capture.pcapng", l.out);
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_size, 50000 - 1200, 50000 + 200);
	assert_int_equal(heard.n, 1);
}

// A limit on the lines of a type in each second; lines beyond it are counted by type.
static void lines_in_a_second(void **state)
{
	unsigned marks, cnps;

	(void)state;
	run("{}");
	marks = lines_with("events.csv", ",mark,");
	cnps = lines_with("events.csv", ",cnp_tx,");
	assert_true(marks > 5 && cnps > 0);
	run("{rate: {mark: 5, pause_rx: 1, resume_rx: 1}}");
	assert_int_equal(lines_with("events.csv", ",mark,"), 5);
	assert_int_equal(lines_with("events.csv", ",cnp_tx,"), cnps);
	assert_int_equal(lines_with("pfc.txt", "\n"), 2);
	for (unsigned i = 0; i < 2; i++) {
		char *text = lab_file(&l, i ? "manifest.json" : "summary.json");
		char *at = strstr(text, "\"events_limited\": {\"mark\": ");

		assert_non_null(at);
		assert_int_equal(strtoul(at + 27, NULL, 10), marks - 5);
		free(text);
	}
	assert_non_null(strstr(report_text(l.rec), " of mark are not in events.csv (record.rate)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_asked_of_nodes, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(nothing_of_the_course, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(types_that_are_named, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(alpha_where_it_is_named, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(flows_with_lines, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(no_more_bytes_than_the_limit, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(a_capture_ends_at_the_limit, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(lines_in_a_second, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
