// SPDX-License-Identifier: BSD-3-Clause
// Ranges and lists of names, and words that name no node or port.
#include "scene_lab.h"

#define LINKS "links: [{between: [[h1..3, r], s1]}]\n"

static void ranges_and_lists_are_names(void **state)
{
	struct scene *s = lab("duration: 1ms\nswitches: {s1: }\nhosts: {h1..3: , r: }\n" LINKS
			      "flows: {f: {from: [h1, h2..3], to: r}}\n");

	(void)state;
	assert_int_equal(s->n_nodes, 5);
	assert_string_equal(s->node[1].name, "h1");
	assert_string_equal(s->node[3].name, "h3");
	assert_int_equal(s->n_flows, 3);
	assert_string_equal(s->flow[2]->name, "f[h3>r.0]");
	scene_free(s);
}

static void bad_names_are_told(void **state)
{
	(void)state;
	lab_refuse("duration: 1ms\nhosts: {h3..1: }\n" LINKS,
		"lab.yaml:2:9: 'h3..1' runs backwards; write h1..3");
	lab_refuse("duration: 1ms\nhosts: {h1..: }\n" LINKS,
		"lab.yaml:2:9: 'h1..' is no range of names; write h1..8");
	lab_refuse("duration: 1ms\nhosts: {1h: }\n" LINKS, "lab.yaml:2:9: '1h' is no name");
	lab_refuse("duration: 1ms\nhosts: {\"h 1\": }\n" LINKS, "lab.yaml:2:9: 'h 1' is no name");
	lab_refuse("duration: 1ms\nhosts: {abcdefghijklmnopqrstuvwx: }\n" LINKS,
		"lab.yaml:2:9: 'abcdefghijklmnopqrstuvwx' is no name");
	lab_refuse("duration: 1ms\nhosts: {h1..9999999: }\n" LINKS,
		"lab.yaml:2:9: 'h1..9999999' is no range");
	lab_refuse("duration: 1ms\nhosts: {h1..70000: }\n" LINKS,
		"lab.yaml:2:9: more than 65535 names");
}

static void a_missing_node_is_told(void **state)
{
	(void)state;
	lab_refuse_set("flows.incast.to", "rr", "there is no node 'rr'; name it under `hosts`");
	lab_refuse_set("flows.incast.from", "h9", "there is no node 'h9'");
	lab_refuse_set("hosts.receiver", "{}", "host 'receiver' has no link");
	lab_refuse("duration: 1ms\nhosts: {sender: , receiver: }\nlinks: [{between: [sender, "
		   "reciever]}]\n",
		"lab.yaml:3:28: there is no node 'reciever'; did you mean 'receiver'?");
}

static void a_missing_port_is_told(void **state)
{
	(void)state;
	lab_refuse_set(
		"ports.s1:x", "{capture: true}", "there is no port 's1:x'; s1 has s1:h1 .. s1:r");
	lab_refuse_set("ports.s1", "{capture: true}", "'s1' is no port; write node:peer");
	lab_refuse_set("ports.x:s1", "{capture: true}", "there is no node 'x'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_and_lists_are_names),
		cmocka_unit_test(bad_names_are_told),
		cmocka_unit_test(a_missing_node_is_told),
		cmocka_unit_test(a_missing_port_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
