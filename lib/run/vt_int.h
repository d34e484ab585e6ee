// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the virtual-time driver share: nodes with their next events, links, the pool.
#pragma once

#include "run/net.h"
#include "run/vt.h"
#include "run/wtree.h"

struct vt_node;

// One direction of a link: a FIFO of packets by the instant their last bit arrives (pkt.when).
struct vt_link {
	struct pkt *head;
	struct pkt *tail;
	struct vt_node *to;
	uint16_t to_port;
	uint16_t from_node, from_port;
	octet_ps ps;
	tstamp delay; // propagation and the sender's latency
	tstamp least; // delay and the shortest frame's wire time: no frame arrives sooner
	uint64_t frames;
	bool tx_cap, rx_cap; // captured where it leaves, where it arrives
};

// Slots of a node's tree, in the order of DESIGN.md 2 for one instant: arrivals by port, ctl, tx by port.
struct vt_node {
	struct net_node *n;
	unsigned index, ports;
	struct wtree next;
	struct vt_link *in;   // by port; to is this node
	struct vt_link **out; // by port: the peer's in; NULL: nothing there
	tstamp now;
	tstamp reach; // of all neighbours: the soonest that any of them can be made to act
	uint32_t ctl_at, ctl_n; // its commands, by time
	const struct scene_event **ctl;
};

struct vt {
	const struct scene *scene;
	const struct vt_opts *opts;
	struct net *net;
	struct record *rec;
	struct vt_node *node;
	struct wtree order; // of the nodes, by their next event
	struct pkt_stack stack;
	struct pkt_stack **stacks;
	void *pool;
	size_t pool_bytes;
	struct eport_framing framing;
	uint64_t hops;
};

static inline void vt_key(struct vt *vt, struct vt_node *v, uint32_t slot, tstamp key)
{
	if (v->next.key[slot] != key)
		wtree_set(&v->next, slot, key);
	(void)vt;
}

int vt_setup(struct vt *vt, struct err *err);
void vt_teardown(struct vt *vt);
