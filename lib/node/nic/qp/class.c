// SPDX-License-Identifier: BSD-3-Clause
// The classes of a NIC: their queues, and when a class is paused.
#include "qp.h"

void nic_queue(struct nic *nic, unsigned cls, struct pkt *p, tstamp now)
{
	nic->s.originated_frames++;
	if (nic->up)
		eport_put(&nic->e, cls, p, now);
	else
		nic_drop(nic, NIC_DROP_LINK_DOWN, p, now);
}

void nic_shut(struct nic *nic, unsigned cls, tstamp at)
{
	nic->cls[cls].shut_at = tstamp_min(nic->cls[cls].shut_at, at);
}

void nic_open(struct nic *nic, unsigned cls, tstamp at)
{
	struct nic_cls *c = &nic->cls[cls];

	if (c->shut_at == TSTAMP_NEVER || !nic->up || nic->pr.paused >> cls & 1)
		return;
	c->shut_ps += tstamp_since(at, c->shut_at);
	c->shut_from = c->shut_at;
	c->opened = at;
	c->shut_at = TSTAMP_NEVER;
}
