// SPDX-License-Identifier: BSD-3-Clause
// The responder of READs, whose responses are paced by a requester's limiter.
#include "int.h"
#include "wire/bth.h"

static void send_nak(struct nic *nic, struct nic_qp *qp, uint8_t syndrome, tstamp now)
{
	const struct rc_source *src = nic_source(qp);

	nic_send_nak(nic, qp, syndrome, src->epsn, src->msn, now);
}

void nic_read_refuse(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	uint8_t syndrome = rc_source_nak(nic_source(qp));

	if (syndrome)
		send_nak(nic, qp, syndrome, now);
}

// Refuses the request that is expected. The NAK may have to wait.
static void refuse(struct nic *nic, struct nic_qp *qp, const struct rc_refused *why, tstamp now)
{
	struct rc_source *src = nic_source(qp);

	nic_refused(nic, qp, why, src->epsn, now);
	rc_source_refuse(src, rc_refusal_syndrome((enum rc_refusal)why->why));
	nic_read_refuse(nic, qp, now);
}

void nic_read_strange(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	const struct rc_refused why = {.why = RC_REFUSED_VERB,
		.opcode = p->u.rc.opcode,
		.its = p->u.rc.opcode,
		.ours = RC_TAKES_READS};
	const struct rc_source *src = nic_source(qp);

	if (p->u.rc.psn == src->epsn && !src->ended)
		refuse(nic, qp, &why, now);
}

// Returns whether the expected request names memory that it may read. *why: the reason if not.
static bool may_read(const struct nic_qp *qp, const struct pkt *p, struct rc_refused *why)
{
	const struct nic_peer *r = qp->req.more->peer;
	struct rc_reth reth;

	if (!r || !r->p.guards || !(p->flags & PKT_F_FOREIGN))
		return true;
	reth = nic_reth(p);
	return !rc_guard_region(&r->guard, &reth, p->u.rc.opcode, why);
}

// Why rc_source_request() does not take the expected request.
static struct rc_refused why_invalid(const struct nic_qp *qp, const struct pkt *p)
{
	struct rc_refused why = {.opcode = p->u.rc.opcode};

	if (p->u.rc.arg > RC_BYTES_MAX) {
		why.why = RC_REFUSED_LONG;
		why.its = p->u.rc.arg;
		why.ours = RC_BYTES_MAX;
	} else {
		why.why = RC_REFUSED_READS;
		why.ours = nic_source(qp)->cfg->p.rd_atomic;
		why.its = why.ours + 1;
	}
	return why;
}

void nic_read_request(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_req *r = &qp->req;
	struct rc_source *src = nic_source(qp);
	struct rc_refused why;

	if (pkt_ecn(p) == ECN_CE) { // of a request: nobody would slow down
		nic->s.np_ecn_marked_roce_packets++;
		nic_counts(qp)->ecn_ce_rx++;
	}
	if (p->u.rc.psn == src->epsn && !src->ended && !may_read(qp, p, &why)) {
		refuse(nic, qp, &why, now);
		return;
	}
	switch (rc_source_request(src, &r->tx, p->u.rc.psn, p->u.rc.arg)) {
	case RC_RX_DUPLICATE:
		nic->s.duplicate_request++;
		// fall through
	case RC_RX_ACCEPT:
		if (qp->running)
			nic_req_wake(nic, qp, now);
		else
			nic_req_start(nic, qp, now);
		break;
	case RC_RX_GAP:
		nic->s.out_of_sequence++;
		nic_counts(qp)->frame_sequence_error++;
		send_nak(nic, qp, AETH_NAK_PSN, now);
		break;
	case RC_RX_INVALID:
		why = why_invalid(qp, p);
		refuse(nic, qp, &why, now);
		break;
	case RC_RX_DISCARD:
	case RC_RX_AHEAD:
		break;
	}
}

void nic_read_serve(const struct nic *nic, struct nic_qp *qp, uint32_t qpn, uint32_t psn)
{
	qp->req.peer_qpn = qpn;
	rc_source_init(nic_source(qp), nic_kind(nic, qp->req.kind)->p.rc, &qp->req.tx, psn);
}
