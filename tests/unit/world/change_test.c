// SPDX-License-Identifier: BSD-3-Clause
// Orders of a change: for the nodes that differ and no others, each from the values before it.
#include "world/world.h"

#include "../scene_lab.h"

#define WRED(s) "switches." s ".classes.3.wred."
#define SCENE                                                                                     \
	"duration: 10ms\n"                                                                        \
	"defaults: {switches: {classes: {3: {lossless: true, wred: {min: 10KB, max: 100KB}}}}}\n" \
	"switches: {s1..2: }\nhosts: {a: , b: }\n"                                                \
	"links: [{between: [a, s1]}, {between: [s1, s2]}, {between: [s2, b]}]\n"                  \
	"flows: {f: {from: a, to: b}}\n"

struct world {
	struct scene *s;
	struct net *net;
	struct pkt_stack stack, *each[8];
};

static void build(struct world *w, const char *text)
{
	struct net_opts o = {.stack = w->each, .event_slots = 64, .event_want = UINT64_MAX};

	*w = (struct world){.s = lab(text)};
	for (unsigned i = 0; i < 8; i++)
		w->each[i] = &w->stack;
	if (net_build(&w->net, w->s, &o, &lab_err))
		fail_msg("%s", lab_err.text);
}

static void done(struct world *w)
{
	net_free(w->net);
	scene_free(w->s);
}

static uint32_t kmax(const struct world *w, const char *name)
{
	return sw_red(net_node(w->net, (unsigned)scene_node(w->s, name))->u.sw, 0, 3)->kmax_bytes;
}

static void happens(struct world *w)
{
	for (unsigned i = 0; i < w->s->n_events; i++) {
		const struct scene_event *e = &w->s->event[i];

		assert_int_equal(
			net_ctl(net_node(w->net, e->node), net_command(w->net, e), e->at), 0);
	}
}

static void each_node_that_differs_has_an_order(void **state)
{
	struct world w;

	(void)state;
	build(&w, SCENE "events:\n- {at: 1ms, set: {" WRED(
			  "s1") "max: 200KB}}\n"
				"- {at: 2ms, set: {defaults.switches.classes.3.wred.max: 300KB}}\n"
				"- {at: 3ms, set: {" WRED("s2") "max: 100KB}}\n");
	assert_int_equal(w.s->n_changes, 3);
	assert_int_equal(w.net->change[0]->n, 1);
	assert_int_equal(w.net->change[0]->order[0].node, scene_node(w.s, "s1"));
	assert_int_equal(w.net->change[0]->order[0].ctl.id, 1);
	assert_int_equal(w.net->change[1]->n, 1); // s1 has a value of its own by then
	assert_int_equal(w.net->change[1]->order[0].node, scene_node(w.s, "s2"));
	assert_int_equal(w.net->change[2]->n, 1); // back to what it was at the start
	assert_int_equal(w.s->n_events, 3);
	happens(&w);
	assert_int_equal(kmax(&w, "s1"), 200000);
	assert_int_equal(kmax(&w, "s2"), 100000);
	done(&w);
}

static void other_commands_are_those_of_the_scene(void **state)
{
	struct world w;

	(void)state;
	build(&w, SCENE "events:\n- {at: 1ms, fdb_flush: s1}\n");
	assert_null(w.net->change);
	assert_ptr_equal(net_command(w.net, &w.s->event[0]), &w.s->event[0].ctl);
	done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_node_that_differs_has_an_order),
		cmocka_unit_test(other_commands_are_those_of_the_scene),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
