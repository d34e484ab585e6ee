// SPDX-License-Identifier: BSD-3-Clause
// DCQCN: the victim set free, and 8:1 at 100 Gb/s fair without pauses.
#include "scn.h"

// The victim shares a trunk of capacity C with one of four senders into a port: that one is held to C / 4,
// and so is the victim where only PFC acts; max-min gives it C - C / 4.
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

// PFC alone gives one of three flows half the link for ever; the reference simulator's reaction points come to
// their shares within milliseconds and stay there.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc_holds_the_victim_to_the_trunks_share),
		cmocka_unit_test(dcqcn_gives_the_victim_its_share),
		cmocka_unit_test(eight_to_one_at_100g_is_fair_and_never_pauses),
		cmocka_unit_test(reaction_points_converge_where_pfc_does_not),
	};

	return cmocka_run_group_tests_name("dcqcn", tests, NULL, NULL);
}
