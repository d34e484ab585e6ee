// SPDX-License-Identifier: BSD-3-Clause
// Several runs: labels that tell them apart, sets of seeds, means with their deviation, what the
// configurations differ in.
#include "page_lab.h"

#include <sys/stat.h>

enum { RUNS = 5 };

static struct lab lab;
static struct saved *run[RUNS];

static const char *part = ""; // members of the manifest that is made

static void make(unsigned i, const char *clock, unsigned seed, const char *kmin, double goodput)
{
	char dir[160], path[200];
	FILE *f;

	snprintf(dir, sizeof(dir), "%s/%u", lab.out, i);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/manifest.json", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"{\"name\": \"n\", \"clock\": \"%s\", \"seed\": %u, %s\"resolved\": {\"seed\": %u, "
		"\"wred\": {\"min\": \"%s\"%s}}}",
		clock, seed, part, seed, kmin, i == 4 ? ", \"max\": \"9KB\"" : "");
	fclose(f);
	snprintf(path, sizeof(path), "%s/summary.json", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"{\"schema\": 1, \"seed\": %u, \"total\": {\"goodput_gbps\": %f, \"drops\": 0}, "
		"\"groups\": [{\"group\": \"g\", \"goodput_gbps\": %f, \"jain\": 1}]}",
		seed, goodput, goodput);
	fclose(f);
	if (saved_open(&run[i], dir, &lab.err))
		fail_msg("%s", lab.err.text);
}

static void open_runs(void)
{
	by_hand(&lab);
	make(0, "virtual", 1, "1KB", 10);
	make(1, "virtual", 2, "1KB", 12);
	make(2, "real", 1, "1KB", 8);
	make(3, "real", 2, "1KB", 8.5);
	make(4, "real", 2, "2KB", 8.5);
}

static struct saved *read_back_of(const char *name)
{
	struct saved *s;
	char dir[160];

	snprintf(dir, sizeof(dir), "%s/%s", lab.out, name);
	if (saved_open(&s, dir, &lab.err))
		fail_msg("%s", lab.err.text);
	return s;
}

static void close_runs(void)
{
	for (unsigned i = 0; i < RUNS; i++)
		saved_close(run[i]);
	lab_close(&lab);
}

static unsigned n_compared;

static void compare(struct jw *w, struct saved *s)
{
	(void)s;
	data_compare(w, run, n_compared);
}

static json_t *compared(unsigned n)
{
	n_compared = n;
	put(&lab, "manifest.json", MANIFEST);
	return part_of(&lab, compare);
}

static json_t *figure(json_t *j, const char *path)
{
	for (size_t i = 0; i < count(j, "compare.figures"); i++) {
		json_t *one = json_array_get(at(j, "compare.figures"), i);

		if (strcmp(text(one, "path"), path) == 0)
			return one;
	}
	return NULL;
}

static void seeds_are_one_set(void **state)
{
	json_t *j, *f;

	(void)state;
	open_runs();
	j = compared(4);
	assert_int_equal(count(j, "compare.sets"), 2);
	assert_true(num(j, "compare.sets.0.runs.1") == 1 && num(j, "compare.sets.1.runs.0") == 2);
	assert_string_equal(text(j, "compare.sets.0.label"), "virtual");
	assert_string_equal(text(j, "compare.sets.1.label"), "real");
	f = figure(j, "total.goodput_gbps");
	assert_non_null(f);
	assert_string_equal(text(f, "unit"), "Gb/s");
	assert_true(num(f, "sets.0.n") == 2 && num(f, "sets.0.mean") == 11);
	assert_true(fabs(num(f, "sets.0.sd") - sqrt(2)) < 1e-6);
	assert_true(num(f, "change_percent") == -25);
	assert_true(json_is_true(at(f, "differs")));
	assert_non_null(figure(j, "group.g.goodput_gbps"));
	assert_true(json_is_false(at(figure(j, "group.g.jain"), "differs")));
	assert_null(figure(j, "total.drops")); // 0 in all
	assert_int_equal(count(j, "compare.config"), 0);
	json_decref(j);
	close_runs();
}

// Between single runs, values within a hundredth are no difference.
static void single_runs(void **state)
{
	json_t *j;

	(void)state;
	by_hand(&lab);
	make(0, "virtual", 1, "1KB", 10);
	make(1, "real", 1, "1KB", 10.05);
	make(2, "real", 1, "1KB", 10.2);
	j = compared(2);
	assert_true(json_is_false(at(figure(j, "total.goodput_gbps"), "differs")));
	json_decref(j);
	saved_close(run[1]);
	run[1] = run[2];
	j = compared(2);
	assert_true(json_is_true(at(figure(j, "total.goodput_gbps"), "differs")));
	assert_true(json_is_null(at(figure(j, "total.goodput_gbps"), "sets.0.sd")));
	json_decref(j);
	saved_close(run[0]);
	saved_close(run[1]);
	lab_close(&lab);
}

static void configurations_that_differ(void **state)
{
	json_t *j;

	(void)state;
	open_runs();
	j = compared(5);
	assert_int_equal(count(j, "compare.sets"), 3);
	assert_int_equal(count(j, "compare.config"), 2);
	assert_string_equal(text(j, "compare.config.0.path"), "wred.min");
	assert_string_equal(text(j, "compare.config.0.values.2"), "2KB");
	assert_string_equal(text(j, "compare.config.1.path"), "wred.max");
	assert_true(json_is_null(at(j, "compare.config.1.values.0")));
	json_decref(j);
	close_runs();
}

static void labels_tell_apart(void **state)
{
	char **label;

	(void)state;
	open_runs();
	label = data_labels(run, 1);
	assert_string_equal(label[0], "n");
	free(label);
	label = data_labels(run, 2);
	assert_string_equal(label[1], "seed 2");
	free(label);
	label = data_labels(run, RUNS);
	assert_string_equal(label[0], "virtual wred.min 1KB seed 1");
	assert_string_equal(label[4], "real wred.min 2KB seed 2");
	free(label);
	saved_close(run[1]);
	run[1] = read_back_of("0");
	label = data_labels(run, 2); // nothing differs
	assert_string_equal(label[0], saved_dir(run[0]));
	free(label);
	close_runs();
}

// Two parts of a run, the whole that was merged of them, and a part and the whole of another seed:
// what differs in its seed only is one set, and a part is never one with the whole.
static void parts_are_no_repetitions(void **state)
{
	static const char *const of[] = {"\"part\": \"a\", \"part_nodes\": [\"h1\", \"s1\"], ",
		"\"part\": \"b\", \"part_nodes\": [\"h2\"], ", ""};
	char **label;
	json_t *j;

	(void)state;
	by_hand(&lab);
	for (unsigned i = 0; i < RUNS; i++) {
		part = of[i < 3 ? i : i - 2];
		make(i, "real", i < 3 ? 1 : 2, "1KB", 10 + i);
	}
	part = "";
	saved_close(run[4]); // its configuration is another, as make has it
	run[4] = read_back_of("2");
	j = compared(4);
	assert_int_equal(count(j, "compare.sets"), 3);
	assert_int_equal(count(j, "compare.sets.0.runs"), 1);
	assert_true(num(j, "compare.sets.1.runs.0") == 1 && num(j, "compare.sets.1.runs.1") == 3);
	assert_int_equal(count(j, "compare.sets.2.runs"), 1);
	assert_string_equal(text(j, "compare.sets.0.label"), "part a");
	assert_string_equal(text(j, "compare.sets.2.label"), "all parts");
	json_decref(j);
	label = data_labels(run, 4);
	assert_string_equal(label[3], "part b seed 2");
	free(label);
	close_runs();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_are_one_set),
		cmocka_unit_test(single_runs),
		cmocka_unit_test(configurations_that_differ),
		cmocka_unit_test(labels_tell_apart),
		cmocka_unit_test(parts_are_no_repetitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
