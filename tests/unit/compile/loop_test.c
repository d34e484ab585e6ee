// SPDX-License-Identifier: BSD-3-Clause
// Circles of waiting, ways that go round, frames that would be flooded for ever; trees have none.
#include "scene_lab.h"

#define LOSSLESS "defaults: {switches: {classes: {3: {lossless: true}}}}\n"

static const char ring[] =
	"duration: 1ms\ntopology: {ring: {switches: 3, hosts: 2}}\n" LOSSLESS "flows:\n"
	"  one: {from: h1, to: h5}\n"
	"  two: {from: h3, to: h1}\n"
	"  three: {from: h5, to: h3}\n";

static void says(
	const char *yaml, const char *path, const char *value, const char *text, bool right)
{
	struct scene *s = lab_with(yaml, path, value);

	if (lab_warns(s, text) != right)
		fail_msg("%s: %s, '%s'", right ? "not told" : "told",
			s->n_warnings ? s->warning[0].text : "", text);
	scene_free(s);
}

static void queues_that_may_wait_for_each_other(void **state)
{
	const char *text =
		"class 3: the ways of its flows form a circle (s1:s2, s2:s3, s3:s1): lossless "
		"queues there can wait for each other for ever; ways up and down cannot";

	(void)state;
	says(ring, NULL, NULL, text, true);
	says(ring, "flows.three.to", "h2", "circle", false); // a chain
	says(ring, "flows.three.class", "0", "circle", false);
	says(ring, "switches.s2.classes.3.lossless", "false", "circle", false);
	says(ring, "defaults.switches.classes.3.pfc", "{enable: false}", "circle", false);
	says(ring, "flows.three", "{from: h5, to: h3, open_loop: {}}", text, true);
	says(ring, "defaults.switches.flow_control", "pause", text, true);
}

// An answer goes the other way, in a class of its own.
static void answers_count(void **state)
{
	const char *both = "{from: h3, to: h5, ack_class: 3}";

	(void)state;
	says(ring, "flows.three", "{from: h3, to: h5}", "circle", false);
	says(ring, "flows.three", both, "(s1:s2, s2:s3, s3:s1)", true);
}

static void up_and_down_is_no_circle(void **state)
{
	const char *all =
		"duration: 1ms\ntopology: {leaf_spine: {leaves: 4, spines: 3, hosts: 2}}\n" LOSSLESS
		"flows: {f: {from: h1..8, to: h1..8, ack_class: 3}}\n";
	struct scene *s = lab(all);

	(void)state;
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

// Shortest ways over a square, all with all: each pair of opposite corners has two.
static void a_square_has_one(void **state)
{
	const char *yaml =
		"duration: 1ms\nswitches: {s1..4: }\nhosts: {h1..4: }\n" LOSSLESS
		"links:\n  - {between: [h1..4, s1..4], pairs: same_index}\n"
		"  - {between: [[s1, s2, s3, s4], [s2, s3, s4, s1]], pairs: same_index}\n"
		"flows: {f: {from: h1..4, to: h1..4}}\n";

	(void)state;
	says(yaml, NULL, NULL, "class 3: the ways of its flows form a circle (", true);
	says(yaml, "flows.f", "{from: h1, to: h3}", "circle", false);
}

// Five switches: no more than four ports are named.
static void long_circles_are_cut(void **state)
{
	const char *yaml = "duration: 1ms\ntopology: {ring: {switches: 5, hosts: 1}}\n" LOSSLESS
			   "flows: {f: {from: h1..5, to: h1..5}}\n";

	(void)state;
	says(yaml, NULL, NULL, "(s1:s2, s2:s3, s3:s4, s4:s5, ...)", true);
}

static void ways_that_never_arrive(void **state)
{
	const char *text =
		"frames to 'h1' come back to switch 's1' and go round for ever; mend default_port "
		"or fdb";
	const char *fdb = "[{mac: \"02:00:00:00:00:01\", port: \"s1:s2\"}]";

	(void)state;
	says(ring, "switches.s1.fdb", fdb, text, true);
	says(ring, NULL, NULL, "go round", false);
}

static void foreign_frames_may_be_flooded(void **state)
{
	const char *text =
		"closes a circle of switches: a frame from a capture or device to an address that "
		"they do not know goes round for ever";

	(void)state;
	says(ring, "hosts.h2", "{replay: {file: " TEST_DATA "/pfc_xoff_p3.pcap}}", text, true);
	says("duration: 1ms\nswitches: {s1..2: }\nhosts: {h1: {replay: {file: " TEST_DATA
	     "/pfc_xoff_p3.pcap}}}\nlinks: [{between: [s1, s2]}, {between: [s1, s2]}, {between: "
	     "[h1, s1]}]\n",
		NULL, NULL, text, true);
	says(ring, NULL, NULL, text, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_that_may_wait_for_each_other),
		cmocka_unit_test(answers_count),
		cmocka_unit_test(up_and_down_is_no_circle),
		cmocka_unit_test(a_square_has_one),
		cmocka_unit_test(long_circles_are_cut),
		cmocka_unit_test(ways_that_never_arrive),
		cmocka_unit_test(foreign_frames_may_be_flooded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
