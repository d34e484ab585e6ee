// SPDX-License-Identifier: BSD-3-Clause
// Observers of a net: at the ports that the scene names, also of a switch that is cut into shards.
#include "world/world.h"

#include "../scene_lab.h"

static struct pkt_stack stack, *stacks[8];

static struct net *built(const struct scene *s)
{
	struct net_opts o = {.stack = stacks, .event_slots = 64};
	struct net *net;

	for (unsigned i = 0; i < 8; i++)
		stacks[i] = &stack;
	if (net_build(&net, s, &o, &lab_err))
		fail_msg("%s", lab_err.text);
	return net;
}

static void the_named_ports_have_one(void **state)
{
	struct scene *s = lab(LAB "ports: {\"s1:h2\": {observe: true}}\n");
	struct net *net = built(s);
	unsigned node, port, n = 0;

	(void)state;
	for (unsigned i = 0; i < net->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			n += net_outside(net_node(net, i), p) != NULL;
	assert_int_equal(n, 1);
	assert_true(scene_port(s, "s1:h2", &node, &port));
	assert_non_null(net_outside(net_node(net, node), port));
	net_free(net);
	scene_free(s);
}

static void a_net_without_observed_ports_has_none(void **state)
{
	struct scene *s = lab(LAB);
	struct net *net = built(s);

	(void)state;
	for (unsigned i = 0; i < net->n_nodes; i++)
		assert_null(net_node(net, i)->outside);
	net_free(net);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_named_ports_have_one),
		cmocka_unit_test(a_net_without_observed_ports_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
