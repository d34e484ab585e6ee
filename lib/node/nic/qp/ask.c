// SPDX-License-Identifier: BSD-3-Clause
// READs that are asked for: the queue pair that requests them and takes their responses as data.
#include <errno.h>
#include <stdlib.h>

#include "int.h"
#include "wire/bth.h"

int nic_read_init(struct nic_qp *qp, const struct nic_qp_params *p)
{
	struct nic_read *d;

	if (!p->outstanding || p->outstanding > RC_MESSAGES)
		return -EINVAL;

	unsigned room = 1u << nic_ring_size(p->outstanding);

	d = calloc(1, sizeof(*d) + room * sizeof(d->ring[0]));
	if (!d)
		return -ENOMEM;
	rc_tx_init(&d->tx, p->rc, &d->past, p->psn);
	rc_tx_lend(&d->tx, d->ring, room);
	d->start_at = p->start;
	qp->rsp.read = d;
	return 0;
}

// A request goes out in the class of the data, as the other verbs' requests do.
static void send_request(
	struct nic *nic, struct nic_qp *qp, const struct rc_segment *seg, tstamp now)
{
	const struct pkt_rc rc = {.opcode = seg->opcode,
		.bth = BTH_ACKREQ,
		.psn = seg->psn,
		.qpn = qp->rsp.peer_qpn,
		.arg = seg->dma_len};

	if (seg->retx)
		nic_tell_nak(nic, qp, seg->psn, now);
	// One that finds no packet is lost: the timeout will tell.
	(void)nic_rsp_send(nic, qp, PKT_ROCE, seg->retx ? PKT_F_RETX : 0, rc, now);
}

// Posts and requests all that may be outstanding.
static void ask(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	const struct nic_qp_params *p = &nic_kind(nic, qp->rsp.kind)->p;
	struct nic_read *d = qp->rsp.read;
	struct rc_segment seg;

	while (d->running && now < p->stop && now < nic->quiet_at &&
		d->tx.messages < p->outstanding && (!p->count || rc_tx_posted(&d->tx) < p->count)) {
		if (rc_tx_post(&d->tx, p->message_bytes, now))
			break;
	}
	while (rc_tx_ready(&d->tx)) {
		if (d->tx.cfg->repairs)
			irn_read_request(&d->tx, &nic->maps, &seg, now);
		else
			rc_tx_request(&d->tx, &seg, now);
		send_request(nic, qp, &seg, now);
	}
	nic_timer_by(nic, qp, rc_tx_rto_at(&d->tx));
	if (!d->tx.messages && !d->tx.failed && d->peer &&
		nic_ends(nic, p, rc_tx_posted(&d->tx), now))
		nic_peer_end(nic, qp, now);
}

static void fail(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_read *d = qp->rsp.read;
	struct ev *ev = ev_put(nic->events, EV_QP_FAILED, now);

	if (ev)
		ev->qp.flow = qp->rsp.flow;
	nic_rsp_use(&qp->rsp)->s.message_fail += d->tx.messages;
	nic_req_lose(nic, qp->rsp.flow, &d->tx, now);
	d->running = false;
	irn_tx_release(&d->tx, &nic->maps);
	nic_peer_end(nic, qp, now);
}

void nic_read_connect(struct nic_qp *qp, uint32_t qpn, uint32_t psn, unsigned reads)
{
	qp->rsp.peer_qpn = qpn;
	rc_tx_begin(&qp->rsp.read->tx, psn);
	qp->rsp.read->past.reads = (uint8_t)reads;
}

void nic_read_abandon(struct nic *nic, struct nic_qp *qp, enum rc_failure why, tstamp now)
{
	rc_tx_fail(&qp->rsp.read->tx, why);
	fail(nic, qp, now);
}

static void completed(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct rc_message m;

	while (rc_tx_done(&qp->rsp.read->tx, &m)) {
		struct ev *ev = ev_put(nic->events, EV_MSG_DONE, now);

		nic_rsp_use(&qp->rsp)->s.message_complete_rx++;
		qp->rsp.whole_at = now;
		if (!ev)
			continue;
		ev->message.flow = qp->rsp.flow;
		ev->message.bytes = m.bytes;
		ev->message.begun = m.begun;
		ev->message.posted = m.posted;
	}
}

// `kept`: a response that came early, and is kept. `asks`: it makes the requester ask again.
static void book(struct nic *nic, struct nic_rsp_use *u, enum rc_rx_verdict v, unsigned payload,
	bool kept, bool asks)
{
	if (v == RC_RX_ACCEPT || kept) {
		u->rc.packets++;
		u->rc.payload_bytes += payload;
		u->s.rx_bytes += payload;
	}
	switch (v) {
	case RC_RX_ACCEPT:
		break;
	case RC_RX_DUPLICATE:
		u->rc.duplicates++;
		break;
	default:
		u->rc.sequence_errors += v == RC_RX_GAP && !kept;
		u->rc.discarded += v != RC_RX_GAP;
		u->s.frame_sequence_error++;
		nic->s.out_of_sequence++;
		nic->s.implied_nak_seq_err += asks;
		break;
	}
}

void nic_read_response(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_read *d = qp->rsp.read;
	const struct pkt_rc *rc = &p->u.rc;
	bool repairs = d->tx.cfg->repairs;
	unsigned done;
	enum rc_rx_verdict v;

	if (repairs)
		v = irn_read_response(&d->tx, &nic->maps, rc->psn, rc->payload, &done, now);
	else
		v = rc_tx_response(&d->tx, rc->psn, rc->payload, &done, now);
	nic_rsp_count(qp, p, now);
	book(nic, nic_rsp_use(&qp->rsp), v, rc->payload, repairs && v == RC_RX_GAP,
		v == RC_RX_GAP && (!repairs || d->tx.past->resend));
	if (pkt_ecn(p) == ECN_CE)
		nic_rsp_congestion(nic, qp, now);
	if (done)
		completed(nic, qp, now);
	ask(nic, qp, now);
}

void nic_read_nak(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_read *d = qp->rsp.read;
	bool nak = p->u.rc.syndrome >> 5, had_failed = d->tx.failed;
	struct ev *ev = nak ? ev_put(nic->events, EV_NAK, now) : NULL;

	if (ev) {
		ev->retry.flow = qp->rsp.flow;
		ev->retry.psn = p->u.rc.psn;
	}
	nic->s.packet_seq_err += p->u.rc.syndrome == AETH_NAK_PSN;
	nic_rsp_use(&qp->rsp)->s.nak_rx += nak;
	nic_rsp_use(&qp->rsp)->s.ack_rx += !nak;
	if (nak && d->tx.cfg->repairs)
		irn_read_nak(&d->tx, &nic->maps, p->u.rc.psn, p->u.rc.syndrome, now);
	else
		rc_tx_ack(&d->tx, p->u.rc.psn, p->u.rc.syndrome, now);
	if (d->tx.failed && !had_failed)
		fail(nic, qp, now);
	ask(nic, qp, now);
}

static void rto(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_read *d = qp->rsp.read;
	enum rc_expired what = d->tx.cfg->repairs ? irn_read_expire(&d->tx, &nic->maps, now)
						  : rc_tx_expire(&d->tx, now);

	if (what == RC_TIMEOUT) {
		struct ev *ev = ev_put(nic->events, EV_TIMEOUT, now);

		if (ev)
			ev->retry = (struct ev_retry){
				qp->rsp.flow, d->tx.una, nic_rsp_use(&qp->rsp)->s.last_timestamp};
		nic->s.local_ack_timeout_err++;
	}
	if (d->tx.failed)
		fail(nic, qp, now);
	ask(nic, qp, now);
}

tstamp nic_read_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_read *d = qp->rsp.read;

	if (now >= d->start_at)
		nic_read_run(nic, qp, true, now);
	if (d->paused)
		return d->start_at;
	if (now >= rc_tx_rto_at(&d->tx))
		rto(nic, qp, now);
	return tstamp_min(d->start_at, rc_tx_rto_at(&d->tx));
}

void nic_read_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_read *d = qp->rsp.read;

	d->start_at = TSTAMP_NEVER;
	if (!on)
		nic_peer_unwant(qp);
	else if (nic_peer_holds(nic, qp, now))
		return;
	d->running = on && !d->tx.failed;
	ask(nic, qp, now);
}

void nic_read_adopt(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_read *d = qp->rsp.read;

	rc_tx_adopt(&d->tx, qp->rsp.rx.cfg, now);
	if (d->tx.messages && !d->tx.failed)
		ask(nic, qp, now);
}

void nic_read_pause(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_read *d = qp->rsp.read;

	if (on == d->paused)
		return;
	d->paused = on;
	if (on)
		return;
	rc_tx_wait_anew(&d->tx, now);
	ask(nic, qp, now);
}
