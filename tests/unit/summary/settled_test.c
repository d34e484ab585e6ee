// SPDX-License-Identifier: BSD-3-Clause
// Whether a run has settled: runs that have, runs in doubt, and runs that are not judged.
#include "record_lab.h"

#include <math.h>

// Two sources into one link. The buffer holds all that they send too much.
#define TWO(rate, more)                                                              \
	"duration: 20ms\n"                                                           \
	"warmup: 5ms\n"                                                              \
	"switches: {s1: {buffer: 100MB}}\n"                                          \
	"hosts: {h1..2: , r: }\n"                                                    \
	"links: [{between: [[h1..2, r], s1], rate: 10Gbps, delay: 1us}]\n"           \
	"flows:\n"                                                                   \
	"  a: {from: h1, to: r, class: 0, open_loop: {size: 64..1518, rate: 60%}}\n" \
	"  b: {from: h2, to: r, class: 0, open_loop: {size: 64..1518, rate: " rate more "}\n"

static char room[KIND_NAME];

static const char *label(const struct lab *l, const char *name)
{
	return summary_label(report_summary(l->rec), KIND_STEADY, 0, name, room);
}

static void run(struct lab *l, const char *yaml, const struct scene_set *set, unsigned n)
{
	lab_open(l, yaml);
	assert_int_equal(lab_run(l, set, n, false), 0);
}

static void a_load_below_the_rate_settles(void **state)
{
	struct lab l;

	(void)state;
	run(&l, TWO("30%", "}"), NULL, 0);
	assert_string_equal(label(&l, "verdict"), "settled");
	assert_string_equal(label(&l, "why"), "");
	assert_string_equal(label(&l, "queue"), "s1:r.0");
	assert_string_equal(label(&l, "group"), "");
	assert_true(report_value(l.rec, "steady.warmup_us") < 5000);
	assert_true(isnan(report_value(l.rec, "steady.goodput_first_gbps")));
	assert_null(strstr(report_text(l.rec), "UNSETTLED"));
	lab_close(&l);
}

// The queue grows by a tenth of the rate all the time.
static void a_load_above_the_rate_does_not(void **state)
{
	struct lab l;

	(void)state;
	run(&l, TWO("50%", "}"), NULL, 0);
	assert_string_equal(label(&l, "verdict"), "unsettled");
	assert_non_null(strstr(label(&l, "why"), "queue s1:r.0"));
	assert_true(report_value(l.rec, "steady.queue_second_bytes") -
			    report_value(l.rec, "steady.queue_first_bytes") >
		    report_value(l.rec, "steady.queue_interval_bytes"));
	assert_non_null(strstr(report_text(l.rec), "  UNSETTLED   queue s1:r.0"));
	lab_close(&l);
}

static void what_is_not_judged(void **state)
{
	static const struct {
		const char *yaml, *why;
	} row[] = {
		{TWO("30%", "}, start: 7ms"), "an open-loop source starts at 7.000 ms"},
		{TWO("30%", "}, stop: 12ms"), "an open-loop source stops at 12.000 ms"},
		{TWO("30%", ", count: 1000}"), "an open-loop source ends"},
		{TWO("30%", "}}\nevents: [{at: 6ms, link_down: \"h1:s1\"}]\n#"), "an event at 6"},
	};
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		run(&l, row[i].yaml, NULL, 0);
		assert_string_equal(label(&l, "verdict"), "not judged");
		if (!strstr(label(&l, "why"), row[i].why))
			fail_msg("%s, wanted %s", label(&l, "why"), row[i].why);
		assert_true(isnan(report_value(l.rec, "steady.warmup_us")));
		lab_close(&l);
	}
}

// A change before the window belongs to the start, which is not judged.
static void an_event_before_the_window_is_no_matter(void **state)
{
	static const struct scene_set late[] = {{"warmup", "12ms"}};
	struct lab l;

	(void)state;
	run(&l, TWO("30%", "}, start: 11ms"), late, 1);
	assert_string_equal(label(&l, "verdict"), "settled");
	assert_true(report_value(l.rec, "steady.queue_cut_us") >= 11000);
	lab_close(&l);
}

static void short_windows_and_messages_that_end_are_not_judged(void **state)
{
	static const struct scene_set late[] = {{"warmup", "17ms"}};
	static const struct scene_set few[] = {{"flows.incast.count", "15"}};
	struct lab l;

	(void)state;
	run(&l, TWO("30%", "}"), late, 1);
	assert_string_equal(
		label(&l, "why"), "the window is too short: 75 of 500 intervals of 40.000 us");
	lab_close(&l);
	run(&l, LAB_TWO_TO_ONE, few, 1);
	assert_non_null(strstr(label(&l, "why"), "the messages of a flow end"));
	lab_close(&l);
}

static void a_job_that_starts_or_ends_is_not_judged(void **state)
{
#define JOB(more)                                              \
	"duration: 5ms\ntopology: {star: {hosts: 4}}\njobs:\n" \
	"  ring: {ranks: h1..4, collective: all_reduce, bytes: 1MB" more "}\n"
	struct lab l;

	(void)state;
	run(&l, JOB(""), NULL, 0);
	assert_non_null(strstr(label(&l, "why"), "a job ends at 0.1"));
	lab_close(&l);
	run(&l, JOB(", start: 2ms"), NULL, 0);
	assert_non_null(strstr(label(&l, "why"), "a job starts at 2.000 ms"));
	lab_close(&l);
#undef JOB
}

// Goodput is judged beside the queue.
static void a_group_is_judged(void **state)
{
	static const struct scene_set set[] = {
		{"duration", "20ms"}, {"warmup", "10ms"}, {"defaults.flows.control", "none"}};
	struct lab l;

	(void)state;
	run(&l, LAB_TWO_TO_ONE, set, 2);
	assert_string_equal(label(&l, "group"), "incast");
	assert_true(fabs(report_value(l.rec, "steady.goodput_first_gbps") / 2 +
			    report_value(l.rec, "steady.goodput_second_gbps") / 2 -
			    report_value(l.rec, "group.incast.goodput_gbps")) < 1e-3);
	lab_close(&l);
}

// Callback of vt_run().
static bool has_enough(void *arg, const struct record *r, tstamp now)
{
	tstamp *end = arg;

	if (summary_steady_pass(r, now))
		*end = now;
	return *end;
}

// Where a first pass of 20 ms ends before its time; 0: it does not.
static tstamp end_of_pass(const char *yaml)
{
	static const struct scene_set set[] = {{"warmup", "10ms"}};
	struct scene_opts so = {.set = set, .n_set = 1};
	tstamp end = 0;
	struct vt_opts vo = {.record = {.no_files = true, .first_pass = true},
		.enough = has_enough,
		.arg = &end};
	struct lab l;

	lab_open(&l, yaml);
	assert_int_equal(compile_scene(&l.scene, l.file, &so, &l.err), 0);
	assert_int_equal(vt_run(l.scene, &vo, &l.rec, &l.err), 0);
	lab_close(&l);
	return end;
}

// A pass ends early where it has settled and the load does not change any more.
static void a_first_pass_ends_as_soon_as_it_can(void **state)
{
	(void)state;
	assert_int_equal(end_of_pass(TWO("30%", "}")), 5 * PS_PER_MS);
	assert_int_equal(end_of_pass(TWO("30%", "}, start: 1ms")), 5 * PS_PER_MS);
	assert_int_equal(end_of_pass(TWO("30%", "}, start: 2ms")), 10 * PS_PER_MS);
	assert_int_equal(end_of_pass(TWO("30%", "}, start: 4ms")), 0); // at its end it is whole
	assert_int_equal(end_of_pass(TWO("30%", "}, stop: 15ms")), 0);
	assert_int_equal(end_of_pass(TWO("30%", ", count: 100000}")), 0); // it sends 55,000
	assert_int_equal(end_of_pass(TWO("50%", "}")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_below_the_rate_settles),
		cmocka_unit_test(a_load_above_the_rate_does_not),
		cmocka_unit_test(what_is_not_judged),
		cmocka_unit_test(an_event_before_the_window_is_no_matter),
		cmocka_unit_test(short_windows_and_messages_that_end_are_not_judged),
		cmocka_unit_test(a_job_that_starts_or_ends_is_not_judged),
		cmocka_unit_test(a_group_is_judged),
		cmocka_unit_test(a_first_pass_ends_as_soon_as_it_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
