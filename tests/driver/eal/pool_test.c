// SPDX-License-Identifier: BSD-3-Clause
// How many packets a scene needs, and whether those of ours lie in a pool of their own. Without
// EAL.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eal/pool.h"

static struct scene_port port[6];
static struct scene_node node[6];

// Two hosts with a device each, of which the first has `lanes` lanes.
static struct scene hosts(unsigned lanes)
{
	memset(port, 0, sizeof(port));
	memset(node, 0, sizeof(node));
	for (unsigned i = 0; i < lanes + 1; i++)
		node[i] = (struct scene_node){.kind = SCENE_NIC,
			.n_ports = 1,
			.port = &port[i],
			.lane = (uint8_t)(i < 2 ? 0 : i - 1)};
	port[0].device = port[1].device = (char *)"net_null0";
	node[0].n_lanes = port[0].lanes = lanes > 1 ? (uint8_t)lanes : 0;
	return (struct scene){.n_nodes = lanes + 1, .node = node, .max_packets = 100000};
}

static void lanes_have_queues_of_their_own(void **state)
{
	struct eal_pool_size one, five, three_rx, five_rx;
	struct scene s = hosts(1);

	(void)state;
	eal_pool_size(&one, &s, 1, UINT64_MAX);
	s = hosts(3);
	eal_pool_size_devices(&three_rx, &s, 1);
	s = hosts(5);
	eal_pool_size(&five, &s, 1, UINT64_MAX);
	eal_pool_size_devices(&five_rx, &s, 1);
	assert_int_equal(five.packets - one.packets, 4 * 2048);
	assert_int_equal(five_rx.packets - three_rx.packets, 2 * 2048);
}

static void hosts_with_devices_have_a_pool_of_their_own(void **state)
{
	struct scene s = hosts(1);

	(void)state;
	assert_int_equal(eal_pools(&s), EAL_OWN_APART);
	s = hosts(3);
	assert_int_equal(eal_pools(&s), EAL_OWN_APART);
	port[1].device = NULL;
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
	port[1].device = (char *)"net_af_xdp0,iface=x";
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
	s = hosts(1);
	node[1].kind = SCENE_SW;
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
}

// A switch of two ports with devices, whose buffer of 16 MB is full of frames.
static struct scene a_switch(uint32_t mtu)
{
	struct scene s = hosts(1);

	node[0] = (struct scene_node){.kind = SCENE_SW, .n_ports = 2, .port = port};
	s.n_nodes = 1;
	s.max_frame = mtu;
	s.max_packets = 16000000 / (60 + PKT_FCS);
	s.max_long = 16000000 / (SCENE_SHORT + 1 + PKT_FCS);
	return s;
}

// No more than a fifth of what one pool would take.
static void short_frames_of_a_jumbo_switch_have_a_pool_of_their_own(void **state)
{
	struct eal_pool_size shorts, all, one;
	struct scene s = a_switch(9018);

	(void)state;
	assert_int_equal(eal_pools(&s), EAL_SHORT_APART);
	eal_pool_size(&shorts, &s, 2, UINT64_MAX);
	eal_pool_size_devices(&all, &s, 2);
	assert_int_equal(shorts.room, SCENE_SHORT);
	assert_true(shorts.packets >= s.max_packets);
	assert_true(all.room >= 9018);
	assert_true(all.packets >= s.max_long + 2 * 2048 + 2 * 3 * 2 * EAL_BURST);
	port[1].device = (char *)"net_af_xdp0,iface=x";
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
	eal_pool_size(&one, &s, 2, UINT64_MAX);
	assert_true(one.room >= 9018);
	assert_true((shorts.bytes + all.bytes) * 3 < one.bytes);
}

static void others_have_one_pool(void **state)
{
	struct scene s = a_switch(1518);

	(void)state;
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
	s = a_switch(9018); // hosts in memory send frames of any length
	s.n_nodes = 2;
	node[1] = (struct scene_node){.kind = SCENE_NIC, .n_ports = 1, .port = &port[2]};
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
	s = a_switch(9018);
	port[0].device = port[1].device = NULL;
	assert_int_equal(eal_pools(&s), EAL_ONE_POOL);
}

// Copies of captured frames wait in a ring that has memory of its own.
static void captures_take_no_packets(void **state)
{
	struct eal_pool_size none, one;
	struct scene s = hosts(1);

	(void)state;
	eal_pool_size(&none, &s, 4, UINT64_MAX);
	port[0].capture = true;
	eal_pool_size(&one, &s, 4, UINT64_MAX);
	port[0].capture = false;
	assert_int_equal(one.packets, none.packets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_have_queues_of_their_own),
		cmocka_unit_test(hosts_with_devices_have_a_pool_of_their_own),
		cmocka_unit_test(short_frames_of_a_jumbo_switch_have_a_pool_of_their_own),
		cmocka_unit_test(others_have_one_pool),
		cmocka_unit_test(captures_take_no_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
