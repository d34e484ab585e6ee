// SPDX-License-Identifier: BSD-3-Clause
// Requesters: the workload that posts messages, the gap before the next frame, the reaction point.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "int.h"
#include "wire/bth.h"

// Bytes of a data frame besides payload and RETH (standards.md 3.1): Ethernet 14, IP 20 or 40, UDP
// 8, BTH 12, ICRC 4.
static uint16_t overhead(const struct nic_qp_params *p)
{
	if (p->overhead)
		return p->overhead;
	return (uint16_t)((p->data_hdr->flags & HDR_IPV6 ? 78 : 58) +
			  (p->data_hdr->flags & HDR_VLAN ? 4 : 0) +
			  (p->data_hdr->flags & HDR_CNTAG ? 4 : 0));
}

// How much later than told it starts: its share of the gap of its first frame. One that starts at
// the line's rate is not paced, and starts at once.
static tstamp phase(const struct nic *nic, const struct nic_qp *qp)
{
	const struct nic_req *r = &qp->req;
	uint32_t mtu = qp->p.rc->p.mtu;
	uint32_t payload = qp->p.message_bytes < mtu ? qp->p.message_bytes : mtu;
	uint32_t bytes =
		r->overhead + r->reth + ((payload + 3) & ~3u) + nic->ecfg.framing.wire_extra;

	if (r->rate >= nic->p.rate)
		return 0;
	return fixed_mul(rate_time(r->pacer.ps, bytes), qp->p.phase, 32);
}

static struct nic_rtt *new_rtt(const struct rc_params *p)
{
	uint32_t room = NIC_RTT_FRAMES;
	struct nic_rtt *t;

	while (!p->go_back_n && room < p->window)
		room *= 2;
	t = calloc(1, sizeof(*t) + room * sizeof(t->frame[0]));
	if (t)
		t->mask = room - 1;
	return t;
}

// Its reaction point: that of its flow ID or destination, or its own.
static int init_rp(struct nic *nic, struct nic_qp *qp)
{
	const struct rp_cfg *cfg = qp->p.rp;
	struct nic_req *r = &qp->req;
	size_t size = cfg ? rp_state_size(cfg) : 0;
	int rc = 0;

	r->rp = &r->own;
	r->rp_at = TSTAMP_NEVER;
	if (rp_asks(cfg) & RP_ASKS_RTT) {
		r->rtt = new_rtt(&qp->p.rc->p);
		if (!r->rtt)
			return -ENOMEM;
	}
	if (rp_is_joined(cfg))
		return nic_group_join(nic, qp);
	if (cfg && cfg->kind == RP_RDMA_IP) {
		rc = nic_rdma_ip_init(nic, qp);
	} else if (size) {
		r->rp_state = calloc(1, size);
		rc = r->rp_state ? 0 : -ENOMEM;
	}
	if (rc)
		return rc;
	rp_init(&r->own, cfg, r->rdma_ip ? (void *)r->rdma_ip : r->rp_state, NULL);
	r->rp_at = rp_deadline(&r->own);
	return 0;
}

void nic_req_fini(struct nic_req *r)
{
	free(r->rp_state);
	free(r->rtt);
}

int nic_req_init(struct nic *nic, struct nic_qp *qp)
{
	const struct nic_qp_params *p = &qp->p;
	struct nic_req *r = &qp->req;

	if (!p->data_hdr || !p->rc || p->cls >= PKT_CLASSES || !p->message_bytes)
		return -EINVAL;
	if (!p->outstanding || p->outstanding > RC_MESSAGES)
		return -EINVAL;
	if (p->rate_limit && p->rate_limit < RATE_MIN)
		return -EINVAL;
	r->overhead = overhead(p);
	r->reth = p->rc->p.verb == RC_WRITE && !p->no_reth ? 16 : 0;

	uint32_t longest = r->overhead + r->reth + ((p->rc->p.mtu + 3) & ~3u);

	if (longest > nic->p.mtu)
		return -EINVAL;
	if (nic->e.q[p->cls].pull_bytes < longest + nic->p.framing.queue_extra)
		nic->e.q[p->cls].pull_bytes = longest + nic->p.framing.queue_extra;
	r->tmpl = (struct pkt){
		.hdr = p->data_hdr,
		.kind = PKT_DATA,
		.tos = p->tos,
		.cls = p->cls,
		.in_port = PKT_NO_PORT,
		.u.rc.qpn = p->peer_qpn,
	};
	rc_tx_init(&r->tx, p->rc, 0);
	r->ceiling = p->rate_limit && p->rate_limit < nic->p.rate ? p->rate_limit : nic->p.rate;

	int rc = init_rp(nic, qp);

	if (rc)
		return rc;
	r->rate = nic_rp_paced(r);
	rc_tx_set_window(&r->tx, rp_window(r->rp));
	pacer_init(&r->pacer, r->rate);
	r->start_at = tstamp_add(p->start, phase(nic, qp));
	r->makes_up = tstamp_min(p->catch_up_ps, PACER_AUTO_LEAST);
	return 0;
}

// It may send again: for the time that it could not nothing is made up, whatever its rate did
// meanwhile.
void nic_req_wake(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	nic_timer_by(nic, qp, r->tx.rto_at);
	if (qp->state != NIC_QP_IDLE)
		return;
	if (!r->shared) {
		if (now >= r->rp_at)
			nic_rp_expire(nic, qp, now);
		pacer_restart(&r->pacer, now);
	}
	nic_req_place(nic, qp, now);
}

void nic_req_post(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	uint32_t most = qp->p.outstanding;

	if (r->rdma_ip && rdma_ip_qp_outstanding(r->rdma_ip, now) < most)
		most = rdma_ip_qp_outstanding(r->rdma_ip, now);
	while (r->running && now < qp->p.stop && r->posted - r->done < most &&
		(!qp->p.count || r->posted < qp->p.count)) {
		if (rc_tx_post(&r->tx, qp->p.message_bytes, now))
			break;
		r->posted++;
	}
	nic_req_wake(nic, qp, now);
}

static void start(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	qp->req.start_at = TSTAMP_NEVER;
	qp->req.running = true;
	rp_start(qp->req.rp, now);
	nic_rp_changed(nic, qp);
	nic_req_post(nic, qp, now);
}

void nic_req_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_req *r = &qp->req;

	if (!on) {
		r->start_at = TSTAMP_NEVER;
		r->running = false;
	} else if (!r->running) {
		r->start_at = now + phase(nic, qp);
		if (r->start_at > now)
			nic_timer_by(nic, qp, r->start_at);
		else
			start(nic, qp, now);
	}
}

// The class was shut since the ideal instant, and had been shut for `shut_ps` when the queue pair
// became ready. What it was behind by before is lost; for the time that the class was shut it was
// owed nothing.
static void reopen(const struct nic_cls *c, struct pacer *p, tstamp shut_ps)
{
	if (p->next >= c->opened || shut_ps == c->shut_ps)
		return;
	if (p->next < c->shut_from)
		pacer_give_up(p, tstamp_since(c->opened - p->next, c->shut_ps - shut_ps));
	pacer_restart(p, c->opened);
}

void nic_req_reopen(struct nic *nic, struct nic_qp *qp)
{
	const struct nic_cls *c = &nic->cls[qp->cls];

	reopen(c, &qp->req.pacer, qp->req.shut_ps);
	// Only once: a cut makes what it is behind by longer than the time since then.
	qp->req.shut_ps = c->shut_ps;
}

uint64_t nic_req_owed(const struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	const struct nic_cls *c = &nic->cls[qp->cls];
	uint64_t sent = qp->s.wire_bytes_tx +
			(uint64_t)(nic->ecfg.framing.wire_extra - PKT_FCS) * qp->s.data_frames_tx;
	struct pacer p = qp->req.pacer;

	if (nic_rdma_ip_windowed(&qp->req))
		return 0;
	if (qp->state == NIC_QP_READY) {
		reopen(c, &p, qp->req.shut_ps);
		pacer_give_up(&p, pacer_late(&p, tstamp_min(now, c->shut_at)));
	} else if (p.next > now) {
		sent -= pacer_bytes(p.ps, p.next - now);
	}
	return sent + p.lost;
}

// What the queue pair is behind by is reckoned to there, for nothing is owed while its
// class is shut.
tstamp nic_req_owing_at(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	const struct nic_cls *c = &nic->cls[qp->cls];
	tstamp shut = c->shut_at;

	if (at >= c->opened)
		nic_req_reopen(nic, qp);
	else if (at >= c->shut_from)
		shut = c->shut_from;
	return tstamp_min(at, tstamp_max(shut, qp->req.pacer.next));
}

static void completed(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct rc_message m;

	while (rc_tx_done(&qp->req.tx, &m)) {
		struct ev *ev = ev_put(nic->events, EV_MSG_DONE, now);

		qp->req.done++;
		if (ev) {
			ev->message.flow = qp->p.flow;
			ev->message.bytes = m.bytes;
			ev->message.begun = m.begun;
			ev->message.posted = m.posted;
		}
	}
	nic_req_post(nic, qp, now);
}

static void tell_rtt(struct nic *nic, const struct nic_qp *qp, tstamp rtt, tstamp now)
{
	struct ev *ev = rtt == TSTAMP_NEVER ? NULL : ev_put(nic->events, EV_RTT, now);

	if (!ev)
		return;
	ev->rtt.flow = qp->p.flow;
	ev->rtt.rtt_ps = rtt;
}

// How long the frame with this PSN took until its ACK came; TSTAMP_NEVER: it was not timed. What an
// ACK has passed over is forgotten.
static tstamp rtt_of(struct nic_rtt *t, uint32_t psn, tstamp now)
{
	tstamp rtt = TSTAMP_NEVER;

	while (t->n) {
		uint32_t ahead = (t->frame[t->first & t->mask].psn - psn) & BTH_PSN_MASK;

		if (ahead && ahead <= BTH_PSN_MASK / 2)
			break;
		if (!ahead)
			rtt = now - t->frame[t->first & t->mask].left;
		t->first++;
		t->n--;
	}
	return rtt;
}

// What the reaction point is told of an ACK that acknowledges something new. A NAK may do so, too,
// but it is no answer to the frame whose PSN it has: that one never came.
static void tell_ack(
	struct nic *nic, struct nic_qp *qp, const struct pkt *p, uint64_t before, tstamp now)
{
	struct nic_req *r = &qp->req;
	bool timed = r->rtt && !(p->u.rc.syndrome >> 5);
	struct rp_ack ack = {.bytes = rc_tx_acked(&r->tx) - before,
		.acked = rc_tx_acked(&r->tx),
		.sent = r->tx.next_bytes,
		.rtt = timed ? rtt_of(r->rtt, p->u.rc.psn, now) : TSTAMP_NEVER,
		.ce = p->u.rc.bth & BTH_BECN};

	tell_rtt(nic, qp, ack.rtt, now);
	if (ack.bytes)
		nic_rp_ack(nic, qp, &ack, now);
}

// Frames that are sent again are not timed.
static void went_back(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (qp->req.rtt)
		qp->req.rtt->n = 0;
	nic_rp_nak(nic, qp, now);
}

void nic_req_ack(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_req *r = &qp->req;
	// AETH syndrome: 000 ACK, 001 RNR NAK, 011 NAK in the top three bits (standards.md 3.1).
	bool nak = p->u.rc.syndrome >> 5, gap = p->u.rc.syndrome == AETH_NAK_PSN;
	uint64_t naks = r->tx.stats.naks;
	uint64_t before = r->rp->asks & RP_ASKS_ACK ? rc_tx_acked(&r->tx) : 0;
	unsigned done;

	if (nak) {
		struct ev *ev = ev_put(nic->events, EV_NAK, now);

		if (ev) {
			ev->retry.flow = qp->p.flow;
			ev->retry.psn = p->u.rc.psn;
		}
		nic->s.packet_seq_err += gap;
	}
	qp->s.nak_rx += nak;
	qp->s.ack_rx += !nak;
	if (nic->p.cnflag && p->u.rc.bth & BTH_BECN && !(r->rp->asks & RP_ASKS_CE))
		nic_rp_cnp(nic, qp, p->born, now);
	done = rc_tx_ack(&r->tx, p->u.rc.psn, p->u.rc.syndrome, now);
	if (r->rp->asks & RP_ASKS_ACK) {
		tell_ack(nic, qp, p, before, now);
		if (gap && r->tx.stats.naks != naks) // it did not come too late
			went_back(nic, qp, now);
	}
	if (done)
		completed(nic, qp, now);
	else
		nic_req_wake(nic, qp, now);
}

static void failed(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_QP_FAILED, now);

	if (ev)
		ev->qp.flow = qp->p.flow;
	qp->s.message_fail += qp->req.posted - qp->req.done;
	qp->req.running = false;
}

tstamp nic_req_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	if (now >= r->start_at)
		start(nic, qp, now);
	if (now >= r->tx.rto_at && rc_tx_expire(&r->tx, now)) {
		struct ev *ev = ev_put(nic->events, EV_TIMEOUT, now);

		if (ev) {
			ev->retry.flow = qp->p.flow;
			ev->retry.psn = r->tx.una;
		}
		nic->s.local_ack_timeout_err++;
		went_back(nic, qp, now);
		if (r->tx.failed)
			failed(nic, qp, now);
		else
			nic_req_wake(nic, qp, now);
	}
	if (now >= nic_rp_opens(qp) || nic_rp_opened(qp))
		nic_req_wake(nic, qp, now);
	if (r->tx.failed)
		return r->start_at;
	if (r->rdma_ip)
		return nic_rdma_ip_timer(nic, qp, now);
	return tstamp_min(r->start_at, tstamp_min(r->tx.rto_at, nic_rp_opens(qp)));
}
