// SPDX-License-Identifier: BSD-3-Clause
// Real ports: a DPDK device, and frames in mbufs that come from it and go to it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "eal/eal.h"
#include "mbuf/mbuf.h"
#include "record/record.h"
#include "scene/scene.h"
#include "arg.h"
#include "far.h"
#include "xon.h"

// Ethernet header and one VLAN tag: what a frame has beyond the device's MTU
#define DEV_L2_BYTES 18

// The answers of a device to its settings at the start: 0, -errno, or DEV_NOT_ASKED if the setting
// was not needed.
#define DEV_NOT_ASKED 1
struct dev_asked {
	int promiscuous;       // to switch it on
	int flow_control, pfc; // to switch them off
};

struct dev {
	uint16_t id; // DPDK's number of the port
	bool open, created, started, promiscuous;
	bool settled;      // what it lost has been read for the last time
	bool visits;       // a handler of its driver must not come into a call (eal/visit.h)
	bool gone;         // its interface was removed: it is only stopped and closed
	int member;        // socket by which the interface is promiscuous; -1: the driver does it
	bool paced;        // reads as fast as it is polled: held to the port's rate
	uint16_t max_len;  // longest frame that the port takes
	uint32_t need_mtu; // of its interface, for such frames
	tstamp rx_free;    // paced: the wire is free again
	tstamp rx_wire;    // paced: wire time of the last frame
	byte_ps ps;        // of the port
	struct mbuf_parse parse;
	struct mbuf_tmpl *tmpl;                   // NULL: frames of ours are made as a whole
	struct mbuf_tmpl *lane_tmpl[SCENE_LANES]; // of a host's other lanes
	uint16_t n_rx, n_tx;                      // receive and transmit queues
	uint16_t n_turn, rx_queue;  // of them, those that dev_rx reads, in turn: the next
	struct mbuf_parse *aside;   // of each queue behind these; NULL: there is none
	struct count *count;        // of the frames that it loses
	struct record_device lost;  // as of dev_take or dev_stop
	struct mbuf_stamps stamps;  // of received frames; parse.stamps is NULL: it gives none
	bool has_stamps;            // the device was asked for them
	struct record_mac mac_from; // pause frames of the MAC, when the run began
	struct rte_eth_fc_conf *fc; // as it was; NULL: the device has none
	uint16_t mtu;               // as it was, where it was raised; 0: it was not
	struct dev_asked asked;
	uint64_t unsent; // frames that a device that is gone has kept
	uint32_t kept;   // mbufs that the driver took before the first frame and does not give back
	struct dev_notice *notice; // notices about its frames; NULL: no memory
	const struct scene_port *port;
	struct mbuf_told told;
	struct dev_xon xon;
	struct dev_far far;
	const struct hello_key *hello_key; // by which it signs hellos; NULL: by none
};

// Finds or makes the device and fits queues and MTU to the port. No packet memory is needed for
// that, so a device that refuses them does so before there is any. dev_feed finds a net_memif.
// `several`: what it sends will be of more than one pool. One line on error; dev_close after it all
// the same.
int dev_find(struct dev *d, const struct scene_port *port, bool several, struct err *err);
// Gives it memory, behind dev_find. Errors as dev_find.
int dev_feed(struct dev *d, const struct mbuf_pools *pools, struct err *err);
// dev_find() and dev_feed() with one pool.
static inline int dev_open(
	struct dev *d, const struct scene_port *at, struct rte_mempool *from, struct err *err)
{
	int rc = dev_find(d, at, false, err);

	return rc ? rc : dev_feed(d, &(struct mbuf_pools){.rx = from}, err);
}

// Makes templates, from which the device renders frames of the queue pairs that node `node` of the
// scene sends or that pass it. -ENOMEM with one line.
int dev_make_templates(struct dev *d, const struct scene *s, unsigned node, struct err *err);
// Makes templates for lane `node` of a host: *tmpl are the lane's own, until dev_close().
int dev_make_lane_templates(struct dev *d, const struct scene *s, unsigned node,
	struct mbuf_tmpl **tmpl, struct err *err);
// The NUMA node of a PCI device that EAL has found; -1: it has none, or the port has no PCI device.
int dev_node(const struct scene_port *port);
// Starts the device. Its link may come up later: see room watch.
int dev_start(struct dev *d, struct err *err);
// The run begins now: frames that have arrived before are freed and not counted. It is the last
// call before the first dev_rx().
void dev_begin(struct dev *d);
// The run has ended: later frames do not belong to it, if the device can tell (net_af_packet).
void dev_end(struct dev *d);
// Reads the losses since dev_begin() into d->lost. One thread at a time may call it, also another
// than the thread of dev_rx().
void dev_take(struct dev *d);
// Looks at counters that the driver may forget while the run goes on; the thread of dev_take()
// calls it. True: it may forget some, so call this often.
bool dev_look(struct dev *d);
// Frees frames that were read ahead and frames that still arrive, and makes the driver free the
// frames that it has sent. Bounded, since a net_null never ends.
void dev_drain(struct dev *d);
// Lets the peer send again (xon.h), drains the device and reads its losses. Call it before any
// device is stopped: a driver whose peer stops may forget its counters (net_memif).
void dev_settle(struct dev *d);
// Calls dev_settle() unless that is done, stops the device and restores its settings.
void dev_stop(struct dev *d);
// Writes the next line about the device's frames that the user should see into `line`; false: there
// is none. Each line comes once for each port. One thread may call it while another one receives.
bool dev_notice(struct dev *d, char *line, size_t size);
// Closes the device. Afterwards d->kept has the number of the pool's mbufs that stay with the
// driver (net_af_xdp never gets back those of its fill ring from the kernel). A second call does
// nothing.
void dev_close(struct dev *d);
// Bursts of a device as DPDK has them. All of the program uses these two functions.
unsigned dev_burst_rx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);
unsigned dev_burst_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);
// Receives up to EAL_BURST frames as packets, with their headers in hdr[EAL_BURST], or behind their
// descriptors if `hdr` is NULL. Returns the number of packets.
unsigned dev_rx(struct dev *d, struct pkt **burst, struct hdr *hdr, tstamp now);
// The second half of dev_rx(): makes packets of n mbufs, 1 to EAL_BURST, from dev_far_take().
unsigned dev_rx_parse(struct dev *d, struct rte_mbuf **m, struct pkt **burst, struct hdr *hdr,
	unsigned n, tstamp now);
// Like dev_rx(), from receive queue `queue` alone, with headers behind descriptors. The thread that
// reads this queue is not the thread of dev_rx() (rx_queues).
unsigned dev_rx_aside(struct dev *d, unsigned queue, struct pkt **burst, tstamp now);
// Offers n rendered frames to the port and returns how many it took. `queue` is the number of a
// lane of the host, and only that lane's thread may use it.
unsigned dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

#include "hello.h"
