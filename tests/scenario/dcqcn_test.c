// SPDX-License-Identifier: BSD-3-Clause
// DCQCN: the victim set free, and 8:1 at 100 Gb/s fair without pauses.
#include "scn.h"

#include <string.h>

// The victim shares a trunk of capacity C with one of four senders into a port: that one is held to
// C / 4, and so is the victim where only PFC acts; max-min gives it C - C / 4.
static void pfc_holds_the_victim_to_the_trunks_share(void **state)
{
	struct scn s = scn_run("victim.yaml", NULL);
	double each = scn_gbps(&s, "cross");

	(void)state;
	scn_in(&s, "victim against the other on the trunk", scn_gbps(&s, "victim") / each, 0.95,
		1.05);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

static void dcqcn_gives_the_victim_its_share(void **state)
{
	struct scn s = scn_run("victim-dcqcn.yaml", NULL);
	double line = 40 * 1024.0 / 1106, fair = line * 3 / 4;

	(void)state;
	scn_in(&s, "victim against its max-min share", scn_gbps(&s, "victim") / fair, 0.95, 1.34);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

// Where the bottleneck's capacity went, what is missing of it by name.
static void all_capacity_is_told(const struct scn *s)
{
	static const char *const where[] = {"goodput", "headers", "repeated", "control", "cnm",
		"open_loop", "other", "idle_paused", "idle_empty"};
	double sum = 0;

	for (unsigned i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "link.s1:r.%s_percent", where[i]);
		sum += scn_value(s, path);
	}
	scn_in(s, "shares of the bottleneck, %", sum, 99.999, 100.001);
	scn_in(s, "wire time that is missing, %",
		100 - scn_value(s, "utilization") - scn_value(s, "link.s1:r.idle_empty_percent"),
		-0.001, 0.001);
}

static void eight_to_one_at_100g_is_fair_and_never_pauses(void **state)
{
	struct scn s = scn_run("incast-8to1-100g.yaml", NULL);

	(void)state;
	scn_in(&s, "Jain over the last third", scn_value(&s, "jain"), 0.97, 1);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	all_capacity_is_told(&s);
	scn_free(&s);
	s = scn_run("incast-8to1-100g.yaml", "warmup=2ms", NULL);
	scn_in(&s, "pauses after the first transient", scn_value(&s, "pauses"), 0, 0);
	scn_free(&s);
}

// A receiver answers CE whatever its senders have: one without a reaction point of DCQCN ignores
// the CNP and counts it.
static void ce_is_answered_whatever_the_sender_makes_of_it(void **state)
{
	static const char *const files[] = {"compare/1-pfc-only.yaml", "compare/2-qcn.yaml"};
	static const char *const mark = "defaults.switches.classes.3.wred={min: 5KB, max: 20KB}";

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scn s = scn_run(files[i], mark, "flows.incast.ecn=ect0", "warmup=0us",
			"duration=3ms", NULL);
		double cnps = scn_value(&s, "cnp_rx"), ignored = 0;

		for (int h = 1; h <= 8; h++) {
			char path[64];

			snprintf(path, sizeof(path), "nic.h%d.rp_cnp_ignored", h);
			ignored += scn_value(&s, path);
		}
		// 3 ms are 60 windows of 50 us; those of QCN have no marks later on.
		scn_in(&s, "CNPs of r", scn_value(&s, "np.r.cnp_tx"), 8, 8 * 61);
		scn_in(&s, "CNPs that came", cnps, 8, 8 * 61);
		scn_in(&s, "CNPs ignored", ignored, cnps, cnps);
		scn_in(&s, "cuts but those of CNMs",
			scn_value(&s, "rate_cuts") - scn_value(&s, "cnm_rx"), -1e6, 0);
		scn_free(&s);
		s = scn_run(files[i], mark, "flows.incast.ecn=ect0", "hosts.r.np={mode: off}",
			"warmup=0us", "duration=3ms", NULL);
		scn_in(&s, "CE that came", scn_value(&s, "ecn_ce_rx"), 100, 1e6);
		scn_in(&s, "CNPs of mode off", scn_value(&s, "cnp_rx"), 0, 0);
		scn_free(&s);
	}
}

// PFC alone gives one of three flows half the link for ever; the reference simulator's reaction
// points come to their shares within milliseconds and stay there.
static void reaction_points_converge_where_pfc_does_not(void **state)
{
	struct scn pfc = scn_run("unfairness.yaml", NULL), rp = scn_run("oracle-s01.yaml", NULL);

	(void)state;
	scn_in(&pfc, "converged", scn_value(&pfc, "group.incast.converged"), 0, 0);
	scn_in(&pfc, "off their shares, %", scn_value(&pfc, "group.incast.off_share_percent"), 99,
		100);
	scn_in(&rp, "converged in, us", scn_value(&rp, "group.incast.t_conv_us_total"), 0, 10000);
	scn_in(&rp, "oscillation", scn_value(&rp, "group.incast.osc_converged_total"), 0, 0.2);
	scn_free(&pfc);
	scn_free(&rp);
}

// The first 50 us are at the rate that they start with, 9 ms later each has more; nobody was told
// of congestion.
static void every_profile_starts_where_it_is_told(void **state)
{
	static const char *const flow[] = {"paper", "hpcc_sim", "connectx", "qcn", "rdma_ip"};
	const double ten = 10 * 1024.0 / 1106;
	struct scn later = scn_run("initial-rate.yaml", NULL);

	(void)state;
	for (unsigned i = 0; i < sizeof(flow) / sizeof(flow[0]); i++) {
		bool from_0 = !strcmp(flow[i], "rdma_ip");
		struct scn start =
			scn_run("initial-rate.yaml", from_0 ? "duration=50us" : "duration=1050us",
				from_0 ? "warmup=0us" : "warmup=1ms", NULL);
		char path[64];

		scn_in(&start, flow[i], scn_gbps(&start, flow[i]), ten * 0.93, ten * 1.01);
		snprintf(path, sizeof(path), "group.%s.line_rate_percent", flow[i]);
		scn_in(&start, path, scn_value(&start, path), 0, 0);
		scn_in(&later, flow[i], scn_gbps(&later, flow[i]), ten * 1.005, 25);
		scn_free(&start);
	}
	scn_in(&later, "CNPs", scn_value(&later, "cnp_rx"), 0, 0);
	scn_free(&later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ce_is_answered_whatever_the_sender_makes_of_it),
		cmocka_unit_test(pfc_holds_the_victim_to_the_trunks_share),
		cmocka_unit_test(dcqcn_gives_the_victim_its_share),
		cmocka_unit_test(eight_to_one_at_100g_is_fair_and_never_pauses),
		cmocka_unit_test(reaction_points_converge_where_pfc_does_not),
		cmocka_unit_test(every_profile_starts_where_it_is_told),
	};

	return cmocka_run_group_tests_name("dcqcn", tests, NULL, NULL);
}
