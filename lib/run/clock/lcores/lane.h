// SPDX-License-Identifier: BSD-3-Clause
// Hosts on several lcores: one device receives for all lanes, and each lane sends by a queue of its
// own.
#pragma once

#include "lcore.h"

#pragma GCC visibility push(hidden)

// Takes the frames for other lanes out of a burst that the device of lane 0 has received, and gives
// them to their lcores. PFC and PAUSE frames go to all lanes. Returns how many frames of the burst
// stay. A frame for which an lcore has no room is lost and counted.
unsigned rt_lane_spread(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now);

#pragma GCC visibility pop
