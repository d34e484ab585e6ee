// SPDX-License-Identifier: BSD-3-Clause
// Real ports: a DPDK device, and frames in mbufs that come from it and go to it.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "scene/scene.h"
#include "limits.h"
#include "pool.h"

#pragma GCC visibility push(hidden)

struct rt_dev {
	uint16_t id; // DPDK's number of the port
	bool open, created, started, promiscuous;
	bool paced;       // reads as fast as it is polled: held to the port's rate
	uint16_t max_len; // longest frame that the port takes
	tstamp rx_free;   // paced: the wire is free again
	byte_ps ps;       // of the port
	struct rt_known *known;
	struct rte_mempool *pool;
	struct rte_eth_fc_conf *fc; // as it was; NULL: the device has none
	uint64_t imissed, rx_nombuf;
	uint32_t kept; // mbufs that the driver took before the first frame and does not give back
	const struct scene_port *port;
};

// Finds or makes the device and fits queues and MTU to the port. One line on error; rt_dev_close
// after it all the same.
int rt_dev_open(
	struct rt_dev *d, const struct scene_port *port, struct rte_mempool *pool, struct err *err);
// Starts it; waits for its link, some seconds at most or until *stop.
int rt_dev_start(struct rt_dev *d, const atomic_bool *stop, struct err *err);
// Frees what still comes, and has the driver free what it has sent. Bounded, since a net_null never
// ends.
void rt_dev_drain(struct rt_dev *d);
// Reads its counters, drains it, stops it and puts back what was changed on it.
void rt_dev_stop(struct rt_dev *d);
// Closes it; d->kept then says what the pool has lost to the driver (net_af_xdp gives the mbufs of
// its fill ring to the kernel, and never back). A second call does nothing.
void rt_dev_close(struct rt_dev *d);
// Up to RT_BURST frames as packets.
unsigned rt_dev_rx(struct rt_dev *d, struct pkt **burst, tstamp now);
// Offers n rendered frames to the port; returns how many it took.
unsigned rt_dev_tx(struct rt_dev *d, struct rte_mbuf **m, unsigned n);

// Turns n packets into frames, in place; m gets their mbufs.
void rt_frame_render(struct pkt **burst, struct rte_mbuf **m, unsigned n);

#pragma GCC visibility pop
