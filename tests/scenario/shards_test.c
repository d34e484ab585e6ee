// SPDX-License-Identifier: BSD-3-Clause
// A switch cut into two and three shards does what the same switch does as one.
#include "rounds.h"
#include "scn.h"

#include <math.h>

#define SEEDS 4

static struct scn run(const char *file, const char *name, unsigned shards, unsigned seed)
{
	char cut[64], number[16];

	snprintf(cut, sizeof(cut), "switches.%s.shards=%u", name, shards);
	snprintf(number, sizeof(number), "seed=%u", seed);
	return scn_run(file, cut, number, NULL);
}

// Means over the seeds.
struct figures {
	double goodput, marks, pauses, drops;
};

static struct figures figures_of(const char *file, const char *name, unsigned shards)
{
	struct figures f = {0};
	unsigned seeds = rounds_of(SEEDS);

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct scn s = run(file, name, shards, seed);

		f.goodput += scn_value(&s, "total.goodput_gbps") / seeds;
		f.marks += scn_value(&s, "total.marks") / seeds;
		f.pauses += scn_value(&s, "total.pauses") / seeds;
		f.drops += scn_value(&s, "total.drops_total") / seeds;
		scn_in(&s, "lossless drops", scn_value(&s, "total.lossless_drops"), 0, 0);
		scn_free(&s);
	}
	return f;
}

static void near(const char *what, const char *file, unsigned shards, double one, double cut,
	double share, double least)
{
	double apart = fabs(cut - one);

	printf("  %s: %s %g as one, %g in %u shards\n", file, what, one, cut, shards);
	if (rounds_of(SEEDS) == SEEDS && apart > share * one && apart > least)
		fail_msg("%s: %s is %g as one and %g in %u shards", file, what, one, cut, shards);
}

static void compare(const char *file, const char *name)
{
	struct figures one = figures_of(file, name, 1);

	for (unsigned shards = 2; shards <= 3; shards++) {
		struct figures cut = figures_of(file, name, shards);

		near("goodput", file, shards, one.goodput, cut.goodput, 0.02, 0);
		near("marks", file, shards, one.marks, cut.marks, 0.1, 4 * sqrt(one.marks));
		near("pauses", file, shards, one.pauses, cut.pauses, 0.1, 4 * sqrt(one.pauses));
		near("drops", file, shards, one.drops, cut.drops, 0.1, 4 * sqrt(one.drops));
	}
}

static void dcqcn_marks_and_pauses_alike(void **state)
{
	(void)state;
	compare("first-light.yaml", "s1");
}

static void pfc_alone_pauses_alike(void **state)
{
	(void)state;
	compare("pfc-2to1.yaml", "s1");
}

static void the_marker_is_the_same(void **state)
{
	(void)state;
	compare("ecn-marker.yaml", "s1");
}

static void qcn_is_the_same(void **state)
{
	(void)state;
	compare("qcn-step.yaml", "s1");
}

// CNPs that leaf l1 sends of its own, where the data of half the flows leaves by another port than
// their CNPs and ACKs come back by: all flows are known, and once.
static double cnps_of(
	unsigned shards, const char *table, const char *own, const char *heavy, const char *fast)
{
	char cut[64], number[16], path[64];
	double sum = 0;
	unsigned seeds = rounds_of(SEEDS);

	snprintf(cut, sizeof(cut), "switches.l1.shards=%u", shards);
	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct scn s;

		snprintf(number, sizeof(number), "seed=%u", seed);
		s = scn_run("ways-cnp.yaml", cut, number, heavy, fast, NULL);
		scn_in(&s, "lossless drops", scn_value(&s, "total.lossless_drops"), 0, 0);
		snprintf(path, sizeof(path), "%s.l1.flows_total", table);
		scn_in(&s, path, scn_value(&s, path), 16, 16);
		snprintf(path, sizeof(path), "%s.l1.learned_total", table);
		scn_in(&s, path, scn_value(&s, path), 16, 16);
		sum += scn_value(&s, own) / seeds;
		scn_free(&s);
	}
	return sum;
}

static void compare_cnps(const char *table, const char *own, const char *heavy, const char *fast)
{
	double one = cnps_of(1, table, own, heavy, fast);

	for (unsigned shards = 2; shards <= 3; shards++)
		near(own, "ways-cnp.yaml", shards, one, cnps_of(shards, table, own, heavy, fast),
			0.1, 0);
	assert_true(one > 500);
}

static void iqcn_serves_the_same_flows_over_equal_ways(void **state)
{
	(void)state;
	compare_cnps("iqcn", "iqcn.l1.cnp_tx", NULL, NULL);
}

static void fast_cnp_does_the_same(void **state)
{
	(void)state;
	compare_cnps("fast_cnp", "fast_cnp.l1.cnp_tx", "switches.l1.classes.3.iqcn.heavy=1GB",
		"switches.l1.classes.3.fast_cnp.interval=50us");
}

// One shard is no shard: the same bytes.
static void one_shard_is_the_switch_as_it_was(void **state)
{
	struct scn s = scn_run("first-light.yaml", "switches.s1.shards=1", "seed=1", NULL);
	struct scn t = scn_run("first-light.yaml", "seed=1", NULL);

	(void)state;
	assert_true(scn_value(&s, "total.marks") == scn_value(&t, "total.marks"));
	assert_true(scn_value(&s, "total.fct_mean_us") == scn_value(&t, "total.fct_mean_us"));
	scn_free(&s);
	scn_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dcqcn_marks_and_pauses_alike),
		cmocka_unit_test(pfc_alone_pauses_alike),
		cmocka_unit_test(the_marker_is_the_same),
		cmocka_unit_test(qcn_is_the_same),
		cmocka_unit_test(iqcn_serves_the_same_flows_over_equal_ways),
		cmocka_unit_test(fast_cnp_does_the_same),
		cmocka_unit_test(one_shard_is_the_switch_as_it_was),
	};

	return cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
