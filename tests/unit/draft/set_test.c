// SPDX-License-Identifier: BSD-3-Clause
// Tests of scene/set: a value set in what the scenario does not have is refused with the name that
// is there.
#include "scene_lab.h"

static void what_is_not_there_is_named_with_what_is(void **state)
{
	(void)state;
	lab_refuse_set("switches.s2.buffer", "5MB",
		"--set switches.s2.buffer=5MB: there is no switch 's2'; did you mean 's1'?");
	lab_refuse_set("hosts.h9.latency", "1us", "there is no host 'h9'; did you mean 'h2'?");
	lab_refuse_set("hosts.x.latency", "1us", "there is no host 'x'; the scenario has h1..2, r");
	lab_refuse_set("hosts.h1..3.latency", "1us", "there is no host 'h3'; did you mean 'h2'?");
	lab_refuse_set(
		"flows.incst.class", "3", "there is no flow 'incst'; did you mean 'incast'?");
	lab_refuse_set("controls.dcqcn.g", "0.5",
		"there is no control 'dcqcn'; the scenario has none, and --set "
		"controls.dcqcn={...} adds it");
	lab_refuse_set("links.1.rate", "5Gbps", "there is no link 1; the scenario has link 0");
	lab_refuse_set(
		"links.x.rate", "5Gbps", "'x' is no number of a link; the scenario has link 0");
	lab_refuse_set("events.0.at", "5us", "there is no event 0; the scenario has none");
	lab_refuse_set(
		"ports.s1:h3.mtu", "1500", "there is no port 's1:h3'; did you mean 's1:h2'?");
	lab_refuse_set(
		"switches.s1.classes.8.weight", "2", "the key '8' is not right; it can be 0..7");
}

static void what_is_there_or_added_as_a_whole_is_taken(void **state)
{
	static const struct {
		const char *path, *value;
	} right[] = {
		{"switches.s1.buffer", "5MB"},
		{"switches.s1.classes.4.weight", "2"},
		{"hosts.h1.latency", "1us"},
		{"hosts.h1..2.latency", "1us"},
		{"hosts.r.latency", "1us"},
		{"ports.s1:h1.mtu", "1500"},
		{"links.0.rate", "5Gbps"},
		{"controls.dcqcn", "{profile: paper}"},
		{"flows.more", "{from: r, to: h1}"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		scene_free(lab_with(LAB, right[i].path, right[i].value));
}

static void what_a_topology_makes_is_there(void **state)
{
	static const char text[] =
		"duration: 1ms\ntopology: {star: {hosts: 3}}\nflows: {f: {from: h1, to: h3}}\n";
	const struct scene_set set = {"hosts.h4.latency", "1us"};
	const struct scene_opts opts = {.set = &set, .n_set = 1};
	struct scene *s;

	(void)state;
	scene_free(lab_with(text, "hosts.h3.latency", "1us"));
	assert_int_equal(lab_try(&s, text, &opts), -EINVAL);
	assert_non_null(strstr(lab_err.text, "there is no host 'h4'; did you mean 'h3'?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_there_is_named_with_what_is),
		cmocka_unit_test(what_is_there_or_added_as_a_whole_is_taken),
		cmocka_unit_test(what_a_topology_makes_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
