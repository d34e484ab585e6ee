// SPDX-License-Identifier: BSD-3-Clause
// Nodes and links of a run, with what each direction of a link carried.
#include "page_lab.h"

static void net(struct jw *w, struct saved *s)
{
	data_net(w, s);
}

static void both_directions(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json",
		"{\"schema\": 1, \"bottleneck\": \"s1:b.2\", "
		"\"groups\": [{\"group\": \"g\", \"to\": \"b\"}], "
		"\"flows\": [{\"port_tx\": \"a:s1\", \"port_rx\": \"b:s1\"}], \"links\": ["
		"{\"port\": \"a:s1\", \"rate_bps\": 25000000000, \"utilization_percent\": 50}, "
		"{\"port\": \"s1:a\", \"rate_bps\": 25000000000}, "
		"{\"port\": \"s1:b.2\", \"rate_bps\": 25000000000}], \"pauses\": ["
		"{\"port\": \"a:s1\", \"priority\": 3, \"direction\": \"rx\", \"pauses\": 4, "
		"\"pause_ratio\": 0.25}, {\"port\": \"a:s1\", \"priority\": 4, "
		"\"direction\": \"rx\", \"pauses\": 1, \"pause_ratio\": 0.1}, {\"port\": "
		"\"a:s1\", \"priority\": 4, \"direction\": \"tx\", \"pauses\": 9, "
		"\"pause_ratio\": 0.9}], \"switch_port_counters\": [{\"port\": \"s1:a\", "
		"\"drop_tail\": 3, \"drop_wred\": 2, \"rx_frames\": 100}]}");
	j = part_of(&l, net);
	assert_int_equal(count(j, "nodes"), 3);
	assert_string_equal(text(j, "nodes.0.name"), "a");
	assert_string_equal(text(j, "nodes.0.kind"), "host");
	assert_true(json_is_true(at(j, "nodes.0.sends")));
	assert_true(json_is_false(at(j, "nodes.0.receives")));
	assert_string_equal(text(j, "nodes.1.kind"), "switch");
	assert_string_equal(text(j, "nodes.2.name"), "b");
	assert_string_equal(text(j, "nodes.2.kind"), "host");
	assert_true(json_is_true(at(j, "nodes.2.receives")));
	assert_int_equal(count(j, "links"), 3);
	assert_string_equal(text(j, "links.0.from"), "a:s1");
	assert_string_equal(text(j, "links.0.to"), "s1:a");
	assert_true(num(j, "links.0.rate_gbps") == 25 && num(j, "links.0.load_percent") == 50);
	assert_true(num(j, "links.0.paused_percent") == 25 && num(j, "links.0.pauses") == 5);
	assert_true(num(j, "links.0.drops") == 5 && num(j, "links.1.drops") == 0);
	assert_string_equal(text(j, "links.2.to"), "b:s1.2");
	assert_true(json_is_true(at(j, "links.2.bottleneck")));
	json_decref(j);
	lab_close(&l);
}

// The node at the other end of a real port belongs to the picture; a switch of another part is
// shown as one.
static void nodes_that_run_elsewhere(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json",
		"{\"resolved\": {\"switches\": {\"s1\": {}}, \"hosts\": {\"a\": {}, \"b\": {}}}}");
	put(&l, "summary.json",
		"{\"schema\": 1, \"links\": [{\"port\": \"a:s1\"}, {\"port\": \"a:b.2\"}]}");
	j = part_of(&l, net);
	assert_int_equal(count(j, "nodes"), 3);
	assert_string_equal(text(j, "nodes.0.name"), "a");
	assert_string_equal(text(j, "nodes.0.kind"), "host");
	assert_string_equal(text(j, "nodes.1.name"), "s1");
	assert_string_equal(text(j, "nodes.1.kind"), "switch");
	assert_string_equal(text(j, "nodes.2.name"), "b");
	assert_string_equal(text(j, "nodes.2.kind"), "host");
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions),
		cmocka_unit_test(nodes_that_run_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
