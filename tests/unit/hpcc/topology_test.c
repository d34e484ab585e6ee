// SPDX-License-Identifier: BSD-3-Clause
// Topologies of the HPCC simulator: what becomes of them, and which are refused.
#include "hpcc_lab.h"

static void a_star_becomes_a_scenario(void **state)
{
	struct hpcc_import in;
	struct scene *s;

	(void)state;
	hpcc_get(&in, HPCC_STAR, HPCC_FLOWS, NULL);
	s = lab(in.yaml);
	assert_int_equal(s->n_nodes, 3);
	assert_int_equal(s->n_flows, 2);
	assert_string_equal(s->flow[0]->name, "f0[n0>n1.0]");
	assert_string_equal(s->flow[0]->group, "list");
	assert_int_equal(s->flow[1]->told_dport, 200);
	assert_int_equal(s->duration, 2150001 * PS_PER_US);
	assert_int_equal(lab_port(s, "n2:n1")->delay, PS_PER_US);
	assert_int_equal(lab_port(s, "n2:n1")->rate, 25 * RATE_GBPS);
	scene_free(s);
	hpcc_free(&in);
}

// As the simulator: three times what is on the way, and a larger share at ports faster than hosts.
static void ports_have_the_thresholds_of_their_speed(void **state)
{
	struct hpcc_import in;
	struct scene *s;

	(void)state;
	hpcc_get(&in,
		"4 2 4\n2 3\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n2 3 100Gbps 2us 0\n2 3 100Gbps "
		"2us 0\n",
		HPCC_FLOWS, NULL);
	hpcc_has(&in, "\n  n2:\n    classes:\n      3: {lossless: true, pfc: {dynamic_th: -3, "
		      "xon_offset: 3072, reserved: 4096, headroom: 9375}}\n");
	hpcc_has(&in, "\n  n3:\n    classes:\n      3: {lossless: true, pfc: {dynamic_th: -1, "
		      "xon_offset: 3072, reserved: 4096, headroom: 75000}}\n");
	hpcc_has(&in, "\n  \"n2:n3\": {classes: {3: {pfc: {dynamic_th: -1, headroom: 75000}}}}\n");
	hpcc_has(&in, "\n  \"n2:n3.2\": {classes: {3: {pfc: {dynamic_th: -1, headroom: "
		      "75000}}}}\n");
	hpcc_has(&in, "\n  - {between: [n0..1, n2], rate: 25Gbps, delay: 1us}\n");
	s = lab(in.yaml);
	scene_free(s);
	hpcc_free(&in);
}

static void switches_may_come_first(void **state)
{
	struct hpcc_import in;
	struct scene *s;

	(void)state;
	hpcc_get(&in, "3 1 2\n0\n0 1 25Gbps 1us 0\n0 2 25Gbps 1us 0\n", "1\n2 1 3 100 9 0\n", NULL);
	s = lab(in.yaml);
	assert_string_equal(s->flow[0]->name, "f0[n2>n1.0]");
	scene_free(s);
	hpcc_free(&in);
}

static void every_priority_of_the_list_has_a_lossless_class(void **state)
{
	struct hpcc_import in;

	(void)state;
	hpcc_get(&in, HPCC_STAR, "2\n0 1 4 100 9 0\n0 1 2 100 9 0\n", NULL);
	hpcc_has(&in, "      2: {lossless: true");
	hpcc_has(&in, "      4: {lossless: true");
	hpcc_has(&in, "ack_class: 2,");
	assert_true(hpcc_is_left(&in, "priorities of ACKs"));
	hpcc_free(&in);
}

static void twice_is_the_same(void **state)
{
	struct hpcc_import one, two;

	(void)state;
	hpcc_get(&one, HPCC_STAR, HPCC_FLOWS, NULL);
	hpcc_get(&two, HPCC_STAR, HPCC_FLOWS, NULL);
	assert_string_equal(one.yaml, two.yaml);
	hpcc_free(&one);
	hpcc_free(&two);
}

// Each end of the link drops this share of the frames that arrive.
static void error_rates_are_faults(void **state)
{
	struct hpcc_import in;

	(void)state;
	hpcc_get(&in, "3 1 2\n2\n0 2 25Gbps 1us 0.001\n1 2 25Gbps 1us 0\n", HPCC_FLOWS, NULL);
	hpcc_has(&in, "faults: # error rates of links\n"
		      "  - {at: \"n0:n2\", share: 0.001, do: drop}\n"
		      "  - {at: \"n2:n0\", share: 0.001, do: drop}\n\nflow_nodes:");
	hpcc_free(&in);
}

static void a_wrong_topology_is_told_by_its_place(void **state)
{
	(void)state;
	hpcc_refuse(
		"", NULL, "topology.txt:1:1: the file ends where the number of nodes is wanted");
	hpcc_refuse("3 1\n", NULL, "topology.txt:2:1: the file ends where the number of links");
	hpcc_refuse("x 1 2\n", NULL, "topology.txt:1:1: 'x' is not the number of nodes");
	hpcc_refuse("5000 1 2\n", NULL,
		"topology.txt:1:1: '5000' is not the number of nodes, a "
		"whole number up to 4096");
	hpcc_refuse("3 1 2\n3\n", NULL,
		"topology.txt:2:1: there is no node 3: the first line "
		"tells 3, from 0 to 2");
	hpcc_refuse("3 2 2\n2 2\n", NULL, "topology.txt:2:3: switch 2 stands here twice");
	hpcc_refuse("3 1 2\n2\n0 2 25Gbps 1us 0\n1 3 25Gbps 1us 0\n", NULL,
		"topology.txt:4:3: there is no node 3");
	hpcc_refuse("3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1", NULL,
		"topology.txt:4:13: the file ends after 1 of the 2 links");
	hpcc_refuse("3 1 2\n2\n0 2 25Gbps 1us\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:4:1: the line before has 4 words");
	hpcc_refuse("3 1 1\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:4:1: '1' stands behind the 1 link");
	hpcc_refuse("3 1 2\n2\n0 0 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:3:3: a link joins two nodes");
	hpcc_refuse("3 1 2\n2\n0 2 25 1us 0\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:3:5: '25' is no rate");
	hpcc_refuse("3 1 2\n2\n0 2 25Gbps 1 0\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:3:12: '1' is no delay");
	hpcc_refuse("3 1 2\n2\n0 2 25Gbps 1us 2\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:3:16: '2' is no error rate");
	hpcc_refuse("3 1 2\n2\n0 2 25Gbps 1us 0\n0 2 25Gbps 1us 0\n", NULL,
		"topology.txt:4:1: node 0 has more than 1 link");
	hpcc_refuse("4 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", NULL,
		"topology.txt:1:1: node 3 has no link");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star_becomes_a_scenario),
		cmocka_unit_test(ports_have_the_thresholds_of_their_speed),
		cmocka_unit_test(switches_may_come_first),
		cmocka_unit_test(every_priority_of_the_list_has_a_lossless_class),
		cmocka_unit_test(twice_is_the_same),
		cmocka_unit_test(error_rates_are_faults),
		cmocka_unit_test(a_wrong_topology_is_told_by_its_place),
	};

	return cmocka_run_group_tests(tests, hpcc_begin, hpcc_end);
}
