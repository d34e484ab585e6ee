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

// Where a frame for a queue comes from: this shard received it, or made it, or another one has
// admitted it and learned from it what there is.
enum sw_origin { SW_RECEIVED, SW_OWN, SW_CROSSED };

// bundle.c: n frames, 1 to SW_BURST, that a port has received. `way`: where they go, each with its
// class, and PKT_NO_PORT for one that has to be looked at; NULL: that is to be found.
void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **frame, const struct sw_way *way,
	unsigned n, tstamp now);
// The same of frames that the shard of `in` has admitted.
void sw_arrived_burst(struct sw *sw, struct sw_port *in, struct pkt **frame,
	const struct sw_way *way, unsigned n, tstamp now);

// crossing.c
tstamp sw_fabric_deadline(const struct sw *shard); // the next message

// rx.c
// Frames that are not simply forwarded. sw_rx_odd: whether the frame goes on, for the fault that it
// has does not concern a bridge; else it is gone.
bool sw_rx_odd(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now);
void sw_rx_no_port(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// Counts a frame that has come in; and queues it at port `out`, or drops it.
void sw_count_in(struct sw *sw, const struct sw_port *in, const struct pkt *p);
void sw_rx_to(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// Drops a frame that a queue has refused (sw_joins).
void sw_refuse(struct sw *sw, const struct sw_port *o, struct pkt *p, enum sw_verdict v,
	uint32_t held, tstamp now);

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

#pragma GCC visibility pop
