// SPDX-License-Identifier: BSD-3-Clause
// Objects of a scene by the names in paths: those that a run has, found before it runs.
#include "record_lab.h"

#include <math.h>

#include "report/figure_path.h"

static struct lab l;

struct seen {
	const char *kind;
	unsigned objects, with_value;
};

// A kind whose objects the run has under the same names.
static bool ask(void *arg, const char *object)
{
	struct seen *s = arg;
	const char *figure;
	char path[256];

	s->objects++;
	for (unsigned k = FIGURE_GROUP; k < FIGURE_KINDS; k++)
		for (unsigned i = 0; (figure = figure_path_name((enum figure_kind)k, i)); i++) {
			snprintf(path, sizeof(path), "%s.%s.%s", s->kind, object, figure);
			if (!isnan(report_value(l.rec, path))) {
				s->with_value++;
				return false;
			}
		}
	return false;
}

static void names_are_those_of_the_run(void **state)
{
	static const struct {
		enum figure_kind kind;
		const char *word;
		unsigned objects, with_value; // two hosts and a receiver at a switch
	} want[] = {
		{FIGURE_GROUP, "group", 1, 1},
		{FIGURE_FLOW, "flow", 2, 2},
		{FIGURE_SOURCE, "source", 1, 1},
		{FIGURE_LINK, "link", 6, 6},
		{FIGURE_PORT, "port", 3, 3},
		{FIGURE_NIC, "nic", 3, 3},
		{FIGURE_NP, "np", 3, 1},
		{FIGURE_MARKING, "marking", 3, 1},
		{FIGURE_BIN, "bin", 3 * 66, 66},
		{FIGURE_RXBUF, "rxbuf", 0, 0},
		{FIGURE_REPLAY, "replay", 0, 0},
		{FIGURE_POOL, "pool", 0, 0},
		{FIGURE_CP, "cp", 0, 0},
		{FIGURE_WD, "wd", 0, 0},
		{FIGURE_IQCN, "iqcn", 0, 0},
		{FIGURE_FAST_CNP_TABLE, "fast_cnp", 0, 0},
		{FIGURE_TOTAL, "total", 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct seen s = {.kind = want[i].word};

		assert_false(figure_path_objects(want[i].kind, l.scene, ask, &s));
		if (s.objects != want[i].objects || s.with_value != want[i].with_value)
			fail_msg(
				"%s: %u objects, %u with a value", s.kind, s.objects, s.with_value);
	}
}

static bool at_once(void *arg, const char *object)
{
	(void)object;
	++*(unsigned *)arg;
	return true;
}

static void it_ends_when_enough_is_seen(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned k = FIGURE_GROUP; k < FIGURE_KINDS; k++)
		n -= figure_path_objects((enum figure_kind)k, l.scene, at_once, &n);
	assert_int_equal(n, 0);
}

static int run(void **state)
{
	struct scene_set set = {"warmup", "0us"}; // the transient has every kind of event

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	return lab_run(&l, &set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_run),
		cmocka_unit_test(it_ends_when_enough_is_seen),
	};

	return cmocka_run_group_tests(tests, run, end);
}
