// SPDX-License-Identifier: BSD-3-Clause
// The names of lines: by controls, options, clocks, labels; sweeps; plots of their own where lines
// are many.
#include "overlay_lab.h"

static struct overlay_lab l;

static void put_summary(const char *value)
{
	write_into(&l, "summary.json",
		"{\"schema\": 1, \"messages_by_size\": [{\"to_bytes\": 1000, \"slowdown_p99\": "
		"%s}]}",
		value);
}

static void add_one(const char *clock, const char *control, const char *load, const char *value)
{
	char resolved[160];

	snprintf(resolved, sizeof(resolved),
		"\"flows\": {\"web\": {\"control\": \"%s\", \"load\": \"%s\"}}", control, load);
	add_run(&l, clock, 1, resolved);
	put_summary(value);
}

static void names_say_what_differs(void **state)
{
	static const char *const label[] = {"old", "new"};

	(void)state;
	overlay_begin(&l);
	add_one("virtual", "none", "30%", "2");
	add_one("virtual", "dcqcn", "30%", "3");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "no control,1000,2,,1,,,,");
	has_line(&l, "dcqcn,1000,3,,1,no control,1,,1");
	overlay_free(l.o);
	free(l.csv);
	read_figure(&l,
		(struct overlay_want){.figure = OVERLAY_SLOWDOWN, .label = label, .n_labels = 2});
	has_line(&l, "old,1000,2,,1,,,,");
	has_line(&l, "new,1000,3,,1,old,1,,1");
	overlay_end(&l);
}

// One label for both folders tells nothing apart, and what differs is named once.
static void a_name_says_a_thing_once(void **state)
{
	static const char *const control[] = {"none", "dcqcn"}, *const label[] = {"a", "b", "b"};

	(void)state;
	overlay_begin(&l);
	for (unsigned i = 0; i < 3; i++) {
		char resolved[160];

		snprintf(resolved, sizeof(resolved),
			"\"flows\": {\"a\": {\"control\": \"%s\"}, \"b\": {\"control\": \"%s\"}}, "
			"\"links\": {\"delay\": \"%uus\"}",
			control[i % 2], control[i % 2], i);
		add_run(&l, "virtual", 1, resolved);
		put_summary("2");
	}
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "\"no control, delay 0us\",1000,2,,1,,,,");
	overlay_free(l.o);
	free(l.csv);
	read_figure(&l,
		(struct overlay_want){.figure = OVERLAY_SLOWDOWN, .label = label, .n_labels = 3});
	has_line(&l, "\"b, no control, delay 2us\",1000,2,,1,,,,");
	overlay_end(&l);
}

static void two_clocks_are_in_the_names(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_one("virtual", "dcqcn", "30%", "2");
	add_one("real", "dcqcn", "30%", "3");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "virtual clock,1000,2,,1,,,,");
	has_line(&l, "real clock,1000,3,,1,virtual clock,1,,1");
	overlay_end(&l);
}

// A set is compared with the first one of its own load.
static void controls_are_compared_at_equal_loads(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_one("virtual", "dcqcn", "30%", "2");
	add_one("virtual", "dcqcn", "50%", "4");
	add_one("virtual", "dctcp", "30%", "3");
	add_one("virtual", "dctcp", "50%", "7");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "\"dcqcn, load 50%\",1000,4,,1,,,,");
	has_line(&l, "\"dctcp, load 50%\",1000,7,,1,\"dcqcn, load 50%\",3,,1");
	has_line(&l, "\"dctcp, load 30%\",1000,3,,1,\"dcqcn, load 30%\",1,,1");
	overlay_end(&l);
}

// Each load of nine lines has a plot of its own. The key has each control once.
static void many_lines_have_plots_of_their_own(void **state)
{
	static const char *const control[] = {"dcqcn", "dctcp", "timely"};
	static const char *const load[] = {"30%", "50%", "70%"};
	char path[200], *text;

	(void)state;
	overlay_begin(&l);
	for (unsigned i = 0; i < 9; i++)
		add_one("virtual", control[i / 3], load[i % 3], "2");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	assert_int_equal(overlay_draw(l.o, l.lab.out, "nine", 0, &l.lab.err), 0);
	snprintf(path, sizeof(path), "%s/nine.gp", l.lab.out);
	text = text_of(path);
	assert_non_null(strstr(text, "set title 'load 50%' noenhanced"));
	assert_non_null(strstr(text, "keyentry with linespoints lt 2 pt 5 ps 1.1 title 'dctcp'"));
	assert_null(strstr(strstr(text, "title 'dctcp'") + 1, "title 'dctcp'"));
	free(text);
	overlay_end(&l);
}

// The folder of a sweep stands for its runs, in their order; its varied paths name them.
static void a_sweep_is_all_its_runs(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_folder(&l, "sweep");
	for (unsigned i = 0; i < 2; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sweep/a,min=%u", i);
		add_folder(&l, name);
		write_into(&l, "manifest.json",
			"{\"name\": \"n\", \"clock\": \"virtual\", \"seed\": 1, \"resolved\": "
			"{\"buffer\": \"%u\", \"min\": \"%u.0\"}}",
			i, i);
		put_summary(i ? "3" : "2");
	}
	l.n = 1;
	write_into(&l, "sweep.json",
		"{\"runs\": [{\"set\": {\"wred.min\": \"1KB\", \"seed\": \"1\"}, "
		"\"folder\": \"a,min=1\"}, {\"set\": {\"wred.min\": \"2KB\", \"seed\": \"1\"}, "
		"\"folder\": \"a,min=0\"}, {\"verdict\": \"error\"}]}");
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN});
	has_line(&l, "min 1KB,1000,3,,1,,,,");
	has_line(&l, "min 2KB,1000,2,,1,min 1KB,-1,,1");
	overlay_end(&l);
}

static void a_sweep_without_folders_is_refused(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_folder(&l, "sweep");
	write_into(&l, "sweep.json", "{\"runs\": [{\"set\": {}, \"verdict\": \"ok\"}]}");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN},
		": a sweep whose runs have left no folders; run it with --files");
	write_into(&l, "sweep.json", "{\"runs\": [");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN},
		"/sweep.json:1: ']' expected near end of file");
	overlay_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_say_what_differs),
		cmocka_unit_test(a_name_says_a_thing_once),
		cmocka_unit_test(two_clocks_are_in_the_names),
		cmocka_unit_test(controls_are_compared_at_equal_loads),
		cmocka_unit_test(many_lines_have_plots_of_their_own),
		cmocka_unit_test(a_sweep_is_all_its_runs),
		cmocka_unit_test(a_sweep_without_folders_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
