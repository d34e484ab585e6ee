// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of real ports: EAL without hugepages, a pool, and a scene of one port, "s:r".
#pragma once

#include <stdio.h>
#include <unistd.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "eal/eal.h"
#include "scene/scene.h"

static struct rte_mempool *pool;
static struct scene_port port = {.name = "s:r", .mtu = 1518, .peer_node = -1};
static struct scene_node node = {.n_ports = 1, .port = &port};
static struct scene scene = {.n_nodes = 1, .node = &node, .max_frame = 1518, .max_packets = 1000};

// Starts EAL for a port of this device and rate.
static int eallab_start(const char *device, rate_t rate)
{
	unsigned cpu[8];
	struct eal_pool_size size;
	struct eal_params p = {
		.scene = &scene, .no_huge = true, .cpu = cpu, .pid = (unsigned)getpid()};
	struct err err;

	port.device = (char *)device;
	port.rate = rate;
	eal_pool_size(&size, &scene, 1, UINT64_MAX);
	p.n_cpus = eal_cpus(cpu, 8);
	p.need_bytes = size.bytes + (32 << 20);
	if (eal_start(&p, &err) != 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	pool = eal_pool_new("quench", &size, EAL_ORDINARY, -1, &err);
	return pool ? 0 : -1;
}

static int eallab_finish(void **state)
{
	(void)state;
	assert_int_equal(rte_mempool_avail_count(pool), pool->size); // whole at the end
	rte_mempool_free(pool);
	eal_stop();
	return 0;
}
