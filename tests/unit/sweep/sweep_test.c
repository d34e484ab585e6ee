// SPDX-License-Identifier: BSD-3-Clause
// The plan of a sweep: what --vary means, the order of the runs, their names, the figures of a row.
#include "sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "record_lab.h"

static const char *const files[] = {"config/incast.yaml", "other"};

static void values_part_at_commas(void **state)
{
	struct sweep s;
	struct err err;

	(void)state;
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "a.b= 1, 2KB ,{x: 1, y: [2, 3]},\"p,q\",'r,s'", &err), 0);
	assert_string_equal(s.axis[0].path, "a.b");
	assert_int_equal(s.axis[0].n, 5);
	assert_string_equal(s.axis[0].value[0], "1");
	assert_string_equal(s.axis[0].value[1], "2KB");
	assert_string_equal(s.axis[0].value[2], "{x: 1, y: [2, 3]}");
	assert_string_equal(s.axis[0].value[3], "\"p,q\"");
	assert_string_equal(s.axis[0].value[4], "'r,s'");
	sweep_free(&s);
}

static void a_range_of_a_whole_number_is_each_of_it(void **state)
{
	struct sweep s;
	struct err err;

	(void)state;
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "seed=9..11,1, 4..4", &err), 0);
	assert_int_equal(s.axis[0].n, 5);
	assert_string_equal(s.axis[0].value[0], "9");
	assert_string_equal(s.axis[0].value[1], "10");
	assert_string_equal(s.axis[0].value[2], "11");
	assert_string_equal(s.axis[0].value[4], "4");
	assert_int_equal(sweep_vary(&s, "switches.s1..2.classes.3.wred.weight=0..3", &err), 0);
	assert_int_equal(s.axis[1].n, 4);
	// Names and sizes have ranges that are one value; other paths are not known.
	assert_int_equal(sweep_vary(&s, "flows.incast.from=h1..2,h1..4", &err), 0);
	assert_int_equal(s.axis[2].n, 2);
	assert_int_equal(sweep_vary(&s, "flows.f.open_loop.size=64..1518", &err), 0);
	assert_int_equal(s.axis[3].n, 1);
	assert_int_equal(sweep_vary(&s, "nosuch.f=1..3", &err), 0);
	assert_int_equal(s.axis[4].n, 1);
	sweep_free(&s);
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "seed=3..1", &err), -EINVAL);
	assert_non_null(strstr(err.text, "the range runs backwards"));
	assert_int_equal(sweep_vary(&s, "warmup=1us", &err), 0);
	sweep_free(&s);
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "seed=1..20000", &err), -E2BIG);
	assert_non_null(strstr(err.text, "the range has more than 10000 values"));
	sweep_free(&s);
}

static void what_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "=", "=1", "a.b", "a.b=", "a.b=1,", "a.b=,1", "a.b=1,,2", "a.b= "};
	struct sweep s;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sweep_init(&s, files, 1);
		if (sweep_vary(&s, bad[i], &err) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
		assert_non_null(strstr(err.text, "--vary"));
		sweep_free(&s);
	}
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, "a.b=1", &err), 0);
	assert_int_equal(sweep_vary(&s, "a.b=2", &err), -EINVAL);
	assert_int_equal(sweep_vary(&s, "a.bc=2", &err), 0);
	assert_int_equal(sweep_vary(&s, "a=2", &err), 0);
	sweep_free(&s);
}

static void too_much(void **state)
{
	char many[2 * 200 + 8] = "x=";
	struct sweep s;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		strcat(many, i ? ",1" : "1");
	sweep_init(&s, files, 1);
	assert_int_equal(sweep_vary(&s, many, &err), 0);
	many[0] = 'y';
	assert_int_equal(sweep_vary(&s, many, &err), 0);
	assert_int_equal(sweep_plan(&s, &err), -E2BIG);
	for (unsigned i = 2; i < SWEEP_AXES; i++) {
		char one[8];

		snprintf(one, sizeof(one), "p%u=1", i);
		assert_int_equal(sweep_vary(&s, one, &err), 0);
	}
	assert_int_equal(sweep_vary(&s, "z=1", &err), -EINVAL);
	sweep_free(&s);
	sweep_init(&s, files, 1);
	while (s.n_columns < SWEEP_COLUMNS)
		assert_int_equal(sweep_column(&s, "jain", &err), 0);
	assert_int_equal(sweep_column(&s, "jain", &err), -EINVAL);
	sweep_free(&s);
}

static void the_last_axis_is_the_fastest(void **state)
{
	static const char *const want[] = {"incast qps=1 seed=7", "incast qps=1 seed=8",
		"incast qps=2,4 seed=7", "incast qps=2,4 seed=8", "other qps=1 seed=7",
		"other qps=1 seed=8", "other qps=2,4 seed=7", "other qps=2,4 seed=8"};
	struct scene_set set[SWEEP_AXES];
	struct sweep s;
	struct err err;
	char text[100];

	(void)state;
	sweep_init(&s, files, 2);
	assert_int_equal(sweep_vary(&s, "flows.incast.qps=1,[2,4]", &err), 0);
	assert_int_equal(sweep_vary(&s, "seed=7,8", &err), 0);
	assert_int_equal(sweep_plan(&s, &err), 0);
	assert_int_equal(s.n_runs, 8);
	assert_string_equal(sweep_pick(&s, 6, set), "other");
	assert_string_equal(set[0].path, "flows.incast.qps");
	assert_string_equal(set[0].value, "[2,4]");
	assert_string_equal(set[1].path, "seed");
	assert_string_equal(set[1].value, "7");
	assert_string_equal(sweep_name(&s, 0, text, sizeof(text)), want[0]);
	assert_string_equal(sweep_name(&s, 1, text, sizeof(text)), want[1]);
	assert_string_equal(sweep_name(&s, 3, text, sizeof(text)), "incast qps=[2,4] seed=8");
	assert_string_equal(sweep_name(&s, 4, text, sizeof(text)), want[4]);
	assert_string_equal(sweep_folder(&s, 3, text, sizeof(text)), "incast,qps=_2,4_,seed=8");
	assert_string_equal(sweep_name(&s, 4, text, 8), "other q"); // cut, not overrun
	sweep_free(&s);
}

static void a_row_of_figures(void **state)
{
	struct scene_set none = {"flows.incast.control", "none"};
	struct sweep_row row;
	struct sweep s;
	struct err err;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	for (unsigned with = 0; with < 2; with++) {
		assert_int_equal(lab_run(&l, &none, with ? 0 : 1, true), 0);
		sweep_init(&s, files, 1);
		assert_int_equal(sweep_column(&s, "queue.s1:r.3.p99_bytes", &err), 0);
		sweep_fill(&s, &row, l.rec, l.scene);
		for (unsigned i = 0; i < s.n_columns; i++) {
			const char *name = s.column[i].name;
			bool dcqcn = !strcmp(name, "marks") || !strcmp(name, "cnp_rx");
			bool wanted = with ? strcmp(name, "cnm_rx") != 0
					   : !dcqcn && strcmp(name, "cnm_rx") != 0;

			if (!strcmp(name, "t_conv_us_total")) // a run this short has none
				continue;
			if (isnan(row.value[i]) == wanted)
				fail_msg("%s: %g", name, row.value[i]);
		}
		assert_true(row.value[s.n_columns - 1] == row.value[4]); // it is the bottleneck
		assert_true(row.value[0] > 20);
		sweep_free(&s);
		lab_end(&l);
	}
	lab_close(&l);
}

// A column is known once one scene can have it; the line speaks of the first that is not.
static void columns_are_held_against_scenes(void **state)
{
	struct lab l;
	struct sweep s;
	struct err err;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(compile_scene(&l.scene, l.file, &(struct scene_opts){0}, &err), 0);
	sweep_init(&s, files, 1);
	assert_true(sweep_knows(&s, l.scene, &err));
	assert_int_equal(sweep_column(&s, "queue.s1:r.3.p99_bytes", &err), 0);
	assert_true(sweep_knows(&s, l.scene, &err));
	assert_int_equal(sweep_column(&s, "queue.s2:r.3.p99_bytes", &err), 0);
	assert_int_equal(sweep_column(&s, "queue.s1:r.3.p98_bytes", &err), 0);
	assert_false(sweep_knows(&s, l.scene, &err));
	assert_non_null(strstr(err.text, "no queue is 's2:r.3'; did you mean 's1:r.3'?"));
	snprintf(l.scene->node[scene_node(l.scene, "s1")].port[2].name, 64, "s2:r");
	assert_false(sweep_knows(&s, l.scene, &err));
	assert_non_null(strstr(err.text, "'queue.s1:r.3.p98_bytes'"));
	sweep_free(&s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_held_against_scenes),
		cmocka_unit_test(values_part_at_commas),
		cmocka_unit_test(a_range_of_a_whole_number_is_each_of_it),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(too_much),
		cmocka_unit_test(the_last_axis_is_the_fastest),
		cmocka_unit_test(a_row_of_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
