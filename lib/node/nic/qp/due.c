// SPDX-License-Identifier: BSD-3-Clause
// When a NIC could act next, reckoned after each call.
#include "qp.h"

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

	tstamp send_at = 0;

	if (!((e->nonempty | e->pull) & ~(unsigned)nic->pr.paused)) {
		send_at = tstamp_min(wheel_first(&nic->gap), pause_tx_deadline(&nic->pt));
		send_at = tstamp_min(send_at, tstamp_min(nic->mac.next, nic->replay_at));
	}
	send_at = tstamp_max(send_at, tstamp_max(eport_free_at(e), nic->desc_at));
	nic->deadline = tstamp_min(nic->deadline, send_at);
}
