// SPDX-License-Identifier: BSD-3-Clause
// Shared by the parts of the virtual-time driver: nodes with their next events, links, the pool.
#pragma once

#include "world/world.h"
#include "vt.h"
#include "base/wtree.h"

#pragma GCC visibility push(hidden)

#pragma GCC visibility push(hidden)

struct vt_node;

// One direction of a link: a FIFO of packets by the instant their last bit arrives (pkt.when).
struct vt_link {
	struct pkt *head;
	struct pkt *tail;
	struct vt_node *to;
	byte_ps ps;
	rate_t rate;
	tstamp delay; // propagation and the sender's latency
	uint64_t frames;
	uint16_t to_port;
	uint16_t injector;   // leaf of the injector at its end, in to->rx; 0: there is none
	bool tx_cap, rx_cap; // captured where it leaves, where it arrives
	bool tx_aside;       // captured or observed where it leaves
	bool rx_aside;       // captured or observed where it arrives, or with an injector there
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct vt_link) == 64, "a link is one cache line");

// A neighbour as seen from a port of ours.
struct vt_peer {
	tstamp least; // no frame of it takes less from its leaving to its arrival
	tstamp reach; // how soon after the earliest node of all it can have been made to act
	uint32_t node;
	bool tells; // it is no neighbour, and tells of a source's end
};

// A node and its next events. Arrivals and deadlines stand in trees of their own, so that one tree
// is known while the other is still being computed.
struct vt_node {
	struct net_node *n;
	struct node_touched *touched;
	// By port: arrival of the first packet on the link. Behind the ports: deadlines of their
	// injectors, whose links in `in` are empty.
	struct wtree rx;
	struct wtree tx;      // by port: the node's deadline
	tstamp ctl_due;       // the next command
	struct vt_link *in;   // by port; `to` is this node
	struct vt_link **out; // by port: the peer's in; NULL: nothing there
	struct vt_peer *peer; // of the ports that have one
	unsigned index, ports, peers, words;
	unsigned kind;          // net_kind
	uint32_t ctl_at, ctl_n; // its commands, by time
	const struct scene_event **ctl;
	tstamp least; // the least of its peers'; TSTAMP_NEVER: it has none
};

// A quiesce of the scenario, and the driver's looks whether all is at rest.
struct vt_quiet {
	const struct scene_event *of; // under way; NULL: none
	unsigned next;                // of the scene's events, to be looked at
	tstamp look;                  // the next look; TSTAMP_NEVER: none
};

// How far a run has come, and the instants of its next sample and its next tick.
struct vt_course {
	tstamp now, sample, tick;
	tstamp replayed; // as in net_ends_after_replay()
};

struct vt_clock {
	double wall, cpu, shown;
	struct live_progress last; // as shown
};

struct vt {
	const struct scene *scene;
	const struct vt_opts *opts;
	struct net *net;
	struct record *rec;
	struct vt_node *node;
	const struct scene_event **ctl; // the commands of all nodes, node by node
	struct wtree order;             // of the nodes, by their next event
	struct pkt_stack stack;
	struct pkt_stack **stacks;
	void *pool;
	size_t pool_bytes, slot_bytes;
	struct pkt *shown; // room for a copy of a frame; NULL: the scene has no faults
	struct eport_framing framing;
	uint64_t hops;
	tstamp end;  // of the run, unless it ends earlier
	bool ended;  // a quiesce ends it
	int stuck;   // a job that waits for ever; -1: none is known
	bool ending; // the user's stop has been heeded: what is left is done
	struct vt_quiet quiet;
	struct vt_course course;
	struct vt_clock clock;
};

static inline tstamp vt_next(const struct vt_node *v)
{
	return tstamp_min(tstamp_min(v->rx.min, v->tx.min), v->ctl_due);
}

// The command of a driver to a node, between two turns. Returns the node's answer.
int vt_command(struct vt *vt, struct vt_node *v, const struct ctl *ctl, tstamp now);

// Runs until an instant, with all that is due on the way: samples, the end of warm-up, looks at a
// quiesce. Returns false where the run has ended earlier; vt->course.now says when.
bool vt_go(struct vt *vt, tstamp until);

// lab.c: does the experiment of vt->opts. Returns what it returned.
int vt_experiment(struct vt *vt, struct err *err);

// quiet.c
void vt_quiet_init(struct vt *vt);
// Looks whether a quiesce is over, at the instant vt->quiet.look. True: the run ends.
bool vt_quiet_over(struct vt *vt, tstamp now);

int vt_setup(struct vt *vt, struct err *err);
void vt_teardown(struct vt *vt);

#pragma GCC visibility pop

#pragma GCC visibility pop
