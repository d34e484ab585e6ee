// SPDX-License-Identifier: BSD-3-Clause
// Real ports: a DPDK device, and frames in mbufs that come from it and go to it.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "eal/eal.h"
#include "scene/scene.h"

struct dev {
	uint16_t id; // DPDK's number of the port
	bool open, created, started, promiscuous;
	bool paced;       // reads as fast as it is polled: held to the port's rate
	uint16_t max_len; // longest frame that the port takes
	tstamp rx_free;   // paced: the wire is free again
	byte_ps ps;       // of the port
	struct dev_known *known;
	struct rte_mempool *pool;
	struct rte_eth_fc_conf *fc; // as it was; NULL: the device has none
	uint64_t imissed, rx_nombuf, ring_drops;
	uint32_t kept; // mbufs that the driver took before the first frame and does not give back
	const struct scene_port *port;
};

// Finds or makes the device and fits queues and MTU to the port. One line on error; dev_close
// after it all the same.
int dev_open(
	struct dev *d, const struct scene_port *port, struct rte_mempool *pool, struct err *err);
// Starts it; waits for its link, some seconds at most or until *stop.
int dev_start(struct dev *d, const atomic_bool *stop, struct err *err);
// Frees what still comes, and has the driver free what it has sent. Bounded, since a net_null never
// ends.
void dev_drain(struct dev *d);
// Reads its counters, drains it, stops it and puts back what was changed on it.
void dev_stop(struct dev *d);
// Closes it; d->kept then says what the pool has lost to the driver (net_af_xdp gives the mbufs of
// its fill ring to the kernel, and never back). A second call does nothing.
void dev_close(struct dev *d);
// Up to EAL_BURST frames as packets.
unsigned dev_rx(struct dev *d, struct pkt **burst, tstamp now);
// Offers n rendered frames to the port; returns how many it took.
unsigned dev_tx(struct dev *d, struct rte_mbuf **m, unsigned n);

// Turns n packets into frames, in place; m gets their mbufs.
void dev_frame_render(struct pkt **burst, struct rte_mbuf **m, unsigned n);
