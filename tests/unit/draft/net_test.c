// SPDX-License-Identifier: BSD-3-Clause
// Nodes, links and pairs of them, ports and devices.
#include "scene_lab.h"

#define HEAD "duration: 1ms\nswitches: {s1..3: }\nhosts: {h1..3: }\n"

static void same_index_pairs_one_to_one(void **state)
{
	struct scene *s =
		lab(HEAD "defaults: {links: {rate: 40Gbps, delay: 2us}}\n"
			 "links: [{between: [h1..3, s1..3], pairs: same_index, delay: 3us},"
			 " {between: [s1..3, s1..3]}]\n");
	const struct scene_port *p = lab_port(s, "s2:h2");

	(void)state;
	assert_int_equal(p->rate, 40 * RATE_GBPS);
	assert_int_equal(p->delay, 3 * PS_PER_US);
	assert_int_equal(p->peer_node, scene_node(s, "h2"));
	assert_int_equal(p->peer_port, 0);
	// all with all, each pair once
	assert_int_equal(lab_node(s, "s1")->n_ports, 3);
	assert_int_equal(lab_node(s, "s3")->n_ports, 3);
	assert_int_equal(lab_port(s, "s1:s3")->delay, 2 * PS_PER_US);
	scene_free(s);
}

static void a_second_link_has_a_number(void **state)
{
	struct scene *s = lab(
		HEAD "links: [{between: [h1..3, s1..3], pairs: same_index}, {between: [s1, s2]},"
		     " {between: [s1, s2]}, {between: [s2, s3]}]\n"
		     "ports: {\"s1:s2.2\": {mtu: 9000}}\n");
	const struct scene_port *p = lab_port(s, "s1:s2.2");

	(void)state;
	assert_int_equal(p->mtu, 9000);
	assert_int_equal(lab_port(s, "s1:s2")->mtu, 1514);
	assert_int_equal(p->peer_port, 2);
	assert_string_equal(lab_node(s, "s2")->port[p->peer_port].name, "s2:s1.2");
	scene_free(s);
}

static void bad_links_are_told(void **state)
{
	(void)state;
	lab_refuse(HEAD "links: [{between: [h1, h1]}]\n", "lab.yaml:4:19: this joins nothing");
	lab_refuse(HEAD "links: [{between: [h1]}]\n", "lab.yaml:4:19: between has two ends");
	lab_refuse(HEAD "links: [{between: h1}]\n", "lab.yaml:4:19: between has two ends");
	lab_refuse(HEAD "links: [{rate: 1Gbps}]\n", "lab.yaml:4:9: 'between' is missing");
	lab_refuse(HEAD "links: [{between: [h1, s1]}, {between: [h1, s2]}]\n",
		"lab.yaml:4:30: host 'h1' has a link already (h1:s1); a host has one");
	lab_refuse(HEAD "links: [{between: [h1..3, s1..2], pairs: same_index}]\n",
		"lab.yaml:4:9: pairs: same_index wants as many on both sides; here are 3 and 2");
	lab_refuse(HEAD "links: [{between: [h1..2, s1..2], pairs: same_index}]\n",
		"lab.yaml:2:12: switch 's3' has no link");
	lab_refuse(HEAD "links: [{between: [h1, s1], rate: 5Mbps}]\n",
		"lab.yaml:4:35: rate: 5Mbps is out of range; it can be 10Mbps..800Gbps");
	lab_refuse(HEAD "links: [{between: [h1, s1], rate: 100}]\n",
		"lab.yaml:4:35: rate: '100' has no unit");
	lab_refuse(
		"duration: 1ms\nswitches: {s1: }\nhosts: {h1..513: }\nlinks: [{between: [h1..513, "
		"s1]}]\n",
		"lab.yaml:4:9: 's1' has 512 ports already");
}

static void a_name_twice_is_told(void **state)
{
	(void)state;
	lab_refuse("duration: 1ms\nswitches: {h2: }\nhosts: {h1..3: }\n" LAB_LINKS,
		"lab.yaml:3:9: the name 'h2' stands here twice (first in line 2)");
	lab_refuse("duration: 1ms\nhosts: {h1..3: , h2: }\n" LAB_LINKS,
		"lab.yaml:2:18: the name 'h2' stands here twice");
	lab_refuse("duration: 1ms\nhosts: {h1: , h1: }\n" LAB_LINKS,
		"lab.yaml:2:15: 'h1' stands here twice");
}

// One of a range is changed by --set, not by the file.
static void the_command_line_changes_one_of_a_range(void **state)
{
	struct scene *s = lab_with(LAB, "hosts.h2.np.interval", "5us");

	(void)state;
	assert_int_equal(lab_node(s, "h1")->u.nic.np.interval_ps, 50 * PS_PER_US);
	assert_int_equal(lab_node(s, "h2")->u.nic.np.interval_ps, 5 * PS_PER_US);
	scene_free(s);
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

// Switches of a range share their settings until one of them has its own.
static void a_change_of_one_switch_is_not_of_the_others(void **state)
{
	static const char text[] = "duration: 1ms\nswitches: {s1..4: {buffer: 9MB}}\n"
				   "hosts: {h1..4: }\n"
				   "links: [{between: [h1..4, s1..4], pairs: same_index},"
				   " {between: [s1..4, s1..4]}]\n";
	struct scene *s = lab_with(text, "switches.s2.buffer", "5MB");

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		char name[8];

		snprintf(name, sizeof(name), "s%u", i);
		assert_int_equal(lab_node(s, name)->u.sw.buffer_bytes, i == 2 ? 5000000 : 9000000);
	}
	assert_int_equal(count(s->resolved, "buffer: 9MB"), 3);
	assert_int_equal(count(s->resolved, "buffer: 5MB"), 1);
	scene_free(s);
}

static void ports_override(void **state)
{
	struct scene *s = lab(LAB "ports:\n"
				  "  s1:r: {mac: \"02:aa:00:00:00:01\", capture: true, lcore: 3}\n"
				  "  h1:s1: {mac: \"02:bb:00:00:00:01\", ip: 10.9.9.9}\n");

	(void)state;
	assert_true(lab_port(s, "s1:r")->capture);
	assert_int_equal(lab_port(s, "s1:r")->lcore, 3);
	assert_int_equal(lab_port(s, "s1:r")->mac[1], 0xaa);
	assert_int_equal(lab_port(s, "s1:h1")->lcore, -1);
	assert_int_equal(lab_node(s, "h1")->mac[1], 0xbb);
	assert_int_equal(lab_node(s, "h1")->ip[3], 9);
	assert_int_equal(s->flow[0]->hdr_data.src[1], 0xbb);
	scene_free(s);
	lab_refuse(LAB "ports: {h1:s1: {classes: {3: {pfc: {xoff: 1KB}}}}}\n",
		"lab.yaml:6:26: 'h1:s1' is a host's port");
	lab_refuse(LAB "ports: {s1:r: {device: \"\"}}\n", "lab.yaml:6:24: device is empty");
}

#define RANGES                                                   \
	"duration: 1ms\nswitches: {s1..2: }\nhosts: {h1..8: }\n" \
	"links: [{between: [h1..8, s1]}, {between: [s1, s2]}, {between: [s1, s2]}]\n"

static void a_range_of_peers_is_their_ports(void **state)
{
	static const char text[] = RANGES "ports:\n  s1:h2..4: {lcore: 3, capture: true}\n"
					  "  s1..2:s1..2: {lcore: 4}\n  h7..8:s1: {lcore: 5}\n";
	static const int lcore[] = {-1, 3, 3, 3, -1, -1, -1, -1};
	struct scene *s = lab_with(text, "ports.s1:h3.capture", "false");

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(lab_node(s, "s1")->port[i].lcore, lcore[i]);
		assert_int_equal(lab_node(s, "s1")->port[i].capture, i == 1 || i == 3);
	}
	assert_int_equal(lab_port(s, "s1:s2")->lcore, 4);
	assert_int_equal(lab_port(s, "s1:s2.2")->lcore, -1);
	assert_int_equal(lab_port(s, "s2:s1")->lcore, 4);
	assert_int_equal(lab_port(s, "h7:s1")->lcore, 5);
	assert_int_equal(count(s->resolved, "lcore: 3"), 3);
	assert_int_equal(count(s->resolved, "capture: false"), 1);
	scene_free(s);
}

static void a_port_stands_once_in_ports(void **state)
{
	(void)state;
	lab_refuse(RANGES "ports: {s1:h1..4: {lcore: 1}, s1:h4..8: {lcore: 2}}\n",
		"lab.yaml:5:31: 's1:h4' stands in 's1:h4..8' and in 's1:h1..4' (line 5); write its "
		"settings in one of them");
	lab_refuse(RANGES "ports: {s1:h4: {lcore: 1}, s1:h1..8: {lcore: 2}}\n",
		"lab.yaml:5:28: 's1:h4' stands in 's1:h1..8' and in 's1:h4' (line 5)");
	lab_refuse(RANGES "ports: {s1:h4: {lcore: 1}, s1:h4: {lcore: 2}}\n",
		"lab.yaml:5:28: 's1:h4' stands here twice");
}

static void a_bad_range_of_ports_is_told(void **state)
{
	(void)state;
	lab_refuse(
		RANGES "ports: {s1:h1..9: {lcore: 1}}\n", "lab.yaml:5:9: there is no port 's1:h9'");
	lab_refuse(
		RANGES "ports: {s1:h8..1: {lcore: 1}}\n", "lab.yaml:5:9: 'h8..1' runs backwards");
	lab_refuse(RANGES "ports: {s1:s2.2..3: {lcore: 1}}\n",
		"lab.yaml:5:9: 's2.2..3' is no range of names");
	lab_refuse(RANGES "ports: {s1..3:h1: {lcore: 1}}\n",
		"lab.yaml:5:9: there is no port 's2:h1'; s2 has s2:s1 .. s2:s1.2");
	lab_refuse(RANGES "ports: {s1..3:s2: {lcore: 1}}\n", "lab.yaml:5:9: there is no node 's3'");
	lab_refuse(RANGES "ports: {s1:h1..2: {device: net_null0}}\n",
		"lab.yaml:5:28: device is one port's, and this is for 2 ports; write it at the "
		"port alone, as in 's1:h1'");
}

// Virtual: a device is simulated like any link. Real: it cuts the link, and the nodes behind it are
// not ours.
static void a_device_cuts_its_link_on_the_real_clock(void **state)
{
	static const char text[] =
		"duration: 1ms\nswitches: {s1: }\nhosts: {h1..2: , out: }\n"
		"links: [{between: [[h1..2, out], s1]}]\n"
		"ports: {\"s1:out\": {device: net_null0}}\nflows: {f: {from: h1, to: h2}}\n";
	const struct scene_opts real = {.real = true};
	struct scene *s = lab(text);

	(void)state;
	assert_int_equal(s->n_nodes, 4);
	assert_int_equal(lab_port(s, "s1:out")->peer_node, scene_node(s, "out"));
	assert_false(s->needs_bytes);
	scene_free(s);
	assert_int_equal(lab_try(&s, text, &real), 0);
	assert_int_equal(s->n_nodes, 3);
	assert_int_equal(scene_node(s, "out"), -1);
	assert_int_equal(lab_port(s, "s1:out")->peer_node, -1);
	assert_string_equal(lab_port(s, "s1:out")->device, "net_null0");
	assert_true(s->needs_bytes);
	assert_int_equal(s->max_frame, 1522);
	scene_free(s);
}

// Two VLAN tags have room beside the longest frame at every port of a scene with a device, where
// nobody says a number.
static void ports_have_room_for_tags_from_outside(void **state)
{
	static const char text[] = LAB "ports: {\"s1:r\": {device: net_ring0}, \"r:s1\": {device: "
				       "net_ring1, mtu: 1518}}\n";
	const struct scene_opts real = {.real = true};
	struct scene *s = lab(text);

	(void)state;
	assert_int_equal(lab_port(s, "s1:r")->mtu, 1514);
	scene_free(s);
	assert_int_equal(lab_try(&s, text, &real), 0);
	assert_int_equal(lab_port(s, "s1:r")->mtu, 1522);
	assert_int_equal(lab_port(s, "s1:r")->tags, 8);
	assert_int_equal(lab_port(s, "r:s1")->mtu, 1518);
	assert_int_equal(lab_port(s, "r:s1")->tags, 0);
	assert_int_equal(lab_port(s, "s1:h1")->mtu, 1522);
	scene_free(s);
}

// Both ends of a cable are ours: both nodes run.
static void two_devices_keep_both_nodes(void **state)
{
	static const char text[] =
		LAB "ports: {\"s1:r\": {device: net_ring0}, \"r:s1\": {device: net_ring1}}\n";
	static const char half[] = LAB "ports: {\"s1:r\": {device: net_ring0}}\n";
	const struct scene_opts real = {.real = true};
	struct scene *s;

	(void)state;
	assert_int_equal(lab_try(&s, text, &real), 0);
	assert_int_equal(s->n_nodes, 4);
	assert_int_equal(lab_port(s, "r:s1")->peer_node, -1);
	scene_free(s);
	assert_int_equal(lab_try(&s, half, &real), -EINVAL);
	assert_non_null(strstr(lab_err.text, "give r:s1 a device, too"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_index_pairs_one_to_one),
		cmocka_unit_test(a_second_link_has_a_number),
		cmocka_unit_test(bad_links_are_told),
		cmocka_unit_test(a_name_twice_is_told),
		cmocka_unit_test(the_command_line_changes_one_of_a_range),
		cmocka_unit_test(a_change_of_one_switch_is_not_of_the_others),
		cmocka_unit_test(ports_override),
		cmocka_unit_test(a_range_of_peers_is_their_ports),
		cmocka_unit_test(a_port_stands_once_in_ports),
		cmocka_unit_test(a_bad_range_of_ports_is_told),
		cmocka_unit_test(a_device_cuts_its_link_on_the_real_clock),
		cmocka_unit_test(ports_have_room_for_tags_from_outside),
		cmocka_unit_test(two_devices_keep_both_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
