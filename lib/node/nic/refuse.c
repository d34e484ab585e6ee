// SPDX-License-Identifier: BSD-3-Clause
// Requests that queue pairs of this NIC have refused: each is counted and told, and of each reason
// the first is kept.
#include "int.h"

void nic_refused(struct nic *nic, const struct nic_qp *qp, const struct rc_refused *what,
	uint32_t psn, tstamp now)
{
	struct nic_refusal *r = &nic->refusal[what->why];
	struct ev *ev = ev_put(nic->events, EV_REFUSED, now);

	if (rc_refusal_syndrome((enum rc_refusal)what->why) == AETH_NAK_ACCESS)
		nic->s.resp_remote_access_errors++;
	else
		nic->s.resp_invalid_requests++;
	if (ev) {
		ev->refusal = what->why;
		ev->refused.flow = nic_flow(qp);
		ev->refused.psn = psn;
		ev->refused.its = what->its;
		ev->refused.ours = what->ours;
	}
	if (r->times++)
		return;
	r->what = *what;
	r->flow = nic_flow(qp);
	r->qpn = qp->requester ? qp->req.qpn : qp->rsp.qpn;
	r->psn = psn;
	r->at = now;
}

const struct nic_refusal *nic_refusal(const struct nic *nic, enum rc_refusal why)
{
	return nic->refusal[why].times ? &nic->refusal[why] : NULL;
}
