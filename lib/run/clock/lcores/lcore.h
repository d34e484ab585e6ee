// SPDX-License-Identifier: BSD-3-Clause
// A worker: the ends of links and ports that its loop serves.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/hist.h"
#include "dev/dev.h"
#include "watch/watch.h"
#include "world/world.h"
#include "ahead.h"
#include "bell.h"
#include "clock.h"
#include "limits.h"
#include "link.h"
#include "seen.h"

// Frames that a port's stash has room for (stash.h): a burst of each class, and PFC and PAUSE
// frames that become due while they wait.
#define RT_URGENT 8
#define RT_STASH  (PKT_CLASSES * EAL_BURST + RT_URGENT)

// Bits of rt_end.captures; the bits below them count captures.
#define RT_INJECTOR 0x8000
#define RT_OBSERVER 0x4000

// One port of one node, as its lcore sees it. Its number in the lcore's arrays is its slot.
struct rt_end {
	struct rt_node *node;
	uint16_t port;
	uint16_t peer;     // slot of the other end where that is on this lcore, else RT_NONE
	uint16_t n_stash;  // frames that the device or the ring refused: they go first
	uint16_t n_urgent; // of them, at their head, PFC and PAUSE frames
	uint16_t n_held;   // of them, at their end, those of classes that are paused
	uint8_t paused;    // bitmap of these classes
	bool refuses;      // some do not leave although they are not held
	struct dev *dev;
	struct rt_link *out; // NULL with a device
	byte_ps ps;          // of the wire
	tstamp far_ps;       // link delay and the node's latency
	tstamp last;         // arrival of the last frame sent: a link keeps its order
	struct rt_link in;
	// Captures of the port that are open, RT_INJECTOR if it has an injector, RT_OBSERVER if it
	// has an observer. Any thread may write it.
	_Atomic uint16_t captures;
	bool forgets; // the node forgets headers of frames from here
	uint8_t wire_extra, queue_extra;
	// Host on several lcores: `dev` is the device of lane 0, which receives for all lanes.
	struct mbuf_tmpl *tmpl; // NULL: frames of ours are made as a whole
	uint16_t queue;         // of the device, to send by
	uint16_t n_lanes;       // of lane 0; 0: there is one only
	struct rt_end **lane;   // [n_lanes] by number; [0] is this one
	uint64_t overrun;       // frames that other lanes had no room for
	uint64_t unsent;        // frames that a device had refused, and that were then dropped
	uint8_t link;           // enum watch_link of dev, as the node knows it
	bool shut;              // of a device: link_down of the scenario holds
	// The newest enum watch_link of dev. The main lcore writes it; this lcore then tells the
	// node, and sets `link`.
	_Atomic uint8_t told;
	_Atomic(struct rte_mbuf *) hello; // of the main lcore, to be sent by the device; NULL: none
	void **stash;            // [RT_STASH] mbufs for a device, packets for a ring; NULL: neither
	tstamp refused_ps;       // time for which device or ring refused frames, until `refused_at`
	tstamp refused_at;       // while it refuses some
	tstamp timed_at;         // the node was last asked for this port while it did
	_Atomic uint64_t unseen; // frames that captures of the port lack
};

struct rt_node {
	struct net_node *net;
	uint16_t index;  // in the scene
	uint16_t first;  // slot of port 0
	uint16_t lcore;  // in the world
	uint16_t shards; // of its switch, where that is cut; else 1
	uint16_t words;  // of net->touched that have its ports
	_Alignas(
		EAL_LINE) _Atomic uint32_t ev_given; // events up to here are the recorder's to read
	_Alignas(EAL_LINE) _Atomic uint32_t ev_taken; // events up to here have been read
	struct ev_ring read; // the recorder's: `events` of the node, as far as it has read
};

struct rt_cmd {
	tstamp at;
	struct rt_node *node;
	const struct ctl *ctl;
};

// The loop's own timing.
struct rt_timing {
	tstamp slip_limit; // most that scene time advances in one loop; TSTAMP_NEVER: no limit
	tstamp slipped, slip_max;
	uint64_t slips;
	tstamp tolerance;
	// Sum over the gaps longer than `tolerance`, slips excepted: of each gap only the part
	// beyond `tolerance`.
	tstamp over;
	tstamp idle_p99; // loop gap of a loop that does nothing, wall ps
	struct hist gap; // time between two loops, scene ps
};

// A receive queue that this lcore reads for the shard of the port (rx_queues).
struct rt_aside {
	struct dev *dev;
	uint16_t queue;
	uint16_t slot; // of the port here
};

// Whether frames of devices are read ahead. Their memory is timed now and then, a device at a time.
struct rt_far {
	uint32_t near_left; // loops until the next time, where all memory is near; else 0
	uint32_t left;      // the same, where some is far; 0: a device is timed in this loop
	uint32_t turn;      // the device that is timed next, of rt_lcore.dev
};

// The state of a worker, as the main lcore last saw it.
struct rt_hang {
	tstamp now;       // the worker's, as it last moved
	uint64_t cpu_ns;  // that the worker's thread had used then
	uint64_t idle_ns; // that the main lcore was awake since, the thread having used nothing
	uint64_t seen_ns; // that it had used at the last look
};

struct rt_lcore {
	// Arrays by slot, which the loop reads in each round.
	tstamp *due;    // next instant that tx could act
	tstamp *arrive; // next arrival on a link whose list is here
	struct rt_end *end;
	uint16_t n_ends;
	uint16_t n_pull, n_dev;
	uint16_t busy;      // the node called last, in the scene; the main lcore reads it
	uint16_t n_stashed; // ends with frames in their stash
	uint16_t *pull;     // slots whose link comes from another lcore
	uint16_t *dev;      // slots with a device
	uint16_t *side;     // slots that send by the device of another lane
	uint16_t n_side;
	uint16_t *injector; // slots of ports with an injector
	uint16_t n_injectors;
	struct rt_aside *aside; // receive queues of devices whose port is another lcore's
	uint16_t n_aside;
	struct pkt_stack stack;
	uint32_t low, span;       // descriptors kept in the stack: low to low + span
	uint32_t ports_max;       // of a node here
	struct rte_mempool *pool; // NULL: the stack is all there is
	bool apart;               // received frames are of another pool, and go back there at once
	struct rt_node *node;
	unsigned n_nodes;
	struct rt_node **shard; // of these, shards of switches that several lcores run
	unsigned n_shards;
	unsigned id;    // DPDK's lcore
	unsigned index; // in the world
	// Commands of the scenario for the nodes here, by time.
	struct rt_cmd *cmd;
	unsigned n_cmds, next_cmd;
	tstamp next_ctl;
	bool yields;   // it sleeps while nothing is due
	uint64_t hops; // packets given to nodes
	// The clock of this lcore.
	const struct rt_clock *clock;
	tstamp end_at;
	// The recorder's turn: at `next_turn`, or when the events that wait for it become many.
	void (*turn)(struct rt_lcore *lc, tstamp now);
	void *turn_arg;
	tstamp next_turn;
	struct rt_far far;
	_Atomic(struct rt_seen_ring *) seen; // NULL: nothing has been captured so far
	// If the stack has packets for short frames only: packets for copies of long ones.
	struct pkt_stack longer;
	struct rte_mempool *longer_pool;
	// Shared by this lcore and the main one.
	_Alignas(EAL_LINE) _Atomic tstamp now; // events before it have been handed over
	_Atomic uint32_t held; // turns in which this lcore has waited for the main one
	atomic_bool done;
	atomic_bool *quit;
	struct rt_bell *bell;           // wakes the main lcore; NULL: none
	const atomic_bool *turn_wanted; // by another thread, before the next one; NULL: never
	_Atomic(struct query *) query;  // what another thread asks, until it is taken
	_Atomic uint64_t quiesce;  // the last CTL_QUIESCE: twice its `within`, plus 1 if it goes on
	_Atomic uint32_t quiesces; // how many there were
	_Atomic(struct rt_order *) order; // that another thread gives, until it is taken
	struct rt_order *holds;           // taken and not carried out; NULL: none
	_Atomic uint32_t links;           // changes of links that the main lcore has told
	uint32_t links_seen;              // by this lcore
	_Atomic uint32_t hellos;          // the main lcore has some for the devices here, or
	const struct rt_ahead *ahead;     // has told of other parts' clocks; NULL: there are none
	uint64_t shared_from;             // TSC, for rt_clock_shared
	struct rt_timing timing;
	// The main lcore's watch over this one.
	pthread_t thread; // where enlisted
	atomic_bool enlisted;
	struct rt_hang hang;
};

// Goes once round the loop at scene time `now`.
void rt_lcore_step(struct rt_lcore *lc, tstamp now);
// The loop from scene time 0 until end_at or *quit; an lcore function of DPDK.
int rt_lcore_run(void *lcore);
// Fills the stack from the pool, or gives back its surplus.
void rt_lcore_level(struct rt_lcore *lc);

#pragma GCC visibility push(hidden)

// Gives frames to the node of a port.
void rt_lcore_give(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now);

// Hands events over to the recorder and publishes `now`. Returns true if a ring of the recorder is
// full to 1 / RT_CROWDED. Then the main lcore is woken, if it is the recorder's thread.
bool rt_lcore_publish(struct rt_lcore *lc, tstamp now);
// Executes a command for a node of this lcore. Call it from the lcore's own thread.
int rt_lcore_ctl(struct rt_lcore *lc, const struct rt_node *n, const struct ctl *ctl, tstamp now);

#pragma GCC visibility pop
