// SPDX-License-Identifier: BSD-3-Clause
// A scene on lcores that the test turns itself, with a net_ring for each of its devices. The test
// says by __wrap_dev_tx what a device takes.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "compile/compile.h"
#include "../eal_lab.h"
#include "frame/frame.h"
#include "rt/run.h"

#define OCTETS    1000
#define STACK     2048
#define INSTANT   PS_PER_US
#define TOLERANCE (20 * PS_PER_US) // so that a whole burst may leave at once
#define NODES     4

static struct lab {
	struct scene *scene;
	struct rt_world world;
	struct rt_lcore *lc; // the first
	struct rt_clock clock;
	struct dev dev[2];
	unsigned n_dev;
	tstamp now;
	uint32_t psn;
} lab;

static int start(void **state)
{
	(void)state;
	return eallab_start("net_ring0", 100 * RATE_GBPS);
}

static void open_lcore(struct rt_lcore *lc)
{
	lc->pool = pool;
	lc->clock = &lab.clock;
	lc->next_turn = TSTAMP_NEVER;
	lc->stack.room = RTE_MBUF_DEFAULT_DATAROOM;
	rt_world_levels(lc, 512);
	rt_lcore_level(lc);
}

// Devices of the first lcore, in the order of their ports.
static void open_devices(void)
{
	struct err err = {0};

	for (uint16_t i = 0; i < lab.lc->n_ends; i++) {
		struct rt_end *e = &lab.lc->end[i];
		const struct scene_port *p = &lab.scene->node[e->node->index].port[e->port];
		struct dev *d = &lab.dev[lab.n_dev];

		if (!p->device)
			continue;
		if (dev_open(d, p, pool, &err) || dev_start(d, &err))
			fail_msg("%s", err.text);
		e->dev = d;
		lab.lc->dev[lab.n_dev++] = i;
	}
	lab.lc->n_dev = (uint16_t)lab.n_dev;
}

// `far`: the host that is on an lcore of its own; NULL: all are on one.
static void open_world(const char *yaml, const char *far)
{
	struct scene_opts opts = {.text = yaml, .size = strlen(yaml), .real = true};
	uint16_t at[NODES] = {0};
	struct err err = {0};

	memset(&lab, 0, sizeof(lab));
	if (compile_scene(&lab.scene, "stash.yaml", &opts, &err))
		fail_msg("%s", err.text);
	assert_true(lab.scene->n_nodes <= NODES);
	if (far)
		at[scene_node(lab.scene, far)] = 1;
	assert_int_equal(rt_world_init(&lab.world, lab.scene, far ? 2 : 1, at, STACK), 0);
	for (unsigned i = 0; i < lab.world.n_lcores; i++)
		open_lcore(lab.world.lcore[i]);
	lab.lc = lab.world.lcore[0];
	assert_int_equal(rt_world_build(&lab.world, 0, TOLERANCE, &err), 0);
	open_devices();
}

static void to_pool(void *arg, const struct pkt *p)
{
	(void)arg;
	rte_mempool_put(pool, eal_mbuf((struct pkt *)p));
}

// Gives all lent frames back to the pool. Nothing waits any more.
static void close_world(void)
{
	rt_world_each_in_flight(&lab.world, to_pool, NULL);
	for (unsigned i = 0; i < lab.world.n_lcores; i++) {
		struct pkt_stack *s = &lab.world.lcore[i]->stack;

		while (s->n)
			rte_mempool_put(pool, eal_mbuf(s->slot[--s->n]));
	}
	for (unsigned i = 0; i < lab.n_dev; i++) {
		dev_stop(&lab.dev[i]);
		dev_close(&lab.dev[i]);
	}
	rt_world_fini(&lab.world);
	scene_free(lab.scene);
}

static inline struct rt_end *end_of(unsigned at)
{
	return &lab.lc->end[lab.lc->dev[at]];
}

// A frame with these addresses and TOS, as from outside, with the next PSN.
static inline struct rte_mbuf *outside_frame(
	const uint8_t dst[6], const uint8_t src[6], uint8_t tos)
{
	static const uint8_t payload[OCTETS];
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	struct frame fr = {.kind = PKT_DATA,
		.eth.ethertype = ETH_P_IPV4,
		.ip = {.version = 4, .tos = tos, .ttl = 64, .proto = 17},
		.udp = {.sport = 49152, .dport = 4791},
		.bth = {.opcode = 0x07, .pkey = 0xffff, .qpn = 1, .psn = lab.psn++},
		.payload_len = OCTETS};
	int len;

	assert_non_null(m);
	memcpy(fr.eth.dst, dst, 6);
	memcpy(fr.eth.src, src, 6);
	len = frame_render(&fr, payload, rte_pktmbuf_mtod(m, uint8_t *), 1500, PKT_MIN_LEN);
	assert_true(len > 0);
	rte_pktmbuf_append(m, (uint16_t)len);
	return m;
}
