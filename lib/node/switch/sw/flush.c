// SPDX-License-Identifier: BSD-3-Clause
// Drops the frames of an egress queue: the link is down, or the watchdog has shut the queue.
#include "egress.h"

#include "cn.h"
#include "buffer/buffer.h"

void sw_flush(struct sw *sw, struct sw_port *o, unsigned cls, enum sw_drop why, tstamp now)
{
	while (o->e.q[cls].head) {
		struct pkt *p = eport_get(&o->e, (int)cls, now);
		uint32_t bytes = p->len + sw->queue_extra;

		if (!sw->port[p->in_port].away) // else its shard gives the group's side back
			sw_release(sw, p, o->index, cls, bytes, now);
		else if (sw->two_sided)
			mmu_leave_queue(
				&sw->pools, o->index, cls, mmu_cells(&sw->pools_cfg, bytes));
		sw_drop(sw, p, why, o->index, o->e.q[cls].bytes, now);
	}
	o->zone &= (uint8_t) ~(1u << cls);
	if (o->heavy >> cls & 1)
		sw_iqcn_heavy(sw, o, cls, false, now);
	if (o->out[cls].avg)
		red_avg_empty(o->out[cls].avg, now);
}
