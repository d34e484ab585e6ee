// SPDX-License-Identifier: BSD-3-Clause
// Marks a frame: the action, the counters and the event.
#include "marker.h"

#include "cn.h"

#include "base/hint.h"

static bool has_psn(const struct pkt *p)
{
	return p->kind == PKT_DATA || p->kind == PKT_ACK || p->kind == PKT_ROCE;
}

INLINE void set_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now)
{
	struct ev *ev;

	o->rare->cls[p->cls].ecn_marked_not_ect_frames += pkt_ecn(p) == ECN_NOT_ECT;
	pkt_mark_ce(p);
	o->out[p->cls].ecn_marked_frames++;
	ev = ev_put(sw->events, EV_MARK, now);
	if (ev) {
		ev->mark.hdr = pkt_hdr_id(p);
		ev->mark.psn = has_psn(p) ? p->u.rc.psn : 0;
		ev->mark.queue_bytes = seen_bytes;
		ev->port = o->index;
		ev->cls = p->cls;
	}
}

void sw_mark_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now)
{
	set_ce(sw, o, p, seen_bytes, now);
}

void sw_mark(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now)
{
	uint64_t seen_bytes = o->out[p->cls].avg ? red_avg_bytes(o->out[p->cls].avg) : qlen_bytes;

	if (o->out[p->cls].curve)
		red_curve_marked(o->out[p->cls].curve, sw_out_ect(&o->out[p->cls]));
	if (UNLIKELY(o->set->cls[p->cls].hooks & SW_HOOK_MARK) &&
		sw_fast_cnp_marked(sw, o, p, seen_bytes, now))
		return;
	set_ce(sw, o, p, seen_bytes, now);
}
