// SPDX-License-Identifier: BSD-3-Clause
// PFC alone: the closed form of pauses, shares per ingress port, the victim behind a paused trunk.
#include "scn.h"

// Two hosts into one egress at C: each is paused (XOFF - XON) / (C / 2) + 2 tau at a time, tau being twice
// the propagation delay, the PFC frame, the rest of the frame being sent and one frame.
static void pause_length_follows_the_closed_form(void **state)
{
	struct scn s = scn_run("pfc-2to1.yaml", NULL);
	double rate = 25e9, delay_us = 1.0, frame_us = (1082 + 24) * 8 / rate * 1e6;
	double pfc_us = (60 + 24) * 8 / rate * 1e6;
	double tau_us = 2 * delay_us + pfc_us + frame_us / 2 + frame_us;
	double fill_us = (256000.0 - 240000.0) * 8 / (rate / 2 * (1086.0 / 1106.0)) * 1e6;
	double want_us = fill_us + 2 * tau_us;

	(void)state;
	for (int h = 1; h <= 2; h++) {
		char path[64];
		double us;

		snprintf(path, sizeof(path), "pfc.h%d:s1.3.mean_ps", h);
		us = scn_value(&s, path) / 1e6;
		scn_in(&s, path, us, want_us * 0.97, want_us * 1.03);
	}
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_in(&s, "share of the first", scn_gbps(&s, "incast[h1") / scn_gbps(&s, "incast"), 0.495,
		0.505);
	scn_free(&s);
}

static void shares_are_per_ingress_port(void **state)
{
	struct scn s = scn_run("unfairness.yaml", NULL);
	double all = scn_gbps(&s, "");

	(void)state;
	scn_in(&s, "beside the trunk", scn_gbps(&s, "direct") / all, 0.495, 0.505);
	scn_in(&s, "first on the trunk", scn_gbps(&s, "trunk[h2") / all, 0.2475, 0.2525);
	scn_in(&s, "second on the trunk", scn_gbps(&s, "trunk[h3") / all, 0.2475, 0.2525);
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.886, 0.892);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
}

static void dcqcn_makes_them_fair(void **state)
{
	struct scn s = scn_run("unfairness-dcqcn.yaml", NULL);

	(void)state;
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.97, 1);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pause_length_follows_the_closed_form),
		cmocka_unit_test(shares_are_per_ingress_port),
		cmocka_unit_test(dcqcn_makes_them_fair),
	};

	return cmocka_run_group_tests_name("pfc", tests, NULL, NULL);
}
