// SPDX-License-Identifier: BSD-3-Clause
// The plan of a run: which lcore runs which node, how fast time passes, and the scene's cost on
// this machine.
#pragma once

#include <stdint.h>

#include "scene/scene.h"
#include "storm.h"

// The lcores that work.
struct rt_workers {
	const unsigned *id; // DPDK's numbers of them, ascending
	unsigned n;         // of them, 1 at least
	unsigned most;      // that --workers could give; 0: the user has given EAL its lcores
};

// The lcore of each node, as an index of `id`: the scenario's, else spread by load. 0, or -EINVAL
// with a line where the scenario asks for lcores that there are not.
int rt_plan_place(
	const struct scene *scene, const struct rt_workers *w, uint16_t *lcore_of, struct err *err);
// Wire time of the largest frame on the fastest link: the scene's packet time, ps.
tstamp rt_plan_packet_time(const struct scene *scene);
// Serializer tolerance: two frames or twice the p99 loop gap, at most 20 us.
tstamp rt_plan_tolerance(const struct scene *scene, tstamp gap_p99);
// Longest loop gap that the scene's timers bear, ps: half of the shortest.
tstamp rt_plan_shortest_timer(const struct scene *scene);
// Dilation for a load: wall time that the scene's work takes per scene time on one lcore.
unsigned rt_plan_dilate(double load, unsigned n_lcores);

// The cost of running the scene on this machine.
struct rt_rehearsal {
	double load; // wall time per scene time on one lcore, in its busiest stretch, with a margin
	uint64_t hops, steps, wall_ns;
	// the line about firmware that crashed meanwhile, and was not called again; "": none
	char crash[256];
};

// Runs the scene's beginning on the calling thread as fast as it goes, for `limit_ns` of wall time
// or to its end. Needs no EAL.
int rt_rehearse(
	struct rt_rehearsal *r, const struct scene *scene, uint64_t limit_ns, struct err *err);
// Measures the gaps of an idle loop on this lcore, into idle_p99; an lcore function of DPDK. The
// clock is set and undilated.
int rt_warm(void *lcore);
