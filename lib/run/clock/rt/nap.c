// SPDX-License-Identifier: BSD-3-Clause
// How long the main lcore may sleep. Each time it wakes it takes a processor from somebody else,
// and mostly nothing has changed. So it sleeps until something is due, and is woken for things that
// cannot be known before.
//
// - Events and captured frames wait in rings: an lcore rings the bell when a ring is full to
//   1 / RT_CROWDED, and the rest of the ring is the time that the main lcore has to wake.
// - A thread that asks for figures rings, and so does a loop that has ended. The kernel tells of
//   interfaces by a socket, which ends the sleep, too; so does a signal.
// - Samples, the end of warm-up and the end of the run are known instants.
// - If hellos of other parts arrive, they are answered without delay, because two clocks drift
//   apart meanwhile. Counters that a driver may forget are read without delay, too.
// - All else is looked at each RT_LOOK_MS: loops that hang, notices of devices, links that DPDK
//   tells, the line of progress, and whether the user has stopped the run.
#include "nap.h"

#define LEAST   (100 * PS_PER_US) // a look costs some us: this is 5 % of a processor at most
#define REPLAY  PS_PER_MS         // the end of a run that ends with its replays
#define QUIESCE (500 * PS_PER_US) // until its nodes are asked again, or have answered
#define NEAR    (2 * PS_PER_MS)   // of the end of warm-up: no sleep, lcores are about to be held

// Returns the longest sleep, ps of wall time. It bounds the delay of all work for which nobody
// wakes the main lcore.
static tstamp longest(const struct rt *rt)
{
	if (rt->looks_often || rt->parts.n)
		return LEAST;
	if (rt->quiesce.state)
		return QUIESCE;
	return rt->scene->until_replayed ? REPLAY : RT_LOOK_MS * PS_PER_MS;
}

uint64_t rt_nap_ns(const struct rt *rt, tstamp now)
{
	const struct rt_recorder *r = &rt->recorder;
	tstamp most = longest(rt), next = scene_end(rt->scene), near = NEAR / rt->clock.dilate, nap;

	if (!rt->slips) {
		if (!r->warm && now + near > r->warmup)
			return 0;
		if (!r->warm)
			next = tstamp_min(next, r->warmup - near);
		next = tstamp_min(next, r->next_sample);
	}
	nap = tstamp_since(next, now);
	nap = nap < most / rt->clock.dilate ? nap * rt->clock.dilate : most;
	return tstamp_max(nap, LEAST) / PS_PER_NS;
}
