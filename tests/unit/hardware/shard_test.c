// SPDX-License-Identifier: BSD-3-Clause
// Switches that are cut by port, and switches that cannot be cut.
#include "scene_lab.h"

#define STAR(sw)                                                           \
	"duration: 1ms\nswitches: {s1: {" sw "}}\nhosts: {a: {}, b: {}}\n" \
	"links: [{between: [[a, b], s1], rate: 25Gbps, delay: 1us}]\n"     \
	"flows: {f: {from: a, to: b, rate: 1Gbps}}\n"

static struct scene *loaded(const char *text, const struct scene_opts *opts)
{
	struct scene *s = NULL;

	if (lab_try(&s, text, opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static void refused(const char *text, const char *why)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
	if (!strstr(lab_err.text, why))
		fail_msg("%s", lab_err.text);
}

static void a_switch_has_its_shards_in_virtual_time(void **state)
{
	struct scene *s = loaded(STAR("shards: 2"), NULL);

	(void)state;
	assert_int_equal(s->node[0].u.sw.shards, 2);
	assert_true(s->node[0].u.sw.hop_ps > 0);
	scene_free(s);
	s = loaded(STAR(""), NULL);
	assert_true(s->node[0].u.sw.shards < 2);
	scene_free(s);
}

static void each_clock_has_its_option(void **state)
{
	struct scene *s =
		loaded(STAR("shards: 2"), &(struct scene_opts){.real = true, .one_clock = true});

	(void)state;
	assert_true(s->node[0].u.sw.shards < 2);
	assert_int_equal(s->n_warnings, 1);
	assert_non_null(strstr(s->warning[0].text, "shards of s1 counts for nothing"));
	scene_free(s);
	s = loaded(STAR("lcores: 2"), &(struct scene_opts){.real = true, .one_clock = true});
	assert_int_equal(s->node[0].u.sw.shards, 2);
	assert_int_equal(s->node[0].u.sw.hop_ps, 0);
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = loaded(STAR("lcores: 2"), &(struct scene_opts){.one_clock = true});
	assert_true(s->node[0].u.sw.shards < 2);
	assert_int_equal(s->n_warnings, 1);
	assert_non_null(strstr(s->warning[0].text, "lcores of s1 counts for nothing"));
	scene_free(s);
}

static void what_cannot_be_cut_is_said_in_a_line(void **state)
{
	(void)state;
	refused(STAR("shards: 3"), "switch 's1' has shards: 3 and 2 ports, of which each shard "
				   "wants one; write at most 2");
	refused(STAR("shards: 9"), "shards: 9 is out of range; it can be 1..8");
}

#define TWO_SIDED(options)                                                                    \
	"duration: 1ms\nswitches: {s1: {shards: 2, buffer: 4MB, " options                     \
	"}}\nhosts: {h1..4: {}}\nlinks: [{between: [h1..4, s1], rate: 25Gbps, delay: 1us}]\n" \
	"flows: {f: {from: h1, to: h2}}\n"
#define LOSSLESS(options) "classes: {3: {lossless: true, " options "}}"
#define HEADROOM          LOSSLESS("pfc: {xoff: 50KB, headroom: 20KB}")
#define DYNAMIC           LOSSLESS("pfc: {xoff: 50KB, headroom: 20KB}, queue: {dynamic_th: 1}")
#define MAY_NOT           "so no shard may refuse a lossless frame that another has taken"

#define JUST_ENOUGH "pools: {ingress: 3MB, headroom: 80KB, egress_lossless: 3080KB}, "

static void a_buffer_with_two_sides_is_divided(void **state)
{
	struct scene *s = loaded(TWO_SIDED("cell: 208, pools: {headroom: 80KB}, " HEADROOM), NULL);

	(void)state;
	assert_int_equal(s->node[0].u.sw.shards, 2);
	assert_false(lab_warns(s, "is divided"));
	scene_free(s);
	s = loaded(TWO_SIDED("pools: {headroom: 70KB}, " HEADROOM), NULL);
	assert_true(lab_warns(s,
		"switch 's1' has shards: 2, among which its headroom pool is divided; it is "
		"smaller than what all groups may take, so a shard's part is smaller, too, in "
		"bytes: 35000 of 40000, 35000 of 40000"));
	scene_free(s);
	s = loaded(TWO_SIDED(JUST_ENOUGH HEADROOM), NULL);
	assert_int_equal(s->node[0].u.sw.shards, 2);
	scene_free(s);
}

static void a_buffer_that_does_not_divide_is_told_what_would(void **state)
{
	(void)state;
	refused(TWO_SIDED("pools: {headroom: 30KB}, " HEADROOM),
		"switch 's1' has shards: 2, and of its headroom pool shard 0 gets 15000 bytes, "
		"less than group 3 of port s1:h1 alone may take (20000); make pools.headroom "
		"40000 or more, or drop shards");
	refused(TWO_SIDED("pools: {egress_lossless: 1MB}, " HEADROOM),
		"switch 's1' has shards: 2, " MAY_NOT "; pools.egress_lossless (1000000) does not "
		"hold all that ingress may (4000000) beside what its queues reserve and their "
		"dynamic_th leaves free; make it 4000000 or more, or drop shards");
	refused(TWO_SIDED(LOSSLESS("pfc: {xoff: 50KB, headroom: 20KB}, queue: {limit: 100KB}")),
		"switch 's1' has shards: 2, " MAY_NOT "; the limit of lossless egress queue 3 of "
		"port s1:h1 (100000) is less than ingress may hold (4000000); make it 4000000 or "
		"more, or drop shards");
	refused(TWO_SIDED(DYNAMIC),
		"switch 's1' has shards: 2, " MAY_NOT "; by its dynamic_th lossless egress queue 3 "
		"of port s1:h1 does not get as much of pools.egress_lossless (4000000) as ingress "
		"may hold (4000000); make that pool 6000000 or more, or drop shards");
}

static const struct scene_opts on_the_real_clock = {.real = true};

// On the real clock each group has room for late loops, which is in no pool of the file.
#define LATE(pool)                                                                              \
	"duration: 1ms\nswitches: {s1: {lcores: 2, buffer: 4MB, pools: {egress_lossless: " pool \
	"}, classes: {3: {lossless: true, pfc: {xoff: 50KB}, queue: {dynamic_th: 1}}}}}\n"      \
	"hosts: {a: {}, b: {}}\nlinks: [{between: [[a, b], s1], rate: 25Gbps}]\n"               \
	"ports: {s1:a: {device: net_null0}, s1:b: {device: net_null1}}\n"

// The value that a message asks for is enough, and a byte less is not.
static void what_it_is_told_is_enough(void **state)
{
	struct scene *s = NULL;

	(void)state;
	refused(TWO_SIDED("pools: {egress_lossless: 1MB}, " DYNAMIC),
		"switch 's1' has shards: 2, " MAY_NOT "; pools.egress_lossless (1000000) does not "
		"hold all that ingress may (4000000) beside what its queues reserve and their "
		"dynamic_th leaves free; make it 6000000 or more, or drop shards");
	refused(TWO_SIDED("pools: {egress_lossless: 5999999}, " DYNAMIC),
		"make that pool 6000000 or more");
	scene_free(loaded(TWO_SIDED("pools: {egress_lossless: 6000000}, " DYNAMIC), NULL));
	assert_int_equal(lab_try(&s, LATE("1MB"), &on_the_real_clock), -EINVAL);
	if (!strstr(lab_err.text, "pools.egress_lossless (1000000) does not hold all that ingress "
				  "may (4000000) beside what its queues reserve and their "
				  "dynamic_th leaves free; make it 6510388 or more"))
		fail_msg("%s", lab_err.text);
	assert_int_equal(lab_try(&s, LATE("6510387"), &on_the_real_clock), -EINVAL);
	scene_free(loaded(LATE("6510388"), &on_the_real_clock));
}

#define QUEUES(lcores, port)                                                                  \
	"duration: 1ms\nswitches: {s1: {lcores: " lcores "}}\nhosts: {a: {}, b: {}, c: {}}\n" \
	"links: [{between: [[a, b, c], s1], rate: 25Gbps, delay: 1us}]\n"                     \
	"ports: {" port "}\nflows: {f: {from: b, to: c, rate: 1Gbps}}\n"

static void refused_real(const char *text, const char *why)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, text, &on_the_real_clock), -EINVAL);
	if (!strstr(lab_err.text, why))
		fail_msg("%s", lab_err.text);
}

static void a_port_has_queues_for_the_lcores_of_its_switch(void **state)
{
	struct scene *s = loaded(
		QUEUES("2", "'s1:a': {device: net_null0, rx_queues: 2}"), &on_the_real_clock);

	(void)state;
	assert_int_equal(s->node[0].port[0].rx_queues, 2);
	assert_true(s->node[0].port[1].rx_queues < 2);
	scene_free(s);
	refused_real(QUEUES("1", "'s1:a': {device: net_null0, rx_queues: 2}"),
		"port s1:a has rx_queues: 2, and switch 's1' lcores: 1, each of which reads one; "
		"write at most rx_queues: 1");
	refused_real(
		QUEUES("2", "'s1:a': {rx_queues: 2}"), "port s1:a has rx_queues: 2 and no device");
	refused_real(QUEUES("2", "'a:s1': {device: net_null0, rx_queues: 2}"),
		"port a:s1: rx_queues is for ports of switches; lcores of host 'a' gives its "
		"device a queue for each");
}

static void tables_of_flows_may_be_several_lcores(void **state)
{
	struct scene *s = loaded("duration: 1ms\n"
				 "switches: {s1: {lcores: 2, classes: {0: {wred: {min: 20KB, "
				 "max: 200KB}, iqcn: {heavy: 100KB}}}}}\nhosts: {a: {}, b: {}}\n"
				 "links: [{between: [[a, b], s1], rate: 25Gbps, delay: 1us}]\n"
				 "flows: {f: {from: a, to: b}}\n",
		&on_the_real_clock);

	(void)state;
	assert_int_equal(s->node[0].u.sw.shards, 2);
	assert_true(s->node[0].u.sw.iqcn_on);
	scene_free(s);
}

// Two spines: equal ways to the hosts behind the other leaf.
static void equal_ways_and_tables_of_flows_go_together(void **state)
{
	struct scene *s = loaded(
		"duration: 1ms\n"
		"defaults: {switches: {shards: 2, classes: {0: {wred: {min: 20KB, max: 200KB}, "
		"iqcn: {heavy: 100KB}, fast_cnp: {}}}}}\n"
		"switches: {l1: {}, l2: {}, s1: {}, s2: {}}\nhosts: {a: {}, b: {}}\n"
		"links:\n"
		"  - {between: [a, l1], rate: 25Gbps, delay: 1us}\n"
		"  - {between: [b, l2], rate: 25Gbps, delay: 1us}\n"
		"  - {between: [[l1, l2], [s1, s2]], rate: 25Gbps, delay: 1us}\n"
		"flows: {f: {from: a, to: b, rate: 1Gbps}}\n",
		NULL);

	(void)state;
	assert_int_equal(s->node[0].u.sw.shards, 2);
	assert_true(s->node[0].u.sw.n_ecmp && s->node[0].u.sw.iqcn_on);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_has_its_shards_in_virtual_time),
		cmocka_unit_test(each_clock_has_its_option),
		cmocka_unit_test(what_cannot_be_cut_is_said_in_a_line),
		cmocka_unit_test(a_buffer_with_two_sides_is_divided),
		cmocka_unit_test(a_buffer_that_does_not_divide_is_told_what_would),
		cmocka_unit_test(what_it_is_told_is_enough),
		cmocka_unit_test(a_port_has_queues_for_the_lcores_of_its_switch),
		cmocka_unit_test(tables_of_flows_may_be_several_lcores),
		cmocka_unit_test(equal_ways_and_tables_of_flows_go_together),
	};

	return cmocka_run_group_tests_name("scene_shard", tests, NULL, NULL);
}
