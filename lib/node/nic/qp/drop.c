// SPDX-License-Identifier: BSD-3-Clause
// Frames that a NIC drops: each is counted and reported with its reason.
#include "int.h"

void nic_drop(struct nic *nic, enum nic_drop why, struct pkt *p, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_DROP, now);

	nic->s.drop[why]++;
	if (ev) {
		ev->cls = p->cls;
		ev->drop.reason = why;
		ev->drop.out = PKT_NO_PORT;
		ev->drop.held_bytes = why == NIC_DROP_RXBUF
					      ? nic_rxbuf_drains(&nic->rxbuf,
							tstamp_since(nic->rxbuf.empty_at, now))
					      : 0;
		ev->drop.bytes = p->len;
		ev->drop.number = pkt_number(p);
	}
	pkt_put(nic->stack, p);
}

// A frame that was owed and could not be made: it is originated and dropped in one.
void nic_no_desc(struct nic *nic, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_DROP, now);

	if (ev) {
		ev->drop.reason = NIC_DROP_NO_DESC;
		ev->drop.out = PKT_NO_PORT;
	}
	nic->s.originated_frames++;
	nic->s.drop[NIC_DROP_NO_DESC]++;
}
