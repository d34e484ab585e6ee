// SPDX-License-Identifier: BSD-3-Clause
// How long a frame takes through a switch or a macswap that is idle, and how long a PFC frame takes
// to stop what leaves a port.
#pragma once

#include <stdatomic.h>

#include "rt_flow.h"

struct rte_mempool;
struct rte_ring;

struct latency {
	const struct flow_traffic *traffic;
	struct rte_mempool *pool[2];
	struct rte_ring *in[2], *out[2]; // of ports a and b: what comes in, what has left
	unsigned samples, stops;         // frames through, and PFC frames
	atomic_bool quit;                // ends the loop under test
};

// While another lcore runs a loop that takes from `in` and puts into `out`, by this thread: a frame
// of each flow goes through both ways, so that a switch learns all addresses.
void latency_learn(struct latency *l);
// The same while: prints p50, p99 and p99.9 of the time from `in` to `out` under this name, of
// frames of all flows in turn.
void latency_idle(struct latency *l, const char *name);
// The same of the time from a PFC frame's arrival at port b to the last frame of its class that is
// offered there, after a burst of data for it at port a.
void latency_pfc(struct latency *l);
