// SPDX-License-Identifier: BSD-3-Clause
// What the files of room responder call of each other.
#pragma once

#include "responder.h"

#pragma GCC visibility push(hidden)

// rsp.c
// Counts a frame with data.
static inline void nic_rsp_count(struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);
	struct nic_qp_stats *s = &u->s;
	tstamp latency;

	if (!s->data_frames_rx++) {
		s->first_timestamp = now;
		s->latency_min = TSTAMP_NEVER;
	}
	s->last_timestamp = now;
	s->wire_bytes_rx += p->len + PKT_FCS;
	if (p->born == TSTAMP_NEVER) {
		s->latency_max = TSTAMP_NEVER;
		return;
	}
	latency = tstamp_since(now, p->born);
	s->latency_sum += latency;
	s->latency_min = tstamp_min(s->latency_min, latency);
	s->latency_max = tstamp_max(s->latency_max, latency);
	if (u->latency)
		hist_count(u->latency, latency);
}

void nic_rsp_congestion(struct nic *nic, struct nic_qp *qp, tstamp now); // it had CE

// ask.c
int nic_read_init(struct nic_qp *qp, const struct nic_qp_params *p);
tstamp nic_read_timer(struct nic *nic, struct nic_qp *qp, tstamp now);

// np.c: the notification point of a responder
int nic_np_init(struct nic *nic, struct nic_qp *qp);
tstamp nic_np_timer(struct nic *nic, struct nic_qp *qp, tstamp now);
// CE came, or a NAK that counts as CE.
void nic_np_notify(struct nic *nic, struct nic_qp *qp, bool nak, tstamp now);

#pragma GCC visibility pop
