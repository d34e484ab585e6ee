// SPDX-License-Identifier: BSD-3-Clause
// The stash of a port: frames that its device or ring has refused, and the rules by which other
// frames may pass them.
//
// It stands in this order: PFC and PAUSE frames of the node's own; then frames that wait for the
// device; then those that are held, because the peer has paused their class meanwhile. A class is
// held as a whole or not at all, so its frames keep their order. While some wait for the device the
// node is asked for no data. While all are held it is asked, and gives frames of other classes,
// which pass. So a class never has more than a burst here. Frames of a class that the port's
// watchdog drops are dropped here, too.
#pragma once

#include "lcore.h"

#pragma GCC visibility push(hidden)

// Memory for a stash; NULL: there is none.
void **rt_stash_new(void);

// Gives frames to the end's device or ring; returns how many it took.
static inline unsigned rt_end_put(struct rt_end *e, void **item, unsigned n)
{
	return e->dev ? dev_tx(e->dev, e->queue, (struct rte_mbuf **)item, n)
		      : rt_ring_put(e->out->ring, (struct pkt **)item, n);
}

// How many frames wait for the device or ring.
static inline unsigned rt_stash_waiting(const struct rt_end *e)
{
	return e->n_stash - e->n_held;
}

// Frames that the node has given, and the device or ring has just refused, wait; the stash was
// empty.
void rt_stash_refused(struct rt_lcore *lc, struct rt_end *e, void **item, unsigned n, tstamp now);
// Appends frames that the node has given to the stash, and offers the first ones of the stash.
void rt_stash_join(struct rt_lcore *lc, struct rt_end *e, void **item, unsigned n, tstamp now);
// Drops the frames that the watchdog drops, holds frames of classes that the peer has paused, lets
// frames of other classes go, and offers the waiting frames.
void rt_stash_offer(struct rt_lcore *lc, struct rt_end *e, tstamp now);
// Like rt_stash_offer(), but it offers nothing unless a held frame was let go. Returns how many
// frames the driver may ask of the node: 0 while frames wait.
unsigned rt_stash_room(struct rt_lcore *lc, struct rt_end *e, tstamp now);
// Whether the node may be asked for another PFC or PAUSE frame.
static inline bool rt_stash_takes_urgent(const struct rt_end *e)
{
	return e->n_urgent < RT_URGENT && e->n_stash < RT_STASH;
}
// The link has gone down: frees all frames of a device's stash, and counts them as unsent.
void rt_stash_drop(struct rt_lcore *lc, struct rt_end *e, tstamp now);

#pragma GCC visibility pop
