// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_swport: shapers and maps of a switch's ports, and whom PFC is for then.
#include "scene_lab.h"

#define SWITCH(text) "duration: 1ms\nswitches: {s1: {" text "}}\n" LAB_HOSTS LAB_LINKS

static void shapers_are_rates_or_shares(void **state)
{
	struct scene *s = lab(SWITCH(
		"shaper_burst: 4KB, classes: {2: {queue: {max_rate: 10Gbps, "
		"min_rate: 20%}}}") "ports: {\"s1:h2\": {max_rate: 50%, classes: {2: {queue: "
				    "{max_rate: none}}}}}\n");
	const struct sw_port_params *p = lab_node(s, "s1")->u.sw.port;

	(void)state;
	assert_int_equal(p[0].max_rate[2], 10 * RATE_GBPS);
	assert_int_equal(p[0].min_rate[2], 5 * RATE_GBPS);
	assert_int_equal(p[0].shaper_rate, 0);
	assert_int_equal(p[0].max_rate[1], 0);
	assert_int_equal(p[0].shaper_burst, 4000);
	assert_int_equal(p[1].shaper_rate, 12500 * RATE_MBPS);
	assert_int_equal(p[1].max_rate[2], 0);
	assert_int_equal(p[1].min_rate[2], 5 * RATE_GBPS);
	scene_free(s);
	lab_refuse(SWITCH("classes: {2: {queue: {max_rate: 1Gbps, min_rate: 2Gbps}}}"),
		"lab.yaml:2:66: s1:h1 queue 2: min_rate is above max_rate");
	lab_refuse(SWITCH("classes: {2: {queue: {max_rate: 0.0001%}}}"),
		"lab.yaml:2:49: 0.0001% of 25Gbps is slower than 100Kbps");
}

// flow_control: pause. The port's one group is that of the lowest lossless class, with its
// thresholds; the others take nothing of the buffer. Both ends obey PAUSE unless they are told
// otherwise.
static void a_port_that_sends_pause_has_one_group(void **state)
{
	struct scene *s = lab(SWITCH(
		"flow_control: pause, classes: {3: {lossless: true, pfc: {xoff: 100KB, quanta: "
		"99}}, 4: {lossless: true}}") "ports: {\"s1:h2\": {classes: {3: {pfc: {xoff: "
					      "50KB}}}}}\n");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_true(p->pause);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		assert_int_equal(p->pg_map[c], 3);
		assert_true(p->cls[c].pfc && p->cls[c].quanta == 99);
		assert_int_equal(p->port[0].pg[c].lossless, c == 3);
		assert_true(c == 3 || !p->port[0].pg[c].headroom_bytes);
		assert_true(p->port[0].queue[c].lossless);
	}
	assert_int_equal(p->port[0].pg[3].static_bytes, 100000);
	assert_int_equal(p->port[1].pg[3].static_bytes, 50000);
	assert_true(p->port[0].pause_honour);
	assert_true(lab_node(s, "h1")->u.nic.pause_honour && lab_node(s, "h1")->u.nic.pause);
	assert_int_equal(s->n_warnings, 2); // and that nothing is sent
	assert_true(lab_warns(
		s, "s1 class 4: with flow_control: pause a port has one group, class 3's"));
	scene_free(s);
	s = lab(SWITCH("flow_control: pause, pause_honour: false"));
	p = &lab_node(s, "s1")->u.sw;
	assert_true(p->port[0].pg[0].lossless && p->port[0].pg[0].headroom_bytes);
	assert_false(p->port[0].pause_honour);
	scene_free(s);
	s = lab(SWITCH(""));
	assert_false(lab_node(s, "s1")->u.sw.pause || lab_node(s, "s1")->u.sw.port[0].pause_honour);
	assert_false(lab_node(s, "h1")->u.nic.pause_honour || lab_node(s, "h1")->u.nic.pause);
	scene_free(s);
	lab_refuse(SWITCH("flow_control: pause, pg_map: {4: 3}"),
		"lab.yaml:2:46: switch 's1' has flow_control: pause, so all classes of a port are "
		"in one");
	for (unsigned i = 0; i < 2; i++)
		lab_refuse(i ? SWITCH("flow_control: pause") "events: [{at: 0us, pfc_storm: {port: "
							     "\"s1:h1\", for: 1us}}]\n"
			     : SWITCH("flow_control: pause") "events: [{at: 0us, pfc_storm: {port: "
							     "\"h1:s1\", for: 1us}}]\n",
			i ? "lab.yaml" : "lab.yaml");
}

// Half of the port queue's buffer where it has a size, at a port of its own size too; else of the
// switch's. A reserve alone or a dynamic limit is no size.
static void a_share_of_xoff_is_of_the_queue(void **state)
{
	struct scene *s = lab(SWITCH(
		"buffer: 4MB, classes: {2: {lossless: true, pfc: {xoff: 50%, reserved: 4KB}, "
		"queue: "
		"{dynamic_th: 0, reserved: 1KB}}, 3: {lossless: true, pfc: {xoff: 50%, xon: 25%}, "
		"queue: {limit: 400KB, reserved: 20KB}}}") "ports: {\"s1:h2\": {classes: {3: "
							   "{queue: "
							   "{limit: 20%}}}}}\n");
	const struct scene_node *n = lab_node(s, "s1");
	const struct mmu_pg_params *one = n->u.sw.port[0].pg, *two = n->u.sw.port[1].pg;

	(void)state;
	assert_int_equal(one[3].static_bytes, 210000);
	assert_int_equal(one[3].xon_bytes, 105000);
	assert_int_equal(one[3].xon_offset_bytes, 105000);
	assert_int_equal(two[3].static_bytes, (800000 + 20000) / 2);
	assert_int_equal(one[2].static_bytes, 2000000);
	assert_string_equal(n->port[0].share[3], "50% queue");
	assert_string_equal(n->port[0].share[2], "50% buffer");
	scene_free(s);
	s = lab(SWITCH("classes: {3: {lossless: true, pfc: {xoff: 100KB}}}"));
	assert_null(lab_node(s, "s1")->port[0].share[3]);
	scene_free(s);
}

// Class 4 belongs to group 3, which is lossless; its queue is 5. Class 3 belongs to group 0, which
// is not.
static void pfc_follows_the_group(void **state)
{
	struct scene *s = lab(
		SWITCH("queue_map: {4: 5}, pg_map: {3: 0, 4: 3}, pfc_watchdog: {}, classes: {3: "
		       "{lossless: true, pfc: {quanta: 77}}}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->queue_map[4], 5);
	assert_int_equal(p->queue_map[5], 5);
	assert_int_equal(p->pg_map[3], 0);
	assert_int_equal(p->pg_map[4], 3);
	assert_false(p->cls[3].pfc);
	assert_true(p->cls[4].pfc);
	assert_int_equal(p->cls[4].quanta, 77);
	assert_true(p->port[0].pg[3].lossless);
	assert_true(p->port[0].queue[5].lossless);
	assert_false(p->port[0].queue[3].lossless);
	assert_int_equal(p->port[0].wd_classes, 1 << 5);
	assert_int_equal(lab_node(s, "h1")->u.nic.pfc_classes, 1 << 4);
	scene_free(s);
}

static void asymmetric_pfc_is_a_ports(void **state)
{
	struct scene *s = lab(
		SWITCH("classes: {3: {lossless: true}}") "ports: {\"s1:h1\": {pfc_asym: true}}\n");
	const struct scene_node *n = lab_node(s, "s1");

	(void)state;
	assert_true(n->u.sw.port[0].pfc_asym);
	assert_false(n->u.sw.port[1].pfc_asym);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapers_are_rates_or_shares),
		cmocka_unit_test(a_port_that_sends_pause_has_one_group),
		cmocka_unit_test(a_share_of_xoff_is_of_the_queue),
		cmocka_unit_test(pfc_follows_the_group),
		cmocka_unit_test(asymmetric_pfc_is_a_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
