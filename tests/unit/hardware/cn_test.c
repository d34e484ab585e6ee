// SPDX-License-Identifier: BSD-3-Clause
// Congestion points, flow tables and QCN reaction points, compiled and refused.
#include "scene_lab.h"

#define SWITCH(text)                                                                            \
	"controls: {q: {qcn: {}}}\nduration: 1ms\nswitches: {s1: {buffer: 4MB, classes: {" text \
	"}}}\n" LAB_HOSTS LAB_LINKS "flows: {f: {from: h1..2, to: r, control: q}}\n"
#define CONTROL(text)                                                               \
	"controls: {q: " text "}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {f: {from: h1..2, to: r, control: q}}\n"

static const struct sw_params *s1(const struct scene *s)
{
	return &s->node[scene_node(s, "s1")].u.sw;
}

static void a_class_gets_congestion_points(void **state)
{
	struct scene *s = lab(SWITCH(
		"3: {qcn: {set_point: 30KB, weight: -2, sample_base: 100KB, sample_table: {7: "
		"11000}, "
		"randomise: 25%, quant: msb6, cnm_class: 5, alternate_class: 1, "
		"min_header_octets: 64}}, "
		"4: {qcn: {}}"));
	const struct sw_qcn_params *q = &s1(s)->set->cls[3].qcn;

	(void)state;
	assert_true(q->on);
	assert_int_equal(q->cp.set_point, 30000);
	assert_int_equal(q->cp.weight, -2);
	assert_int_equal(q->cp.sample_base, 100000);
	assert_int_equal(q->cp.sample_table[6], 0);
	assert_int_equal(q->cp.sample_table[7], 11000);
	assert_int_equal(q->cp.randomise_percent, 25);
	assert_int_equal(q->cp.quant, QCN_CP_MSB6);
	assert_int_equal(q->cnm_class, 5);
	assert_int_equal(q->alternate_class, 1);
	assert_int_equal(q->min_header_octets, 64);
	assert_true(s->needs_hdrs && s->needs_bytes);
	q = &s1(s)->set->cls[4].qcn;
	assert_true(q->on);
	assert_int_equal(q->cp.set_point, 26000);
	assert_int_equal(q->cp.weight, 1);
	assert_int_equal(q->cp.sample_base, 150000);
	assert_int_equal(q->cp.randomise_percent, 15);
	assert_int_equal(q->cnm_class, 6);
	assert_false(s1(s)->set->cls[2].qcn.on);
	assert_false(s1(s)->iqcn_on);
	assert_non_null(strstr(s->resolved, "set_point: 30KB"));
	scene_free(s);
}

static void ports_have_a_mode_in_the_domain(void **state)
{
	struct scene *s = lab(SWITCH("3: {qcn: {}}") "ports: {\"s1:h1\": {cn_mode: edge}, "
						     "\"s1:h2\": {cn_mode: interior}, "
						     "\"s1:r\": {cn_mode: disabled}}\n");
	unsigned node, port;

	(void)state;
	assert_true(scene_port(s, "s1:h1", &node, &port));
	assert_int_equal(s1(s)->port[port].cn, SW_CN_EDGE);
	assert_true(scene_port(s, "s1:h2", &node, &port));
	assert_int_equal(s1(s)->port[port].cn, SW_CN_INTERIOR);
	assert_true(scene_port(s, "s1:r", &node, &port));
	assert_int_equal(s1(s)->port[port].cn, SW_CN_DISABLED);
	scene_free(s);
	s = lab(SWITCH("3: {qcn: {}}"));
	assert_int_equal(s1(s)->port[0].cn, SW_CN_INTERIOR_READY);
	scene_free(s);
}

static void a_class_gets_a_flow_table(void **state)
{
	struct scene *s = lab(SWITCH(
		"3: {iqcn: {heavy: 400KB, heavy_off: 100KB, rpg_time_reset: 200us, margin: 0.8, "
		"path_delay: 10us, entry_gap: 5us, age: 1ms, np_age: 2s, entries: 1024, "
		"port_rate: 10000, "
		"port_burst: 8}}"));
	const struct sw_params *p = s1(s);

	(void)state;
	assert_true(p->iqcn_on && s->needs_hdrs);
	assert_int_equal(p->set->cls[3].heavy_bytes, 400000);
	assert_int_equal(p->set->cls[3].heavy_off_bytes, 100000);
	assert_int_equal(p->set->cls[4].heavy_bytes, 0);
	assert_true(p->iqcn.rpg_time_reset_ps == 200 * PS_PER_US);
	assert_true(p->iqcn.margin == 0.8);
	assert_true(p->iqcn.path_delay_ps == 10 * PS_PER_US);
	assert_true(p->iqcn.entry_gap_ps == 5 * PS_PER_US);
	assert_true(p->iqcn.age_ps == PS_PER_MS);
	assert_true(p->iqcn.np_age_ps == 2 * PS_PER_S);
	assert_int_equal(p->iqcn.entries, 1024);
	for (unsigned i = 0; i < p->n_ports; i++)
		assert_int_equal(p->iqcn.port_cnps_per_s[i], 10000);
	assert_int_equal(p->iqcn.port_burst, 8);
	scene_free(s);
}

// Kmax with a marker; without one 80 % of XOFF.
static void heavy_congestion_has_its_usual_thresholds(void **state)
{
	struct scene *s = lab(SWITCH("3: {wred: {min: 100KB, max: 300KB}, iqcn: {}}, "
				     "4: {lossless: true, pfc: {xoff: 200KB}, iqcn: {}}"));
	const struct sw_params *p = s1(s);

	(void)state;
	assert_int_equal(p->set->cls[3].heavy_bytes, 300000);
	assert_int_equal(p->set->cls[3].heavy_off_bytes, 240000);
	assert_int_equal(p->set->cls[4].heavy_bytes, 160000);
	assert_true(p->iqcn.rpg_time_reset_ps == 300 * PS_PER_US);
	assert_true(p->iqcn.margin == 0.9);
	assert_int_equal(p->iqcn.entries, 65536);
	assert_int_equal(p->iqcn.age_ps, 0);
	for (unsigned i = 0; i < p->n_ports; i++) // 1 % of 25 Gb/s
		assert_int_equal(p->iqcn.port_cnps_per_s[i], 318877);
	scene_free(s);
}

static void a_switch_answers_its_own_marks(void **state)
{
	struct scene *s = lab(SWITCH(
		"3: {wred: {min: 100KB, max: 300KB}, fast_cnp: {}}, 4: {force_ce: true, fast_cnp: "
		"{ce: true}}"));
	const struct sw_params *p = s1(s);

	(void)state;
	assert_true(p->fast_cnp_on && s->needs_hdrs && !p->iqcn_on);
	assert_int_equal(p->set->cls[3].fast_cnp, SW_FAST_CNP_INSTEAD);
	assert_int_equal(p->set->cls[4].fast_cnp, SW_FAST_CNP_BESIDE);
	assert_int_equal(p->set->cls[5].fast_cnp, SW_FAST_CNP_OFF);
	assert_true(p->fast_cnp.table.interval_ps == 50 * PS_PER_US);
	assert_true(p->fast_cnp.table.age_ps == PS_PER_S);
	assert_int_equal(p->fast_cnp.table.entries, 65536);
	assert_int_equal(p->fast_cnp.cnp_class, 6);
	assert_int_equal(p->fast_cnp.cnp_tos, 0xc2);
	scene_free(s);
	s = lab(SWITCH(
		"3: {wred: {min: 100KB, max: 300KB}, fast_cnp: {interval: 4us, cnp_class: 5, "
		"cnp_dscp: 46, entries: 1024, age: 2s}}"));
	p = s1(s);
	assert_true(p->fast_cnp.table.interval_ps == 4 * PS_PER_US);
	assert_true(p->fast_cnp.table.age_ps == 2 * PS_PER_S);
	assert_int_equal(p->fast_cnp.table.entries, 1024);
	assert_int_equal(p->fast_cnp.cnp_class, 5);
	assert_int_equal(p->fast_cnp.cnp_tos, 46 << 2 | 2);
	scene_free(s);
}

static void iqcn_may_have_no_limit(void **state)
{
	struct scene *s =
		lab(SWITCH("3: {wred: {min: 100KB, max: 300KB}, iqcn: {port_rate: none}}"));

	(void)state;
	assert_int_equal(s1(s)->iqcn.port_cnps_per_s[0], 0);
	scene_free(s);
}

static void a_control_may_be_qcn(void **state)
{
	struct scene *s = lab(CONTROL(
		"{qcn: {time_reset: 10ms, byte_reset: 100KB, threshold: 4, ai_rate: 6Mbps, "
		"hai_rate: 60Mbps, min_rate: 10Mbps, gd: 6, min_dec_fac: 40%, randomise: 0%, "
		"fr_convention: N, half_from: hyper, target_test: byte_or_time, hai_after: 50ms, "
		"hai_after_octets: 750KB}}"));
	const struct qcn_rp_params *p = &s->control[0]->cfg.u.qcn.p;

	(void)state;
	assert_string_equal(s->control[0]->profile, "qcn");
	assert_int_equal(s->control[0]->cfg.kind, RP_QCN);
	assert_ptr_equal(s->flow[0]->rp, &s->control[0]->cfg);
	assert_ptr_equal(s->flow[1]->req.rp, &s->control[0]->cfg);
	assert_null(s->flow[1]->rsp.rp);
	assert_int_equal(p->max_rate, 25 * RATE_GBPS);
	assert_int_equal(p->min_rate, 10 * RATE_MBPS);
	assert_int_equal(p->ai_rate, 6 * RATE_MBPS);
	assert_int_equal(p->hai_rate, 60 * RATE_MBPS);
	assert_true(p->time_reset_ps == 10 * PS_PER_MS);
	assert_int_equal(p->byte_reset, 100000);
	assert_int_equal(p->threshold, 4);
	assert_int_equal(p->gd, 6);
	assert_int_equal(p->min_dec_fac, 40);
	assert_int_equal(p->randomise_percent, 0);
	assert_int_equal(p->fr_convention, QCN_RP_N);
	assert_int_equal(p->half_from, QCN_RP_HALF_HYPER);
	assert_int_equal(p->target_test, QCN_RP_BYTE_OR_TIME);
	assert_true(p->hai_after_ps == 50 * PS_PER_MS);
	assert_int_equal(p->hai_after_octets, 750000);
	assert_non_null(strstr(s->resolved, "time_reset: 10ms"));
	assert_null(strstr(s->resolved, "alpha_timer"));
	scene_free(s);
}

// The tag is the sender's own QPN and makes frames longer; nothing is ECT, nobody answers CE.
static void data_has_a_cn_tag_unless_told_otherwise(void **state)
{
	struct scene *s = lab(CONTROL("{qcn: }")), *bare;
	const struct scene_flow *f = s->flow[1];

	(void)state;
	bare = lab(CONTROL("{qcn: {cn_tag: false}}"));
	assert_true(f->hdr_data.flags & HDR_CNTAG);
	assert_int_equal(f->hdr_data.cntag, f->src_qp);
	assert_false(f->hdr_ack.flags & HDR_CNTAG);
	assert_int_equal(f->req.tos & 3, ECN_NOT_ECT);
	assert_false(bare->flow[1]->hdr_data.flags & HDR_CNTAG);
	assert_int_equal(bare->flow[1]->req.rp->kind, RP_QCN);
	assert_int_equal(s->max_frame, bare->max_frame + 4);
	scene_free(s);
	scene_free(bare);
}

// A flow ID has 16 bits, and the upper half of them is for those that are shared.
static void a_cn_tag_tells_so_many_queue_pairs_apart(void **state)
{
	const char *few =
		"controls: {q: {qcn: {}}}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		"flows: {f: {from: h1, to: r, control: q, qps: 32767}}\n";
	struct scene *s = lab(few);

	(void)state;
	assert_int_equal(s->flow[32766]->hdr_data.cntag, 32767);
	scene_free(s);
	lab_refuse("controls: {q: {qcn: {}}}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		   "flows: {f: {from: h1, to: r, control: q, qps: 32768}}\n",
		"lab.yaml:6:9: host 'h1' has more than the 32767 queue pairs that a CN-TAG tells "
		"apart; "
		"give the control max_rps, or no cn_tag");
}

// rpppMaxRps: flow IDs above all QPNs, dealt out by host and class.
static void reaction_points_may_be_few(void **state)
{
	struct scene *s =
		lab("controls: {q: {qcn: {max_rps: 2}}}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS
				LAB_LINKS "flows: {f: {from: h1..2, to: r, control: q, qps: 3}, "
		    "g: {from: h1, to: r, class: 4, control: q}}\n");
	static const unsigned want[] = {0x8180, 0x8181, 0x8180, 0x8180, 0x8181, 0x8180, 0x8200};

	(void)state;
	assert_int_equal(s->n_flows, 7);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(s->flow[i]->hdr_data.cntag, want[i]);
		assert_true(s->flow[i]->req.rp_shared);
		assert_false(s->flow[i]->rsp.rp_shared);
	}
	scene_free(s);
	s = lab(CONTROL("{qcn: {}}"));
	assert_false(s->flow[0]->req.rp_shared);
	scene_free(s);
	lab_refuse(CONTROL("{qcn: {max_rps: 1, cn_tag: false}}"),
		"lab.yaml:1:31: control 'q': max_rps needs cn_tag;");
	lab_refuse("controls: {q: {qcn: {max_rps: 2}}, p: {qcn: {max_rps: 1}}}\nduration: "
		   "1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		   "flows: {f: {from: h1, to: r, control: q}, g: {from: h1, to: r, control: p}}\n",
		"lab.yaml:6:73: host 'h1' sends in class 3 with the controls");
}

static void what_does_not_go_together_is_told(void **state)
{
	(void)state;
	lab_refuse(CONTROL("{qcn: {}, ai_rate: 5Mbps}"),
		"lab.yaml:1:25: control 'q': 'ai_rate' is DCQCN's, qcn is another reaction point");
	lab_refuse(CONTROL("{qcn: {min_rate: 40Gbps}}"),
		"lab.yaml:1:32: control 'q': min_rate 40Gbps is above the line rate 25Gbps");
	lab_refuse(CONTROL("{qcn: {randomise: 1.5%}}"),
		"lab.yaml:1:33: randomise takes whole percent, as in 15%");
	lab_refuse(
		CONTROL("{qcn: {min_dec_fac: 0%}}"), "lab.yaml:1:12: control 'q': randomise and");
	lab_refuse(SWITCH("3: {qcn: {cnm_class: 3}}"),
		"lab.yaml:3:61: switch 's1': class 3 of CNMs has qcn itself");
	lab_refuse(SWITCH("3: {qcn: {alternate_class: 3}}") "ports: {\"s1:h1\": {cn_mode: edge}}\n",
		"lab.yaml:3:67: switch 's1': alternate_class 3 has qcn itself; at the edge s1:h1");
	lab_refuse(SWITCH("3: {qcn: {randomise: 100%}}"), "lab.yaml:3:61: randomise is below 100%");
	lab_refuse(SWITCH("3: {qcn: {set_point: 99}}"),
		"lab.yaml:3:61: set_point: 99 is out of range");
	lab_refuse(SWITCH("3: {iqcn: {heavy: 10KB, heavy_off: 20KB}}"),
		"lab.yaml:3:75: heavy_off 20KB is above heavy 10KB");
	lab_refuse(SWITCH("3: {iqcn: {heavy: 10KB, age: 100us}}"),
		"lab.yaml:3:50: switch 's1': a flow would be forgotten before its CNP is due");
	lab_refuse(SWITCH("3: {iqcn: {heavy: 10KB}}, 4: {iqcn: {heavy: 10KB, margin: 0.5}}"),
		"lab.yaml:3:76: switch 's1': classes 3 and 4 want different flow tables");
	lab_refuse(SWITCH("3: {fast_cnp: {}}"),
		"lab.yaml:3:54: switch 's1': class 3 has fast_cnp and no marker; give it wred");
	lab_refuse(SWITCH("3: {force_ce: true, fast_cnp: {}}, "
			  "4: {force_ce: true, fast_cnp: {interval: 4us}}"),
		"lab.yaml:3:105: switch 's1': classes 3 and 4 want different fast_cnp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_class_gets_congestion_points),
		cmocka_unit_test(ports_have_a_mode_in_the_domain),
		cmocka_unit_test(a_class_gets_a_flow_table),
		cmocka_unit_test(heavy_congestion_has_its_usual_thresholds),
		cmocka_unit_test(a_switch_answers_its_own_marks),
		cmocka_unit_test(iqcn_may_have_no_limit),
		cmocka_unit_test(a_control_may_be_qcn),
		cmocka_unit_test(data_has_a_cn_tag_unless_told_otherwise),
		cmocka_unit_test(a_cn_tag_tells_so_many_queue_pairs_apart),
		cmocka_unit_test(reaction_points_may_be_few),
		cmocka_unit_test(what_does_not_go_together_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
