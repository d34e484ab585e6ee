// SPDX-License-Identifier: BSD-3-Clause
// Responders: requests taken in order, acknowledged or refused.
#include <errno.h>
#include <stdlib.h>

#include "int.h"
#include "base/hint.h"
#include "wire/bth.h"

int nic_rsp_check(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind)
{
	bool cnps = !nic->p.np_off && !nic->p.cnflag && !p->echo_ce;

	if (!p->rc || !p->ack_hdr || p->ack_cls >= PKT_CLASSES || (cnps && !p->cnp_hdr))
		return -EINVAL;
	return nic_kind_get(nic, p, kind);
}

int nic_rsp_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p, uint32_t kind)
{
	struct nic_rsp *r = &qp->rsp;
	int rc;

	r->kind = kind;
	rc_rx_init(&r->rx, p->rc, r->rx.stats, p->psn);
	r->ack_hdr = p->ack_hdr;
	r->cnp_hdr = p->cnp_hdr;
	r->flow = p->flow;
	r->qpn = p->qpn;
	r->peer_qpn = p->peer_qpn;
	rc = nic_np_init(nic, qp);
	return rc || p->rc->p.verb != RC_READ ? rc : nic_read_init(qp, p);
}

void nic_rsp_fini(struct nic_rsp *r)
{
	free(r->read);
}

tstamp nic_rsp_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	tstamp np = qp->rsp.np->np.cfg ? nic_np_timer(nic, qp, now) : TSTAMP_NEVER;

	return qp->rsp.read ? tstamp_min(nic_read_timer(nic, qp, now), np) : np;
}

void nic_rsp_connect(const struct nic *nic, struct nic_qp *qp, uint32_t qpn, uint32_t psn)
{
	struct nic_rsp *r = &qp->rsp;

	r->peer_qpn = qpn;
	rc_rx_init(&r->rx, nic_kind(nic, r->kind)->p.rc, r->rx.stats, psn);
}

INLINE void send_aeth(struct nic *nic, struct nic_qp *qp, bool nak, uint32_t psn, uint8_t syndrome,
	uint32_t msn, tstamp now)
{
	const struct pkt_rc rc = {.opcode = BTH_RC_ACK,
		.bth = qp->rsp.ce ? BTH_BECN : 0,
		.syndrome = syndrome,
		.psn = psn,
		.qpn = qp->rsp.peer_qpn,
		.arg = msn};

	if (!nic_rsp_send(nic, qp, PKT_ACK, 0, rc, now))
		return;
	nic_rsp_use(&qp->rsp)->s.nak_tx += nak;
	nic_rsp_use(&qp->rsp)->s.ack_tx += !nak;
}

void nic_tell_nak(struct nic *nic, const struct nic_qp *qp, uint32_t psn, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_NAK_TX, now);

	if (ev) {
		ev->retry.flow = qp->rsp.flow;
		ev->retry.psn = psn;
	}
}

// A NACK that names the packet that came.
static void send_nack(struct nic *nic, struct nic_qp *qp, uint32_t came, tstamp now)
{
	struct pkt_rc rc = {
		.opcode = BTH_IRN_NACK, .bth = qp->rsp.ce ? BTH_BECN : 0, .qpn = qp->rsp.peer_qpn};

	rc_rx_ack(&qp->rsp.rx, true, &rc.psn, &rc.syndrome, &rc.arg);
	rc.payload = (uint16_t)(came - rc.psn);
	nic_tell_nak(nic, qp, rc.psn, now);
	if (nic_rsp_send_long(nic, qp, PKT_ACK, nic_kind(nic, qp->rsp.kind)->nack_len, 0, rc, now))
		nic_rsp_use(&qp->rsp)->s.nak_tx++;
}

INLINE void send_ack(struct nic *nic, struct nic_qp *qp, bool nak, tstamp now)
{
	uint32_t psn, msn;
	uint8_t syndrome;

	rc_rx_ack(&qp->rsp.rx, nak, &psn, &syndrome, &msn);
	if (UNLIKELY(nak))
		nic_tell_nak(nic, qp, psn, now);
	send_aeth(nic, qp, nak, psn, syndrome, msn, now);
}

ASIDE void refuse(struct nic *nic, struct nic_qp *qp, const struct rc_refused *why, tstamp now)
{
	uint32_t psn, msn;

	rc_rx_refuse(&qp->rsp.rx, &psn, &msn);
	nic_refused(nic, qp, why, psn, now);
	send_aeth(nic, qp, true, psn, rc_refusal_syndrome((enum rc_refusal)why->why), msn, now);
}

bool nic_rsp_allows(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_peer *r = nic_rsp_use(&qp->rsp)->guarded;
	struct rc_refused why;
	struct rc_reth reth;

	if (qp->rsp.read) // it asks, and takes nothing
		return !nic_refuse_request(nic, qp, p, now);
	if (!r || !(p->flags & PKT_F_FOREIGN) || p->u.rc.psn != qp->rsp.rx.epsn)
		return true;
	nic_connect_traffic(nic, r, now);
	reth = nic_reth(p);
	if (!rc_guard_packet(&r->guard, p->u.rc.opcode, p->u.rc.payload, &reth, &why))
		return true;
	nic_rsp_count(qp, p, now);
	refuse(nic, qp, &why, now);
	return false;
}

void nic_rsp_strange(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct rc_rx *rx = &qp->rsp.rx;
	const struct rc_refused why = {.why = RC_REFUSED_VERB,
		.opcode = p->u.rc.opcode,
		.its = p->u.rc.opcode,
		.ours = RC_TAKES_SEND_WRITE};
	uint32_t ahead = (p->u.rc.psn - rx->epsn) & BTH_PSN_MASK;
	bool ack = false;

	if (p->u.rc.psn == rx->epsn) {
		refuse(nic, qp, &why, now);
	} else if (rx->epsn != RC_NO_PSN && ahead <= BTH_PSN_MASK / 2) {
		nic->s.out_of_sequence++;
		rc_rx(rx, p->u.rc.opcode, p->u.rc.psn, 0, false, &ack);
		if (ack)
			send_ack(nic, qp, true, now);
	}
}

void nic_rsp_congestion(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	nic->s.np_ecn_marked_roce_packets++;
	nic_rsp_use(&qp->rsp)->s.ecn_ce_rx++;
	if (!nic_kind(nic, qp->rsp.kind)->echo_ce && !nic->p.np_off)
		nic_np_notify(nic, qp, false, now);
}

// A message has come whole. `born`: when the frame left that ended it.
static void count_message(
	struct nic *nic, struct nic_qp *qp, const struct pkt_rc *rc, tstamp born, tstamp now)
{
	struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);
	struct ev *ev;

	u->s.message_complete_rx = u->rc.messages;
	qp->rsp.whole_at = now;
	if (UNLIKELY(qp->works))
		nic_job_came(nic, qp, pkt_imm(rc), born, now);
	u->s.receives = u->rc.receives;
	if (u->s.immediate_rx == u->rc.immediates)
		return;
	u->s.immediate_rx = u->rc.immediates;
	qp->rsp.imm = pkt_imm(rc);
	ev = ev_put(nic->events, EV_IMMEDIATE, now);
	if (ev) {
		ev->immediate.flow = qp->rsp.flow;
		ev->immediate.value = qp->rsp.imm;
	}
}

// CE is echoed exactly: when it changes, the packets before the change are acknowledged by
// themselves (RFC 8257, 3.2), so that an ACK is true for all packets that it acknowledges. Returns
// whether an ACK was sent.
ASIDE bool ce_changes(struct nic *nic, struct nic_qp *qp, bool ce, tstamp now)
{
	bool owed = qp->rsp.rx.unacked;

	if (owed)
		send_ack(nic, qp, false, now);
	qp->rsp.ce = ce;
	return owed;
}

// Counts a packet that is not taken.
static void count_odd(struct nic *nic, struct nic_rsp_use *u, enum rc_rx_verdict v)
{
	if (v == RC_RX_DUPLICATE) {
		nic->s.duplicate_request++;
	} else {
		nic->s.out_of_sequence++;
		u->s.frame_sequence_error++;
	}
}

// Counts and answers a packet of selective repeat that came out of order, or behind which others
// wait.
ASIDE bool take_ahead(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now)
{
	struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);
	struct pkt_rc rc = p->u.rc;
	const struct irn_packet packet = {
		.opcode = rc.opcode, .psn = rc.psn, .payload = rc.payload, .imm = pkt_imm(&rc)};
	bool ack, nack, missed = qp->rsp.rx.nak_sent, ce = pkt_ecn(p) == ECN_CE;
	enum rc_rx_verdict v = irn_rx(&qp->rsp.rx, &nic->maps, &packet, &ack, &nack, now);
	uint32_t imm = 0;
	tstamp born = p->born;

	pkt_put(nic->stack, p);
	while (irn_rx_message(&qp->rsp.rx, &nic->maps, &imm)) {
		pkt_set_imm(&rc, imm);
		count_message(nic, qp, &rc, born, now);
	}
	if (v == RC_RX_ACCEPT || v == RC_RX_GAP)
		u->s.rx_bytes += packet.payload;
	if (v != RC_RX_ACCEPT)
		count_odd(nic, u, v);
	if (ce)
		nic_rsp_congestion(nic, qp, now);
	if (nack)
		send_nack(nic, qp, packet.psn, now);
	else if (ack)
		send_ack(nic, qp, false, now);
	if (nack && !missed && nic->np.with_nak && !nic_kind(nic, qp->rsp.kind)->echo_ce)
		nic_np_notify(nic, qp, true, now);
	return true;
}

bool nic_rsp_data(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now)
{
	struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);
	bool ack = false, ce = pkt_ecn(p) == ECN_CE;
	bool echo_ce = nic_kind(nic, qp->rsp.kind)->echo_ce;
	bool split = echo_ce && ce != qp->rsp.ce && ce_changes(nic, qp, ce, now);
	uint16_t payload = p->u.rc.payload;
	enum rc_rx_verdict v = rc_rx(
		&qp->rsp.rx, p->u.rc.opcode, p->u.rc.psn, payload, p->u.rc.bth & BTH_ACKREQ, &ack);

	nic_rsp_count(qp, p, now);
	if (u->s.message_complete_rx != u->rc.messages)
		count_message(nic, qp, &p->u.rc, p->born, now);
	if (LIKELY(v == RC_RX_ACCEPT))
		u->s.rx_bytes += payload;
	else if (v == RC_RX_AHEAD)
		return take_ahead(nic, qp, p, now);
	else
		count_odd(nic, u, v);
	pkt_put(nic->stack, p);
	if (ce)
		nic_rsp_congestion(nic, qp, now);
	if (ack)
		send_ack(nic, qp, v == RC_RX_GAP, now);
	if (ack && v == RC_RX_GAP && nic->np.with_nak && !echo_ce)
		nic_np_notify(nic, qp, true, now);
	return ce || ack || split;
}
