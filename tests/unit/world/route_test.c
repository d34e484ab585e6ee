// SPDX-License-Identifier: BSD-3-Clause
// Ways: a chain of two switches, checked by hand.
#include "record_lab.h"

#include "world/world.h"

// h1 - s1 - s2 - r; the middle link is slower. A second link between the switches, found by static
// entry.
static const char chain[] = "name: chain\n"
			    "duration: 1ms\n"
			    "switches:\n"
			    "  s1: {latency: 500ns, classes: {3: {lossless: true}}}\n"
			    "  s2: {classes: {3: {lossless: true}}}\n"
			    "hosts: {h1: {}, r: {}}\n"
			    "links:\n"
			    "  - {between: [h1, s1], rate: 100Gbps, delay: 1us}\n"
			    "  - {between: [s1, s2], rate: 40Gbps, delay: 2us}\n"
			    "  - {between: [s2, r], rate: 100Gbps, delay: 3us}\n"
			    "flows:\n"
			    "  one: {from: h1, to: r, class: 3, message: 10000B, mtu: 1024}\n";

static struct lab l;
static struct route there, back;
static const struct scene_flow *flow;

static int find(
	struct route *r, const struct scene *s, unsigned from, unsigned to, const struct hdr *h)
{
	struct routes *routes = routes_new(s);
	int rc = route_find(r, routes, from, to, h);
	struct route again;

	assert_int_equal(
		route_find(&again, routes, from, to, h), rc); // now the distances are known
	assert_int_equal(again.n, r->n);
	assert_memory_equal(again.hop, r->hop, r->n * sizeof(r->hop[0]));
	routes_free(routes);
	return rc;
}

static int load(void **state)
{
	struct scene_opts so = {0};

	(void)state;
	lab_open(&l, chain);
	if (compile_scene(&l.scene, l.file, &so, &l.err))
		fail_msg("%s", l.err.text);
	flow = l.scene->flow[0];
	assert_int_equal(find(&there, l.scene, flow->from, flow->to, &flow->hdr_data), 0);
	assert_int_equal(find(&back, l.scene, flow->to, flow->from, &flow->hdr_ack), 0);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static void hops_in_order(void **state)
{
	static const char *const want[] = {"h1:s1", "s1:s2", "s2:r"};
	static const char *const home[] = {"r:s2", "s2:s1", "s1:h1"};

	(void)state;
	assert_int_equal(there.n, 3);
	assert_int_equal(back.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_string_equal(route_port(l.scene, &there.hop[i])->name, want[i]);
		assert_string_equal(route_port(l.scene, &back.hop[i])->name, home[i]);
	}
	assert_int_equal(route_rate(l.scene, &there), 40 * RATE_GBPS);
}

static void sizes_of_frames(void **state)
{
	(void)state;
	assert_int_equal(route_overhead(flow), 58);
	assert_int_equal(route_ext(flow), 16);
	assert_int_equal(route_ack_len(flow), 62);
}

// s2 strips the CN-TAG of what leaves for r.
static void a_cn_tag_counts_until_it_is_stripped(void **state)
{
	const struct scene_set set[] = {{"controls.q", "{qcn: {cn_tag: true}}"},
		{"flows.one.control", "q"}, {"switches.s2.classes.3.qcn.set_point", "26KB"},
		{"ports.s2:r.cn_mode", "interior"}};
	struct scene_opts so = {.set = set, .n_set = 4};
	const struct scene_flow *f;
	struct route way;
	struct scene *s;
	struct err err;

	(void)state;
	if (compile_scene(&s, l.file, &so, &err))
		fail_msg("%s", err.text);
	f = s->flow[0];
	assert_int_equal(find(&way, s, f->from, f->to, &f->hdr_data), 0);
	assert_int_equal(route_overhead(f), 62);
	assert_int_equal(route_stripped(s, f, &way, 0), 0);
	assert_int_equal(route_stripped(s, f, &way, 1), 0);
	assert_int_equal(route_stripped(s, f, &way, 2), 4);
	assert_int_equal(route_stripped(s, flow, &way, 2), 0);
	scene_free(s);
}

// An entry is of one VLAN: frames of another one go another way.
static void an_entry_is_of_its_vlan(void **state)
{
	static const char two[] =
		"duration: 1ms\n"
		"switches:\n"
		"  s1: {fdb: [{mac: \"02:00:00:00:00:02\", port: s1:a},\n"
		"             {mac: \"02:00:00:00:00:02\", vlan: 7, port: s1:b}]}\n"
		"  a:\n  b:\n"
		"hosts: {h: , r: }\n"
		"links: [{between: [h, s1]}, {between: [s1, a]}, {between: [s1, b]},\n"
		"        {between: [a, r]}]\n"
		"flows: {none: {from: h, to: r}, tagged: {from: h, to: r, vlan: 7}}\n";
	struct scene_opts so = {0};
	struct route way;
	struct scene *s;
	struct lab own;

	(void)state;
	lab_open(&own, two);
	if (compile_scene(&s, own.file, &so, &own.err))
		fail_msg("%s", own.err.text);
	find(&way, s, s->flow[0]->from, s->flow[0]->to, &s->flow[0]->hdr_data);
	assert_string_equal(route_port(s, &way.hop[1])->name, "s1:a");
	find(&way, s, s->flow[1]->from, s->flow[1]->to, &s->flow[1]->hdr_data);
	assert_string_equal(route_port(s, &way.hop[1])->name, "s1:b");
	scene_free(s);
	lab_close(&own);
}

static void no_way(void **state)
{
	static const struct hdr nobody = {.dst = {2, 9, 9, 9, 9, 9}};
	struct route r;
	int s1 = scene_node(l.scene, "s1");
	struct scene_port *p = &l.scene->node[s1].port[1];
	int32_t peer = p->peer_node;

	(void)state;
	p->peer_node = -1; // a device
	assert_int_equal(find(&r, l.scene, flow->from, flow->to, &nobody), -EHOSTUNREACH);
	p->peer_node = peer;
	assert_int_equal(find(&r, l.scene, flow->from, flow->to, &nobody), 0);
	assert_int_equal(route_rate(l.scene, &(struct route){0}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_in_order),
		cmocka_unit_test(sizes_of_frames),
		cmocka_unit_test(a_cn_tag_counts_until_it_is_stripped),
		cmocka_unit_test(an_entry_is_of_its_vlan),
		cmocka_unit_test(no_way),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
