// SPDX-License-Identifier: BSD-3-Clause
// The built world: every node of the scene by its kind, called through one shape, conserving.
#include "compile/compile.h"
#include "world/world.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define SLOTS 256

struct world {
	struct scene *scene;
	struct net *net;
	struct pkt_stack stack, *stacks[16];
	struct pkt *pool;
};

static void build(struct world *w, const char *file)
{
	struct scene_opts so = {0};
	struct net_opts no = {.stack = w->stacks, .event_slots = 64};
	char path[512];
	struct err err;

	snprintf(path, sizeof(path), "%s/scenes/%s", TEST_DATA, file);
	if (compile_scene(&w->scene, path, &so, &err))
		fail_msg("%s", err.text);
	w->pool = calloc(SLOTS, 2 * sizeof(struct pkt));
	w->stack = (struct pkt_stack){.slot = calloc(SLOTS, sizeof(struct pkt *)),
		.n = SLOTS,
		.cap = SLOTS,
		.reserve = 16};
	for (unsigned i = 0; i < SLOTS; i++)
		w->stack.slot[i] = w->pool + 2 * i;
	for (unsigned i = 0; i < 16; i++)
		w->stacks[i] = &w->stack;
	if (net_build(&w->net, w->scene, &no, &err))
		fail_msg("%s", err.text);
}

static void tear_down(struct world *w)
{
	net_free(w->net);
	scene_free(w->scene);
	free(w->stack.slot);
	free(w->pool);
}

static void nodes_are_what_the_scene_says(void **state)
{
	struct world w = {0};
	struct err err;

	(void)state;
	build(&w, "one-message.yaml");
	assert_int_equal(w.net->n_nodes, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(net_node(w.net, i)->kind, w.scene->node[i].kind);
		assert_non_null(net_node(w.net, i)->touched);
	}
	assert_int_equal(nic_qps(net_node(w.net, scene_node(w.scene, "a"))->u.nic), 1);
	assert_int_equal(net_conserve(w.net, &err), 0);
	assert_int_equal(net_held(w.net), 0);
	tear_down(&w);
}

// By hand: a's frame into the switch; the world holds it until b's port gives it.
static void a_frame_goes_through_the_common_calls(void **state)
{
	struct world w = {0};
	struct net_node *a, *s, *b;
	struct pkt *p;
	unsigned in, out, node;
	struct err err;

	(void)state;
	build(&w, "one-message.yaml");
	a = net_node(w.net, scene_node(w.scene, "a"));
	b = net_node(w.net, scene_node(w.scene, "b"));
	s = net_node(w.net, scene_node(w.scene, "s1"));
	assert_true(scene_port(w.scene, "s1:a", &node, &in));
	assert_true(scene_port(w.scene, "s1:b", &node, &out));
	assert_int_equal(net_deadline(a, 0), 0);
	assert_int_equal(net_tx(a, 0, &p, 1, 0), 1);
	assert_int_equal(p->kind, PKT_DATA);
	net_rx(s, in, &p, 1, 1000000);
	assert_int_equal(net_held(w.net), 1);
	assert_int_equal(net_deadline(s, out), 0);
	assert_int_equal(net_tx(s, out, &p, 1, 1000000), 1);
	assert_int_equal(net_held(w.net), 0);
	net_rx(b, 0, &p, 1, 2000000);
	net_account(w.net, 2000000);
	assert_int_equal(net_conserve(w.net, &err), 0);
	tear_down(&w);
}

static void commands_reach_their_node(void **state)
{
	struct world w = {0};
	struct ctl down = {.type = CTL_LINK_DOWN, .port = 0};
	struct ctl flow = {.type = CTL_FLOW_STOP, .id = 0};

	(void)state;
	build(&w, "one-message.yaml");
	assert_int_equal(net_ctl(net_node(w.net, scene_node(w.scene, "s1")), &down, 0), 0);
	assert_int_equal(net_ctl(net_node(w.net, scene_node(w.scene, "a")), &flow, 0), 0);
	assert_int_not_equal(net_ctl(net_node(w.net, scene_node(w.scene, "s1")), &flow, 0), 0);
	tear_down(&w);
}

// A number beyond the nodes of this process is a host elsewhere, and has neither node nor NIC.
static void a_node_elsewhere_is_none(void **state)
{
	struct world w = {0};
	unsigned n, nics = 0;

	(void)state;
	build(&w, "one-message.yaml");
	n = w.net->n_nodes;
	for (unsigned i = 0; i < n; i++) {
		bool is_nic = net_node(w.net, i)->kind == SCENE_NIC;

		assert_ptr_equal(net_node(w.net, i), net_node(w.net, i));
		assert_ptr_equal(net_nic(w.net, i), is_nic ? net_node(w.net, i)->u.nic : NULL);
		nics += is_nic;
	}
	assert_true(nics > 0 && nics < n);
	assert_null(net_node(w.net, n));
	assert_null(net_nic(w.net, n));
	tear_down(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_what_the_scene_says),
		cmocka_unit_test(a_node_elsewhere_is_none),
		cmocka_unit_test(a_frame_goes_through_the_common_calls),
		cmocka_unit_test(commands_reach_their_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
