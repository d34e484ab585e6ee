// SPDX-License-Identifier: BSD-3-Clause
// The world: nodes, ends and links spread over lcores.
#pragma once

#include "lcore.h"

struct rt_world {
	const struct scene *scene;
	struct net *net;
	unsigned n_lcores;
	struct rt_lcore **lcore;
	uint16_t *lcore_of;               // of each node; of a cut switch: of shard 0
	struct rt_node **node_of;         // n_nodes times SW_SHARDS, by shard
	_Atomic(struct rt_order *) order; // that lcores are to carry out; NULL: none
};

// Lcores with empty stacks of `stack_cap` descriptors; node i lives on lcore lcore_of[i], and shard
// k of a cut switch k lcores further, around. -ENOMEM.
int rt_world_init(struct rt_world *w, const struct scene *scene, unsigned n_lcores,
	const uint16_t *lcore_of, uint32_t stack_cap);
// Builds the nodes and joins them by links; devices are the caller's to set. Stacks are filled
// before where a replay is among the nodes. `event_want` and `tolerance` as in net_opts.
int rt_world_build(struct rt_world *w, uint64_t event_want, tstamp tolerance, struct err *err);
// How many descriptors the stack keeps between calls, of `share` that the pool has for this lcore.
void rt_world_levels(struct rt_lcore *lc, uint32_t share);
// For an lcore whose stack has packets for short frames only: it keeps some packets of `pool`,
// which have `room` bytes, for copies of long frames. -ENOMEM.
int rt_world_longer(struct rt_lcore *lc, struct rte_mempool *pool, uint16_t room);
// A node of this process, or shard k of a cut switch.
struct rt_node *rt_world_node(const struct rt_world *w, unsigned node, unsigned shard);
struct rt_end *rt_world_end(const struct rt_world *w, unsigned node, unsigned port);
// The lcore of a port: the lcore of its node or shard.
unsigned rt_world_lcore(const struct rt_world *w, unsigned node, unsigned port);
// Begins (`by` 1) or ends (-1) one capture of a port of a node; 0 only makes room for its frames,
// after which 1 cannot fail. Frames go to the recorder while there is any. One thread at a time
// calls it, also while the lcores run. -ENOMEM.
int rt_world_capture(struct rt_world *w, unsigned node, unsigned port, int by);
// Frames of a port that captures lack because the recorder came too late.
uint64_t rt_world_unseen(const struct rt_world *w, unsigned node, unsigned port);
// Calls `fn` for each packet on a link in memory, while all lcores stand still.
void rt_world_each_in_flight(
	const struct rt_world *w, void (*fn)(void *arg, const struct pkt *p), void *arg);
// Packets on links and in stashes; only while no lcore runs.
uint64_t rt_world_in_flight(const struct rt_world *w);
void rt_world_fini(struct rt_world *w);

#pragma GCC visibility push(hidden)

// Whether a command to a host concerns all of its lanes: its link belongs to them all, and a flow
// to those that have its queue pairs. Other commands go to lane 0.
bool rt_world_is_for_lanes(const struct ctl *ctl);

#pragma GCC visibility pop
