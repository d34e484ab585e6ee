// SPDX-License-Identifier: BSD-3-Clause
// CNPs in the summary: the key that paces them is found from the CNPs sent, and verdicts hold.
#include "figure_lab.h"

#include <math.h>

#include "tally/data.h"
#include "report/int.h"
#include "summary/summary.h"

// Two senders of two queue pairs each; `np` decides who shares an interval.
#define SCENE(np)                                                                        \
	"duration: 6ms\nwarmup: 1ms\ncontrols: {c: {profile: paper, ai_rate: 1Gbps}}\n"  \
	"switches: {s1: {buffer: 16MB, classes: {3: {wred: {min: 10KB, max: 40KB}}}}}\n" \
	"hosts: {h1..2: , r: {np: {" np "}}}\n"                                          \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"               \
	"flows: {f: {from: h1..2, to: r, qps: 2, control: c}}\n"

// The list of keys in summary.json.
static void assert_paced_by(const char *want)
{
	char *text = lab_file(&l, "summary.json"), *at = strstr(text, "\"paced_by\": [");
	char got[128] = "";

	assert_non_null(at);
	at = strchr(at, '[') + 1;
	for (const char *end = strchr(at, ']'); at < end; at++)
		if (!strchr(" \n\",", *at) || (*at == ',' && at[1]))
			strncat(got, at, 1);
	assert_string_equal(got, want);
	free(text);
}

// With one queue pair a sender a pair could be what is paced as well; here there are two.
static void the_key_that_paces_is_found(void **state)
{
	static const struct {
		const char *np, *keys;
	} as[] = {{"interval: 50us", "qp"}, {"interval: 50us, key: ip_pair", "ip_pair,dst_ip"},
		{"interval: 50us, key: port", "port"}, {"interval: 50us, mode: next_marked", "qp"},
		{"interval: 50us, mode: next_marked, key: port", "port"}};

	(void)state;
	for (unsigned i = 0; i < sizeof(as) / sizeof(as[0]); i++) {
		char yaml[1024];

		snprintf(yaml, sizeof(yaml), SCENE("%s"), as[i].np);
		lab_open(&l, yaml);
		assert_int_equal(lab_run(&l, NULL, 0, true), 0);
		print_message(
			"%s: %g CNPs for %g CE\n", as[i].np, v("np.r.cnp_tx"), v("np.r.ce_rx"));
		assert_true(v("np.r.cnp_tx") > 20);
		assert_paced_by(as[i].keys);
		assert_true(v("np.r.pass") == 1);
		assert_true(v("np.r.interval_us") == 50);
		assert_true(v("np.r.cnp_capped") == 0);
		assert_true(v("np.r.cnp_tx") == v("cnp_tx"));
		assert_true(v("cnp.port.r.ce_rx") == v("ecn_ce_rx"));
		assert_true(v("cnp.port.r.cnp_rx") == v("cnp_rx"));
		assert_true(
			v("cnp.ip_pair.r>h1.cnp_tx") + v("cnp.ip_pair.r>h2.cnp_tx") == v("cnp_tx"));
		assert_true(v("cnp.qp.f[h1>r.0].cnp_tx") == v("flow.f[h1>r.0].cnp_tx"));
		assert_true(v("cnp.port.r.np_delay_max_us") <= 50);
		lab_close(&l);
	}
}

// A cap on the whole NIC: fewer CNPs come than expected, and no key explains the rest.
static void a_cap_shows(void **state)
{
	(void)state;
	lab_open(&l, SCENE("interval: 50us, cnps_per_s: 3000"));
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_true(v("np.r.cnp_capped") > 10);
	assert_paced_by("");
	assert_true(v("cnp.qp.f[h1>r.0].cnp_missing") + v("cnp.qp.f[h1>r.1].cnp_missing") +
			    v("cnp.qp.f[h2>r.0].cnp_missing") + v("cnp.qp.f[h2>r.1].cnp_missing") >=
		    v("np.r.cnp_capped") - 4);
	assert_true(v("cnp.port.r.cnp_gap_min_us") > 333);
	assert_non_null(strstr(report_text(l.rec), "              paced by none\n"));
	lab_close(&l);
}

// Without an interval nothing paces: each CE is answered, which all keys would agree with.
static void no_interval_is_no_pacing(void **state)
{
	static const struct {
		const char *np, *line;
	} as[] = {{"interval: 0us", "              not paced, a CNP for every CE\n"},
		{"mode: per_packet, interval: 50us",
			"              not paced, a CNP for every CE\n"},
		{"interval: 0us, cnps_per_s: 3000", "              not paced\n"}};

	(void)state;
	for (unsigned i = 0; i < sizeof(as) / sizeof(as[0]); i++) {
		char yaml[1024];

		snprintf(yaml, sizeof(yaml), SCENE("%s"), as[i].np);
		lab_open(&l, yaml);
		assert_int_equal(lab_run(&l, NULL, 0, true), 0);
		assert_true(v("np.r.cnp_tx") > 10);
		assert_paced_by("");
		if (!strstr(report_text(l.rec), as[i].line))
			fail_msg("%s: told is %s", as[i].np, report_text(l.rec));
		lab_close(&l);
	}
}

// CNPs of one notification point by one key, from a record made by hand.
static struct summary sum;

static void lone(const struct rec_cnp *c)
{
	static struct scene_flow flow, *flows[] = {&flow};
	static struct scene_node node[2];
	static struct scene scene;
	static struct rec_cnp rec;
	static struct record r;

	rec = *c;
	flow = (struct scene_flow){.name = "f", .to = 1};
	node[0] = (struct scene_node){.name = "h1", .kind = SCENE_NIC};
	node[1] = (struct scene_node){.name = "r", .kind = SCENE_NIC};
	node[1].u.nic.np.key = NP_KEY_QP;
	node[1].u.nic.np.interval_ps = 50 * PS_PER_US;
	scene = (struct scene){.node = node, .n_nodes = 2, .flow = flows, .n_flows = 1};
	r = (struct record){.scene = &scene, .cnp = &rec, .n_cnps = 1};
	sum = (struct summary){.kind = summary_kind, .rec = &r, .run.clock = "virtual"};
	sum.set[KIND_FLOW].made = true;
	kind_set(&sum, KIND_CNP);
	assert_int_equal(sum.set[KIND_CNP].n, 1);
}

static double of(const char *figure)
{
	return summary_at(&sum, KIND_CNP, 0, figure);
}

static int no_lone(void **state)
{
	(void)state;
	free(sum.set[KIND_CNP].object);
	return 0;
}

// Nothing was sent: no gap, no ratio, no quantile, no verdict.
static void what_was_not_seen_is_not_known(void **state)
{
	(void)state;
	lone(&(struct rec_cnp){.made = 1, .gap_min = TSTAMP_NEVER});
	assert_true(of("cnp_tx") == 0);
	assert_true(of("cnp_switch_tx") == 1);
	assert_true(isnan(of("cnp_per_ce")));
	assert_true(isnan(of("cnp_gap_min_us")));
	assert_true(isnan(of("np_delay_p99_us")));
	assert_true(isnan(of("np_delay_p90_us")));
	assert_true(isnan(of("pass")));
}

static void cnps_are_in_microseconds(void **state)
{
	static struct hist way;
	char name[KIND_NAME];

	(void)state;
	hist_init(&way);
	hist_add(&way, 7 * PS_PER_US, 2);
	lone(&(struct rec_cnp){
		.ce = 8, .cnps = 2, .due.n = 3, .gap_min = 50 * PS_PER_US, .way = &way});
	assert_string_equal(summary_label(&sum, KIND_CNP, 0, NULL, name), "qp.f");
	assert_true(of("cnp_per_ce") == 0.25);
	assert_true(of("cnp_expected") == 3);
	assert_true(of("cnp_missing") == 1);
	assert_true(of("cnp_extra") == 0);
	assert_true(of("cnp_gap_min_us") == 50);
	assert_true(of("cnp_delay_p99_us") == 7);
	assert_true(of("cnp_delay_p999_us") == 7);
	assert_true(of("pass") == 1);
}

// The quantiles of each distribution, by key and of the notification point.
static void quantiles_are_in_order(void **state)
{
	static const char *const of_what[] = {"cnp.port.r.cnp_gap", "cnp.port.r.np_delay",
		"cnp.port.r.cnp_delay", "np.r.np_delay", "np.r.cnp_delay", "group.f.cnp_gap"};
	static const char *const which[] = {"p50", "p90", "p99", "p999", "max"};

	(void)state;
	lab_open(&l, SCENE("interval: 50us"));
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	for (unsigned d = 0; d < 6; d++) {
		double least = 0;

		for (unsigned i = 0; i < 5; i++) {
			char path[64];

			snprintf(path, sizeof(path), "%s_%s_us", of_what[d], which[i]);
			if (!(v(path) >= least))
				fail_msg("%s: %g after %g", path, v(path), least);
			least = v(path);
		}
		assert_true(least > 0);
	}
	assert_true(v("np.r.np_delay_p90_us") == v("cnp.port.r.np_delay_p90_us"));
	assert_true(v("cnp.port.r.cnp_gap_p1_us") >= v("cnp.port.r.cnp_gap_min_us"));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_key_that_paces_is_found),
		cmocka_unit_test(a_cap_shows),
		cmocka_unit_test(no_interval_is_no_pacing),
		cmocka_unit_test_teardown(what_was_not_seen_is_not_known, no_lone),
		cmocka_unit_test_teardown(cnps_are_in_microseconds, no_lone),
		cmocka_unit_test(quantiles_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
