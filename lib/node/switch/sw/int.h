// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the files of room sw share: the path of a frame through the switch.
#pragma once

#include "sw.h"
#include "cn.h"
#include "egress.h"
#include "marker.h"
#include "buffer/buffer.h"
#include "fdb/fdb.h"
#include "pause/pause.h"
#include "shards/shards.h"

#pragma GCC visibility push(hidden)

// sw.c: pauses that run out, storms that end and polls of the watchdog by `now`
void sw_timers(struct sw *sw, struct sw_port *o, tstamp now);

// sw.c: shard k of a cut switch; sw_fini frees the fabric, too.
int sw_shard_init(struct sw **sw, struct sw_fabric *f, unsigned k, const struct sw_params *params,
	struct pkt_stack *stack, struct ev_ring *events);

// sw.c: 0 or -EINVAL
int sw_set_weight(struct sw_port *o, unsigned cls, uint64_t weight);

// set.c: compiles the sets. 0, -EINVAL or -ENOMEM.
int sw_set_init(struct sw *sw, const struct sw_params *p);

// adopt.c: CTL_ADOPT
void sw_adopt(struct sw *sw, const struct sw_change *c, tstamp now);

// rx.c: takes a frame for port `out` that another shard has admitted; `untagged`: that shard has
// removed its CN-TAG.
void sw_arrived(struct sw *sw, struct pkt *p, unsigned out, bool untagged, tstamp now);

// The origin of a frame for a queue: this shard received it, this shard made it, or another shard
// admitted it and has learned its addresses and flow.
enum sw_origin { SW_RECEIVED, SW_OWN, SW_CROSSED };

// bundle.c: takes n frames, 1 to SW_BURST, that a port has received. `way`: their egress ports and
// classes, PKT_NO_PORT for a frame that is not simply forwarded; NULL: not looked up yet.
void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **frame, const struct sw_way *way,
	unsigned n, tstamp now);
// The same for frames that the shard of port `in` has admitted.
void sw_arrived_burst(struct sw *sw, struct sw_port *in, struct pkt **frame,
	const struct sw_way *way, unsigned n, tstamp now);

// crossing.c
tstamp sw_fabric_deadline(const struct sw *shard); // the next message

// rx.c
// Frames that are not simply forwarded. sw_rx_odd returns true if the frame is forwarded after all,
// because its fault is above layer 2; else the frame is gone.
bool sw_rx_odd(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now);
void sw_rx_no_port(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// sw_count_in counts a received frame. sw_rx_to also queues it at port `out`, or drops it.
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
	const struct sw_cls *k = &o->set->cls[cls];

	if (k->hooks & SW_HOOK_HEAVY && o->e.q[cls].bytes >= k->heavy_bytes &&
		!(o->heavy >> cls & 1))
		sw_iqcn_heavy(sw, o, cls, true, now);
	if (k->hooks & SW_HOOK_ZONE)
		sw_zone_joined(o, cls);
}

#pragma GCC visibility pop
