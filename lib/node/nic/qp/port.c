// SPDX-License-Identifier: BSD-3-Clause
// The port of a NIC: its classes, their queues and pauses, the frames that it drops, and when it
// could act next.
#include "int.h"

void nic_queue(struct nic *nic, unsigned cls, struct pkt *p, tstamp now)
{
	nic->s.originated_frames++;
	if (nic->up)
		eport_put(&nic->e, nic->queue_of[cls], p, now);
	else
		nic_drop(nic, NIC_DROP_LINK_DOWN, p, now);
}

uint8_t nic_queues_of(const struct nic *nic, uint8_t classes)
{
	uint8_t queues = 0;

	for (unsigned left = classes; left; left &= left - 1)
		queues |= (uint8_t)(1u << nic->queue_of[__builtin_ctz(left)]);
	return queues;
}

void nic_stop_queues(struct nic *nic)
{
	nic->stopped = nic_queues_of(nic, nic->pr.paused);
	nic->blocked = nic->stopped | nic->shaper.held;
}

void nic_shut(struct nic *nic, unsigned queue, tstamp at)
{
	nic->cls[queue].shut_at = tstamp_min(nic->cls[queue].shut_at, at);
}

void nic_open(struct nic *nic, unsigned queue, tstamp at)
{
	struct nic_cls *c = &nic->cls[queue];

	if (c->shut_at == TSTAMP_NEVER || !nic->up || nic->stopped >> queue & 1)
		return;
	c->shut_ps += tstamp_since(at, c->shut_at);
	c->shut_from = c->shut_at;
	c->opened = at;
	c->shut_at = TSTAMP_NEVER;
}

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

// The earliest instant tx could act. Frames, the gaps between them and PFC wait for the wire and
// the link; timers do not.
void nic_reckon(struct nic *nic)
{
	struct eport *e = &nic->e;

	nic->timer_at = tstamp_min(
		wheel_first(&nic->timers), tstamp_min(nic->pr.next_expiry, nic->slow_at));
	nic->timer_at = tstamp_min(nic->timer_at, nic->response.due);
	nic->deadline = nic->timer_at;
	if (!nic->up)
		return;

	unsigned wants = e->nonempty | e->pull;
	tstamp send_at = 0;

	if (!(wants & ~(unsigned)nic->blocked)) {
		send_at = tstamp_min(wheel_first(&nic->gap), pause_tx_deadline(&nic->pt));
		send_at = tstamp_min(send_at, tstamp_min(nic->mac.next, nic->replay_at));
		if (UNLIKELY(nic->shaped) && wants & ~(unsigned)nic->stopped)
			send_at = tstamp_min(send_at, nic->shaper.next);
	}
	send_at = tstamp_max(send_at, tstamp_max(eport_free_at(e), nic->desc_at));
	nic->deadline = tstamp_min(nic->deadline, send_at);
}
