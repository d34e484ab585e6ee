// SPDX-License-Identifier: BSD-3-Clause
// Sets of a switch: each port has the classes and maps that the scenario gives it, and ports that
// are alike share one.
#include "base/prng.h"
#include "hardware/hardware.h"
#include "rounds.h"
#include "scene_lab.h"
#include "scene/scene.h"

#define CLASSES                                                                               \
	"{3: {lossless: true, weight: 5, wred: {min: 100KB, max: 400KB, probability: 10%}}, " \
	"4: {wred: {min: 50KB, max: 60KB}}}"
#define LEAF                                                                   \
	"duration: 1ms\nswitches: {s1: {buffer: 8MB, classes: " CLASSES "}}\n" \
	"hosts: {h1..8: }\nlinks: [{between: [h1..8, s1], rate: 25Gbps}]\n"
#define PORTS(text) LEAF "ports: {" text "}\n"

static const struct sw_set_params *set_of(const struct scene *s, unsigned port)
{
	return sw_port_set(&lab_node(s, "s1")->u.sw, port);
}

static void a_port_has_a_marker_of_its_own(void **state)
{
	struct scene *s = lab(PORTS("s1:h2: {classes: {3: {wred: {min: 200KB, max: 1600KB}, "
				    "weight: 7, tail_limit: 2MB, force_ce: true}, "
				    "0: {strict: true}}}"));
	const struct sw_class_params *c = set_of(s, 0)->cls, *own = set_of(s, 1)->cls;

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.n_sets, 2);
	assert_int_equal(c[3].red.kmin_bytes, 100000);
	assert_int_equal(c[3].red.kmax_bytes, 400000);
	assert_int_equal(c[3].weight, 5);
	assert_int_equal(c[3].tail_limit_bytes, 0);
	assert_false(c[3].force_ce || c[0].strict);
	assert_int_equal(own[3].red.kmin_bytes, 200000);
	assert_int_equal(own[3].red.kmax_bytes, 1600000);
	assert_true(own[3].red.pmax == 0.1);
	assert_int_equal(own[3].weight, 7);
	assert_int_equal(own[3].tail_limit_bytes, 2000000);
	assert_true(own[3].force_ce && own[0].strict && own[6].strict);
	assert_int_equal(own[4].red.kmax_bytes, 60000);
	scene_free(s);
}

// A marker that the switch has is taken away by thresholds that are none.
static void a_port_may_have_no_marker(void **state)
{
	struct scene *s = lab(PORTS("s1:h2: {classes: {3: {wred: {min: none, max: none}}}}, "
				    "s1:h3: {classes: {0: {wred: {min: 1KB, max: 2KB}}}}"));

	(void)state;
	assert_int_equal(set_of(s, 0)->cls[3].mark, SW_MARK_DEQUEUE);
	assert_int_equal(set_of(s, 1)->cls[3].mark, SW_MARK_NONE);
	assert_int_equal(set_of(s, 1)->cls[4].mark, SW_MARK_DEQUEUE);
	assert_int_equal(set_of(s, 0)->cls[0].mark, SW_MARK_NONE);
	assert_int_equal(set_of(s, 2)->cls[0].mark, SW_MARK_DEQUEUE);
	scene_free(s);
}

static void shares_are_of_the_ports_own_queue(void **state)
{
	struct scene *s = lab(PORTS("s1:h1..4: {classes: {3: {wred: {min: 10%, max: 20%}}}}, "
				    "s1:h5: {classes: {3: {queue: {limit: 100KB}, "
				    "wred: {min: 10%, max: 20%}}}}"));
	const struct scene_node *n = lab_node(s, "s1");

	(void)state;
	assert_int_equal(n->u.sw.n_sets, 3);
	assert_int_equal(set_of(s, 3)->cls[3].red.kmin_bytes, 800000);
	assert_int_equal(set_of(s, 4)->cls[3].red.kmin_bytes, 10000);
	assert_string_equal(n->wred_share[0][3], "10% and 20% of the buffer");
	assert_string_equal(n->wred_share[1][3], "10% and 20% of the queue");
	assert_null(n->wred_share[2][3]);
	scene_free(s);
}

// PFC of a priority is the group's, and group and PFC are the ingress port's.
static void pfc_is_of_the_port(void **state)
{
	struct scene *s = lab(PORTS("s1:h1: {classes: {3: {lossless: false}}}, "
				    "s1:h2: {classes: {3: {pfc: {enable: false}}}}, "
				    "s1:h3: {classes: {3: {pfc: {quanta: 100, refresh: 20%}}}}, "
				    "s1:h4: {pg_map: {5: 3, 3: 5}}, "
				    "s1:h5: {classes: {5: {lossless: true}}}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->n_sets, 5); // h1 and h2 differ in their groups only
	assert_false(set_of(s, 0)->cls[3].pfc || p->port[0].pg[3].lossless);
	assert_false(p->port[0].queue[3].lossless);
	assert_true(!set_of(s, 1)->cls[3].pfc && p->port[1].pg[3].lossless);
	assert_true(set_of(s, 2)->cls[3].pfc && set_of(s, 2)->cls[3].quanta == 100);
	assert_int_equal(set_of(s, 2)->cls[3].refresh_permille, 200);
	assert_true(set_of(s, 3)->cls[5].pfc && !set_of(s, 3)->cls[3].pfc);
	assert_true(p->port[3].queue[5].lossless && !p->port[3].queue[3].lossless);
	assert_true(set_of(s, 4)->cls[5].pfc && set_of(s, 4)->cls[3].pfc);
	assert_true(p->port[4].pg[5].lossless && p->port[4].pg[5].headroom_bytes);
	assert_true(set_of(s, 7)->cls[3].pfc && !set_of(s, 7)->cls[5].pfc);
	assert_int_equal(set_of(s, 7)->cls[3].quanta, 65535);
	scene_free(s);
}

static void maps_are_of_the_port(void **state)
{
	struct scene *s = lab(PORTS("s1:h1: {dscp_map: {0..7: 4, 46: 5}, pcp_map: {1: 2}, "
				    "queue_map: {4: 1}, trust: pcp, default_class: 2}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->n_sets, 2);
	assert_int_equal(set_of(s, 0)->dscp_to_class[7], 4);
	assert_int_equal(set_of(s, 0)->dscp_to_class[8], 1);
	assert_int_equal(set_of(s, 0)->dscp_to_class[46], 5);
	assert_int_equal(set_of(s, 0)->pcp_to_class[1], 2);
	assert_int_equal(set_of(s, 0)->pcp_to_class[2], 2);
	assert_int_equal(set_of(s, 0)->queue_map[4], 1);
	assert_int_equal(set_of(s, 0)->pg_map[4], 4);
	assert_int_equal(set_of(s, 1)->dscp_to_class[7], 0);
	assert_int_equal(set_of(s, 1)->queue_map[4], 4);
	assert_int_equal(p->port[0].trust, SW_TRUST_PCP);
	assert_int_equal(p->port[0].default_class, 2);
	assert_int_equal(p->port[1].trust, SW_TRUST_DSCP);
	assert_int_equal(p->port[1].default_class, 0);
	scene_free(s);
}

// A host's frames have a DSCP that the port in front of it leads to their class.
static void a_host_has_the_dscp_of_its_port(void **state)
{
	struct scene *s = lab(PORTS(
		"s1:h1: {dscp_map: {26: 0, 24: 0, 7: 3}}") "flows: {f: {from: h1..2, to: h8}}\n");

	(void)state;
	assert_int_equal(s->flow[0]->req.tos >> 2, 7);
	assert_int_equal(s->flow[1]->req.tos >> 2, 26);
	assert_false(lab_warns(s, "puts its frames"));
	scene_free(s);
}

static void equal_ports_share_a_set(void **state)
{
	struct scene *s =
		lab(PORTS("s1:h1: {classes: {3: {weight: 5}}}, "
			  "s1:h2: {classes: {3: {wred: {min: 0.1MB, max: 400KB}}}}, "
			  "s1:h3: {classes: {3: {weight: 6}}}, s1:h8: {classes: {3: {weight: 6}}}, "
			  "s1:h7: {classes: {3: {pfc: {xoff: 100KB}}}, capture: true}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	static const uint16_t set[] = {0, 0, 1, 0, 0, 0, 0, 1};

	(void)state;
	assert_int_equal(p->n_sets, 2);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(p->port[i].set, set[i]);
	assert_int_equal(p->port[6].pg[3].static_bytes, 100000);
	scene_free(s);
}

// The command line changes one port of a range, which then has a set of its own.
static void a_set_of_one_port_of_a_range(void **state)
{
	static const char text[] = PORTS("s1:h1..4: {classes: {3: {wred: {max: 500KB}}}}");
	struct scene *s = lab_with(text, "ports.s1:h2.classes.3.wred.min", "300KB");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.n_sets, 3);
	assert_int_equal(set_of(s, 1)->cls[3].red.kmin_bytes, 300000);
	assert_int_equal(set_of(s, 1)->cls[3].red.kmax_bytes, 500000);
	assert_int_equal(set_of(s, 2)->cls[3].red.kmin_bytes, 100000);
	scene_free(s);
	s = lab_with(text, "ports.s1:h1..4.classes.3.wred.min", "300KB");
	assert_int_equal(lab_node(s, "s1")->u.sw.n_sets, 2);
	assert_int_equal(set_of(s, 0)->cls[3].red.kmin_bytes, 300000);
	scene_free(s);
}

// QCN, iQCN and Fast CNP are the switch's: each set has them.
static void notification_is_of_the_switch(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {classes: {3: {wred: {min: 100KB, "
		    "max: 400KB}, iqcn: {}, fast_cnp: {}}, 4: {qcn: {}}}}}\n" LAB_HOSTS LAB_LINKS
		    "ports: {s1:h1: {classes: {3: {wred: {max: 300KB}}}}, "
		    "s1:r: {classes: {3: {weight: 2}}}}\n");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->n_sets, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(p->set[i].cls[3].heavy_bytes, 300000);
		assert_int_equal(p->set[i].cls[3].heavy_off_bytes, 240000);
		assert_int_equal(p->set[i].cls[3].fast_cnp, p->set[0].cls[3].fast_cnp);
		assert_true(p->set[i].cls[4].qcn.on);
	}
	scene_free(s);
}

static void bad_settings_of_a_port_are_told(void **state)
{
	(void)state;
	lab_refuse(PORTS("s1:h1: {classes: {0: {wred: {min: 1KB}}}}"),
		"lab.yaml:5:37: wred has no max; it wants both, as in {min: 100KB, max: 400KB}");
	lab_refuse(PORTS("s1:h1: {classes: {3: {wred: {min: 1MB}}}}"),
		"lab.yaml:5:43: wred min 1MB is above max 400KB; it must be at or below it");
	lab_refuse(PORTS("s1:h1: {classes: {8: {weight: 1}}}"),
		"lab.yaml:5:27: classes: the key '8' is not right; it can be 0..7");
	lab_refuse(PORTS("s1:h1: {dscp_map: {64: 1}}"),
		"lab.yaml:5:28: dscp_map: the key '64' is not right; it can be 0..63");
	lab_refuse(
		PORTS("s1:h1: {dscp_map: {26: 8}}"), "lab.yaml:5:32: dscp_map: 8 is out of range");
	lab_refuse(PORTS("s1:h1: {queue_map: {3: }}"), "lab.yaml:5:");
	lab_refuse(PORTS("s1:h1: {classes: {0: {pfc: {xoff: 10KB}}}}"),
		"lab.yaml:5:36: s1:h1 class 0 has pfc, but is lossy at this port: it pauses nobody "
		"and drops; write lossless: true, or leave pfc out");
	lab_refuse(PORTS("s1:h1: {classes: {3: {lossless: false, pfc: {enable: true}}}}"),
		"lab.yaml:5:53: s1:h1 class 3 has pfc, but is lossy at this port");
	lab_refuse(PORTS("s1:h1: {classes: {3: {qcn: {}}}}"),
		"lab.yaml:5:31: unknown key 'qcn' in a port's class");
	lab_refuse(PORTS("h1:s1: {queue_map: {3: 4}}"),
		"lab.yaml:5:28: 'h1:s1' is a host's port; queue_map belongs to a switch's");
	lab_refuse("duration: 1ms\nswitches: {s1: {flow_control: pause}}\n" LAB_HOSTS LAB_LINKS
		   "ports: {s1:h1: {pg_map: {3: 4}}}\n",
		"lab.yaml:5:25: switch 's1' has flow_control: pause");
	lab_refuse(PORTS("s1:h1: {classes: {3: {wred: {max: 1KB}}}}"),
		"lab.yaml:5:43: wred max 1KB is below min 100KB; it must be at or above it");
	lab_refuse(PORTS("s1:h1: {classes: {3: {wred: {max: 1KB, min: 2KB}}}}"),
		"lab.yaml:5:53: wred min 2KB is above max 1KB; it must be at or below it");
}

// A port of a switch that sends PAUSE has one group. All frames in it are lossless.
static void settings_that_pause_leaves_without_effect_are_told(void **state)
{
	static const char scene[] =
		"duration: 1ms\nswitches: {s1: {flow_control: pause, classes: {0: {lossless: "
		"true}}}}\n" LAB_HOSTS LAB_LINKS "ports: {s1:h1: {classes: {%s}}}\n";
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text), scene, "0: {lossless: false}");
	lab_refuse(text,
		"lab.yaml:5:41: s1:h1 class 0: with flow_control: pause all frames of a port are "
		"lossless; leave lossless out (pfc: {enable: false} sends no PAUSE)");
	snprintf(text, sizeof(text), scene, "3: {lossless: true}");
	lab_refuse(text, "lab.yaml:5:41: s1:h1 class 3: with flow_control: pause");
	snprintf(text, sizeof(text), scene, "3: {pfc: {xoff: 10KB}}");
	lab_refuse(text,
		"lab.yaml:5:36: s1:h1 class 3: with flow_control: pause a port has one group, "
		"class 0's; write pfc there");
	snprintf(text, sizeof(text), scene, "0: {pfc: {xoff: 10KB}}, 3: {weight: 2}");
	scene_free(lab(text));
}

// Draws values for each port and writes them, one key for a port or for a range.
#define DRAWN 12
static const struct {
	const char *text;
	uint64_t kmin;
	uint16_t weight;
	bool pfc, lossless;
} drawn[] = {
	{"classes: {3: {weight: 5}}", 100000, 5, true, true},
	{"classes: {3: {wred: {min: 200KB}, weight: 9}}", 200000, 9, true, true},
	{"classes: {3: {wred: {min: 300KB}, lossless: false}}", 300000, 5, false, false},
	{"classes: {3: {pfc: {enable: false}}}, queue_map: {3: 4}", 100000, 5, false, true},
};

// Writes a leaf whose ports have what was drawn for each: neighbours of one kind by a range.
static void write_leaf(const unsigned what[DRAWN], char *text, size_t size)
{
	snprintf(text, size,
		"duration: 1ms\nswitches: {s1: {buffer: 8MB, classes: %s}}\nhosts: {h1..%u: }\n"
		"links: [{between: [h1..%u, s1]}]\nports:\n",
		CLASSES, DRAWN, DRAWN);
	for (unsigned i = 0, end; i < DRAWN; i = end) {
		for (end = i + 1; end < DRAWN && what[end] == what[i];)
			end++;
		append_text(text, size, "  s1:h%u", i + 1);
		if (end > i + 1)
			append_text(text, size, "..%u", end);
		append_text(text, size, ": {%s}\n", drawn[what[i]].text);
	}
}

static void check_leaf(const struct scene *s, const unsigned what[DRAWN], unsigned kinds)
{
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	assert_int_equal(p->n_sets, kinds);
	for (unsigned i = 0; i < DRAWN; i++) {
		const struct sw_set_params *set = sw_port_set(p, i);

		assert_int_equal(set->cls[3].red.kmin_bytes, drawn[what[i]].kmin);
		assert_int_equal(set->cls[3].weight, drawn[what[i]].weight);
		assert_int_equal(set->cls[3].pfc, drawn[what[i]].pfc);
		assert_int_equal(set->queue_map[3], what[i] == 3 ? 4 : 3);
		assert_int_equal(p->port[i].pg[3].lossless, drawn[what[i]].lossless);
	}
}

static void each_port_has_what_was_drawn(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (uint64_t round = 0; round < rounds_of(40); round++) {
		unsigned what[DRAWN], kinds = 0;
		char text[4096];
		struct prng rng;
		struct scene *s;

		prng_init(&rng, seed + round, "sets");
		for (unsigned i = 0; i < DRAWN; i++) {
			bool same = i && prng_u64(&rng) % 2;

			what[i] = same ? what[i - 1] : (unsigned)(prng_u64(&rng) % 4);
			kinds |= 1u << what[i];
		}
		write_leaf(what, text, sizeof(text));
		s = lab(text);
		check_leaf(s, what, (unsigned)__builtin_popcount(kinds));
		scene_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_has_a_marker_of_its_own),
		cmocka_unit_test(a_port_may_have_no_marker),
		cmocka_unit_test(shares_are_of_the_ports_own_queue),
		cmocka_unit_test(pfc_is_of_the_port),
		cmocka_unit_test(maps_are_of_the_port),
		cmocka_unit_test(a_host_has_the_dscp_of_its_port),
		cmocka_unit_test(equal_ports_share_a_set),
		cmocka_unit_test(a_set_of_one_port_of_a_range),
		cmocka_unit_test(notification_is_of_the_switch),
		cmocka_unit_test(bad_settings_of_a_port_are_told),
		cmocka_unit_test(settings_that_pause_leaves_without_effect_are_told),
		cmocka_unit_test(each_port_has_what_was_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
