// SPDX-License-Identifier: BSD-3-Clause
// The reference simulator's six scenarios in framing hpcc_sim, within the tolerances they came
// with.
#include "scn.h"

#define SEEDS 5

static void without_drops_or_pauses(const struct scn *s)
{
	scn_in(s, "drops, whole run", scn_value(s, "drops_total"), 0, 0);
	scn_in(s, "pauses", scn_value(s, "pauses"), 0, 0);
}

// Seeds scatter more than the tolerances, in the simulator too: they are of the mean of five.
static void s01_two_to_one_25g(void **state)
{
	double queue = 0, utilization = 0;

	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++) {
		char set[32];
		struct scn s;

		snprintf(set, sizeof(set), "seed=%d", seed);
		s = scn_run("oracle-s01.yaml", set, NULL);
		queue += scn_value(&s, "queue.n0:n3.3.mean_bytes") / SEEDS;
		utilization += scn_value(&s, "utilization") / SEEDS;
		without_drops_or_pauses(&s);
		if (seed == SEEDS) {
			scn_in(&s, "mean queue over five seeds", queue, 50e3, 85e3);
			scn_in(&s, "utilization over five seeds", utilization, 98.5, 100.1);
		}
		scn_free(&s);
	}
}

static void s07_eight_to_one_100g(void **state)
{
	double queue = 0, jain = 0;

	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++) {
		char set[32];
		struct scn s;

		snprintf(set, sizeof(set), "seed=%d", seed);
		s = scn_run("oracle-s07.yaml", set, NULL);
		queue += scn_value(&s, "queue.n0:n9.3.mean_bytes") / SEEDS;
		jain += scn_value(&s, "jain") / SEEDS;
		without_drops_or_pauses(&s);
		if (seed == SEEDS) {
			scn_in(&s, "mean queue over five seeds", queue, 333501 * 0.85,
				333501 * 1.15);
			scn_in(&s, "Jain over five seeds", jain, 0.97, 1);
		}
		scn_free(&s);
	}
}

// CNPs over three seeds in a framing; s is the last run.
static double cnps(const char *framing, const char *np, const char *mtu, struct scn *s)
{
	double sum = 0;

	for (int seed = 1; seed <= 3; seed++) {
		char set[32];

		snprintf(set, sizeof(set), "seed=%d", seed);
		*s = scn_run("deep-cuts.yaml", set, framing, np, mtu, NULL);
		sum += scn_value(s, "cnp_rx");
		if (seed < 3)
			scn_free(s);
	}
	return sum;
}

// The same senders, values and marks, a CNP for every CE frame. In Ethernet's framing what is left
// of a gap follows the rate; that its frames are 6 % longer and its CNPs are frames matters less:
// if gaps follow the rate in both, the simulator's framing has four fifths of Ethernet's CNPs.
static void deep_cuts_outlast_their_gaps(void **state)
{
	struct scn ethernet, s;
	double few = cnps("framing=ethernet", "hosts.r.np.mode=per_packet", "flows.incast.mtu=1024",
		&ethernet);
	double many = cnps("framing=hpcc_sim", "hosts.r.np.mode=off", "flows.incast.mtu=1000", &s);

	(void)state;
	scn_in(&s, "CNPs, of those in Ethernet's framing", many / few, 1.6, 4);
	scn_free(&ethernet);
	scn_free(&s);
}

// Pauses in the window 5..15 ms, their length, and the mean queue, within 3 %.
static void pfc_only(const char *file, double pauses, double pause_us, double queue)
{
	struct scn s = scn_run(file, NULL);

	for (int h = 1; h <= 2; h++) {
		char path[64];

		snprintf(path, sizeof(path), "pfc.n%d:n0.3.pauses", h);
		scn_in(&s, path, scn_value(&s, path), pauses * 0.97, pauses * 1.03);
		snprintf(path, sizeof(path), "pfc.n%d:n0.3.mean_ps", h);
		scn_in(&s, path, scn_value(&s, path) / 1e6, pause_us * 0.97, pause_us * 1.03);
	}
	scn_in(&s, "mean queue", scn_value(&s, "queue.n0:n3.3.mean_bytes"), queue * 0.97,
		queue * 1.03);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

static void s09_dynamic_threshold(void **state)
{
	(void)state;
	pfc_only("oracle-s09.yaml", 746.5, 7.03, 417639);
}

static void s10_static_threshold(void **state)
{
	(void)state;
	pfc_only("oracle-s10.yaml", 325, 15.741, 504630);
}

static void s12_victim(void **state)
{
	struct scn s = scn_run("oracle-s12.yaml", NULL);
	double all = scn_gbps(&s, "incast"), each = all / 4;

	(void)state;
	for (int h = 3; h <= 6; h++) {
		char flow[32];

		snprintf(flow, sizeof(flow), "incast[n%d", h);
		scn_in(&s, flow, scn_gbps(&s, flow) / all, 0.2475, 0.2525);
	}
	scn_in(&s, "victim", scn_gbps(&s, "victim") / each, 0.99, 1.01);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

static void s16_unfairness(void **state)
{
	struct scn s = scn_run("oracle-s16.yaml", NULL);
	double all = scn_gbps(&s, "");

	(void)state;
	scn_in(&s, "beside the trunk", scn_gbps(&s, "incast[n2") / all, 0.495, 0.505);
	scn_in(&s, "first on the trunk", scn_gbps(&s, "incast[n4") / all, 0.2475, 0.2525);
	scn_in(&s, "second on the trunk", scn_gbps(&s, "incast[n5") / all, 0.2475, 0.2525);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(s01_two_to_one_25g),
		cmocka_unit_test(s07_eight_to_one_100g),
		cmocka_unit_test(deep_cuts_outlast_their_gaps),
		cmocka_unit_test(s09_dynamic_threshold),
		cmocka_unit_test(s10_static_threshold),
		cmocka_unit_test(s12_victim),
		cmocka_unit_test(s16_unfairness),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
