// SPDX-License-Identifier: BSD-3-Clause
// When a port of the switch is due for something else than frames, and which queues may not send.
#include "port.h"

void sw_timer_changed(struct sw *sw, struct sw_port *o)
{
	o->timer = tstamp_min(o->rare->prx.next_expiry, o->wd ? o->wd->next : TSTAMP_NEVER);
	if (o->response)
		o->timer = tstamp_min(o->timer, o->response->due);
	if (o->shape)
		o->timer = tstamp_min(o->timer, o->shape->s.next);
	if (sw->iqcn)
		o->timer = tstamp_min(o->timer, iqcn_deadline(sw->iqcn, o->index));
	for (unsigned left = o->rare->storm; left; left &= left - 1)
		o->timer = tstamp_min(o->timer, o->rare->storm_end[__builtin_ctz(left)]);
}

void sw_blocked(struct sw *sw, struct sw_port *o)
{
	o->blocked = sw_paused(sw, o) | (o->shape ? o->shape->s.held : 0);
}
