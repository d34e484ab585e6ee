// SPDX-License-Identifier: BSD-3-Clause
// Counters and events of dropped frames.
#include "buffer.h"

#include "base/hint.h"

// Returns whether the shared buffer refused the frame because of its ingress group: an ingress
// drop.
static bool of_buffer(enum sw_drop why)
{
	return why == SW_DROP_SHARED || why == SW_DROP_HEADROOM || why == SW_DROP_BUFFER;
}

static void lost_at(struct sw_port *in, unsigned cls, unsigned why, unsigned frames, uint64_t len)
{
	in->rare->stats.drop[why] += frames;
	in->rare->cls[cls].dropped_frames += frames;
	in->rare->cls[cls].dropped_bytes += len + frames * (uint64_t)PKT_FCS;
}

void sw_count_lost(
	struct sw_port *in, unsigned cls, unsigned pg, unsigned why, unsigned frames, uint64_t len)
{
	lost_at(in, cls, why, frames, len);
	in->rare->cls[pg].pfcwd_dropped_frames += sw_drop_fate(why) == DROP_EXEMPT ? frames : 0;
	in->rare->cls[pg].pg_dropped_frames += sw_drop_fate(why) == DROP_LOSS ? frames : 0;
}

// Counts the drop at the egress port, and fills the event.
static void tell_drop(struct sw *sw, const struct pkt *p, enum sw_drop why, unsigned out,
	uint64_t held_bytes, tstamp now)
{
	struct ev *ev = ev_put(sw->events, EV_DROP, now);

	if (out < sw->n_ports) {
		struct sw_class_stats *q = &sw->port[out].rare->cls[p->cls];

		sw->port[out].rare->stats.tx_dropped_frames += !of_buffer(why);
		q->cn_discarded_frames += sw->port[out].out[p->cls].cp != NULL;
		q->wred_dropped_frames += why == SW_DROP_WRED;
	}
	if (ev) {
		ev->drop.reason = why;
		ev->drop.out = out;
		ev->drop.held_bytes = held_bytes;
		ev->drop.bytes = p->len;
		ev->drop.number = pkt_number(p);
		ev->port = p->in_port;
		ev->cls = p->cls;
	}
}

void sw_count_drop(struct sw *sw, const struct pkt *p, enum sw_drop why, unsigned out,
	uint64_t held_bytes, tstamp now)
{
	struct sw_port *in = &sw->port[p->in_port];
	const struct sw_left one = sw_left_one(sw, p);

	if (UNLIKELY(in->away))
		sw_fabric_credit(sw, &one, why, now);
	else
		sw_count_lost(in, p->cls, one.pg, why, 1, p->len);
	tell_drop(sw, p, why, out, held_bytes, now);
}

void sw_drop_own(struct sw *sw, struct pkt *p, unsigned out, tstamp now)
{
	lost_at(&sw->port[p->in_port], p->cls, SW_DROP_SHARED, 1, p->len);
	tell_drop(sw, p, SW_DROP_SHARED, out, sw->mmu.used, now);
	pkt_put(sw->stack, p);
}

void sw_drop(struct sw *sw, struct pkt *p, enum sw_drop why, unsigned out, uint64_t held_bytes,
	tstamp now)
{
	sw_count_drop(sw, p, why, out, held_bytes, now);
	pkt_put(sw->stack, p);
}
