// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_sw: headroom by STANDARDS 2.4, thresholds, classes, contradictions.
#include "scene_lab.h"

#define CLASS(text) \
	"duration: 1ms\nswitches: {s1: {buffer: 4MB, classes: {3: " text "}}}\n" LAB_HOSTS LAB_LINKS

// STANDARDS 2.3 and 2.4: a frame of n octets with FCS is 8 n + 160 bit times, PFC 672, response by
// speed.
static void headroom_is_the_sum_of_its_parts(void **state)
{
	const unsigned pfc = 672;

	(void)state;
	// 10G: 67 quanta are 4288 octets; two frames of 9216: 2 * 73888 bit times.
	assert_int_equal(scene_headroom(10 * RATE_GBPS, 0, 9212), (2 * 73888 + pfc) / 8 + 4288);
	// 2300: 18560 bit times.
	assert_int_equal(scene_headroom(25 * RATE_GBPS, 0, 2296), (2 * 18560 + pfc) / 8 + 5120);
	assert_int_equal(scene_headroom(40 * RATE_GBPS, 0, 2296), (2 * 18560 + pfc) / 8 + 7552);
	assert_int_equal(scene_headroom(100 * RATE_GBPS, 0, 2296), (2 * 18560 + pfc) / 8 + 25216);
	assert_int_equal(scene_headroom(400 * RATE_GBPS, 0, 2296), (2 * 18560 + pfc) / 8 + 57920);
	// Cable both ways, 100G over 100 m of 198000 km/s: 12626.3 octets, rounded up with the rest
	// (4640 + 84).
	assert_int_equal(scene_headroom(100 * RATE_GBPS, 505050, 2296) -
				 scene_headroom(100 * RATE_GBPS, 0, 2296),
		12627);
	// A speed between those of the table answers like the next one.
	assert_int_equal(
		scene_headroom(30 * RATE_GBPS, 0, 1514), scene_headroom(40 * RATE_GBPS, 0, 1514));
}

static void a_lossless_class_needs_no_more(void **state)
{
	struct scene *s = lab(LAB);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct mmu_pg_params *pg = &p->port[0].pg[3], *lossy = &p->port[0].pg[0];

	(void)state;
	assert_true(pg->lossless);
	assert_int_equal(pg->threshold, MMU_DYNAMIC);
	assert_int_equal(pg->dynamic_th, -3);
	assert_int_equal(pg->xon_bytes, 0);
	assert_int_equal(pg->xon_offset_bytes, 3000);
	assert_int_equal(pg->headroom_bytes, scene_headroom(25 * RATE_GBPS, PS_PER_US, 1514));
	assert_false(lossy->lossless);
	assert_int_equal(lossy->threshold, MMU_DYNAMIC);
	assert_int_equal(lossy->headroom_bytes, 0);
	assert_true(p->cls[3].pfc);
	assert_false(p->cls[0].pfc);
	assert_int_equal(p->cls[3].mark, SW_MARK_NONE);
	assert_int_equal(p->cls[3].quanta, 65535);
	assert_int_equal(p->cls[3].refresh_permille, 500);
	assert_true(p->cls[6].strict);
	assert_false(p->cls[3].strict);
	assert_int_equal(p->dscp_to_class[26], 3);
	assert_int_equal(p->dscp_to_class[48], 6);
	assert_int_equal(p->pcp_to_class[5], 5);
	assert_int_equal(p->shared_hdrs, s->n_hdrs + 1);
	scene_free(s);
}

static void a_class_takes_every_value(void **state)
{
	struct scene *s =
		lab(CLASS("{lossless: true, weight: 50, strict: true, force_ce: true, "
			  "tail_limit: 25%, wred: {min: 100KB, max: 10%, probability: 20%, "
			  "mark: enqueue, not_ect: drop}, pfc: {xoff: 50%, xon_offset: 20KB, "
			  "reserved: 5KB, headroom: 30KB, quanta: 100, refresh: 80%}}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct sw_class_params *c = &p->cls[3];
	const struct mmu_pg_params *pg = &p->port[2].pg[3];

	(void)state;
	assert_int_equal(c->weight, 50);
	assert_true(c->strict);
	assert_true(c->force_ce);
	assert_int_equal(c->tail_limit_bytes, 1000000);
	assert_int_equal(c->mark, SW_MARK_ENQUEUE);
	assert_int_equal(c->red.kmin_bytes, 100000);
	assert_int_equal(c->red.kmax_bytes, 400000);
	assert_true(c->red.pmax == 0.2);
	assert_int_equal(c->red.not_ect, RED_NOT_ECT_DROP);
	assert_false(c->red_excludes_frame);
	assert_int_equal(c->quanta, 100);
	assert_int_equal(c->refresh_permille, 800);
	assert_int_equal(pg->threshold, MMU_STATIC);
	assert_int_equal(pg->static_bytes, 2000000);
	assert_int_equal(pg->xon_offset_bytes, 20000);
	assert_int_equal(pg->reserved_bytes, 5000);
	assert_int_equal(pg->headroom_bytes, 30000);
	scene_free(s);
}

static void xon_stays_below_xoff(void **state)
{
	struct scene *s = lab(CLASS("{lossless: true, pfc: {xoff: 256KB, xon: 240KB}}"));
	const struct mmu_pg_params *pg = &lab_node(s, "s1")->u.sw.port[0].pg[3];

	(void)state;
	// Given alone, XON is the level: 16 KB below.
	assert_int_equal(pg->xon_bytes, 240000);
	assert_int_equal(pg->xon_offset_bytes, 16000);
	scene_free(s);
	lab_refuse(CLASS("{lossless: true, pfc: {xoff: 100KB, xon: 200KB}}"),
		"lab.yaml:2:84: xon 200000 is above xoff 100000; it must be at or below it");
	lab_refuse(CLASS("{lossless: true, pfc: {xoff: 2KB}}"),
		"lab.yaml:2:72: xoff 2000 is below xon_offset 3000");
	lab_refuse(CLASS("{lossless: true, pfc: {xoff: 1KB, dynamic_th: 1}}"),
		"lab.yaml:2:66: 'xoff' and 'dynamic_th' exclude each other");
	lab_refuse(CLASS("{lossless: true, xoff: 1KB}"),
		"lab.yaml:2:60: unknown key 'xoff' in a class; did you mean 'pfc.xoff'?");
}

static void a_lossy_class_has_a_limit(void **state)
{
	struct scene *s = lab(CLASS("{drop: {limit: 200KB, reserved: 1KB}}"));
	const struct mmu_pg_params *pg = &lab_node(s, "s1")->u.sw.port[0].pg[3];

	(void)state;
	assert_int_equal(pg->threshold, MMU_STATIC);
	assert_int_equal(pg->static_bytes, 200000);
	assert_int_equal(pg->reserved_bytes, 1000);
	scene_free(s);
	s = lab(CLASS("{drop: {dynamic_th: 3}}"));
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].pg[3].dynamic_th, 3);
	scene_free(s);
}

static void a_port_may_differ(void **state)
{
	struct scene *s = lab(LAB "ports: {\"s1:h2\": {classes: {3: {pfc: {xoff: 100KB, headroom: "
				  "40KB}}}}}\n");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->port[0].pg[3].threshold, MMU_DYNAMIC);
	assert_int_equal(p->port[1].pg[3].threshold, MMU_STATIC);
	assert_int_equal(p->port[1].pg[3].static_bytes, 100000);
	assert_int_equal(p->port[1].pg[3].headroom_bytes, 40000);
	scene_free(s);
	// And back: the later place wins.
	s = lab("duration: 1ms\nswitches: {s1: {classes: {3: {lossless: true, pfc: {xoff: 100KB}}}}}\n" LAB_HOSTS
			LAB_LINKS "ports: {\"s1:h2\": {classes: {3: {pfc: {dynamic_th: 1}}}}}\n");
	assert_int_equal(lab_node(s, "s1")->u.sw.port[1].pg[3].threshold, MMU_DYNAMIC);
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].pg[3].threshold, MMU_STATIC);
	scene_free(s);
	lab_refuse(LAB "ports: {\"s1:h2\": {classes: {3: {wred: {min: 1KB}}}}}\n",
		"lab.yaml:6:33: unknown key 'wred' in a port's class");
}

static void a_marker_is_whole(void **state)
{
	(void)state;
	lab_refuse(CLASS("{wred: {min: 1KB}}"), "lab.yaml:2:50: wred has no max");
	lab_refuse(CLASS("{wred: {}}"), "lab.yaml:2:50: wred has neither min nor max");
	lab_refuse(CLASS("{wred: {min: 2KB, max: 1KB}}"),
		"lab.yaml:2:56: wred min 2000 is above max 1000");
	lab_refuse(CLASS("{wred: {min: 2KB, max: 3KB, probability: 2}}"),
		"lab.yaml:2:84: probability: 2 is out of range; it can be 0%..100%");
}

static void reserves_leave_something_to_share(void **state)
{
	(void)state;
	lab_refuse_set("switches.s1.buffer", "40KB",
		"reserved (0) and headroom (43590) of its 3 ports leave nothing of the buffer (40000)");
	lab_refuse_set("switches.s1.classes.3.pfc.reserved", "2MB", "leave nothing of the buffer");
	lab_refuse_set("switches.s1.bufer", "1MB", "did you mean 'buffer'?");
}

static void a_switch_takes_every_value(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {trust: pcp, dscp_map: {40..47: 3}, pcp_map: "
		    "{1: 7}, default_class: 2, latency: 500ns, fdb_age: 1s, pause_honour: true, "
		    "lcore: 2}}\n" LAB_HOSTS LAB_LINKS);
	const struct scene_node *n = lab_node(s, "s1");

	(void)state;
	assert_int_equal(n->u.sw.port[0].trust, SW_TRUST_PCP);
	assert_int_equal(n->u.sw.port[0].default_class, 2);
	assert_true(n->u.sw.port[0].pause_honour);
	assert_int_equal(n->u.sw.dscp_to_class[47], 3);
	assert_int_equal(n->u.sw.dscp_to_class[48], 6);
	assert_int_equal(n->u.sw.pcp_to_class[1], 7);
	assert_int_equal(n->u.sw.fdb_age_ps, PS_PER_S);
	assert_int_equal(n->latency, 500 * PS_PER_NS);
	assert_int_equal(n->lcore, 2);
	scene_free(s);
}

// What either end takes to send counts as cable: 25 Gb/s times 2 (1 us + 0.25 us).
static void latency_counts_as_cable(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1.latency", "500ns");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].pg[3].headroom_bytes,
		scene_headroom(25 * RATE_GBPS, PS_PER_US + 250 * PS_PER_NS, 1514));
	scene_free(s);
}

// One group alone: x = 2^n (S - x).
static void a_lone_class_reaches_its_xoff(void **state)
{
	struct scene *s = lab(LAB);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	uint64_t shared = 4000000 - 3 * scene_headroom(25 * RATE_GBPS, PS_PER_US, 1514);

	(void)state;
	assert_int_equal(scene_xoff(p, 0, 3), shared / 9);
	assert_int_equal(scene_xoff(p, 0, 0), shared / 2);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headroom_is_the_sum_of_its_parts),
		cmocka_unit_test(a_lossless_class_needs_no_more),
		cmocka_unit_test(a_class_takes_every_value),
		cmocka_unit_test(xon_stays_below_xoff),
		cmocka_unit_test(a_lossy_class_has_a_limit),
		cmocka_unit_test(a_port_may_differ),
		cmocka_unit_test(a_marker_is_whole),
		cmocka_unit_test(reserves_leave_something_to_share),
		cmocka_unit_test(a_switch_takes_every_value),
		cmocka_unit_test(latency_counts_as_cable),
		cmocka_unit_test(a_lone_class_reaches_its_xoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
