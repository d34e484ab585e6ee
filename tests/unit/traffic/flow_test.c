// SPDX-License-Identifier: BSD-3-Clause
// Pairs, classes and their codepoints, MTU, what does not go together.
#include "scene_lab.h"

#define FLOW(text) "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows: {f: {" text "}}\n"

static void all_send_to_all_but_themselves(void **state)
{
	struct scene *s = lab(FLOW("from: [h1..2, r], to: [h1..2, r]"));

	(void)state;
	assert_int_equal(s->n_flows, 6); // all with all, none with itself
	scene_free(s);
	s = lab(FLOW("from: h1..2, to: [h2, r], pairs: same_index, qps: 3"));
	assert_int_equal(s->n_flows, 6);
	assert_string_equal(s->flow[2]->name, "f[h1>h2.2]");
	assert_string_equal(s->flow[3]->name, "f[h2>r.0]");
	scene_free(s);
	lab_refuse(FLOW("from: h1, to: h1"), "lab.yaml:5:27: flow 'f' joins nothing");
	lab_refuse(FLOW("from: h1..2, to: r, pairs: same_index"),
		"lab.yaml:5:30: pairs: same_index wants as many on both sides; here are 2 and 1");
	lab_refuse(FLOW("from: h1..2, to: r, qps: 4096, outstanding: 65"),
		"lab.yaml:5:57: outstanding: 65 is out of range; it can be 1..64");
	lab_refuse(FLOW("from: s1, to: r"), "lab.yaml:5:19: 's1' is a switch");
	lab_refuse(FLOW("from: h1"), "lab.yaml:5:9: 'to' is missing in this flow");
	lab_refuse("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		   "flows: {f1..2: {from: h1, to: r}}\n",
		"lab.yaml:5:9: a flow has one name");
}

static void too_many_queue_pairs_are_told(void **state)
{
	(void)state;
	lab_refuse("duration: 1ms\nswitches: {s1: }\nhosts: {h1..10: }\nlinks: [{between: [h1..10, "
		   "s1]}]\nflows: {f: {from: h1..10, to: h1..10, qps: 100000}}\n",
		"lab.yaml:5:9: more than 1048576 queue pairs");
}

static void defaults_lie_below(void **state)
{
	struct scene *s =
		lab("defaults: {flows: {message: 64KiB, mtu: 4096}}\n" FLOW("from: h1, to: r"));

	(void)state;
	assert_int_equal(s->flow[0]->req.message_bytes, 65536);
	assert_int_equal(s->flow[0]->rc->p.mtu, 4096);
	assert_int_equal(s->max_frame, 58 + 16 + 4096);
	assert_int_equal(lab_port(s, "h1:s1")->mtu, 58 + 16 + 4096);
	scene_free(s);
	lab_refuse("defaults: {flows: {messages: 1KB}}\n" LAB,
		"lab.yaml:1:20: unknown key 'messages' in a flow; did you mean 'message'?");
}

// SONiC's tests send packets of 1500 and 5000 bytes. One line warns of all lines of a list, and of
// all messages of a load.
static void a_path_mtu_that_infiniband_lacks_is_warned_of(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r, mtu: 5000"));

	(void)state;
	assert_int_equal(s->max_frame, 58 + 16 + 5000);
	assert_int_equal(lab_port(s, "h1:s1")->mtu, 58 + 16 + 5000);
	assert_int_equal(s->n_warnings, 1);
	assert_string_equal(s->warning[0].text,
		"flow 'f': mtu 5000 is none of InfiniBand's path MTUs (256, 512, 1024, 2048, "
		"4096); real NICs have only these");
	scene_free(s);
	s = lab(FLOW("from: h1..2, to: r, mtu: 1500, sizes: 10KB, load: 20%, qps: per_message"));
	assert_int_equal(s->n_warnings, 1);
	scene_free(s);
	lab_refuse("duration: 1ms\nswitches: {s1: }\nhosts: {h: , r: {external: true}}\n"
		   "links: [{between: [[h, r], s1]}]\nports: {\"s1:r\": {device: net_null0}}\n"
		   "flows: {f: {from: h, to: r, mtu: 1500, peer: {qpn: 9}}}\n",
		"lab.yaml:6:34: an external host has a path MTU of 256, 512, 1024, 2048 or 4096, "
		"not 1500");
}

static void a_path_mtu_must_exist_and_fit(void **state)
{
	(void)state;
	lab_refuse(FLOW("from: h1, to: r, mtu: 1001"),
		"lab.yaml:5:35: a path MTU of 1001 is too small or no multiple of 4; write 256, "
		"512, 1024, 2048 or 4096, or another multiple of 4 up to 9000");
	lab_refuse(FLOW("from: h1, to: r, mtu: 128"), "lab.yaml:5:35: a path MTU of 128");
	lab_refuse(FLOW("from: h1, to: r, mtu: 9004"),
		"lab.yaml:5:35: mtu: 9004 is out of range; it can be 1..9000");
	lab_refuse("defaults: {links: {mtu: 1000}}\n" LAB,
		"lab.yaml:6:9: flow 'incast' has frames of 1098 bytes, port h1:s1 takes 1000");
}

// The class decides DSCP and PCP by the maps of the first switch.
static void the_class_decides_the_codepoints(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r, class: 3, vlan: 7"));

	(void)state;
	assert_int_equal(s->flow[0]->req.tos, 26 << 2 | ECN_NOT_ECT);
	assert_int_equal(s->flow[0]->hdr_data.vlan_tci, 3 << 13 | 7);
	assert_int_equal(s->flow[0]->hdr_ack.vlan_tci, 6 << 13 | 7);
	assert_int_equal(s->flow[0]->hdr_data.flags, HDR_VLAN | HDR_IPV4);
	scene_free(s);
	s = lab(FLOW("from: h1, to: r, class: 4"));
	assert_int_equal(s->flow[0]->req.tos >> 2, 32);
	scene_free(s);
	s = lab("duration: 1ms\nswitches: {s1: {dscp_map: {24..31: 0, 5: 3}, pcp_map: {3: 0, 6: "
		"3}}}\n" LAB_HOSTS LAB_LINKS "flows: {f: {from: h1, to: r, vlan: 1}}\n");
	assert_int_equal(s->flow[0]->req.tos >> 2, 5);
	assert_int_equal(s->flow[0]->hdr_data.vlan_tci >> 13, 6);
	scene_free(s);
	s = lab(FLOW("from: h1, to: r, dscp: 30, ecn: ect1, pcp: 1, vlan: 2"));
	assert_int_equal(s->flow[0]->req.tos, 30 << 2 | ECN_ECT1);
	assert_int_equal(s->flow[0]->hdr_data.vlan_tci, 1 << 13 | 2);
	scene_free(s);
}

static void open_loop_stands_alone(void **state)
{
	(void)state;
	lab_refuse(FLOW("from: h1, to: r, open_loop: {size: 64}, qps: 2"),
		"lab.yaml:5:53: 'qps' belongs to queue pairs, this flow is open_loop");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {size: 63}"),
		"lab.yaml:5:48: size: 63 is out of range; it can be 64..16384");
}

static void no_route_is_told(void **state)
{
	(void)state;
	lab_refuse("duration: 1ms\nswitches: {s1..2: }\nhosts: {h1..2: }\n"
		   "links: [{between: [h1..2, s1..2], pairs: same_index}]\n"
		   "flows: {f: {from: h1, to: h2}}\n",
		"lab.yaml:5:9: flow 'f' has no route from h1 to h2; join their switches by "
		"`links`");
	lab_refuse("duration: 1ms\nhosts: {h1..4: }\n"
		   "links: [{between: [h1, h2]}, {between: [h3, h4]}]\n"
		   "flows: {f: {from: h1, to: h3}}\n",
		"lab.yaml:4:9: flow 'f' has no route from h1 to h3");
}

// Two hosts need no switch between them.
static void two_hosts_need_no_switch(void **state)
{
	struct scene *s = lab("duration: 1ms\nhosts: {h1..2: }\nlinks: [{between: [h1, h2]}]\n"
			      "flows: {f: {from: h1, to: h2}}\n");

	(void)state;
	assert_int_equal(s->n_flows, 1);
	assert_int_equal(s->flow[0]->req.tos >> 2, 26);
	assert_int_equal(lab_node(s, "h1")->u.nic.pfc_classes, 0);
	scene_free(s);
}

// The cause comes first: which port has a device, and which has none.
static void a_host_behind_a_device_has_no_flows(void **state)
{
	const struct scene_opts real = {.real = true};
	struct scene *s = NULL;

	(void)state;
	assert_int_not_equal(lab_try(&s,
				     "duration: 1ms\nswitches: {s1: {}}\nhosts: {h1: , h2: }\n"
				     "links: [{between: [h1..2, s1]}]\n"
				     "ports: {\"s1:h1\": {device: net_null0}}\n"
				     "flows: {f: {from: h1, to: h2}}\n",
				     &real),
		0);
	assert_string_equal(lab_err.text,
		"lab.yaml:6:19: port h1:s1 has no device and s1:h1 has one, so 'h1' is outside on "
		"the real clock, and flow 'f' cannot use it; give h1:s1 a device, too, or h1 the "
		"key external");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_behind_a_device_has_no_flows),
		cmocka_unit_test(all_send_to_all_but_themselves),
		cmocka_unit_test(too_many_queue_pairs_are_told),
		cmocka_unit_test(defaults_lie_below),
		cmocka_unit_test(a_path_mtu_that_infiniband_lacks_is_warned_of),
		cmocka_unit_test(a_path_mtu_must_exist_and_fit),
		cmocka_unit_test(the_class_decides_the_codepoints),
		cmocka_unit_test(open_loop_stands_alone),
		cmocka_unit_test(no_route_is_told),
		cmocka_unit_test(two_hosts_need_no_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
