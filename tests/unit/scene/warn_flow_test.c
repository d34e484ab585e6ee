// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_warn_flow: CNPs too seldom for timers, a brake that never acts, nothing that
// is sent.
#include "scene_lab.h"

#define CONTROLLED                                         \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {incast: {from: h1..2, to: r, control: c}}\n"

// How often `text` stands in the warnings of CONTROLLED with a control and one more setting.
static unsigned count(const char *control, const char *path, const char *value, const char *text)
{
	const struct scene_set set[] = {{"controls.c", control}, {path, value}};
	const struct scene_opts opts = {.set = set, .n_set = path ? 2 : 1};
	struct scene *s;
	unsigned n = 0;

	if (lab_try(&s, CONTROLLED, &opts))
		fail_msg("%s", lab_err.text);
	for (unsigned i = 0; i < s->n_warnings; i++)
		n += strstr(s->warning[i].text, text) != NULL;
	scene_free(s);
	return n;
}

static void timers_want_cnps_as_often(void **state)
{
	const char *text =
		"flow 'incast': control 'c' asks every 4us whether a CNP came, but 'r' sends "
		"one in 50us at most: its cuts are few and small; np: {interval: 4us} suits";
	const char *asks = "whether a CNP came";

	(void)state;
	assert_int_equal(count("{profile: connectx}", NULL, NULL, text), 1);
	assert_int_equal(count("{profile: hpcc_sim_dcqcn}", NULL, NULL, text), 1);
	assert_int_equal(
		count("{profile: paper, reaction: timed, cut_interval: 4us}", NULL, NULL, text), 1);
	assert_int_equal(count("{profile: connectx}", "hosts.r.np", "{interval: 4us}", asks), 0);
	assert_int_equal(count("{profile: connectx}", "hosts.r.np", "{interval: 5us}", asks), 1);
	assert_int_equal(count("{profile: connectx}", "hosts.r.np", "{mode: per_packet}", asks), 0);
	assert_int_equal(
		count("{profile: connectx}", "hosts.r.np", "{interval: 0us, cnps_per_s: 10000}",
			"'r' sends one in 100us at most"),
		1);
	assert_int_equal(
		count("{profile: connectx, rate_reduce_monitor_period: 50us}", NULL, NULL, asks),
		0);
	assert_int_equal(count("{profile: paper}", NULL, NULL, asks), 0);
	assert_int_equal(count("{profile: rdma_ip}", NULL, NULL, asks), 0);
}

// CNPs of switches come by clocks of their own.
static void switches_may_send_them(void **state)
{
	const char *iqcn = "{lossless: true, wred: {min: 5KB, max: 200KB}, iqcn: {heavy: 100KB}}";

	(void)state;
	assert_int_equal(count("{profile: connectx}", "switches.s1.classes.3", iqcn, "whether"), 0);
}

static void a_brake_that_never_acts_is_said(void **state)
{
	const char *text =
		"flow 'incast': outstanding 8 is not above the 8 requests that control 'c' allows "
		"after a CNP: its brake never acts; 9 to 16 let it";
	const char *brake = "its brake never acts";

	(void)state;
	assert_int_equal(count("{profile: rdma_ip}", "flows.incast.outstanding", "8", text), 1);
	assert_int_equal(count("{profile: rdma_ip}", "flows.incast.outstanding", "9", brake), 0);
	assert_int_equal(count("{profile: rdma_ip, cnp_timer_thrd: 10us}", NULL, NULL, brake), 1);
	assert_int_equal(count("{profile: rdma_ip, cnp_timer_thrd: 0us}", NULL, NULL, brake), 0);
	assert_int_equal(
		count("{profile: rdma_ip, scheme: 3}", "flows.incast.outstanding", "2", brake), 0);
	assert_int_equal(count("{profile: rdma_ip}", NULL, NULL, brake), 0); // nobody spoke of it
	assert_int_equal(count("{profile: paper}", "flows.incast.outstanding", "2", brake), 0);
}

static void a_scene_without_flows_is_said(void **state)
{
	static const char quiet[] =
		"duration: 1ms\nhosts: {h1..2: }\nlinks: [{between: [h1, h2]}]\n";
	const char *text =
		"there are no flows, so nothing is sent; name who sends to whom under `flows`";
	struct scene *s = lab(quiet);

	(void)state;
	assert_true(lab_warns(s, text));
	scene_free(s);
	s = lab_with(quiet, "events", "[{at: 1us, pfc_storm: {port: \"h1:h2\", for: 9us}}]");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = lab_with(quiet, "ports", "{\"h1:h2\": {device: net_null0}}");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = lab_with(quiet, "flows", "{f: {from: h1, to: h2, open_loop: {}}}");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_want_cnps_as_often),
		cmocka_unit_test(switches_may_send_them),
		cmocka_unit_test(a_brake_that_never_acts_is_said),
		cmocka_unit_test(a_scene_without_flows_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
