// SPDX-License-Identifier: BSD-3-Clause
// The nodes and links of each shape, the file's additions, and wrong parameters.
#include "scene_lab.h"

#define TIME "duration: 1ms\n"

static unsigned count(const struct scene *s, enum scene_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		n += s->node[i].kind == kind;
	return n;
}

static void check_shape(const struct scene *s, unsigned switches, unsigned hosts)
{
	assert_int_equal(count(s, SCENE_SW), switches);
	assert_int_equal(count(s, SCENE_NIC), hosts);
}

static const struct sw_fdb_params *entry(const struct scene *s, const char *sw, const char *host)
{
	const struct sw_params *p = &lab_node(s, sw)->u.sw;

	for (unsigned i = 0; i < p->n_fdb; i++) {
		if (memcmp(p->fdb[i].mac, lab_node(s, host)->mac, 6) == 0)
			return &p->fdb[i];
	}
	fail_msg("%s does not know %s", sw, host);
	return NULL;
}

static const char *way(const struct scene *s, const char *sw, const char *host)
{
	return lab_node(s, sw)->port[entry(s, sw, host)->port].name;
}

static void a_star(void **state)
{
	struct scene *s = lab(TIME "topology: {star: {hosts: 16, rate: 40Gbps, delay: 3us}}\n");

	(void)state;
	check_shape(s, 1, 16);
	assert_int_equal(lab_port(s, "s1:h16")->rate, 40 * RATE_GBPS);
	assert_int_equal(lab_port(s, "h1:s1")->delay, 3 * PS_PER_US);
	scene_free(s);
}

static void a_dumbbell(void **state)
{
	struct scene *s = lab(TIME "topology: {dumbbell: {hosts: 3, rate: 10Gbps, delay: 1us, "
				   "trunk_rate: 25Gbps, trunk_delay: 7us}}\n");

	(void)state;
	check_shape(s, 2, 6);
	assert_int_equal(lab_port(s, "s1:a3")->rate, 10 * RATE_GBPS);
	assert_int_equal(lab_port(s, "b1:s2")->delay, PS_PER_US);
	assert_int_equal(lab_port(s, "s1:s2")->rate, 25 * RATE_GBPS);
	assert_int_equal(lab_port(s, "s2:s1")->delay, 7 * PS_PER_US);
	assert_string_equal(way(s, "s1", "b2"), "s1:s2");
	scene_free(s);
}

static void a_parking_lot(void **state)
{
	struct scene *s =
		lab(TIME "topology: {parking_lot: {switches: 4, hosts: 2, rate: 10Gbps}}\n");

	(void)state;
	check_shape(s, 4, 8);
	lab_port(s, "h1:s1");
	lab_port(s, "h8:s4");
	assert_int_equal(lab_port(s, "s2:s3")->rate, 10 * RATE_GBPS);
	assert_string_equal(way(s, "s1", "h7"), "s1:s2");
	assert_string_equal(way(s, "s4", "h1"), "s4:s3");
	scene_free(s);
}

static void leaves_and_spines(void **state)
{
	struct scene *s = lab(TIME "topology: {leaf_spine: {leaves: 3, spines: 4, hosts: 2, "
				   "rate: 25Gbps, trunk_rate: 100Gbps}}\n");
	const struct sw_params *p = &lab_node(s, "leaf1")->u.sw;

	(void)state;
	check_shape(s, 7, 6);
	assert_int_equal(lab_node(s, "leaf3")->n_ports, 4 + 2);
	assert_int_equal(lab_node(s, "spine4")->n_ports, 3);
	assert_int_equal(lab_port(s, "leaf2:spine3")->rate, 100 * RATE_GBPS);
	assert_int_equal(lab_port(s, "h6:leaf3")->rate, 25 * RATE_GBPS);
	assert_string_equal(way(s, "leaf1", "h2"), "leaf1:h2");
	assert_int_equal(p->n_ecmp, 1);
	assert_int_equal(p->ecmp[0].port[0], 0xf);
	assert_int_equal(entry(s, "leaf1", "h3")->ecmp, 1);
	assert_int_equal(entry(s, "leaf1", "h1")->ecmp, 0);
	assert_int_equal(lab_node(s, "spine1")->u.sw.n_ecmp, 0);
	scene_free(s);
}

// Every frame goes up in number, even where the way down is shorter.
static void a_ring_goes_one_way(void **state)
{
	struct scene *s = lab(TIME "topology: {ring: {switches: 4, hosts: 1}}\n");

	(void)state;
	check_shape(s, 4, 4);
	assert_string_equal(way(s, "s1", "h4"), "s1:s2");
	assert_string_equal(way(s, "s2", "h1"), "s2:s3");
	assert_string_equal(way(s, "s4", "h3"), "s4:s1");
	assert_string_equal(way(s, "s4", "h4"), "s4:h4");
	scene_free(s);
}

// Sections of the file add to the generated nodes, and may describe them; defaults hold for both.
static void the_file_adds(void **state)
{
	struct scene *s =
		lab(TIME "topology: {star: {hosts: 2}}\n"
			 "defaults:\n"
			 "  links: {rate: 10Gbps}\n"
			 "  switches: {classes: {3: {lossless: true}}}\n"
			 "switches: {s1: {buffer: 2MB}, s2: }\n"
			 "hosts: {h2: {latency: 5us}, x: }\n"
			 "links: [{between: [s1, s2], rate: 50Gbps}, {between: [x, s2]}]\n"
			 "ports: {\"s1:h1\": {capture: true}}\n"
			 "flows: {f: {from: h1..2, to: x}}\n");

	(void)state;
	check_shape(s, 2, 3);
	assert_int_equal(lab_port(s, "s1:h1")->rate, 10 * RATE_GBPS);
	assert_true(lab_port(s, "s1:h1")->capture);
	assert_int_equal(lab_port(s, "s1:s2")->rate, 50 * RATE_GBPS);
	assert_int_equal(lab_node(s, "s1")->u.sw.buffer_bytes, 2000000);
	assert_int_equal(lab_node(s, "s2")->u.sw.buffer_bytes, 16000000);
	assert_true(lab_node(s, "s2")->u.sw.port[0].pg[3].lossless);
	assert_int_equal(lab_node(s, "h1")->latency, 0);
	assert_int_equal(lab_node(s, "h2")->latency, 5 * PS_PER_US);
	assert_int_equal(s->n_flows, 2);
	scene_free(s);
}

static void the_command_line_sets_both(void **state)
{
	const struct scene_set set[] = {{"hosts.h3.latency", "1us"}, {"topology.star.hosts", "3"},
		{"switches.s1.buffer", "3MB"}, {"links.0.delay", "9us"}};
	const struct scene_opts opts = {.set = set, .n_set = 4};
	struct scene *s;

	(void)state;
	if (lab_try(&s, TIME "topology: {star: {hosts: 2}}\n", &opts))
		fail_msg("%s", lab_err.text);
	check_shape(s, 1, 3);
	assert_int_equal(lab_node(s, "h3")->latency, PS_PER_US);
	assert_int_equal(lab_node(s, "s1")->u.sw.buffer_bytes, 3000000);
	assert_int_equal(lab_port(s, "h3:s1")->delay, 9 * PS_PER_US);
	scene_free(s);
}

// Keys that are added behind a generated topology have room of their own: every value is the one
// that was set, and its origin says so.
static void the_command_line_adds_many(void **state)
{
	static const char *const key[] = {
		"duration", "warmup", "drain", "sample", "seed", "framing"};
	struct scene_set set[] = {{"duration", "147us"}, {"warmup", "9us"}, {"drain", "1us"},
		{"sample", "50us"}, {"seed", "3"}, {"framing", "ethernet"}};

	(void)state;
	for (unsigned n = 1; n <= 6; n++) {
		struct scene_opts opts = {.set = set, .n_set = n};
		struct scene *s;

		if (lab_try(&s, "duration: 1ms\ntopology: {star: {hosts: 3, rate: 25Gbps}}\n",
			    &opts))
			fail_msg("%s", lab_err.text);
		for (unsigned i = 0; i < n; i++) {
			char line[64], *at;

			snprintf(line, sizeof(line), "\n%s: %s", key[i], set[i].value);
			at = strstr(s->resolved, line);
			if (!at || strncmp(at + strlen(line) + strspn(at + strlen(line), " "),
					   "# --set\n", 8) != 0)
				fail_msg("%u set: %s is not there", n, line);
		}
		scene_free(s);
	}
}

// The resolved scenario is the same network without a generator.
static void resolved_without_it(void **state)
{
	struct scene *s = lab(TIME "topology: {ring: {switches: 3, hosts: 2}}\n");
	struct scene *again = lab(s->resolved);

	(void)state;
	assert_null(strstr(s->resolved, "topology"));
	check_shape(again, 3, 6);
	assert_string_equal(way(again, "s2", "h1"), "s2:s3");
	scene_free(again);
	scene_free(s);
}

static void errors_say_where(void **state)
{
	(void)state;
	lab_refuse(TIME "topology: {star: {hosts: 0}}\n",
		"lab.yaml:2:26: hosts: 0 is out of range; it can be 1..512");
	lab_refuse(TIME "topology: {star: }\n",
		"lab.yaml:2:12: 'hosts' is missing in this star; write a whole number");
	lab_refuse(TIME "topology: {stars: {hosts: 1}}\n",
		"lab.yaml:2:12: unknown key 'stars' in topology; did you mean 'star'?");
	lab_refuse(TIME "topology: {star: {hosts: 1, spines: 2}}\n",
		"lab.yaml:2:29: unknown key 'spines' in star; the keys of star are");
	lab_refuse(TIME "topology: {star: {hosts: 1},\n  ring: {switches: 3, hosts: 1}}\n",
		"lab.yaml:3:3: one topology only; 'star' stands here already");
	lab_refuse(TIME "topology: {}\n", "lab.yaml:2:11: topology: name a shape;");
	lab_refuse(TIME "topology: 3\n", "lab.yaml:2:11: ");
	lab_refuse(TIME "topology: {leaf_spine: {leaves: 2, spines: 100, hosts: 413}}\n",
		"lab.yaml:2:12: 'leaf1' has 512 ports already");
	// a node of the shape, named twice besides; a kind that does not match; a list for a map
	lab_refuse(TIME "topology: {star: {hosts: 2}}\nhosts: {h1..2: , h2: }\n",
		"lab.yaml:3:18: the name 'h2' stands here twice (first in line 3)");
	lab_refuse(TIME "topology: {star: {hosts: 2}}\nhosts: {s1: }\n",
		"lab.yaml:3:9: the name 's1' stands here twice (first in line 2)");
	lab_refuse(TIME "topology: {star: {hosts: 2}}\nhosts: [h3]\n",
		"lab.yaml:3:8: hosts cannot be a list");
	lab_refuse(TIME "topology: {star: {hosts: 2}}\nlinks: [{between: [h1, s1]}]\n",
		"lab.yaml:3:9: host 'h1' has a link already (h1:s1); a host has one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star),
		cmocka_unit_test(a_dumbbell),
		cmocka_unit_test(a_parking_lot),
		cmocka_unit_test(leaves_and_spines),
		cmocka_unit_test(a_ring_goes_one_way),
		cmocka_unit_test(the_file_adds),
		cmocka_unit_test(the_command_line_sets_both),
		cmocka_unit_test(the_command_line_adds_many),
		cmocka_unit_test(resolved_without_it),
		cmocka_unit_test(errors_say_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
