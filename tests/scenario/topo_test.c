// SPDX-License-Identifier: BSD-3-Clause
// Generated topologies: an incast over leaves and spines, what equal ways are worth, a ring that
// stands still.
#include "scn.h"

#define LINK_GBPS 25.0
// Payload of 1024 bytes in 1106 on the wire.
#define PAYLOAD (1024.0 / 1106)

static void incast_over_leaves_is_fair(void **state)
{
	struct scn s = scn_run("leaf-spine.yaml", NULL);

	(void)state;
	scn_in(&s, "goodput", scn_gbps(&s, "incast"), LINK_GBPS * PAYLOAD * 0.98,
		LINK_GBPS * PAYLOAD);
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.95, 1);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
}

// Four hosts of one leaf send to four of another, 16 queue pairs each, lossless and without
// control: all of them are to have the trunks' capacity.
static double permutation(const char *ecmp, const char *seed)
{
	struct scn s = scn_run("leaf-spine.yaml", "flows.incast.from=h1..4",
		"flows.incast.to=h5..8", "flows.incast.pairs=same_index", "flows.incast.qps=16",
		"flows.incast.control=none", ecmp, seed, NULL);
	double all = scn_gbps(&s, "incast");

	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
	return all;
}

static void check_in(const char *what, double value, double lo, double hi)
{
	printf("  %-40s %12.5g   (%.5g .. %.5g)\n", what, value, lo, hi);
	if (!(value >= lo && value <= hi))
		fail_msg("%s is %g, not in %g .. %g", what, value, lo, hi);
}

// One path has the capacity of one trunk, exactly. With 64 flows over four the fullest trunk has 16
// on average and hardly more than 26 (two and a half deviations of 3.5), so it carries them all at
// 16/26 of four at least.
static void equal_ways_add_up(void **state)
{
	const double one = LINK_GBPS * PAYLOAD;

	(void)state;
	check_in("lowest port only", permutation("defaults.switches.ecmp=false", "seed=1"),
		one * 0.995, one * 1.005);
	check_in("equal ways, seed 1", permutation("defaults.switches.ecmp=true", "seed=1"),
		one * 4 * 0.61, one * 4);
	check_in("equal ways, seed 2", permutation("defaults.switches.ecmp=true", "seed=2"),
		one * 4 * 0.61, one * 4);
}

// The load without its third part has no cycle: the two other parts share the trunk s2:s3.
static void a_ring_deadlocks(void **state)
{
	struct scn s = scn_run("ring.yaml", NULL);

	(void)state;
	scn_in(&s, "goodput", scn_gbps(&s, ""), 0, 0);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
	s = scn_run("ring.yaml", "flows.three.start=none", NULL);
	scn_in(&s, "two thirds of it", scn_gbps(&s, ""), 40 * PAYLOAD * 0.99, 40 * PAYLOAD * 1.01);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(incast_over_leaves_is_fair),
		cmocka_unit_test(equal_ways_add_up),
		cmocka_unit_test(a_ring_deadlocks),
	};

	return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}
