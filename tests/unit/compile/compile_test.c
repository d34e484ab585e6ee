// SPDX-License-Identifier: BSD-3-Clause
// Scenes as a whole: what is loaded, what is refused, words of older versions.
#include "scene_lab.h"
#include <dirent.h>

static void the_shortest_scenario_has_sensible_values(void **state)
{
	struct scene *s = lab(LAB);
	const struct scene_node *sw = lab_node(s, "s1");

	(void)state;
	assert_int_equal(s->duration, PS_PER_MS);
	assert_int_equal(s->warmup, 0);
	assert_int_equal(s->wait_link, 5 * PS_PER_S);
	assert_false(s->fail_on_link_loss);
	assert_int_equal(s->seed, 1);
	assert_int_equal(s->sample, 100 * PS_PER_US);
	assert_int_equal(s->framing.queue_extra, 4);
	assert_int_equal(s->framing.wire_extra, 24);
	assert_false(s->hpcc_sim);
	assert_int_equal(s->n_nodes, 4);
	assert_int_equal(s->n_flows, 2);
	assert_int_equal(s->n_hdrs, 6);
	assert_int_equal(s->max_frame, 1098);
	assert_int_equal(sw->kind, SCENE_SW);
	assert_int_equal(sw->n_ports, 3);
	assert_int_equal(s->n_warnings, 0);
	assert_int_equal(scene_node(s, "x"), -1);
	scene_free(s);
	scene_free(NULL);
}

static void the_command_line_wins(void **state)
{
	const uint64_t seed = 7;
	const tstamp duration = 3 * PS_PER_MS;
	const struct scene_set set[] = {{"seed", "9"}, {"switches.s1.buffer", "2MB"}};
	const struct scene_opts opts = {
		.set = set, .n_set = 2, .seed = &seed, .duration = &duration};
	struct scene *s;

	(void)state;
	assert_int_equal(lab_try(&s, LAB, &opts), 0);
	assert_int_equal(s->seed, 7);
	assert_int_equal(lab_node(s, "s1")->u.sw.seed, 7);
	assert_int_equal(s->duration, duration);
	assert_int_equal(lab_node(s, "s1")->u.sw.buffer_bytes, 2000000);
	scene_free(s);
}

static void a_scene_has_a_name_for_a_folder(void **state)
{
	struct scene *s = lab("name: a b/c\n" LAB);

	(void)state;
	assert_string_equal(s->name, "a_b_c");
	scene_free(s);
	s = lab(LAB); // the file's own
	assert_memory_equal(s->name, "quench-lab-", 11);
	scene_free(s);
}

static void the_top_level_is_checked(void **state)
{
	struct scene *s = lab("sample: none\ndrain: 0.2ms\nwarmup: 100us\nwait_link: 2s\n"
			      "on_link_loss: fail\n" LAB);

	(void)state;
	assert_int_equal(s->sample, 0);
	assert_int_equal(s->drain, 200 * PS_PER_US);
	assert_int_equal(s->flow[0]->req.stop, 800 * PS_PER_US);
	assert_int_equal(s->warmup, 100 * PS_PER_US);
	assert_int_equal(s->wait_link, 2 * PS_PER_S);
	assert_true(s->fail_on_link_loss);
	scene_free(s);
	lab_refuse("warmup: 1ms\n" LAB, "lab.yaml:1:9: warmup takes all of the duration");
	lab_refuse("drain: 1ms\n" LAB, "lab.yaml:1:8: drain takes all of the duration");
	lab_refuse(LAB_LOSSLESS LAB_HOSTS LAB_LINKS, "lab.yaml:1:1: 'duration' is missing");
	lab_refuse("duration: 1ms\n" LAB_LINKS, "lab.yaml:1:1: 'hosts' is missing");
	lab_refuse("duration: 1ms\n" LAB_HOSTS, "lab.yaml:1:1: 'links' is missing");
	lab_refuse("durations: 1ms\n",
		"lab.yaml:1:1: unknown key 'durations' in a scenario; did you mean 'duration'?");
	lab_refuse("duration: 20\n", "lab.yaml:1:11: duration: '20' has no unit; write a time");
	lab_refuse("[]\n", "lab.yaml:1:1: a scenario is a map of options");
	lab_refuse("", "lab.yaml:1:1: empty");
}

static void framing_hpcc_sim_is_virtual(void **state)
{
	const struct scene_opts real = {.real = true};
	struct scene *s = lab("framing: hpcc_sim\n" LAB);

	(void)state;
	assert_true(s->hpcc_sim);
	assert_int_equal(s->framing.whole_ns, 1);
	assert_int_equal(s->framing.wire_extra, 0);
	scene_free(s);
	assert_int_equal(lab_try(&s, "framing: hpcc_sim\n" LAB, &real), -EINVAL);
	assert_string_equal(lab_err.text,
		"lab.yaml:1:10: framing hpcc_sim is for the virtual clock only; no wire carries "
		"it");
}

// Everything that comes with quench loads; tests/scenario/warnings.sh knows what is warned of.
static void all_that_comes_with_quench_loads(void **state)
{
	DIR *d = opendir(CONFIG);
	unsigned n = 0;

	(void)state;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char path[512];
		struct scene *s;

		if (!strstr(e->d_name, ".yaml"))
			continue;
		snprintf(path, sizeof(path), CONFIG "/%s", e->d_name);
		if (compile_scene(&s, path, NULL, &lab_err))
			fail_msg("%s", lab_err.text);
		assert_true(s->max_packets < 400000);
		scene_free(s);
		n++;
	}
	closedir(d);
	assert_true(n >= 17);
}

// The next ```yaml block of a page from *at on; NULL: there is none.
static char *next_example(const char **at)
{
	const char *begin = strstr(*at, "```yaml\n"),
		   *end = begin ? strstr(begin, "\n```\n") : NULL;

	if (!end)
		return NULL;
	begin += strlen("```yaml\n");
	*at = end + 1;
	return strndup(begin, (size_t)(end + 1 - begin));
}

// Each example of the page loads without a warning; returns how many it has.
static unsigned examples_of(const char *name)
{
	static char page[1 << 16];
	char path[512];
	const char *at = page;
	unsigned n = 0;
	FILE *f;

	snprintf(path, sizeof(path), CONFIG "/../docs/%s", name);
	f = fopen(path, "r");
	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = 0;
	fclose(f);
	for (char *text; (text = next_example(&at)); n++) {
		struct scene *s = lab(text);

		for (unsigned i = 0; i < s->n_warnings; i++)
			print_message("%s: %s\n", name, s->warning[i].text);
		assert_int_equal(s->n_warnings, 0);
		scene_free(s);
		free(text);
	}
	return n;
}

static void examples_in_docs_load(void **state)
{
	(void)state;
	assert_int_equal(examples_of("scenario.md"), 11);
	assert_int_equal(examples_of("lab.md"), 8);
	assert_int_equal(examples_of("probe.md"), 1);
	assert_int_equal(examples_of("faults.md"), 3);
	assert_int_equal(examples_of("jobs.md"), 1);
}

static void a_missing_file_is_told(void **state)
{
	struct scene *s;

	(void)state;
	assert_int_equal(compile_scene(&s, "/nowhere.yaml", NULL, &lab_err), -ENOENT);
	assert_string_equal(lab_err.text, "/nowhere.yaml: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shortest_scenario_has_sensible_values),
		cmocka_unit_test(the_command_line_wins),
		cmocka_unit_test(a_scene_has_a_name_for_a_folder),
		cmocka_unit_test(the_top_level_is_checked),
		cmocka_unit_test(framing_hpcc_sim_is_virtual),
		cmocka_unit_test(all_that_comes_with_quench_loads),
		cmocka_unit_test(examples_in_docs_load),
		cmocka_unit_test(a_missing_file_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
