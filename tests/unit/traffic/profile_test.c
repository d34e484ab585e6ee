// SPDX-License-Identifier: BSD-3-Clause
// Profiles of window and RTT: every key, what is reckoned from the scene, what is refused, and what
// counts for nothing.
#include "scene_lab.h"

#define FLOW   "flows: {f: {from: h1..2, to: r, mtu: 1000, control: c}}\n"
#define LEGAL  "flows: {f: {from: h1..2, to: r, mtu: 1024, control: c}}\n"
#define LAB_OF "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS

#define SIM(text)      "controls: {c: " text "}\nframing: hpcc_sim\n" LAB_OF FLOW
#define ETHERNET(text) "controls: {c: " text "}\n" LAB_OF LEGAL

static const struct rp_cfg *cfg_of(const struct scene *s)
{
	assert_int_equal(s->n_controls, 1);
	assert_ptr_equal(s->flow[0]->rp, &s->control[0]->cfg);
	return &s->control[0]->cfg;
}

// One switch, 25 Gb/s, 1 us: 4640 ns and 14500 bytes, as the simulator reckons them.
static void the_simulators_window_is_its_longest_way(void **state)
{
	struct scene *s = lab(SIM("{profile: dctcp}"));
	const struct dctcp_rp_params *p = &cfg_of(s)->u.dctcp.p;

	(void)state;
	assert_int_equal(cfg_of(s)->kind, RP_DCTCP);
	assert_string_equal(s->control[0]->profile, "dctcp");
	assert_true(p->simulator);
	assert_int_equal(p->bdp, 14500);
	assert_int_equal(p->mtu, 1000);
	assert_true(p->ai_rate == 615 * RATE_MBPS && p->min_rate == RATE_GBPS);
	assert_true(p->g == 0.0625);
	assert_int_equal(s->flow[0]->req.overhead, 48);
	scene_free(s);
}

// There and back: 4 us of cable, two wire times of the longest frame (1024 + 74 + 24) and of the
// ACK (62 + 24). Of what the line carries then, 1024 of 1122 bytes are payload.
static void ethernets_window_is_of_payload(void **state)
{
	struct scene *s = lab(ETHERNET("{profile: dctcp}"));
	const struct dctcp_rp_params *p = &cfg_of(s)->u.dctcp.p;
	uint64_t rtt_ps = 4 * PS_PER_US + 2 * 320 * (1122 + 86);

	(void)state;
	assert_false(p->simulator);
	assert_int_equal(p->bdp, rtt_ps * 25 / 8000 * 1024 / 1122);
	assert_int_equal(p->mtu, 1024);
	assert_true(s->flow[0]->rsp.echo_ce);
	assert_int_equal(s->flow[0]->req.tos & 3, ECN_ECT0);
	scene_free(s);
}

static void every_key_of_the_window_counts(void **state)
{
	struct scene *s = lab(SIM("{profile: dctcp, g: 1/8, base_rtt: 8us, ai_rate: 100Mbps, "
				  "min_rate: 2Gbps}"));
	const struct dctcp_rp_params *p = &cfg_of(s)->u.dctcp.p;

	(void)state;
	assert_true(p->g == 0.125);
	assert_int_equal(p->bdp, 25000);
	assert_true(p->ai_rate == 100 * RATE_MBPS && p->min_rate == 2 * RATE_GBPS);
	scene_free(s);
	s = lab(ETHERNET("{profile: dctcp, base_rtt: 8us}"));
	assert_int_equal(cfg_of(s)->u.dctcp.p.bdp, 25000 * 1024 / 1122);
	scene_free(s);
}

static void every_key_of_the_rtt_counts(void **state)
{
	struct scene *s = lab(ETHERNET(
		"{profile: timely, alpha: 0.5, beta: 0.25, t_low: 20us, t_high: 200us, min_rtt: "
		"10us, delta: 50Mbps, n: 7, segment: 4096, min_rate: 200Mbps}"));
	const struct timely_rp_params *p = &cfg_of(s)->u.timely.p;

	(void)state;
	assert_int_equal(cfg_of(s)->kind, RP_TIMELY);
	assert_true(p->alpha == 0.5 && p->beta == 0.25);
	assert_true(p->t_low_ps == 20 * PS_PER_US && p->t_high_ps == 200 * PS_PER_US);
	assert_true(p->min_rtt_ps == 10 * PS_PER_US);
	assert_true(p->delta == 50 * RATE_MBPS && p->n == 7 && p->segment == 4096);
	assert_true(p->min_rate == 200 * RATE_MBPS);
	assert_false(p->simulator || s->flow[0]->rsp.echo_ce);
	scene_free(s);
}

// The simulator's frames carry the instant at which they left, where it is asked for.
static void what_stands_in_no_file_is_of_the_framing(void **state)
{
	struct scene *s = lab(SIM("{profile: timely}"));
	const struct timely_rp_params *p = &cfg_of(s)->u.timely.p;

	(void)state;
	assert_true(p->simulator);
	assert_true(p->delta == 25 * RATE_MBPS && p->min_rate == RATE_GBPS && p->n == 5);
	assert_int_equal(s->flow[0]->req.overhead, 56);
	assert_int_equal(s->max_frame, 1056);
	scene_free(s);
	s = lab(ETHERNET("{profile: timely}"));
	p = &cfg_of(s)->u.timely.p;
	assert_true(p->delta == 10 * RATE_MBPS && p->min_rate == 100 * RATE_MBPS);
	assert_true(p->t_low_ps == 50 * PS_PER_US && p->t_high_ps == 500 * PS_PER_US);
	assert_int_equal(s->flow[0]->req.overhead, 0);
	scene_free(s);
}

static void bad_values_are_told(void **state)
{
	(void)state;
	lab_refuse(SIM("{profile: dctcp, min_rate: 40Gbps}"),
		"lab.yaml:1:42: control 'c': min_rate 40Gbps is above the line rate 25Gbps");
	lab_refuse(ETHERNET("{profile: dctcp, base_rtt: 1s}"),
		"lab.yaml:1:42: control 'c': its line has 2852049910 bytes in flight during "
		"base_rtt; 1 to 1073741824 can be");
	lab_refuse(ETHERNET("{profile: timely, t_low: 600us}"),
		"lab.yaml:1:40: control 'c': t_low is above t_high; lower it");
	lab_refuse(ETHERNET("{profile: timely, min_rate: 40Gbps}"),
		"lab.yaml:1:43: control 'c': min_rate 40Gbps is above the line rate 25Gbps");
	lab_refuse(ETHERNET("{profile: timely, g: 1/16}"),
		"lab.yaml:1:33: unknown key 'g' in a control of profile timely");
}

static void keys_of_the_other_framing_count_for_nothing(void **state)
{
	struct scene *s = lab(ETHERNET("{profile: dctcp, ai_rate: 1Gbps, min_rate: 1Gbps}"));

	(void)state;
	assert_true(
		lab_warns(s, "control 'c': ai_rate counts for nothing outside framing hpcc_sim"));
	assert_true(
		lab_warns(s, "control 'c': min_rate counts for nothing outside framing hpcc_sim"));
	scene_free(s);
	s = lab(SIM("{profile: timely, segment: 4096}"));
	assert_true(lab_warns(s, "control 'c': segment counts for nothing in framing hpcc_sim"));
	scene_free(s);
}

#define K(text) "{lossless: true, wred: {min: " text ", max: " text ", probability: 100%}}"

// Two windows of 15 frames of 1048 bytes are 31440 bytes, whatever the way holds of them.
static void who_is_never_marked_is_told(void **state)
{
	static const struct {
		const char *wred, *text;
	} row[] = {
		{NULL, "flow 'f': control 'c' goes by marks, but no switch on its way marks class "
		       "3: it hears nothing of congestion; give the class wred"},
		{K("31440"), "all windows of class 3 make a queue of 31440B at most, and Kmin is "
			     "31440B"},
		{K("31439"), NULL}};
	struct scene *s;

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		s = lab_with(SIM("{profile: dctcp}"), row[i].wred ? "switches.s1.classes.3" : NULL,
			row[i].wred);
		assert_int_equal(s->n_warnings, row[i].text ? 1 : 0);
		if (row[i].text)
			assert_true(lab_warns(s, row[i].text));
		scene_free(s);
	}
	// In Ethernet's framing the windows grow until they are marked, unless the flow's ends.
	s = lab_with(ETHERNET("{profile: dctcp}"), "switches.s1.classes.3", K("31440"));
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	// Who goes by the RTT is told nothing.
	s = lab(SIM("{profile: timely}"));
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_simulators_window_is_its_longest_way),
		cmocka_unit_test(ethernets_window_is_of_payload),
		cmocka_unit_test(every_key_of_the_window_counts),
		cmocka_unit_test(every_key_of_the_rtt_counts),
		cmocka_unit_test(what_stands_in_no_file_is_of_the_framing),
		cmocka_unit_test(bad_values_are_told),
		cmocka_unit_test(keys_of_the_other_framing_count_for_nothing),
		cmocka_unit_test(who_is_never_marked_is_told),
	};

	return cmocka_run_group_tests_name("scene_profile", tests, NULL, NULL);
}
