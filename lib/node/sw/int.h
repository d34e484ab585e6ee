// SPDX-License-Identifier: BSD-3-Clause
// What the files of room sw call of each other: the way of a frame through the switch.
#pragma once

#include "sw.h"
#include "buffer/buffer.h"
#include "cn/cn.h"
#include "egress/egress.h"
#include "fdb/fdb.h"
#include "marker/marker.h"
#include "pause/pause.h"
#include "shards/shards.h"

#pragma GCC visibility push(hidden)

// sw.c: pauses that run out, storms that end and polls of the watchdog by `now`
void sw_timers(struct sw *sw, struct sw_port *o, tstamp now);

// sw.c: shard k of a cut switch; sw_fini frees the fabric, too.
int sw_shard_init(struct sw **sw, struct sw_fabric *f, unsigned k, const struct sw_params *params,
	struct pkt_stack *stack, struct ev_ring *events);

// rx.c: a frame that another shard admitted has come for port `out`; `untagged`: there it
// has lost its CN-TAG.
void sw_arrived(struct sw *sw, struct pkt *p, unsigned out, bool untagged, tstamp now);

// burst.c: those of SW_MSG_TRAIN join their queue as one, where nothing is to be decided about a
// frame of it; else false, and they go on as a burst.
bool sw_arrived_train(struct sw *sw, const struct sw_msg *m, const eport_car *car, tstamp now);
// burst.c: the frames of a message have come: another shard has admitted them, or only received
// them for a port of this one.
void sw_arrived_burst(struct sw *sw, const struct sw_msg *m, struct pkt **burst, tstamp now);
void sw_handed_over(struct sw *sw, const struct sw_msg *m, struct pkt **burst, tstamp now);

// crossing.c
tstamp sw_fabric_deadline(const struct sw *shard); // the next message

// rx.c
// Frames that are not simply forwarded. sw_rx_odd: whether the frame goes on, for the fault that it
// has does not concern a bridge; else it is gone.
bool sw_rx_odd(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now);
void sw_rx_no_port(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// Queues one frame at port `out`, or drops it.
void sw_queue(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// iQCN and Fast CNP learn from a frame that this shard has received, and that is queued: here now,
// or at another shard, where it is at the instant `at`.
void sw_learn_from(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp at, tstamp now);

static inline bool sw_is_odd(const struct sw_port *in, const struct pkt *p)
{
	return (SW_ODD_KINDS >> p->kind & 1) || p->len > in->max_len;
}

// Frames have joined a queue: iQCN and H3C's third zone look at its length.
static inline void sw_joined(struct sw *sw, struct sw_port *o, unsigned cls, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];

	if (k->hooks & SW_HOOK_HEAVY && o->e.q[cls].bytes >= k->heavy_bytes &&
		!(o->heavy >> cls & 1))
		sw_iqcn_heavy(sw, o, cls, true, now);
	if (k->hooks & SW_HOOK_ZONE)
		sw_zone_joined(sw, o, cls);
}

void sw_originate(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);

// sort.c: what a burst has in common is done once; the same comes of it as frame by frame.
// Takes n frames, at most SW_BURST, sorted by egress port and queue.
void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, tstamp now);

#pragma GCC visibility pop
