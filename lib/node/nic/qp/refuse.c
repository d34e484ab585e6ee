// SPDX-License-Identifier: BSD-3-Clause
// Requests that queue pairs of this NIC refuse: each is counted and reported, and the first of each
// reason is kept. A requester refuses all requests of its peer.
#include "int.h"
#include "wire/bth.h"

void nic_send_nak(struct nic *nic, const struct nic_qp *qp, uint8_t syndrome, uint32_t psn,
	uint32_t msn, tstamp now)
{
	const struct nic_kind *k = nic_kind(nic, qp->requester ? qp->req.kind : qp->rsp.kind);
	uint8_t cls = qp->requester ? qp->cls : k->p.ack_cls;
	struct pkt *p = pkt_get_ctl(nic->stack);

	if (!p) {
		nic_no_desc(nic, now);
		return;
	}
	*p = (struct pkt){
		.hdr = qp->requester ? qp->req.data_hdr : qp->rsp.ack_hdr,
		.when = now,
		.born = now,
		.len = k->nak_len,
		.kind = PKT_ACK,
		.tos = (qp->requester ? k->p.tos : k->p.ack_tos) & (uint8_t)~3u,
		.cls = cls,
		.in_port = PKT_NO_PORT,
		.u.rc = {.opcode = BTH_RC_ACK,
			.syndrome = syndrome,
			.psn = psn,
			.qpn = qp->requester ? qp->req.peer_qpn : qp->rsp.peer_qpn,
			.arg = msn},
	};
	nic_counts(qp)->nak_tx++;
	nic_queue(nic, cls, p, now);
}

bool nic_refuse_request(struct nic *nic, const struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	const struct rc_refused why = {.why = RC_REFUSED_VERB,
		.opcode = p->u.rc.opcode,
		.its = p->u.rc.opcode,
		.ours = RC_TAKES_NOTHING};
	struct nic_peer *r = nic_peer_of(qp);
	uint32_t ahead;

	if (!r)
		return false;
	if (r->refused)
		return true;
	if (r->epsn == RC_NO_PSN)
		r->epsn = p->u.rc.psn;
	ahead = (p->u.rc.psn - r->epsn) & BTH_PSN_MASK;
	if (!ahead) {
		r->refused = true;
		nic_refused(nic, qp, &why, r->epsn, now);
		nic_send_nak(nic, qp, AETH_NAK_INVALID, r->epsn, 0, now);
	} else if (ahead <= BTH_PSN_MASK / 2 && !r->nak_sent) {
		r->nak_sent = true;
		nic->s.out_of_sequence++;
		nic_send_nak(nic, qp, AETH_NAK_PSN, r->epsn, 0, now);
	}
	return true;
}

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
