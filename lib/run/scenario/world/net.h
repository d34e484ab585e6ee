// SPDX-License-Identifier: BSD-3-Clause
// The built world: the scene's nodes as objects, and how any driver calls them.
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"
#include "fault/fault.h"
#include "outside/outside.h"
#include "nic/nic.h"
#include "load/load.h"
#include "sw/sw.h"
#include "tester/tester.h"
#include "conf/conf.h"
#include "scene/scene.h"

// A kind of node for the calls below alone: a switch whose shards one thread runs.
#define NET_SW_CUT (SCENE_TESTER + 1)

struct net_node {
	enum scene_kind kind;
	union {
		struct sw *sw;
		struct nic *nic;
		struct replay *replay;
		struct tester *tester;
		void *obj;
	} u;
	struct node_touched *touched;
	struct pkt_stack *stack;
	struct ev_ring events;
	struct ev *rings; // memory of its event ring and of later ones; NULL: none
	const struct scene_node *scene;
	struct firmware *fw;     // of a NIC; NULL: none
	struct cap_feed *feed;   // of the capture that it sends; NULL: none
	struct eport_wire *wire; // that a host's lanes share, of lane 0; NULL: none
	// A cut switch runs either wholly in one thread, with its shards here, or as nodes of their
	// own. In the second case this node is shard 0.
	bool is_whole;
	struct net_node *shard;   // [sw_shards - 1]; NULL: there are none
	struct fault **fault;     // injectors by port; NULL: there are none
	struct outside **outside; // observers by port; NULL: there are none
};

// The nodes of this process, n_nodes of them. No file defines the type, so nothing can index the
// array: net_node() is the only way to a node.
struct net_here;

struct net_fixed;

struct net_injectors;

struct net_jobs;

struct net {
	const struct scene *scene;
	unsigned n_nodes;
	struct net_here *here;
	struct net_change **change;      // of the scene's events `set`, by number
	struct net_fixed *fixed;         // static entries that switches share, the newest first
	struct net_injectors *injectors; // of all ports; NULL: there are none
	struct net_jobs *jobs;           // NULL: there are none
	_Atomic tstamp *end; // of each source, where one follows it (nic_tell_end); NULL: none does
	atomic_bool crashed; // code that users brought has, or a capture broke off; the run ends
};

// A node by its number in the scene. Flows and sources also name hosts that another process or
// machine runs. Their numbers are n_nodes or more, and for them this is NULL.
static inline struct net_node *net_node(const struct net *net, unsigned number)
{
	return number < net->n_nodes ? (struct net_node *)net->here + number : NULL;
}

// The NIC of such a node; NULL: it has none, or is elsewhere.
static inline struct nic *net_nic(const struct net *net, unsigned number)
{
	const struct net_node *n = net_node(net, number);

	return n && n->kind == SCENE_NIC ? n->u.nic : NULL;
}

struct net_opts {
	struct pkt_stack **stack; // of each node, n_nodes; one stack may serve many
	// of each shard, n_nodes times SW_SHARDS; NULL: one thread runs all shards of a switch
	struct pkt_stack **shard_stack;
	uint32_t event_slots; // of each node's ring, a power of two
	uint64_t event_want;  // bitmap of enum ev_type
	tstamp tolerance_ps;  // serializers: 0 in virtual time
	// Ports have devices: hosts answer ARP, neighbour discovery and ping, and a frame may come
	// as bytes, which do not say when it left.
	bool devices;
	uint64_t salt; // struct nic_params
	// Called with large pieces of memory before they are used (struct nic_params, sw_params).
	// NULL: pages are touched at first use
	void (*large)(void *memory, size_t bytes);
	bool read_ahead;       // captures, by threads; else by the nodes' own calls
	const cpu_set_t *cpus; // on which those threads run; NULL: where the caller may
};

int net_build(
	struct net **out, const struct scene *scene, const struct net_opts *opts, struct err *err);
void net_free(struct net *net);

// Gives queue pairs the QPNs and first PSNs that the scene has now (scene_number), and injectors,
// too. Only before the run. -ENOMEM.
int net_number(struct net *net);

static inline void net_rx(
	struct net_node *n, unsigned port, struct pkt **burst, unsigned count, tstamp now)
{
	if (n->kind == SCENE_SW)
		sw_rx(n->u.sw, port, burst, count, now);
	else if (n->kind == SCENE_NIC)
		nic_rx(n->u.nic, port, burst, count, now);
	else if ((unsigned)n->kind == NET_SW_CUT)
		sw_cut_rx(n->u.sw, port, burst, count, now);
	else if (n->kind == SCENE_TESTER)
		tester_rx(n->u.tester, port, burst, count, now);
	else
		replay_rx(n->u.replay, port, burst, count, now);
}

static inline unsigned net_tx(
	struct net_node *n, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	if (n->kind == SCENE_SW)
		return sw_tx(n->u.sw, port, burst, max, now);
	if (n->kind == SCENE_NIC)
		return nic_tx(n->u.nic, port, burst, max, now);
	if ((unsigned)n->kind == NET_SW_CUT)
		return sw_cut_tx(n->u.sw, port, burst, max, now);
	if (n->kind == SCENE_TESTER)
		return tester_tx(n->u.tester, port, burst, max, now);
	return replay_tx(n->u.replay, port, burst, max, now);
}

// Lets a node, or a shard, forget headers from now on (sw_forget_headers). Returns whether it can.
static inline bool net_forget_headers(struct net_node *n)
{
	if (n->kind != SCENE_SW)
		return false;
	sw_forget_headers(n->u.sw);
	return true;
}

// Which of the first 64 frames of net_tx()'s last burst leave with the bytes that they came in
// with, as a bitmap.
static inline uint64_t net_as_came(const struct net_node *n)
{
	return n->kind == SCENE_SW ? sw_as_came(n->u.sw) : 0;
}

static inline tstamp net_deadline(const struct net_node *n, unsigned port)
{
	if (n->kind == SCENE_SW)
		return sw_deadline(n->u.sw, port);
	if (n->kind == SCENE_NIC)
		return nic_deadline(n->u.nic, port);
	if ((unsigned)n->kind == NET_SW_CUT)
		return sw_cut_deadline(n->u.sw, port);
	if (n->kind == SCENE_TESTER)
		return tester_deadline(n->u.tester, port);
	return replay_deadline(n->u.replay, port);
}

// Ports of a node that a thread asks; the ports of a cut switch's fabric follow its own.
static inline unsigned net_ports(const struct net_node *n)
{
	return n->scene->n_ports + (n->is_whole ? sw_shards(n->u.sw) : 0);
}

// The injector of a port, which gets the frames that arrive there; NULL: there is none.
static inline struct fault *net_fault(const struct net_node *n, unsigned port)
{
	return n->fault ? n->fault[port] : NULL;
}

// The observer of a port, which is told of the frames that arrive and leave there; NULL: there is
// none.
static inline struct outside *net_outside(const struct net_node *n, unsigned port)
{
	return n->outside ? n->outside[port] : NULL;
}

// Ports of a node that have an injector.
static inline unsigned net_faults(const struct net_node *n)
{
	unsigned faults = 0;

	for (unsigned p = 0; n->fault && p < n->scene->n_ports; p++)
		faults += n->fault[p] != NULL;
	return faults;
}

// The kind that the calls above know a node by.
static inline unsigned net_kind(const struct net_node *n)
{
	return n->is_whole ? NET_SW_CUT : (unsigned)n->kind;
}

// Shard k of a node whose shards are nodes of their own; shard 0 is the node itself.
static inline struct net_node *net_shard(struct net_node *n, unsigned k)
{
	return k ? &n->shard[k - 1] : n;
}

// The earliest instant at which tx would give a control frame first; TSTAMP_NEVER: none is due.
static inline tstamp net_urgent(const struct net_node *n, unsigned port)
{
	if (n->kind == SCENE_SW)
		return sw_urgent(n->u.sw, port);
	if ((unsigned)n->kind == NET_SW_CUT)
		return port < n->scene->n_ports ? sw_urgent(sw_owner(n->u.sw, port), port)
						: TSTAMP_NEVER;
	if (n->kind == SCENE_TESTER)
		return tester_urgent(n->u.tester, port);
	return n->kind == SCENE_NIC ? nic_urgent(n->u.nic, port) : TSTAMP_NEVER;
}

// Bitmap of the classes (pkt.cls) of a port that its peer has paused at `now`.
static inline uint8_t net_pauses(const struct net_node *n, unsigned port, tstamp now)
{
	if (n->kind == SCENE_SW)
		return sw_pauses(n->u.sw, port, now);
	if (n->kind == SCENE_NIC)
		return nic_pauses(n->u.nic, port, now);
	return n->kind == SCENE_REPLAY ? replay_pauses(n->u.replay, port, now) : 0;
}

// Bitmap of the classes (pkt.cls) of a port whose frames its watchdog drops.
static inline uint8_t net_shut(const struct net_node *n, unsigned port)
{
	return n->kind == SCENE_SW ? sw_shut(n->u.sw, port) : 0;
}

// A frame of such a class that the node had given was dropped.
static inline void net_shut_dropped(struct net_node *n, unsigned port, unsigned cls)
{
	sw_shut_dropped(n->u.sw, port, cls, 1);
}

// CTL_IS_QUIET: -EBUSY if something that was begun before a quiesce has not ended; else a number
// that changes with each frame that comes or leaves.
int net_ctl(struct net_node *n, const struct ctl *ctl, tstamp now);
// The command of an event of the scene.
const struct ctl *net_command(const struct net *net, const struct scene_event *e);

// Brings every time-weighted figure up to `now`.
void net_account(struct net *net, tstamp now);

// Ends the firmware of all NICs, after the last event of the run. Where firmware has crashed, or a
// plug-in has failed, `crash` says which, when and in which call, the first of several; else it
// becomes "".
void net_end(struct net *net, char *crash, size_t size);

// The counters of a node that replays a capture, or of a sink; NULL: the node is neither.
const struct replay_stats *net_replay_stats(const struct net_node *n);
// Whether every capture has been sent to its end. Any thread may ask.
bool net_replayed(const struct net *net);
// Returns whether the run may end: all captures were sent some time ago, which the last frames need
// to arrive. *since: the instant of that, TSTAMP_NEVER before.
bool net_ends_after_replay(const struct net *net, tstamp now, tstamp *since);

// Whether sources and queue pairs look for external hosts, and have found none so far. `for_good`:
// and all have given up. Any thread may ask.
bool net_reaches_nobody(const struct net *net, bool for_good);

// Packets that stand in the nodes' queues.
uint64_t net_held(const struct net *net);

// Each of them.
void net_each_held(const struct net *net, void (*fn)(void *arg, const struct pkt *p), void *arg);

// Conservation over all nodes and at the ends of flows: 0, or -EPROTO with the line.
int net_conserve(const struct net *net, struct err *err);
