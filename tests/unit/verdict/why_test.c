// SPDX-License-Identifier: BSD-3-Clause
// "Why no PFC? Why no marks?": the line of a queue that saw both, and of one that saw neither.
#include "record_lab.h"

#include "report/int.h"
#include "summary/summary.h"

// The line of queue i of a run; false: it has none.
static bool line_of(const struct summary *s, unsigned i, char *line, size_t size)
{
	struct why *w = verdict_why_make(s);
	bool has;

	assert_non_null(w);
	has = verdict_why(w, set_at(&s->set[KIND_QUEUE], i), line, size);
	verdict_why_free(w);
	return has;
}

static void why(void **state)
{
	struct lab l;
	const struct summary *s;
	char line[VERDICT_LINE], small[40];
	unsigned lines = 0;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	s = l.rec->sum;
	for (unsigned i = 0; i < s->set[KIND_QUEUE].n; i++) {
		if (!line_of(s, i, line, sizeof(line)))
			continue;
		lines++;
		assert_memory_equal(line, "s1:r class 3: PFC: s1:h", 23);
		assert_non_null(strstr(line, "XOFF at 30.0 KB"));
		assert_non_null(strstr(line, "Kmin 20.0 KB"));
		assert_true(line_of(s, i, small, sizeof(small))); // cut, not past
		assert_memory_equal(small, line, sizeof(small) - 1);
	}
	assert_int_equal(lines, 1);
	lab_close(&l);
}

// If free bytes decide, the line has the highest possible XOFF: 4 MB less headroom, halved.
static void a_dynamic_threshold_is_said_as_one(void **state)
{
	struct scene_set set = {"switches.s1.classes.3.pfc", "{dynamic_th: 0, headroom: 10KB}"};
	char line[VERDICT_LINE];
	unsigned lines = 0;
	struct lab dyn;

	(void)state;
	lab_open(&dyn, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&dyn, &set, 1, false), 0);
	for (unsigned i = 0; i < dyn.rec->sum->set[KIND_QUEUE].n; i++)
		if (line_of(dyn.rec->sum, i, line, sizeof(line))) {
			lines++;
			if (!strstr(line, "XOFF at 1985.0 KB at most, 2^0 of what is free (in"))
				fail_msg("%s", line);
			assert_true(report_value(dyn.rec, "pg.s1:h1.3.xoff_most_bytes") == 1985000);
		}
	assert_int_equal(lines, 1);
	lab_close(&dyn);
}

// A run whose XOFF all left before the window says how many, and why it held less than XOFF.
static void what_was_before_the_window_is_said(void **state)
{
	struct scene_set set[] = {{"switches.s1.classes.3.pfc", "{dynamic_th: -7, headroom: 10KB}"},
		{"warmup", "1990us"}, {"flows.incast.stop", "300us"}};
	char line[VERDICT_LINE];
	unsigned lines = 0;
	struct lab dyn;

	(void)state;
	lab_open(&dyn, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&dyn, set, 3, false), 0);
	for (unsigned i = 0; i < dyn.rec->sum->set[KIND_QUEUE].n; i++)
		if (line_of(dyn.rec->sum, i, line, sizeof(line))) {
			lines++;
			if (!strstr(line, "no PFC in the window: ") ||
				!strstr(line, "(in XOFF 0.00 %, ") ||
				!strstr(line, " XOFF before the window"))
				fail_msg("%s", line);
		}
	assert_int_equal(lines, 1);
	lab_close(&dyn);
}

// Thresholds that nothing reaches: the line says so.
static void why_not(void **state)
{
	struct scene_set set[] = {{"switches.s1.classes.3.pfc.xoff", "1MB"},
		{"switches.s1.classes.3.wred.min", "1MB"},
		{"switches.s1.classes.3.wred.max", "2MB"}, {"flows.incast.outstanding", "1"},
		{"flows.incast.count", "1"}};
	char line[VERDICT_LINE];
	unsigned lines = 0;
	const struct set *queues;
	struct lab quiet;

	(void)state;
	lab_open(&quiet, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&quiet, set, 5, false), 0);
	queues = &quiet.rec->sum->set[KIND_QUEUE];
	for (unsigned i = 0; i < queues->n; i++)
		if (line_of(quiet.rec->sum, i, line, sizeof(line))) {
			lines++;
			assert_non_null(strstr(line, ": no PFC: "));
			assert_non_null(strstr(line, "; no marks: "));
		}
	assert_int_equal(lines, 1);
	lab_close(&quiet);
}

// A group that held more than XOFF, and was paused before the window.
static void what_was_before_the_window_is_said_so(void **state)
{
	struct scene_set set[] = {{"warmup", "1.9ms"}, {"flows.incast.count", "1"}};
	char line[VERDICT_LINE];
	unsigned lines = 0;
	struct lab before;

	(void)state;
	lab_open(&before, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&before, set, 2, false), 0);
	for (unsigned i = 0; i < before.rec->sum->set[KIND_QUEUE].n; i++)
		if (line_of(before.rec->sum, i, line, sizeof(line))) {
			lines++;
			assert_non_null(strstr(line, ": no PFC in the window: s1:h"));
		}
	assert_int_equal(lines, 1);
	lab_close(&before);
}

// Lines that have this text.
static unsigned lines_with(const struct summary *s, const char *text)
{
	char line[VERDICT_LINE];
	unsigned n = 0;

	for (unsigned i = 0; i < s->set[KIND_QUEUE].n; i++)
		n += line_of(s, i, line, sizeof(line)) && strstr(line, text);
	return n;
}

// Of senders that another process runs no CNPs and cuts are known, and no line says that there were
// none.
static void reactions_of_senders_elsewhere_are_not_known(void **state)
{
	const struct summary *s;
	struct scene *scene;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	s = l.rec->sum;
	scene = (struct scene *)s->rec->scene;
	assert_int_equal(scene->n_flows, 2);
	assert_int_equal(lines_with(s, "where they run"), 0);
	scene->flow[0]->from = (uint16_t)scene->n_nodes;
	assert_int_equal(
		lines_with(s,
			" cuts at senders that run in the same part; those of other senders are"),
		1);
	scene->flow[1]->from = (uint16_t)scene->n_nodes;
	assert_int_equal(lines_with(s, "; CNPs and cuts are counted where the senders run"), 1);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why),
		cmocka_unit_test(a_dynamic_threshold_is_said_as_one),
		cmocka_unit_test(what_was_before_the_window_is_said),
		cmocka_unit_test(why_not),
		cmocka_unit_test(what_was_before_the_window_is_said_so),
		cmocka_unit_test(reactions_of_senders_elsewhere_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
