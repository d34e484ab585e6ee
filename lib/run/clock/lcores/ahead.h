// SPDX-License-Identifier: BSD-3-Clause
// The clocks of other parts that send open-loop frames to us. The main lcore knows them, and gives
// them to the lcores whose NICs compute latencies with them.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

struct rt_lcore;

// How far the scene time of another part, which runs a node, is ahead of ours, as this lcore knows
// it.
struct rt_clock_ahead {
	const struct rt_lcore *lcore;
	uint16_t node;
	int64_t ps;           // the lcore's, which its NICs read; NIC_AHEAD_UNKNOWN
	_Atomic int64_t told; // the main lcore's
	tstamp bound;         // how far that may be off; 0: it is not known
	tstamp most;          // most of these since the window has started
};

struct rt_ahead {
	struct rt_clock_ahead *clock;
	unsigned n;
	bool window; // it had started when clocks were told the last time
};

// Takes over what the main lcore has written. Call it from the lcore's own thread, or before it
// runs.
void rt_ahead_take(struct rt_lcore *lc);
