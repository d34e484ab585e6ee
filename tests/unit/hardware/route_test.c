// SPDX-License-Identifier: BSD-3-Clause
// Shortest paths as static entries, VLANs, entries of the file.
#include "scene_lab.h"

// A ring of four switches with a host each.
#define RING                                                                                    \
	"duration: 1ms\nswitches: {s1..4: }\nhosts: {h1..4: }\n"                                \
	"links: [{between: [h1..4, s1..4], pairs: same_index}, {between: [s1, s2]}, {between: " \
	"[s2, s3]}, "                                                                           \
	"{between: [s3, s4]}, {between: [s4, s1]}]\n"

static const char *next_hop(const struct scene *s, const char *sw, const char *host, unsigned vid)
{
	const struct scene_node *n = lab_node(s, sw);
	const char *found = NULL;

	for (unsigned i = 0; i < n->u.sw.n_fdb; i++) {
		const struct sw_fdb_params *e = &n->u.sw.fdb[i];

		if (memcmp(e->mac, lab_node(s, host)->mac, 6) == 0 && e->vid == vid) {
			assert_null(found); // one entry for an address
			found = n->port[e->port].name;
		}
	}
	return found ? found : "none";
}

static void paths_are_shortest_and_lowest(void **state)
{
	struct scene *s = lab(RING);

	(void)state;
	assert_string_equal(next_hop(s, "s1", "h1", 0), "s1:h1");
	assert_string_equal(next_hop(s, "s1", "h2", 0), "s1:s2");
	assert_string_equal(next_hop(s, "s1", "h4", 0), "s1:s4");
	// two ways of the same length: the lower port
	assert_string_equal(next_hop(s, "s1", "h3", 0), "s1:s2");
	assert_string_equal(next_hop(s, "s4", "h2", 0), "s4:s3");
	scene_free(s);
}

// The ports, as a bitmap, that a switch has for a host.
static uint64_t ways(const struct scene *s, const char *sw, const char *host)
{
	const struct sw_params *p = &lab_node(s, sw)->u.sw;

	for (unsigned i = 0; i < p->n_fdb; i++) {
		if (memcmp(p->fdb[i].mac, lab_node(s, host)->mac, 6) == 0)
			return p->fdb[i].ecmp ? p->ecmp[p->fdb[i].ecmp - 1].port[0]
					      : 1ull << p->fdb[i].port;
	}
	return 0;
}

// Ports of a switch here: its host, then its links in the order of the file.
static void equal_ways_are_a_set(void **state)
{
	struct scene *s = lab(RING);

	(void)state;
	assert_int_equal(ways(s, "s1", "h1"), 1);
	assert_int_equal(ways(s, "s1", "h2"), 2);
	assert_int_equal(ways(s, "s1", "h3"), 6);
	assert_int_equal(lab_node(s, "s1")->u.sw.n_ecmp, 1);
	scene_free(s);
	s = lab_with(RING, "switches.s1.ecmp", "false");
	assert_int_equal(ways(s, "s1", "h3"), 2);
	assert_int_equal(ways(s, "s3", "h1"), 6);
	scene_free(s);
}

// Two links between the same switches are equal ways, too; sets are listed once.
static void hosts_share_sets(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1..2: }\nhosts: {h1..6: }\n"
		    "links: [{between: [s1, s2]}, {between: [s1, s2]}, {between: [h1..3, s1]},"
		    " {between: [h4..6, s2]}]\n");

	(void)state;
	assert_int_equal(ways(s, "s1", "h5"), 3);
	assert_int_equal(ways(s, "s2", "h1"), 3);
	assert_int_equal(lab_node(s, "s1")->u.sw.n_ecmp, 1);
	scene_free(s);
}

static void a_default_port_goes_before_paths(void **state)
{
	struct scene *s = lab_with(RING, "switches.s1.default_port", "\"s1:s4\"");

	(void)state;
	assert_int_equal(ways(s, "s1", "h1"), 1);
	assert_int_equal(ways(s, "s1", "h2"), 4);
	assert_int_equal(ways(s, "s1", "h3"), 4);
	assert_int_equal(ways(s, "s2", "h4"), 6);
	scene_free(s);
	lab_refuse_set(
		"switches.s1.default_port", "\"h1:s1\"", "'h1:s1' is not a port of switch 's1'");
	lab_refuse_set("switches.s1.default_port", "\"s1:s9\"", "there is no port 's1:s9'");
}

static void each_vlan_has_its_entries(void **state)
{
	struct scene *s =
		lab(RING "flows: {a: {from: h1, to: h2, vlan: 5}, b: {from: h1, to: h2, vlan: 5},"
			 " c: {from: h1, to: h3, vlan: 9}}\n");

	(void)state;
	assert_string_equal(next_hop(s, "s1", "h2", 5), "s1:s2");
	assert_string_equal(next_hop(s, "s3", "h1", 9), "s3:s2");
	assert_string_equal(next_hop(s, "s3", "h1", 7), "none");
	assert_int_equal(lab_node(s, "s1")->u.sw.n_fdb, 4 * 3);
	scene_free(s);
}

static void islands_have_no_path(void **state)
{
	struct scene *s = lab("duration: 1ms\nswitches: {s1..2: }\nhosts: {h1..2: }\n"
			      "links: [{between: [h1..2, s1..2], pairs: same_index}]\n");

	(void)state;
	assert_string_equal(next_hop(s, "s1", "h2", 0), "none");
	assert_string_equal(next_hop(s, "s2", "h2", 0), "s2:h2");
	scene_free(s);
}

static void the_file_goes_first(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {fdb: [{mac: \"02:00:00:00:00:01\", port: "
		    "\"s1:h2\"}, {mac: \"02:00:00:00:00:aa\", port: \"s1:r\", vlan: 3}]}}\n"
		    "hosts: {h1..2: , r: }\n" LAB_LINKS);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_string_equal(next_hop(s, "s1", "h1", 0), "s1:h2");
	assert_string_equal(next_hop(s, "s1", "h2", 0), "s1:h2");
	assert_int_equal(p->n_fdb, 4);
	assert_int_equal(p->fdb[1].vid, 3);
	scene_free(s);
	lab_refuse_set("switches.s1.fdb", "[{mac: \"02:00:00:00:00:01\", port: \"h1:s1\"}]",
		"'h1:s1' is not a port of switch 's1'");
	lab_refuse_set("switches.s1.fdb", "[{mac: \"02:00:00:00:00:01\"}]", "'port' is missing");
	lab_refuse_set("switches.s1.fdb", "[{mac: 1, port: \"s1:r\"}]", "mac: '1' is not right");
	lab_refuse_set("switches.s1.fdb", "3", "fdb: '3' is not right; write a list");
}

static void port_addresses_differ(void **state)
{
	struct scene *s = lab(RING);

	(void)state;
	// Every address of the scene is its own.
	for (unsigned i = 0; i < s->n_nodes; i++) {
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			for (unsigned k = 0; k < s->n_nodes; k++) {
				for (unsigned q = 0; q < s->node[k].n_ports; q++) {
					if (i != k || p != q)
						assert_memory_not_equal(s->node[i].port[p].mac,
							s->node[k].port[q].mac, 6);
				}
			}
		}
	}
	scene_free(s);
}

// Frames with two VLAN tags that come by a device may pass any link of the scene, whose ports have
// room for them where nobody says how long frames are.
static void tags_from_outside_fit_at_every_port(void **state)
{
	static const char text[] =
		"duration: 1ms\nswitches: {s1: , s2: }\nhosts: {a: , b: , c: }\nlinks:\n"
		"  - {between: [[a, b], s1]}\n  - {between: [s1, s2]}\n"
		"  - {between: [c, s2], mtu: 1518}\nports: {%s}\n";
	static const struct {
		const char *ports;
		bool real;
		uint32_t mtu;
	} of[] = {{"'s1:a': {device: net_null0}", true, 1522},
		{"'s1:a': {device: net_null0}", false, 1514}, {"", true, 1514}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct scene_opts opts = {.real = of[i].real};
		char yaml[500];
		struct scene *s;

		snprintf(yaml, sizeof(yaml), text, of[i].ports);
		assert_int_equal(lab_try(&s, yaml, &opts), 0);
		for (unsigned p = 0; p < 3; p++) // to a, b and s2
			assert_int_equal(lab_node(s, "s1")->port[p].mtu, of[i].mtu);
		assert_int_equal(lab_node(s, "s2")->port[0].mtu, of[i].mtu);
		assert_int_equal(lab_node(s, "s2")->port[1].mtu, 1518);
		scene_free(s);
	}
}

// `line` of a scenario with a host h at s1, s1 at s2, and devices where `ports` says so.
static void far_is(const char *hosts, const char *ports, bool real, const uint8_t to_h[6],
	const uint8_t to_s2[6], const uint8_t of_r[6])
{
	static const char text[] =
		"duration: 1ms\nswitches: {s1: , s2: }\nhosts: {h: %s, r: }\n"
		"links: [{between: [h, s1]}, {between: [s1, s2]}, {between: [s2, "
		"r]}]\nports: {%s}\n";
	const struct scene_opts opts = {.real = real};
	char yaml[500];
	struct scene *s;

	snprintf(yaml, sizeof(yaml), text, hosts, ports);
	assert_int_equal(lab_try(&s, yaml, &opts), 0);
	assert_memory_equal(lab_node(s, "s1")->u.sw.port[0].far_mac, to_h, 6);
	assert_memory_equal(lab_node(s, "s1")->u.sw.port[1].far_mac, to_s2, 6);
	assert_memory_equal(lab_node(s, "r")->u.nic.far_mac, of_r, 6);
	scene_free(s);
}

// PFC and PAUSE of the other end have its address. On the real clock a node behind a device is
// somebody else's, and only the scenario can say which address that has.
static void the_far_end_has_an_address(void **state)
{
	static const uint8_t none[6], h[6] = {2, 0, 0, 0, 0, 1}, own[6] = {2, 9, 9, 9, 9, 9},
				      s2[6] = {2, 1, 0, 0, 2, 1}, s2_r[6] = {2, 1, 0, 0, 2, 2};

	(void)state;
	far_is("", "", false, h, s2, s2_r);
	far_is("", "", true, h, s2, s2_r);
	far_is("{mac: 02:09:09:09:09:09}", "", true, own, s2, s2_r);
	far_is("", "s1:h: {device: x}", false, h, s2, s2_r);
	far_is("", "s1:h: {device: x}", true, none, s2, s2_r);
	far_is("{mac: 02:09:09:09:09:09}", "s1:h: {device: x}", true, own, s2, s2_r);
	far_is("", "s1:h: {device: x}, h:s1: {mac: 02:09:09:09:09:09}", true, own, s2, s2_r);
	far_is("", "s2:s1: {mac: 02:09:09:09:09:09}", true, h, own, s2_r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_from_outside_fit_at_every_port),
		cmocka_unit_test(paths_are_shortest_and_lowest),
		cmocka_unit_test(equal_ways_are_a_set),
		cmocka_unit_test(hosts_share_sets),
		cmocka_unit_test(a_default_port_goes_before_paths),
		cmocka_unit_test(each_vlan_has_its_entries),
		cmocka_unit_test(islands_have_no_path),
		cmocka_unit_test(the_file_goes_first),
		cmocka_unit_test(port_addresses_differ),
		cmocka_unit_test(the_far_end_has_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
