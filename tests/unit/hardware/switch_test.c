// SPDX-License-Identifier: BSD-3-Clause
// Switches of a scenario: classes, buffer, ports, marker and drop curve as the node takes them.
#include "scene_lab.h"
#include "hardware/headroom.h"
#include "hardware/hardware.h"
#include "scene/scene.h"

#define CLASS(text) \
	"duration: 1ms\nswitches: {s1: {buffer: 4MB, classes: {3: " text "}}}\n" LAB_HOSTS LAB_LINKS

// Of a port of the lab, without cells.
static uint64_t needed(tstamp cable)
{
	return headroom_auto(headroom_qbb(25 * RATE_GBPS, cable, 1514), 1514, 1);
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
	assert_int_equal(pg->headroom_bytes, needed(PS_PER_US));
	assert_false(lossy->lossless);
	assert_int_equal(lossy->threshold, MMU_DYNAMIC);
	assert_int_equal(lossy->headroom_bytes, 0);
	assert_true(p->set->cls[3].pfc);
	assert_false(p->set->cls[0].pfc);
	assert_int_equal(p->set->cls[3].mark, SW_MARK_NONE);
	assert_int_equal(p->set->cls[3].quanta, 65535);
	assert_int_equal(p->set->cls[3].refresh_permille, 500);
	assert_true(p->set->cls[6].strict);
	assert_false(p->set->cls[3].strict);
	assert_int_equal(p->set->dscp_to_class[26], 3);
	assert_int_equal(p->set->dscp_to_class[48], 6);
	assert_int_equal(p->set->pcp_to_class[5], 5);
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
	const struct sw_class_params *c = &p->set->cls[3];
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
	assert_int_equal(c->wred, SW_WRED_NOT_ECT);
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
		"lab.yaml:2:84: xon 200KB is above xoff 100KB; it must be at or below it");
	lab_refuse(CLASS("{lossless: true, pfc: {xoff: 2KB}}"),
		"lab.yaml:2:72: xoff 2KB is below xon_offset 3KB");
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

static void queues_and_pools_have_sizes(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {buffer: 4MB, cell: 256, pools: {ingress: 3MB, "
		    "egress_lossless: 100%, egress_lossy: 2MB, headroom: 500KB}, classes: {"
		    "3: {lossless: true, queue: {reserved: 2KB}}, 0: {queue: {dynamic_th: 1}}, "
		    "1: {queue: {limit: 10%}}}}}\n" LAB_HOSTS LAB_LINKS
		    "ports: {\"s1:h2\": {classes: {0: {queue: {limit: 1KB}}}}}\n");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct mmu_queue_params *q = p->port[0].queue;

	(void)state;
	assert_int_equal(p->cell_bytes, 256);
	assert_int_equal(p->ingress_bytes, 3000000);
	assert_int_equal(p->headroom_pool_bytes, 500000);
	assert_int_equal(p->egress_bytes[0], 4000000);
	assert_int_equal(p->egress_bytes[1], 2000000);
	assert_true(q[3].lossless && !q[3].limited);
	assert_int_equal(q[3].reserved_bytes, 2000);
	assert_true(q[0].limited && !q[0].lossless);
	assert_int_equal(q[0].threshold, MMU_DYNAMIC);
	assert_int_equal(q[0].dynamic_th, 1);
	assert_int_equal(q[1].threshold, MMU_STATIC);
	assert_int_equal(q[1].static_bytes, 400000);
	assert_false(q[2].limited);
	assert_int_equal(p->port[1].queue[0].static_bytes, 1000);
	assert_int_equal(p->port[1].queue[0].threshold, MMU_STATIC);
	// Frames of 64 bytes take a cell of 256: headroom grows by 256 / 84.
	assert_int_equal(p->port[0].pg[3].headroom_bytes,
		headroom_auto(headroom_qbb(25 * RATE_GBPS, PS_PER_US, 1514), 1514, 256));
	scene_free(s);
	s = lab(LAB);
	assert_false(lab_node(s, "s1")->u.sw.port[0].queue[0].limited);
	assert_int_equal(lab_node(s, "s1")->u.sw.cell_bytes, 1);
	scene_free(s);
}

static void one_egress_pool_is_for_all_queues(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {buffer: 4MB, pools: {egress: 3MB}, classes: {"
		    "3: {lossless: true}}}}\n" LAB_HOSTS LAB_LINKS);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct mmu_queue_params *q = p->port[0].queue;

	(void)state;
	assert_int_equal(p->egress_bytes[0], 3000000);
	assert_int_equal(mmu_queue_pool(&q[3]), 0);
	assert_int_equal(mmu_queue_pool(&q[1]), 0);
	scene_free(s);
	lab_refuse("duration: 1ms\nswitches: {s1: {pools: {egress: 3MB, egress_lossy: 2MB}}}"
		   "\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:24: switch 's1': pools.egress is for all queues; leave out "
		"egress_lossless and egress_lossy");
	lab_refuse("duration: 1ms\nswitches: {s1: {shards: 2, pools: {egress: 3MB}}}\n" LAB_HOSTS
			   LAB_LINKS,
		"lab.yaml:2:35: switch 's1': pools.egress goes without shards; give "
		"egress_lossless and egress_lossy");
	lab_refuse("duration: 1ms\nswitches: {s1: {pools: {egress: 2KB}, classes: {1: {queue: "
		   "{reserved: 1KB}}}}}\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:24: switch 's1': its queues reserve 3000 of the egress pool (2000)");
}

static void pools_fit_into_the_buffer(void **state)
{
	(void)state;
	lab_refuse("duration: 1ms\nswitches: {s1: {buffer: 4MB, pools: {ingress: 3MB, headroom: "
		   "2MB}}}\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:37: switch 's1': pools for ingress (3000000) and headroom (2000000) "
		"do not fit "
		"into the buffer (4000000)");
	lab_refuse(
		"duration: 1ms\nswitches: {s1: {pools: {egress_lossy: 2KB}, classes: {1: {queue: "
		"{reserved: 1KB}}}}}\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:24: switch 's1': its queues reserve 3000 of the egress_lossy pool "
		"(2000)");
	lab_refuse("duration: 1ms\nswitches: {s1: {pools: {ingress: 5KB}, classes: {1: {drop: "
		   "{reserved: 2KB}}}}}\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:12: switch 's1': reserved (6000 bytes) and headroom (0 bytes) of its "
		"3 ports leave nothing of the ingress pool (5000 bytes) to share; make it larger "
		"than 6000 bytes");
}

// 25 Gb/s, 1 us, cell 1: 1518 + 6250 + 819.2 + 5120 and the longest lossless frame, in whole KiB.
static void headroom_may_be_sonics(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1.classes.3.pfc.headroom", "sonic");
	uint64_t want = 1518 + 6250 + 820 + 5120 + s->max_frame + PKT_FCS;

	(void)state;
	assert_int_equal(
		lab_node(s, "s1")->u.sw.port[0].pg[3].headroom_bytes, (want + 1023) / 1024 * 1024);
	scene_free(s);
	lab_refuse_set("switches.s1.classes.3.pfc.headroom", "cisco",
		"headroom: 'cisco' is not right; write a size, as in 400KB (1000), 64KiB (1024) "
		"or plain "
		"bytes, or sonic, or auto");
}

static void the_watchdog_watches_lossless_classes(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {pfc_watchdog: {poll: 10ms, detection: 20ms, "
		    "restoration: 30ms, action: forward, rule: broadcom}, classes: {3: {lossless: "
		    "true}, 4: {lossless: true, pfc: {enable: false}}}}}\n" LAB_HOSTS LAB_LINKS
		    "ports: {\"s1:h2\": {pfc_watchdog: {action: alert}}}\n");
	const struct sw_port_params *p = lab_node(s, "s1")->u.sw.port;

	(void)state;
	assert_int_equal(p[0].wd_classes, 1 << 3);
	assert_int_equal(p[0].wd.poll, 10 * PS_PER_MS);
	assert_int_equal(p[0].wd.detection, 20 * PS_PER_MS);
	assert_int_equal(p[0].wd.restoration, 30 * PS_PER_MS);
	assert_int_equal(p[0].wd.action, PFCWD_FORWARD);
	assert_int_equal(p[0].wd.rule, PFCWD_BROADCOM);
	assert_int_equal(p[1].wd.action, PFCWD_ALERT);
	assert_int_equal(p[1].wd.poll, 10 * PS_PER_MS);
	scene_free(s);
	s = lab(LAB "ports: {\"s1:h2\": {pfc_watchdog: }}\n");
	p = lab_node(s, "s1")->u.sw.port;
	assert_int_equal(p[0].wd_classes, 0);
	assert_int_equal(p[1].wd_classes, 1 << 3);
	assert_int_equal(p[1].wd.action, PFCWD_DROP);
	scene_free(s);
	lab_refuse_set("switches.s1.pfc_watchdog.detection", "50ms",
		"s1:h1: the watchdog's detection and restoration take a poll at least");
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
	s = lab("duration: 1ms\nswitches: {s1: {classes: {3: {lossless: true, pfc: {xoff: "
		"100KB}}}}}\n" LAB_HOSTS LAB_LINKS
		"ports: {\"s1:h2\": {classes: {3: {pfc: {dynamic_th: 1}}}}}\n");
	assert_int_equal(lab_node(s, "s1")->u.sw.port[1].pg[3].threshold, MMU_DYNAMIC);
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].pg[3].threshold, MMU_STATIC);
	scene_free(s);
	lab_refuse(LAB "ports: {\"s1:h2\": {classes: {3: {qcn: {}}}}}\n",
		"lab.yaml:6:33: unknown key 'qcn' in a port's class");
	lab_refuse("duration: 1ms\nswitches: {s1: {pools: {zebra: 1KB}}}\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:25: unknown key 'zebra' in pools; the keys of pools are ");
}

static void a_marker_is_whole(void **state)
{
	(void)state;
	lab_refuse(CLASS("{wred: {min: 1KB}}"), "lab.yaml:2:50: wred has no max");
	lab_refuse(CLASS("{wred: {}}"), "lab.yaml:2:50: wred has neither min nor max");
	lab_refuse(CLASS("{wred: {min: 2KB, max: 1KB}}"),
		"lab.yaml:2:56: wred min 2KB is above max 1KB");
	lab_refuse(CLASS("{wred: {min: 50%, max: 1KB}}"),
		"lab.yaml:2:56: wred min 50% (2MB) is above max 1KB");
	lab_refuse(CLASS("{wred: {min: 2KB, max: 3KB, probability: 2}}"),
		"lab.yaml:2:84: probability: 2 is out of range; it can be 0%..100%");
}

static void reserves_leave_something_to_share(void **state)
{
	(void)state;
	lab_refuse_set("switches.s1.buffer", "40KB",
		"reserved (0 bytes) and headroom (48144 bytes) of its 3 ports leave nothing of the "
		"buffer (40000 bytes) to share; make it larger than 48144 bytes");
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
	assert_int_equal(n->u.sw.set->dscp_to_class[47], 3);
	assert_int_equal(n->u.sw.set->dscp_to_class[48], 6);
	assert_int_equal(n->u.sw.set->pcp_to_class[1], 7);
	assert_int_equal(n->u.sw.fdb_age_ps, PS_PER_S);
	assert_int_equal(n->latency, 500 * PS_PER_NS);
	assert_int_equal(n->lcore, 2);
	scene_free(s);
}

static void the_size_of_an_fdb_is_given(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {fdb_entries: 4096}}\n" LAB_HOSTS LAB_LINKS);

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.fdb_entries, 4096);
	scene_free(s);
	s = lab("duration: 1ms\nswitches: {s1: }\n" LAB_HOSTS LAB_LINKS);
	assert_int_equal(lab_node(s, "s1")->u.sw.fdb_entries, 16384);
	scene_free(s);
	lab_refuse("duration: 1ms\nswitches: {s1: {fdb_entries: 4}}\n" LAB_HOSTS LAB_LINKS,
		"lab.yaml:2:30: fdb_entries: 4 is out of range; it can be 16..16777216");
}

// The latency of either end counts as cable: 25 Gb/s times 2 (1 us + 0.25 us).
static void latency_counts_as_cable(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1.latency", "500ns");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].pg[3].headroom_bytes,
		needed(PS_PER_US + 250 * PS_PER_NS));
	scene_free(s);
}

// A peer that takes longer than 802.3 allows (80 quanta at 25 Gb/s) is reckoned with.
static void a_slow_peer_counts(void **state)
{
	struct scene *s = lab_with(LAB, "hosts.h1.pfc_response", "100");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	uint64_t usual = needed(PS_PER_US);

	(void)state;
	assert_int_equal(lab_node(s, "h1")->u.nic.pfc_response, 100);
	assert_int_equal(p->port[0].pg[3].headroom_bytes, usual + 20 * 64);
	assert_int_equal(p->port[1].pg[3].headroom_bytes, usual);
	scene_free(s);
	s = lab_with(LAB, "switches.s1.pfc_response", "70");
	assert_int_equal(lab_node(s, "s1")->u.sw.port[2].pfc_response, 70);
	scene_free(s);
}

static void responds(struct scene *s, unsigned quanta)
{
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(lab_node(s, "s1")->u.sw.port[i].pfc_response, quanta);
	assert_int_equal(lab_node(s, "h1")->u.nic.pfc_response, quanta);
	scene_free(s);
}

// All that 802.3 allows at the speed, or the next higher one, where no number is given, on both
// clocks; none in the simulator's framing.
static void peers_answer_as_late_as_is_allowed(void **state)
{
	static const char *const rate[] = {"10Gbps", "25Gbps", "30Gbps", "100Gbps", "400Gbps"};
	static const unsigned quanta[] = {67, 80, 118, 394, 905};
	const struct scene_opts real = {.real = true};
	struct scene *s;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		responds(lab_with(LAB, "links.0.rate", rate[i]), quanta[i]);
	assert_int_equal(lab_try(&s, LAB, &real), 0);
	responds(s, 80);
	responds(lab("framing: hpcc_sim\n" LAB), 0);
	s = lab_with("framing: hpcc_sim\n" LAB, "hosts.h1.pfc_response", "7");
	assert_int_equal(lab_node(s, "h1")->u.nic.pfc_response, 7);
	assert_int_equal(lab_node(s, "h2")->u.nic.pfc_response, 0);
	scene_free(s);
}

// One group alone: x = 2^n (S - x).
static void a_lone_class_reaches_its_xoff(void **state)
{
	struct scene *s = lab(LAB);
	const struct scene_node *n = lab_node(s, "s1");
	uint64_t shared = 4000000 - 3 * needed(PS_PER_US);

	(void)state;
	assert_int_equal(hardware_xoff(n, 0, 3), shared / 9);
	assert_int_equal(hardware_xoff(n, 0, 0), shared / 2);
	scene_free(s);
}

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
	assert_false(p[0].shaper_auto);
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
		assert_int_equal(p->set->pg_map[c], 3);
		assert_true(p->set->cls[c].pfc && p->set->cls[c].quanta == 99);
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

// Shares of wred are of the class's queue if it has a size, its reserve too, else of the buffer.
static void a_share_of_wred_is_of_the_queue(void **state)
{
	struct scene *s = lab(SWITCH("buffer: 4MB, classes: {"
				     "2: {wred: {min: 10%, max: 20%}}, "
				     "3: {queue: {limit: 400KB, reserved: 20KB}, wred: {min: 50%, "
				     "max: 90%, drop_min: 25%, drop_max: 100%}}}"));
	const struct sw_class_params *c = lab_node(s, "s1")->u.sw.set->cls;

	(void)state;
	assert_int_equal(c[2].red.kmin_bytes, 400000);
	assert_int_equal(c[2].red.kmax_bytes, 800000);
	assert_int_equal(c[3].red.kmin_bytes, 210000);
	assert_int_equal(c[3].red.kmax_bytes, 378000);
	assert_int_equal(c[3].wred_drop.kmin_bytes, 105000);
	assert_int_equal(c[3].wred_drop.kmax_bytes, 420000);
	assert_string_equal(lab_node(s, "s1")->wred_share[0][2], "10% and 20% of the buffer");
	assert_string_equal(lab_node(s, "s1")->wred_share[0][3], "50% and 90% of the queue");
	assert_null(lab_node(s, "s1")->wred_share[0][4]);
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
	assert_int_equal(p->set->queue_map[4], 5);
	assert_int_equal(p->set->queue_map[5], 5);
	assert_int_equal(p->set->pg_map[3], 0);
	assert_int_equal(p->set->pg_map[4], 3);
	assert_false(p->set->cls[3].pfc);
	assert_true(p->set->cls[4].pfc);
	assert_int_equal(p->set->cls[4].quanta, 77);
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

#define WRED(map)                                                              \
	"duration: 1ms\nswitches: {s1: {buffer: 4MB, classes: {3: {wred: " map \
	"}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS

static struct sw_class_params of(const char *text)
{
	struct scene *s = lab(text);
	struct sw_class_params c = lab_node(s, "s1")->u.sw.set->cls[3];

	scene_free(s);
	return c;
}

static void assert_curve(const struct red_params *p, uint64_t min, uint64_t max, double pmax)
{
	assert_int_equal(p->kmin_bytes, min);
	assert_int_equal(p->kmax_bytes, max);
	assert_true(p->pmax == pmax);
}

static void a_marker_drops_nothing_by_itself(void **state)
{
	struct sw_class_params c = of(WRED("{min: 100KB, max: 10%, probability: 20%}"));

	(void)state;
	assert_curve(&c.red, 100000, 400000, 0.2);
	assert_int_equal(c.mark, SW_MARK_DEQUEUE);
	assert_int_equal(c.wred, SW_WRED_OFF);
	assert_int_equal(c.wred_exponent, 0);
}

static void not_ect_is_dropped_by_the_same_thresholds_or_its_own(void **state)
{
	struct sw_class_params c =
		of(WRED("{min: 100KB, max: 400KB, probability: 20%, not_ect: drop}"));

	(void)state;
	assert_int_equal(c.wred, SW_WRED_NOT_ECT);
	assert_curve(&c.wred_drop, 100000, 400000, 0.2);
	c = of(WRED("{min: 100KB, max: 400KB, probability: 20%, drop_min: 5%, drop_max: 1MB}"));
	assert_int_equal(c.wred, SW_WRED_NOT_ECT);
	assert_curve(&c.red, 100000, 400000, 0.2);
	assert_curve(&c.wred_drop, 200000, 1000000, 0.2);
	c = of(WRED("{min: 100KB, max: 400KB, not_ect: drop, drop_probability: 5%}"));
	assert_curve(&c.wred_drop, 100000, 400000, 0.05);
	assert_true(c.red.pmax == 0.01);
	c = of(WRED("{min: 100KB, max: 400KB, not_ect: h3c, weight: 9}"));
	assert_int_equal(c.wred, SW_WRED_H3C);
	assert_int_equal(c.wred_exponent, 9);
}

static void without_ecn_there_is_no_marker(void **state)
{
	struct sw_class_params c = of(WRED("{ecn: false, min: 100KB, max: 400KB}"));

	(void)state;
	assert_int_equal(c.mark, SW_MARK_NONE);
	assert_int_equal(c.wred, SW_WRED_ALL);
	assert_curve(&c.wred_drop, 100000, 400000, 0.01);
	c = of(WRED("{ecn: false, drop_min: 1KB, drop_max: 2KB, drop_probability: 100%}"));
	assert_curve(&c.wred_drop, 1000, 2000, 1);
}

static void what_does_not_go_together_is_refused(void **state)
{
	(void)state;
	lab_refuse(
		WRED("{min: 1KB, max: 2KB, drop_min: 1KB}"), "lab.yaml:2:50: wred has no drop_max");
	lab_refuse(WRED("{min: 1KB, max: 2KB, drop_min: 3KB, drop_max: 2KB}"),
		"lab.yaml:2:81: wred drop_min 3KB is above drop_max 2KB");
	lab_refuse(WRED("{drop_min: 1KB, drop_max: 2KB}"),
		"lab.yaml:2:50: wred has neither min nor max");
	lab_refuse(WRED("{ecn: false}"), "lab.yaml:2:50: wred has neither min nor max");
	lab_refuse(WRED("{min: 1KB, max: 2KB, not_ect: forward, drop_min: 1KB, drop_max: 2KB}"),
		"lab.yaml:2:80: not_ect: forward does not go with drop thresholds");
	lab_refuse(WRED("{min: 1KB, max: 2KB, ecn: false, not_ect: h3c}"),
		"lab.yaml:2:92: not_ect: h3c does not go with ecn: false");
	lab_refuse(WRED("{min: 1KB, max: 2KB, weight: 16}"), "lab.yaml:2:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lossless_class_needs_no_more),
		cmocka_unit_test(a_class_takes_every_value),
		cmocka_unit_test(xon_stays_below_xoff),
		cmocka_unit_test(a_lossy_class_has_a_limit),
		cmocka_unit_test(queues_and_pools_have_sizes),
		cmocka_unit_test(one_egress_pool_is_for_all_queues),
		cmocka_unit_test(pools_fit_into_the_buffer),
		cmocka_unit_test(headroom_may_be_sonics),
		cmocka_unit_test(the_watchdog_watches_lossless_classes),
		cmocka_unit_test(a_port_may_differ),
		cmocka_unit_test(a_marker_is_whole),
		cmocka_unit_test(reserves_leave_something_to_share),
		cmocka_unit_test(a_switch_takes_every_value),
		cmocka_unit_test(the_size_of_an_fdb_is_given),
		cmocka_unit_test(latency_counts_as_cable),
		cmocka_unit_test(a_slow_peer_counts),
		cmocka_unit_test(peers_answer_as_late_as_is_allowed),
		cmocka_unit_test(a_lone_class_reaches_its_xoff),
		cmocka_unit_test(shapers_are_rates_or_shares),
		cmocka_unit_test(a_port_that_sends_pause_has_one_group),
		cmocka_unit_test(a_share_of_xoff_is_of_the_queue),
		cmocka_unit_test(a_share_of_wred_is_of_the_queue),
		cmocka_unit_test(pfc_follows_the_group),
		cmocka_unit_test(asymmetric_pfc_is_a_ports),
		cmocka_unit_test(a_marker_drops_nothing_by_itself),
		cmocka_unit_test(not_ect_is_dropped_by_the_same_thresholds_or_its_own),
		cmocka_unit_test(without_ecn_there_is_no_marker),
		cmocka_unit_test(what_does_not_go_together_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
