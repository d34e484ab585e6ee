// SPDX-License-Identifier: BSD-3-Clause
// Tests of graphs in files: three examples whose times are known, and a graph of many operations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "goal/goal.h"
#include "../job/star.h"

static struct star_result run_file(const char *name)
{
	struct goal g;
	struct err err;
	char path[512];
	struct star_result s;

	snprintf(path, sizeof(path), "%s/goal/%s", TEST_DATA, name);
	assert_int_equal(goal_read(&g, path, ".", &err), 0);
	s = star_run(&g.graph, 1, 0, NULL, NULL);
	assert_int_equal(s.over, g.graph.n_ranks);
	assert_int_equal(job_split_sum(&s.split), s.done);
	goal_fini(&g);
	return s;
}

// 6 A(1024): on this star no ACK meets data.
static void the_ring_of_four_ranks_takes_six_steps(void **state)
{
	struct star_result s = run_file("g1_ring.goal");

	(void)state;
	assert_int_equal(s.done, 556152000);
	assert_int_equal(s.split.part[JOB_WIRE], 6 * star_alone(1048576));
	assert_int_equal(s.frames, 4 * 6 * 1024);
}

// 769 tau + 2 d, 10 us of work, and 769 tau + 2 d.
static void gather_and_broadcast_share_a_link(void **state)
{
	struct star_result s = run_file("g2_gather_bcast.goal");

	(void)state;
	assert_int_equal(s.done, 150082240);
	assert_int_equal(s.split.part[JOB_COMPUTE], 10000 * PS_PER_NS);
	assert_int_equal(s.split.part[JOB_WIRE], 2 * star_alone(262144));
	assert_int_equal(s.split.part[JOB_WAIT], 2 * 512 * STAR_TAU);
}

// 4 * 40 us + 3 (A(128) + 10 us).
static void a_pipeline_waits_for_its_slowest_stage(void **state)
{
	struct star_result s = run_file("g3_pipeline.goal");

	(void)state;
	assert_int_equal(s.done, 230241760);
	assert_int_equal(s.split.part[JOB_COMPUTE], 190000 * PS_PER_NS);
	assert_int_equal(s.split.part[JOB_WIRE], 3 * star_alone(131072));
	assert_int_equal(s.split.part[JOB_WAIT], 0);
}

#define MANY 300000

// A chain of CALCs whose arrays outgrow their first pages several times.
static void a_graph_of_many_operations_grows(void **state)
{
	struct goal g;
	struct err err;
	struct goal_op op = {.kind = GRAPH_CALC, .amount = 1000};
	struct star_result s;
	uint32_t number;

	(void)state;
	assert_int_equal(goal_init(&g, 1, ".", &err), 0);
	assert_int_equal(goal_rank(&g, 0), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(goal_op(&g, &op, &number), 0);
		assert_int_equal(number, i);
		if (i)
			assert_int_equal(goal_edge(&g, i - 1, i, false), 0);
	}
	assert_int_equal(goal_edge(&g, 5, 5, false), -EINVAL);
	assert_int_equal(goal_edge(&g, 5, MANY, false), -EINVAL);
	goal_end(&g);
	s = star_run(&g.graph, 1, 0, NULL, NULL);
	assert_int_equal(s.done, MANY * 1000ull);
	goal_fini(&g);
}

// Ranks without dependencies, and without operations.
static void a_graph_may_be_empty(void **state)
{
	struct goal g;
	struct err err;
	struct goal_op op = {.kind = GRAPH_CALC, .amount = 1000};
	struct star_result s;

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		assert_int_equal(goal_init(&g, 2, ".", &err), 0);
		assert_int_equal(goal_rank(&g, 1), 0);
		if (n)
			assert_int_equal(goal_op(&g, &op, NULL), 0);
		goal_end(&g);
		assert_non_null(graph_edges(&g.graph, 1));
		s = star_run(&g.graph, 1, 0, NULL, NULL);
		assert_int_equal(s.over, 2);
		assert_int_equal(s.done, n * 1000);
		goal_fini(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ring_of_four_ranks_takes_six_steps),
		cmocka_unit_test(gather_and_broadcast_share_a_link),
		cmocka_unit_test(a_pipeline_waits_for_its_slowest_stage),
		cmocka_unit_test(a_graph_of_many_operations_grows),
		cmocka_unit_test(a_graph_may_be_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
