// SPDX-License-Identifier: BSD-3-Clause
// Where nodes go, how far time is dilated, how late a loop may be: decisions without EAL.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"

static struct scene_port fast = {.rate = 100 * RATE_GBPS, .lcore = -1, .peer_node = -1};

// One switch of four ports at 100 Gb/s and four hosts with one each.
static void star(struct scene *s, struct scene_node node[5], struct scene_port port[8])
{
	memset(node, 0, 5 * sizeof(*node));
	for (unsigned i = 0; i < 8; i++)
		port[i] = fast;
	node[0] = (struct scene_node){
		.kind = SCENE_SW, .name = "s", .n_ports = 4, .port = port, .lcore = -1};
	for (unsigned i = 1; i < 5; i++)
		node[i] = (struct scene_node){.kind = SCENE_NIC,
			.name = "h",
			.n_ports = 1,
			.port = &port[3 + i],
			.lcore = -1};
	*s = (struct scene){.n_nodes = 5, .node = node, .max_frame = 1082};
}

static int place(
	const struct scene *s, const unsigned *id, unsigned n, uint16_t *at, struct err *err)
{
	return rt_plan_place(s, &(struct rt_workers){id, n, 4}, at, err);
}

static void one_worker_has_all(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene s;
	struct err err;
	uint16_t at[5];

	(void)state;
	star(&s, node, port);
	assert_int_equal(place(&s, (unsigned[]){1}, 1, at, &err), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(at[i], 0);
}

static void load_is_spread(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene s;
	struct err err;
	uint16_t at[5];

	(void)state;
	star(&s, node, port);
	assert_int_equal(place(&s, (unsigned[]){1, 2}, 2, at, &err), 0);
	for (unsigned i = 1; i < 5; i++) // four hosts weigh as much as their switch
		assert_int_not_equal(at[i], at[0]);
}

static void the_scenario_places(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene s;
	struct err err;
	uint16_t at[5];

	(void)state;
	star(&s, node, port);
	node[0].lcore = 7;
	port[4].lcore = 7;
	assert_int_equal(place(&s, (unsigned[]){1, 7}, 2, at, &err), 0);
	assert_int_equal(at[0], 1);
	assert_int_equal(at[1], 1);
	node[0].lcore = 9;
	assert_int_equal(place(&s, (unsigned[]){1, 7}, 2, at, &err), -EINVAL);
	assert_non_null(strstr(err.text, "lcore 9"));
	node[0].lcore = 1;
	port[2].lcore = 7;
	assert_int_equal(place(&s, (unsigned[]){1, 7}, 2, at, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a node has one lcore"));
}

// Each shard of a switch has an lcore, from the switch's own on, around.
static void shards_have_lcores_of_their_own(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene s;
	struct err err;
	uint16_t at[5];

	(void)state;
	star(&s, node, port);
	node[0].u.sw.shards = 2;
	assert_int_equal(place(&s, (unsigned[]){1, 2}, 2, at, &err), 0);
	for (unsigned on = 0; on < 2; on++) { // both have half a switch: the hosts are spread
		unsigned n = 0;

		for (unsigned i = 1; i < 5; i++)
			n += at[i] == on;
		assert_int_equal(n, 2);
	}
	node[0].u.sw.shards = 3;
	assert_int_equal(place(&s, (unsigned[]){1, 2}, 2, at, &err), -EINVAL);
	assert_string_equal(err.text,
		"s: lcores: 3 needs as many workers, and this run has 2; write --workers 3");
}

// The right value depends on the processors that there are, and on who gave EAL its lcores.
static void too_few_workers_are_said(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct rt_workers w = {(unsigned[]){0, 1}, 2, 2};
	struct scene s;
	struct err err;
	uint16_t at[5];

	(void)state;
	star(&s, node, port);
	node[0].u.sw.shards = 3;
	assert_int_equal(rt_plan_place(&s, &w, at, &err), -EINVAL);
	assert_string_equal(err.text,
		"s: lcores: 3 needs as many workers, and this process may use 2 processors; write "
		"at most lcores: 2, and --workers 2");
	w.most = 0;
	assert_int_equal(rt_plan_place(&s, &w, at, &err), -EINVAL);
	assert_string_equal(err.text,
		"s: lcores: 3 needs as many workers, and EAL was given 2; give it more, or write "
		"lcores: 2");
}

static void dilation_leaves_two_thirds_idle(void **state)
{
	(void)state;
	assert_int_equal(rt_plan_dilate(0.0, 1), 1);
	assert_int_equal(rt_plan_dilate(0.3, 1), 1);
	assert_int_equal(rt_plan_dilate(0.31, 1), 2);
	assert_int_equal(rt_plan_dilate(1.0, 1), 4);
	assert_int_equal(rt_plan_dilate(1.0, 2), 2);
	assert_int_equal(rt_plan_dilate(3.0, 1), 12);
	assert_int_equal(rt_plan_dilate(4.8, 1), 16);
	assert_int_equal(rt_plan_dilate(4.81, 1), 24);
}

static void tolerance_is_two_frames_to_20_us(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene s;

	(void)state;
	star(&s, node, port);
	assert_int_equal(rt_plan_packet_time(&s), 1106 * 80);
	assert_int_equal(rt_plan_tolerance(&s, 0), 2 * 1106 * 80);
	assert_int_equal(rt_plan_tolerance(&s, PS_PER_US), 2 * PS_PER_US);
	assert_int_equal(rt_plan_tolerance(&s, PS_PER_MS), 20 * PS_PER_US);
}

static void the_shortest_timer_counts(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene_control paper = {.cfg = {.kind = RP_DCQCN,
					      .u.dcqcn.p = {.alpha_timer_ps = 55 * PS_PER_US,
						      .rate_timer_ps = TSTAMP_NEVER}}};
	struct scene_control *control[1] = {&paper};
	struct scene s;

	(void)state;
	star(&s, node, port);
	assert_true(rt_plan_shortest_timer(&s) == TSTAMP_NEVER);
	s.control = control;
	s.n_controls = 1;
	assert_int_equal(rt_plan_shortest_timer(&s), 55 * PS_PER_US);
	node[3].u.nic.np.interval_ps = 50 * PS_PER_US;
	assert_int_equal(rt_plan_shortest_timer(&s), 50 * PS_PER_US);
}

// The lanes of a host are on lcores of their own: from its `lcore` on, or where there is least to
// do.
static void lanes_are_apart(void **state)
{
	struct scene_node node[5];
	struct scene_port port[8];
	struct scene s;
	struct err err;
	uint16_t at[5];

	(void)state;
	star(&s, node, port);
	node[1].n_lanes = 3;
	node[1].lane_at = 3;
	for (unsigned k = 1; k < 3; k++) {
		node[2 + k].lane = (uint8_t)k;
		node[2 + k].lane_of = 1;
	}
	assert_int_equal(place(&s, (unsigned[]){1, 2, 3}, 3, at, &err), 0);
	assert_true(at[1] != at[3] && at[1] != at[4] && at[3] != at[4]);
	node[1].lcore = node[3].lcore = node[4].lcore = 2;
	assert_int_equal(place(&s, (unsigned[]){1, 2, 3, 4}, 4, at, &err), 0);
	assert_true(at[1] == 1);
	assert_true(at[1] != at[3] && at[1] != at[4] && at[3] != at[4]);
	assert_int_equal(place(&s, (unsigned[]){1, 2}, 2, at, &err), -EINVAL);
	assert_string_equal(err.text,
		"h: lcores: 3 needs as many workers, and this run has 2; write --workers 3");
	assert_int_equal(place(&s, (unsigned[]){0, 1, 2}, 3, at, &err), -EINVAL);
	assert_string_equal(err.text,
		"h: lcores: 3 from lcore 2 on, from where 1 worker is there; write lcores: 1, or "
		"leave lcore out");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_worker_has_all),
		cmocka_unit_test(load_is_spread),
		cmocka_unit_test(lanes_are_apart),
		cmocka_unit_test(the_scenario_places),
		cmocka_unit_test(shards_have_lcores_of_their_own),
		cmocka_unit_test(too_few_workers_are_said),
		cmocka_unit_test(dilation_leaves_two_thirds_idle),
		cmocka_unit_test(tolerance_is_two_frames_to_20_us),
		cmocka_unit_test(the_shortest_timer_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
