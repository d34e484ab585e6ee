// SPDX-License-Identifier: BSD-3-Clause
// Injectors of a net: at the ports that faults name, for the numbers that queue pairs have now, and
// with the faults that come while the run goes on.
#include "world/world.h"

#include "../scene_lab.h"

#define SCENE LAB "faults: [{qp: \"incast[h1>r.0]\", psn: 5, nth: any, at: \"s1:h1\", do: drop}]\n"

#define FRAMES 16

static struct world {
	struct scene *s, *to;
	struct net *net;
	struct pkt_stack stack, *each[8];
	struct pkt pkt[FRAMES], *slot[FRAMES];
	unsigned s1, port; // "s1:h1"
} w;

static void build(const char *text)
{
	const struct scene_opts opts = {.again = true};
	struct net_opts o = {.stack = w.each, .event_slots = 64, .event_want = UINT64_MAX};

	w = (struct world){.stack = {.slot = w.slot, .cap = FRAMES}};
	if (lab_try(&w.s, text, &opts))
		fail_msg("%s", lab_err.text);
	assert_true(scene_port(w.s, "s1:h1", &w.s1, &w.port));
	for (unsigned i = 0; i < 8; i++)
		w.each[i] = &w.stack;
	for (unsigned i = 0; i < FRAMES; i++)
		pkt_put(&w.stack, &w.pkt[i]);
	if (net_build(&w.net, w.s, &o, &lab_err))
		fail_msg("%s", lab_err.text);
}

static int done(void **state)
{
	(void)state;
	net_free(w.net);
	scene_free(w.s);
	scene_free(w.to);
	return 0;
}

static struct fault *injector(void)
{
	return net_fault(net_node(w.net, w.s1), w.port);
}

// A data frame of flow 0 comes to s1:h1. Returns whether it goes on.
static bool passes(uint32_t psn, tstamp now)
{
	const struct scene_flow *f = w.s->flow[0];
	struct pkt *p = pkt_get(&w.stack);
	bool on;

	assert_non_null(p);
	*p = (struct pkt){.hdr = &f->hdr_data,
		.kind = PKT_DATA,
		.tos = f->req.tos,
		.len = 1082,
		.u.rc = {.opcode = 7, .psn = (f->req.psn + psn) & 0xffffff, .qpn = f->rsp.qpn}};
	fault_put(injector(), p, now);
	p = fault_get(injector(), now);
	on = p != NULL;
	if (p)
		pkt_put(&w.stack, p);
	return on;
}

static uint64_t hits(unsigned i)
{
	return net_fault_record(w.net, net_fault_at(w.net, i)).matched;
}

static void a_port_that_a_fault_names_has_an_injector(void **state)
{
	unsigned ports = 0;

	(void)state;
	build(SCENE);
	for (unsigned i = 0; i < w.s->n_nodes; i++)
		ports += net_faults(net_node(w.net, i));
	assert_int_equal(ports, 1);
	assert_int_equal(net_n_faults(w.net), 1);
	assert_true(passes(4, 0));
	assert_false(passes(5, 1));
	assert_true(passes(6, 2));
	assert_int_equal(hits(0), 1);
	assert_int_equal(net_fault_stats(w.net).in_frames, 3);
	assert_int_equal(net_fault_stats(w.net).dropped_frames, 1);
	assert_int_equal(net_conserve(w.net, &lab_err), 0);
}

static void it_knows_the_numbers_of_now(void **state)
{
	(void)state;
	build(SCENE);
	scene_number(w.s, 4711);
	assert_int_equal(net_number(w.net), 0);
	assert_true(w.s->flow[0]->req.psn != 0);
	assert_false(passes(5, 0));
	assert_int_equal(hits(0), 1);
}

static void a_frame_that_is_not_accounted_for_is_told(void **state)
{
	(void)state;
	build(SCENE);
	((struct fault_stats *)(uintptr_t)fault_stats(injector()))->in_frames = 2;
	assert_int_equal(net_conserve(w.net, &lab_err), -EPROTO);
	assert_string_equal(lab_err.text,
		"faults at s1:h1: 2 frames came, 0 were copied, 0 forged, but 0 went on, 0 were "
		"dropped, 0 are held");
}

// Adds faults while the net runs, as a driver does.
static int come(const char *action)
{
	struct net_change *c = NULL;
	int rc;

	if (compile_actions(&w.to, w.s, action, 0, &lab_err))
		fail_msg("%s", lab_err.text);
	rc = net_faults_add(&c, w.net, w.to, &lab_err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < c->n; i++)
		assert_int_equal(
			net_ctl(net_node(w.net, c->order[i].node), &c->order[i].ctl, 0), 0);
	net_faults_done(c);
	net_change_free(c);
	return 0;
}

// The fault of before goes on counting, and the new one has the next number.
static void a_fault_that_comes_stands_beside_those_of_before(void **state)
{
	const struct scene_fault *f;

	(void)state;
	build(SCENE);
	assert_false(passes(5, 0));
	assert_int_equal(come("fault: {qp: \"incast[h1>r.0]\", psn: 7, nth: any, at: \"s1:h1\", "
			      "do: drop}"),
		0);
	assert_int_equal(net_n_faults(w.net), 2);
	f = net_fault_at(w.net, 1);
	assert_int_equal(f->record.number, 2);
	assert_int_equal(hits(0), 1);
	assert_false(passes(5, 1));
	assert_true(passes(6, 2));
	assert_false(passes(7, 3));
	assert_int_equal(hits(0), 2);
	assert_int_equal(hits(1), 1);
	assert_int_equal(net_fault_stats(w.net).in_frames, 4);
	assert_int_equal(net_conserve(w.net, &lab_err), 0);
}

static void a_node_without_faults_takes_one(void **state)
{
	(void)state;
	build(LAB);
	assert_null(injector());
	assert_int_equal(net_n_faults(w.net), 0);
	assert_int_equal(come("fault: {qp: \"incast[h1>r.0]\", psn: 7, nth: any, at: \"s1:h1\", "
			      "do: drop}"),
		0);
	assert_int_equal(net_n_faults(w.net), 1);
	assert_true(passes(5, 1));
	assert_false(passes(7, 3));
	assert_int_equal(hits(0), 1);
}

// A run whose frames have no bytes cannot change some.
static void bytes_that_are_not_there_do_not_change(void **state)
{
	(void)state;
	build(LAB);
	assert_int_equal(
		come("fault: {qp: \"incast[h1>r.0]\", psn: 7, at: \"s1:h1\", do: corrupt}"),
		-EINVAL);
	assert_non_null(
		strstr(lab_err.text, ": frames have no bytes in this run; they have some if "));
	assert_null(injector());
}

#define EACH(test) cmocka_unit_test_teardown(test, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_port_that_a_fault_names_has_an_injector),
		EACH(it_knows_the_numbers_of_now),
		EACH(a_frame_that_is_not_accounted_for_is_told),
		EACH(a_fault_that_comes_stands_beside_those_of_before),
		EACH(a_node_without_faults_takes_one),
		EACH(bytes_that_are_not_there_do_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
