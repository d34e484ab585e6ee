// SPDX-License-Identifier: BSD-3-Clause
// The switch gives frames: pauses, scheduler, serializer, the marker at dequeue, buffer release.
#include "int.h"

#include "base/hint.h"

// Takes the next frame of a class, and books the wire for it.
INLINE struct pkt *next_frame(struct sw_port *o, int cls, tstamp now)
{
	struct pkt *p = eport_get(&o->e, cls, now);

	eport_sent(&o->e, cls, p->len, now);
	return p;
}

// Takes the next data frame of a class and gives its buffer back. The wire is booked first, so that
// an XON or a CNP that follows from this finds the wire busy.
INLINE struct pkt *dequeue(struct sw *sw, struct sw_port *o, int cls, tstamp now)
{
	struct pkt *p = next_frame(o, cls, now);
	const struct sw_cls *k = &o->set->cls[cls];
	struct sw_port *in = &sw->port[p->in_port];
	uint32_t bytes = p->len + sw->queue_extra;

	__builtin_prefetch(o->e.q[cls].head);
	sw_release(sw, p, o->index, (unsigned)cls, bytes, now);
	if (UNLIKELY(k->hooks & SW_HOOK_HEAVY) && o->heavy >> cls & 1 &&
		o->e.q[cls].bytes <= k->heavy_off_bytes)
		sw_iqcn_heavy(sw, o, (unsigned)cls, false, now);
	if (k->tx_look) {
		uint32_t qlen = o->e.q[cls].bytes + (k->excludes_frame ? 0 : bytes);

		if (k->tx_look == SW_LOOK_PLAIN ? sw_marker(k, o, p, qlen)
						: sw_wred_tx(sw, o, p, qlen, now))
			sw_mark(sw, o, p, qlen, now);
	}
	sw_in(sw, in, (unsigned)cls)[SW_IN_FORWARDED]++;
	return p;
}

// Handles the timers that are due, also the timers of iQCN.
ASIDE void timers(struct sw *sw, struct sw_port *o, tstamp now)
{
	if (sw->iqcn)
		sw_iqcn_timers(sw, o, now);
	sw_timers(sw, o, now);
}

// Handles timers before more frames leave in this call. A frame that left may have caused a CNM.
// The CNM can make its queue heavily congested, and then CNPs that waited for this become due.
INLINE void timers_between(struct sw *sw, struct sw_port *o, unsigned more, tstamp now)
{
	if (more && UNLIKELY(now >= o->timer))
		timers(sw, o, now);
}

// Gives the next frame of a class, or a burst of frames of this class and the classes that take
// turns with it. If only one frame may leave, it goes alone, because a burst has costs of its own.
// Frames of a queue whose frames all leave as CE go alone, too.
INLINE unsigned give(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max,
	const bool shaped, tstamp now)
{
	if (UNLIKELY(cls == EPORT_CTL)) {
		*burst = next_frame(o, cls, now);
	} else if (max == 1 || UNLIKELY(!o->e.cfg->tolerance_ps || o->zone)) {
		*burst = dequeue(sw, o, cls, now);
	} else {
		return shaped ? sw_shape_serve(sw, o, cls, burst, max, now)
			      : sw_serve(sw, o, (unsigned)cls, sw_turns(o, cls), burst, max, NULL,
					now);
	}
	if (shaped)
		sw_shape_sent(sw, o, cls, (*burst)->len, now);
	return 1;
}

INLINE unsigned tx(struct sw *sw, struct sw_port *o, struct pkt **burst, unsigned max,
	const bool shaped, tstamp now)
{
	unsigned n = 0;

	while (n < max && eport_free(&o->e, now)) {
		int cls;

		if (UNLIKELY(now >= o->ctl_at))
			sw_put_pfc(sw, o, now);
		cls = shaped ? sw_shape_pick(o) : eport_pick(&o->e, o->blocked);
		if (cls < 0)
			break;
		n += give(sw, o, cls, burst + n, max - n, shaped, now);
		timers_between(sw, o, max - n, now);
	}
	return n;
}

ASIDE unsigned tx_shaped(
	struct sw *sw, struct sw_port *o, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n;

	sw_shape_asked(sw, o, now);
	n = tx(sw, o, burst, max, true, now);
	sw_shape_left(sw, o);
	return n;
}

unsigned sw_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	struct sw_port *o = &sw->port[port];
	unsigned n;

	if (now < o->deadline)
		return 0;
	if (UNLIKELY(now >= o->timer))
		timers(sw, o, now);
	sw->burst = burst;
	sw->as_came = 0;
	n = UNLIKELY(o->flags & SW_PORT_SHAPED) ? tx_shaped(sw, o, burst, max, now)
						: tx(sw, o, burst, max, false, now);
	o->deadline = sw_port_due(o);
	return n;
}
