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

// Takes the next data frame of a class and gives its buffer back. What that and its mark set off
// find the wire booked.
INLINE struct pkt *dequeue(struct sw *sw, struct sw_port *o, int cls, tstamp now)
{
	struct pkt *p = next_frame(o, cls, now);
	const struct sw_cls *k = &sw->cls[cls];
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

// The same where it need not be fast.
static struct pkt *dequeue_slowly(struct sw *sw, struct sw_port *o, int cls, tstamp now)
{
	return dequeue(sw, o, cls, now);
}

// What is due by time alone, with CNPs of iQCN.
ASIDE void timers(struct sw *sw, struct sw_port *o, tstamp now)
{
	if (sw->iqcn)
		sw_iqcn_timers(sw, o, now);
	sw_timers(sw, o, now);
}

// Before more frames leave in this call: what has left may have sent a CNM to a queue of the port,
// which is heavily congested by it, so that CNPs are due that only waited for that.
INLINE void timers_between(struct sw *sw, struct sw_port *o, unsigned more, tstamp now)
{
	if (more && UNLIKELY(now >= o->timer))
		timers(sw, o, now);
}

static unsigned tx_shaped(
	struct sw *sw, struct sw_port *o, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = 0;

	sw_shape_asked(sw, o, now);
	while (n < max && eport_free(&o->e, now)) {
		struct pkt *p;
		int cls;

		if (now >= o->ctl_at)
			sw_put_pfc(sw, o, now);
		cls = sw_shape_pick(o);
		if (cls < 0)
			break;
		if (max - n > 1 && cls < PKT_CLASSES) {
			unsigned run = sw_shape_burst(sw, o, cls, burst + n, max - n, now);

			n += run;
			if (run) {
				timers_between(sw, o, max - n, now);
				continue;
			}
		}
		p = cls == EPORT_CTL ? next_frame(o, cls, now) : dequeue_slowly(sw, o, cls, now);
		sw_shape_sent(sw, o, cls, p->len, now);
		burst[n++] = p;
		timers_between(sw, o, max - n, now);
	}
	sw_shape_left(sw, o);
	return n;
}

// Gives frames that leave together: of all classes that take turns, or of this one. 0: the next one
// goes alone.
INLINE unsigned tx_run(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now)
{
	uint8_t classes = sw_tx_turns(o, cls);
	unsigned n = 0;

	if (classes)
		n = sw_tx_round(sw, o, cls, classes, burst, max, NULL, now);
	return n ? n : sw_tx_burst(sw, o, cls, burst, max, NULL, now);
}

INLINE unsigned tx(struct sw *sw, struct sw_port *o, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = 0;

	while (n < max && eport_free(&o->e, now)) {
		struct pkt *p;
		int cls;

		if (UNLIKELY(now >= o->ctl_at))
			sw_put_pfc(sw, o, now);
		cls = eport_pick(&o->e, o->blocked);
		if (cls < 0)
			break;
		if (max - n > 1 && cls < PKT_CLASSES) {
			unsigned run = tx_run(sw, o, cls, burst + n, max - n, now);

			n += run;
			if (run) {
				timers_between(sw, o, max - n, now);
				continue;
			}
		}
		p = UNLIKELY(cls == PKT_CLASSES) ? next_frame(o, cls, now)
						 : dequeue(sw, o, cls, now);
		burst[n++] = p;
		timers_between(sw, o, max - n, now);
	}
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
						: tx(sw, o, burst, max, now);
	o->deadline = sw_port_due(o);
	return n;
}
