// SPDX-License-Identifier: BSD-3-Clause
// Requesters: the workload that posts messages, the gap before the next frame, the reaction point.
#include <assert.h>
#include <errno.h>

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

// DCQCN's reaction point or the RDMA IP's.
static enum rp_event rp_expire(struct nic_req *r, tstamp now)
{
	return r->rdma_ip ? rdma_ip_qp_expire(r->rdma_ip, now) : dcqcn_rp_expire(&r->rp, now);
}

static tstamp rp_at(const struct nic_req *r)
{
	return r->rdma_ip ? r->rdma_ip->rp.at : r->rp.at;
}

static tstamp rp_deadline(const struct nic_req *r)
{
	return r->rdma_ip ? rdma_ip_qp_deadline(r->rdma_ip) : dcqcn_rp_deadline(&r->rp);
}

static rate_t limited(const struct nic_req *r, rate_t rate)
{
	return rate < r->ceiling ? rate : r->ceiling;
}

static rate_t paced(const struct nic_req *r)
{
	return limited(r, r->rdma_ip ? rdma_ip_qp_rate(r->rdma_ip) : dcqcn_rp_rate(&r->rp));
}

void nic_req_rates(const struct nic_req *r, struct nic_rates *rates)
{
	if (r->rdma_ip) {
		const struct rdma_ip_rp *rp = &r->rdma_ip->rp;
		const struct rdma_ip_rp_core *core = &rp->cfg->core;

		// What the limiter enforces, whoever set it.
		*rates = (struct nic_rates){
			.rc = r->rate,
			.rt = rdma_ip_rp_bps_q8(rp->rt, core->clock_hz),
			.line = limited(r, rdma_ip_rp_bps(rp->cfg->r.max_rate, core->clock_hz)),
			.alpha = (uint64_t)rp->alpha << (60 - core->alpha_bits),
		};
	} else if (r->cn) {
		*rates = (struct nic_rates){
			.rc = r->cn->rp.rc,
			.rt = r->cn->rp.rt,
			.line = r->cn->rp.cfg->p.max_rate,
		};
	} else {
		*rates = (struct nic_rates){
			.rc = r->rp.rc,
			.rt = r->rp.rt,
			.line = r->rp.cfg->p.line_rate,
			.alpha = r->rp.alpha,
		};
	}
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
	r->rp_at = TSTAMP_NEVER;
	if (p->rp)
		dcqcn_rp_init(&r->rp, p->rp);
	r->ceiling = p->rate_limit && p->rate_limit < nic->p.rate ? p->rate_limit : nic->p.rate;

	int rc = p->rdma_ip ? nic_rdma_ip_init(nic, qp) : 0;

	if (rc)
		return rc;
	r->rate = p->rp || p->rdma_ip ? paced(r) : r->ceiling;
	pacer_init(&r->pacer, r->rate);
	r->start_at = tstamp_add(p->start, phase(nic, qp));
	r->makes_up = tstamp_min(p->catch_up_ps, PACER_AUTO_LEAST);
	return p->qcn ? nic_cn_join(nic, qp) : 0;
}

// It may send again: for the time that it could not nothing is made up, whatever its rate did
// meanwhile.
static void wake(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	nic_timer_by(nic, qp, r->tx.rto_at);
	if (qp->state != NIC_QP_IDLE)
		return;
	if (!r->shared) {
		if (now >= r->rp_at)
			nic_req_expire(nic, qp, now);
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
	wake(nic, qp, now);
}

// A reaction point that starts below the line's rate rises from here on; the RDMA IP's runs since
// init.
static void begin(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	if (r->cn) {
		nic_cn_start(nic, r->cn, now);
	} else if (qp->p.rp) {
		dcqcn_rp_start(&r->rp, now);
		r->rp_at = dcqcn_rp_deadline(&r->rp);
	}
}

static void start(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	qp->req.start_at = TSTAMP_NEVER;
	qp->req.running = true;
	begin(nic, qp, now);
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

// A frame has been due since before `at`. The latest instant until then at which it could have
// left: what the queue pair is behind by is reckoned to there, for nothing is owed while its class
// is shut.
static tstamp owing_at(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	const struct nic_cls *c = &nic->cls[qp->cls];
	tstamp shut = c->shut_at;

	if (at >= c->opened)
		nic_req_reopen(nic, qp);
	else if (at >= c->shut_from)
		shut = c->shut_from;
	return tstamp_min(at, tstamp_max(shut, qp->req.pacer.next));
}

// The rate that a reaction point allows from `at` on.
void nic_req_rate(struct nic *nic, struct nic_qp *qp, rate_t rate, tstamp at)
{
	struct nic_req *r = &qp->req;

	rate = limited(r, rate);
	if (rate == r->rate)
		return;
	r->rate = rate;
	if (r->rdma_ip && nic_rdma_ip_next(r))
		return;
	if (nic->p.fixed_gap) {
		// The simulator's rule: a gap that is running stays as it is.
		pacer_set_next_rate(&r->pacer, rate);
		return;
	}
	if (qp->state == NIC_QP_IDLE || qp->state == NIC_QP_WAIT)
		pacer_restart(&r->pacer, at); // it has nothing to send: it is behind by nothing
	else if (r->pacer.next < at)
		at = owing_at(nic, qp, at);
	pacer_set_rate(&r->pacer, rate, at);
}

void nic_req_cut(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	struct ev *ev = ev_put(nic->events, EV_CUT, at);

	qp->s.rate_cuts++;
	if (!ev)
		return;
	ev->id = qp->p.flow;
	ev->a = qp->req.pacer.next;
}

// What a reaction point's event at instant `at` means: the rest of a running gap follows the rate,
// unless gaps are fixed. As `at` is nominal, a timer that is caught up with late gives what it
// would have given in time.
void nic_req_reacted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp at)
{
	struct nic_req *r = &qp->req;
	struct ev *ev;

	nic_req_rate(nic, qp, paced(r), at);
	if (e == RP_DECREASE)
		nic_req_cut(nic, qp, at);
	ev = ev_put(nic->events, EV_RP, at);
	if (ev) {
		struct nic_rates rates;

		nic_req_rates(r, &rates);
		ev->cls = (uint8_t)e;
		ev->id = qp->p.flow;
		ev->a = rates.rc;
		ev->b = rates.rt;
		ev->c = (uint32_t)fixed_mul(rates.alpha, 1000000, 60);
	}
}

void nic_req_expire(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	enum rp_event e;

	if (r->cn) {
		nic_cn_expire(nic, r->cn, now);
		return;
	}
	while ((e = rp_expire(r, now)) != RP_NONE)
		nic_req_reacted(nic, qp, e, rp_at(r));
	r->rp_at = rp_deadline(r);
}

void nic_req_counted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp now)
{
	// It holds from the ideal beginning of the gap that this frame makes.
	nic_req_rate(nic, qp, paced(&qp->req), qp->req.pacer.next);
	nic_req_reacted(nic, qp, e, now);
	qp->req.rp_at = rp_deadline(&qp->req);
}

// Whether a CNP means something to this queue pair.
static bool reacts(const struct nic_qp *qp)
{
	return qp->requester && (qp->p.rp || qp->req.rdma_ip) && !qp->req.tx.failed;
}

static void notified(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	nic_req_expire(nic, qp, now);

	enum rp_event e = r->rdma_ip ? nic_rdma_ip_cnp(nic, qp, now) : dcqcn_rp_cnp(&r->rp, now);

	if (e != RP_NONE)
		nic_req_reacted(nic, qp, e, now);
	r->rp_at = rp_deadline(r);
	// The gap became longer; only a rate timer that now comes first needs an earlier waking.
	if (qp->state == NIC_QP_GAP && r->rp_at < nic_heap_at(&nic->gap, qp->index))
		nic_heap_set(&nic->gap, qp->index, r->rp_at);
	if (r->rdma_ip)
		nic_rdma_ip_interrupt(nic, qp, now);
}

void nic_req_cnp(struct nic *nic, struct nic_qp *qp, tstamp made, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_CNP_RX, now);

	if (ev) {
		ev->id = qp->p.flow;
		ev->a = tstamp_since(now, made);
	}
	qp->s.cnp_rx++;
	if (!reacts(qp)) {
		nic->s.rp_cnp_ignored++;
		return;
	}
	nic->s.rp_cnp_handled++;
	if (!nic->p.rp_by_class) {
		notified(nic, qp, now);
		return;
	}
	for (unsigned i = 0; i < nic->n_qps; i++)
		if (nic->qp[i]->cls == qp->cls && reacts(nic->qp[i]))
			notified(nic, nic->qp[i], now);
}

static void completed(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct rc_message m;

	while (rc_tx_done(&qp->req.tx, &m)) {
		struct ev *ev = ev_put(nic->events, EV_MSG_DONE, now);

		qp->req.done++;
		if (ev) {
			ev->id = qp->p.flow;
			ev->a = m.begun;
			ev->b = m.posted;
			ev->c = m.bytes;
		}
	}
	nic_req_post(nic, qp, now);
}

void nic_req_ack(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	// AETH syndrome: 000 ACK, 001 RNR NAK, 011 NAK in the top three bits (standards.md 3.1).
	bool nak = p->u.rc.syndrome >> 5;

	if (nak) {
		struct ev *ev = ev_put(nic->events, EV_NAK, now);

		if (ev) {
			ev->id = qp->p.flow;
			ev->a = p->u.rc.psn;
		}
		nic->s.packet_seq_err += p->u.rc.syndrome == AETH_NAK_PSN;
	}
	qp->s.nak_rx += nak;
	qp->s.ack_rx += !nak;
	if (p->flags & PKT_F_CNFLAG)
		nic_req_cnp(nic, qp, p->born, now);
	if (rc_tx_ack(&qp->req.tx, p->u.rc.psn, p->u.rc.syndrome, now))
		completed(nic, qp, now);
	else
		wake(nic, qp, now);
}

static void failed(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_QP_FAILED, now);

	if (ev)
		ev->id = qp->p.flow;
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
			ev->id = qp->p.flow;
			ev->a = r->tx.una;
		}
		nic->s.local_ack_timeout_err++;
		if (r->tx.failed)
			failed(nic, qp, now);
		else
			wake(nic, qp, now);
	}
	if (r->rdma_ip && !r->tx.failed)
		return nic_rdma_ip_timer(nic, qp, now);
	return tstamp_min(r->start_at, r->tx.failed ? TSTAMP_NEVER : r->tx.rto_at);
}
