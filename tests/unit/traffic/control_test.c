// SPDX-License-Identifier: BSD-3-Clause
// Profiles, every switch by name, one compilation for each line rate.
#include "scene_lab.h"

#define CONTROL(text)                                                               \
	"controls: {c: " text "}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {f: {from: h1..2, to: r, control: c}}\n"

static void a_profile_fills_what_is_not_given(void **state)
{
	struct scene *s = lab(CONTROL("{profile: paper, ai_rate: 100Mbps}"));
	const struct dcqcn_rp_params *p = &s->control[0]->cfg.u.dcqcn.p;

	(void)state;
	assert_int_equal(s->n_controls, 1);
	assert_string_equal(s->control[0]->name, "c");
	assert_string_equal(s->control[0]->profile, "paper");
	assert_int_equal(s->control[0]->line_rate, 25 * RATE_GBPS);
	assert_int_equal(s->control[0]->cfg.kind, RP_DCQCN);
	assert_ptr_equal(s->flow[0]->rp, &s->control[0]->cfg);
	assert_ptr_equal(s->flow[1]->rp, &s->control[0]->cfg);
	assert_int_equal(p->ai_rate, 100 * RATE_MBPS);
	assert_int_equal(p->line_rate, 25 * RATE_GBPS);
	assert_int_equal(s->control[0]->cfg.u.dcqcn.initial_rate, 25 * RATE_GBPS);
	assert_int_equal(p->byte_counter, 10000000);
	assert_true(p->g == 1.0 / 256);
	assert_int_equal(s->flow[0]->req.tos & 3, ECN_ECT0);
	scene_free(s);
}

static void every_switch_has_a_name(void **state)
{
	struct scene *s = lab(CONTROL(
		"{profile: hpcc_sim_dcqcn, ai_rate: 1Mbps, hai_rate: 2Mbps, min_rate: 3Mbps, g: "
		"1/16, "
		"initial_alpha: 0.5, alpha_timer: 4us, rate_timer: none, byte_counter: 5KB, "
		"fr_threshold: 6, "
		"fr_convention: N, hai_progressive: true, alpha_order: cut_first, clamp_target: "
		"never, "
		"cut_interval: 7us, reaction: on_cnp}"));
	const struct dcqcn_rp_params *p = &s->control[0]->cfg.u.dcqcn.p;

	(void)state;
	assert_int_equal(p->ai_rate, RATE_MBPS);
	assert_int_equal(p->hai_rate, 2 * RATE_MBPS);
	assert_int_equal(p->min_rate, 3 * RATE_MBPS);
	assert_true(p->g == 0.0625);
	assert_true(p->initial_alpha == 0.5);
	assert_int_equal(p->alpha_timer_ps, 4 * PS_PER_US);
	assert_true(p->rate_timer_ps == TSTAMP_NEVER);
	assert_int_equal(p->byte_counter, 5000);
	assert_int_equal(p->f, 6);
	assert_int_equal(p->fr_convention, RP_FR_N);
	assert_true(p->hai_progressive);
	assert_int_equal(p->alpha_order, RP_CUT_FIRST);
	assert_int_equal(p->clamp_target, RP_CLAMP_NEVER);
	assert_int_equal(p->cut_interval_ps, 7 * PS_PER_US);
	assert_int_equal(p->reaction, RP_ON_CNP);
	scene_free(s);
}

static void each_line_rate_has_its_own(void **state)
{
	struct scene *s =
		lab("controls: {c: {profile: hpcc_sim_dcqcn}, unused: }\nduration: 1ms\n"
		    "switches: {s1: }\nhosts: {h1..4: }\n"
		    "links: [{between: [h1..2, s1], rate: 25Gbps}, {between: [h3..4, s1]}]\n"
		    "flows: {f: {from: h1..3, to: h4, control: c}}\n");

	(void)state;
	assert_int_equal(s->n_controls, 2);
	assert_int_equal(s->control[0]->cfg.u.dcqcn.p.ai_rate, 5 * RATE_MBPS);
	assert_int_equal(s->control[1]->cfg.u.dcqcn.p.ai_rate, 20 * RATE_MBPS);
	assert_ptr_equal(s->flow[2]->rp, &s->control[1]->cfg);
	// The resolved text leaves to the profile what differs.
	assert_non_null(strstr(s->resolved, "# ai_rate: 20Mbps"));
	scene_free(s);
}

static void bad_values_are_told(void **state)
{
	(void)state;
	lab_refuse(CONTROL("{profile: dcqcn}"),
		"lab.yaml:1:25: profile: 'dcqcn' is not right; write one of paper, hpcc_sim_dcqcn, "
		"connectx, rdma_ip, which are DCQCN, or of dctcp, timely");
	lab_refuse(CONTROL("{profile: papper}"),
		"lab.yaml:1:25: profile: 'papper' is not right; write one of paper, "
		"hpcc_sim_dcqcn");
	lab_refuse(CONTROL("{min_rate: 40Gbps}"),
		"lab.yaml:1:26: control 'c': min_rate 40Gbps is above the line rate 25Gbps");
	lab_refuse(CONTROL("{initial_rate: 40Gbps}"),
		"lab.yaml:1:30: control 'c': initial_rate 40Gbps is not between min_rate and the "
		"line rate "
		"25Gbps");
	lab_refuse(CONTROL("{profile: connectx, initial_rate: 1500kbps}"),
		"lab.yaml:1:49: control 'c': initial_rate 1.5Mbps is not a whole number of Mb/s");
	lab_refuse(CONTROL("{qcn: {initial_rate: 1Mbps}}"),
		"lab.yaml:1:36: control 'c': initial_rate 1Mbps is not between min_rate");
	lab_refuse(CONTROL("{g: 0}"), "lab.yaml:1:19: g: 0 is out of range");
	lab_refuse(CONTROL("{reaction: timed}"),
		"lab.yaml:1:12: control 'c': reaction timed wants a cut_interval");
	lab_refuse(CONTROL("{reaction: timed, cut_interval: 100ns}"),
		"lab.yaml:1:12: control 'c': these values do not go together at 25Gbps");
}

static void a_missing_control_is_told(void **state)
{
	(void)state;
	lab_refuse_set("flows.incast.control", "dcqcn",
		"there is no control 'dcqcn'; name it under `controls`, or write none");
	lab_refuse("controls: {dcqcn: }\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		   "flows: {f: {from: h1, to: r, control: dcqnc}}\n",
		"lab.yaml:6:39: there is no control 'dcqnc'; did you mean 'dcqcn'?");
	lab_refuse("controls: {none: }\n" LAB, "lab.yaml:1:12: 'none' is no name of a control");
	lab_refuse("controls: {a1..2: }\n" LAB, "lab.yaml:1:12: 'a1..2' is no name of a control");
}

// A control that no flow uses is compiled where it is asked for, at the rate asked for.
static void a_control_that_is_asked_for_is_there(void **state)
{
	static const char text[] =
		"controls: {c: {}, spare: {profile: rdma_ip}}\nduration: 1ms\n" LAB_LOSSLESS
			LAB_HOSTS LAB_LINKS "flows: {f: {from: h1..2, to: r, control: c}}\n";
	struct scene_opts o = {.text = text, .size = sizeof(text) - 1, .control = "spare"};
	struct scene *s;
	struct err err;

	(void)state;
	assert_int_equal(compile_scene(&s, "text", &o, &err), 0);
	assert_int_equal(s->n_controls, 1);
	scene_free(s);
	o.control_rate = 40 * RATE_GBPS;
	assert_int_equal(compile_scene(&s, "text", &o, &err), 0);
	assert_int_equal(s->n_controls, 2);
	assert_string_equal(s->control[1]->name, "spare");
	assert_true(s->control[1]->line_rate == 40 * RATE_GBPS);
	assert_int_equal(s->control[1]->cfg.kind, RP_RDMA_IP);
	scene_free(s);
	o.control = "c";
	o.control_rate = 25 * RATE_GBPS; // as the flows' own
	assert_int_equal(compile_scene(&s, "text", &o, &err), 0);
	assert_int_equal(s->n_controls, 1);
	scene_free(s);
	o.control = "spar";
	assert_int_equal(compile_scene(&s, "text", &o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "there is no control 'spar'; did you mean 'spare'?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_fills_what_is_not_given),
		cmocka_unit_test(every_switch_has_a_name),
		cmocka_unit_test(each_line_rate_has_its_own),
		cmocka_unit_test(bad_values_are_told),
		cmocka_unit_test(a_missing_control_is_told),
		cmocka_unit_test(a_control_that_is_asked_for_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
