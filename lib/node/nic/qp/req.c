// SPDX-License-Identifier: BSD-3-Clause
// Requesters: the workload that posts messages, the gap before the next frame, the reaction point.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/hint.h"
#include "int.h"
#include "wire/bth.h"

// Returns by how much later than it is told to a requester starts: its share of the first frame's
// gap. A requester at the line's rate is not paced and starts at once.
static tstamp phase(const struct nic *nic, const struct nic_qp *qp)
{
	const struct nic_req *r = &qp->req;
	const struct nic_kind *k = nic_kind(nic, r->kind);
	uint32_t mtu = k->p.rc->p.mtu;
	bool only = k->p.message_bytes <= mtu;
	uint32_t own = nic_frame_own(&k->frame, true, only);
	uint32_t bytes = nic_frame_len(&k->frame, only ? k->p.message_bytes : mtu, true, own) +
			 nic->ecfg.framing.wire_extra;

	if (r->rate >= nic->p.rate)
		return 0;
	return fixed_mul(rate_time(r->pacer.ps, bytes), r->phase, 32);
}

static struct nic_rtt *new_rtt(const struct rc_params *p)
{
	uint32_t room = NIC_RTT_FRAMES;
	struct nic_rtt *t;

	while (p->recovery != RC_GO_BACK_N && room < p->window)
		room *= 2;
	t = calloc(1, sizeof(*t) + room * sizeof(t->frame[0]));
	if (t)
		t->mask = room - 1;
	return t;
}

// Size of the reaction point's state, if there is no room for it in place.
static size_t state_size(const struct rp_cfg *cfg)
{
	return cfg && !rp_is_joined(cfg) && cfg->kind != RP_RDMA_IP ? rp_state_size(cfg) : 0;
}

bool nic_req_needs_more(const struct nic_qp_params *p)
{
	return (rp_asks(p->rp) & RP_ASKS_RTT) || rp_is_joined(p->rp) ||
	       (p->rp && p->rp->kind == RP_RDMA_IP) || state_size(p->rp) ||
	       p->rc->p.verb == RC_READ || p->peer;
}

// Makes the part that only few queue pairs have: the RDMA IP, frames that are timed, state that has
// no room in place.
static int init_more(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p)
{
	const struct rp_cfg *cfg = p->rp;
	bool timed = rp_asks(cfg) & RP_ASKS_RTT, reads = p->rc->p.verb == RC_READ;
	size_t size = state_size(cfg);
	struct nic_req_more *more;

	if (!nic_req_needs_more(p))
		return 0;
	more = calloc(1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	qp->req.more = more;
	qp->special = true;
	if (timed)
		more->rtt = new_rtt(&p->rc->p);
	if (size)
		more->rp_state = calloc(1, size);
	if (reads)
		more->source = calloc(1, sizeof(*more->source));
	if ((timed && !more->rtt) || (size && !more->rp_state) || (reads && !more->source))
		return -ENOMEM;
	if (reads)
		rc_source_init(more->source, p->rc, &qp->req.tx, p->psn);
	return cfg && cfg->kind == RP_RDMA_IP ? nic_rdma_ip_init(nic, qp, p) : 0;
}

// Gives the requester its reaction point: the one of its flow ID or destination, which it shares,
// or its own.
static int init_rp(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p)
{
	struct nic_req *r = &qp->req;
	int rc = init_more(nic, qp, p);

	r->rp = &r->own;
	r->rp_at = TSTAMP_NEVER;
	qp->reacts = p->rp;
	if (rc)
		return rc;
	if (rp_is_joined(p->rp))
		return nic_group_join(nic, qp, p);
	rp_init(&r->own, p->rp,
		nic_rdma_ip(qp) ? (void *)nic_rdma_ip(qp)
		: qp->special   ? r->more->rp_state
				: NULL,
		NULL);
	r->rp_at = rp_deadline(&r->own);
	return 0;
}

void nic_req_fini(struct nic_req *r)
{
	if (!r->more)
		return;
	free(r->more->rp_state);
	free(r->more->rtt);
	free(r->more->source);
	free(r->more);
}

static int check(const struct nic_qp_params *p)
{
	if (!p->data_hdr || !p->rc || p->cls >= PKT_CLASSES)
		return -EINVAL;
	if (!p->outstanding || p->outstanding > RC_MESSAGES)
		return -EINVAL;
	if (p->rate_limit && p->rate_limit < RATE_MIN)
		return -EINVAL;
	return 0;
}

int nic_req_check(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind)
{
	const struct nic_kind *k;
	uint32_t longest, *pull_bytes;
	int rc = check(p);

	if (!rc)
		rc = nic_kind_get(nic, p, kind);
	if (rc)
		return rc;
	k = nic_kind(nic, *kind);
	longest = nic_frame_len(&k->frame, p->rc->p.mtu, true, k->frame.own);
	if (longest > nic->p.mtu)
		return -EINVAL;
	pull_bytes = &nic->e.pull_bytes[nic->queue_of[p->cls]];
	if (*pull_bytes < longest + nic->p.framing.queue_extra)
		*pull_bytes = longest + nic->p.framing.queue_extra;
	return k->frame.form & NIC_FRAME_AETHS ? 0 : nic_ring_add(nic, k->ring_size);
}

int nic_req_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p, uint32_t kind)
{
	struct nic_req *r = &qp->req;
	int rc;

	r->kind = kind;
	r->data_hdr = p->data_hdr;
	qp->loaded = p->loaded;
	r->flow = p->flow;
	r->qpn = p->qpn;
	r->peer_qpn = p->peer_qpn;
	r->phase = p->phase;
	rc_tx_init(&r->tx, p->rc, r->tx.past, p->psn);
	r->ceiling = p->rate_limit && p->rate_limit < nic->p.rate ? p->rate_limit : nic->p.rate;
	rc = init_rp(nic, qp, p);
	if (rc)
		return rc;
	r->rate = nic_rp_paced(r);
	rc_tx_set_window(&r->tx, rp_window(r->rp));
	pacer_init(&r->pacer, r->rate);
	r->start_at = nic_source(qp) ? TSTAMP_NEVER : tstamp_add(p->start, phase(nic, qp));
	return 0;
}

// The queue pair may send again. It does not make up for the time in which it could not send,
// whatever its rate was then.
void nic_req_wake(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	nic_timer_by(nic, qp, rc_tx_rto_at(&r->tx));
	if (qp->state != NIC_QP_IDLE)
		return;
	if (!nic_shared(qp)) {
		if (nic_rp_is_due(nic, qp, now))
			nic_rp_expire(nic, qp, now);
		pacer_restart(&r->pacer, now);
	}
	nic_req_place(nic, qp, now);
}

// Messages that it may have posted and not done.
static uint32_t outstanding(const struct nic_qp *qp, const struct nic_qp_params *p, tstamp now)
{
	const struct rdma_ip_qp *ip = nic_rdma_ip(qp);
	uint32_t most = ip ? rdma_ip_qp_outstanding(ip, now) : UINT32_MAX;

	if (qp->special && qp->req.more->source)
		return 0;
	return most < p->outstanding ? most : p->outstanding;
}

bool nic_req_may_post(const struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	const struct nic_qp_params *p = &nic_kind(nic, qp->req.kind)->p;

	if (!qp->running)
		return false;
	if (qp->loaded)
		return nic_load_waits(nic, qp);
	return now < p->stop && now < nic->quiet_at &&
	       (!p->count || rc_tx_posted(&qp->req.tx) < p->count);
}

// Posts the next message of its load, from the instant at which it came. False: no room.
static bool post_loaded(struct nic *nic, struct nic_qp *qp)
{
	struct rc_tx *tx = &qp->req.tx;
	uint32_t bytes;
	tstamp at;

	if (tx->messages + tx->past->untaken >= tx->room)
		return false;
	nic_load_take(nic, qp, &bytes, &at);
	return !rc_tx_post(tx, bytes, at);
}

void nic_req_post(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	const struct nic_qp_params *p = &nic_kind(nic, r->kind)->p;
	uint32_t most = outstanding(qp, p, now); // 0: of a READ's responder

	while (r->tx.messages < most && nic_req_may_post(nic, qp, now)) {
		if (!nic_ring_get(nic, qp))
			break;
		if (qp->loaded ? !post_loaded(nic, qp)
			       : rc_tx_post(&r->tx, p->message_bytes, now) != 0)
			break;
	}
	nic_req_wake(nic, qp, now);
	if (!r->tx.messages || r->tx.failed)
		nic_ring_put(nic, qp, now);
	if (!r->tx.messages && !r->tx.failed && qp->special &&
		nic_ends(nic, p, rc_tx_posted(&r->tx), now))
		nic_peer_end(nic, qp, now);
}

void nic_req_start(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	qp->req.start_at = TSTAMP_NEVER;
	if (nic_peer_holds(nic, qp, now))
		return;
	qp->running = true;
	nic_rp_take_cnps(nic, qp);
	rp_start(qp->req.rp, now);
	nic_rp_changed(nic, qp);
	nic_req_post(nic, qp, now);
}

void nic_req_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_req *r = &qp->req;

	nic_rp_take_cnps(nic, qp);
	if (!on) {
		r->start_at = TSTAMP_NEVER;
		qp->running = false;
		nic_peer_unwant(qp);
		nic_wait_look(nic, qp, now);
	} else if (!qp->running) {
		if (nic_shared(qp))
			nic_group_follow(qp);
		r->start_at = now + phase(nic, qp);
		if (r->start_at > now)
			nic_timer_by(nic, qp, r->start_at);
		else
			nic_req_start(nic, qp, now);
	}
}

// A masked queue pair that waits for the wire stays in its FIFO. It loses the bytes by which it was
// late, and does not make up for the time in which it is masked.
void nic_req_mask(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_req *r = &qp->req;

	if (on != qp->masked && qp->state == NIC_QP_READY && !nic_rdma_ip_windowed(qp)) {
		tstamp until = tstamp_min(now, nic->cls[qp->queue].shut_at);

		nic_req_reopen(nic, qp);
		if (on)
			nic_use(r)->lost += pacer_give_up(&r->pacer, pacer_late(&r->pacer, until));
		else
			pacer_restart(&r->pacer, now);
	}
	qp->masked = on;
}

void nic_req_pause(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	const struct rdma_ip_qp *ip = nic_rdma_ip(qp);

	if (on == qp->paused)
		return;
	qp->paused = on;
	nic_req_mask(nic, qp, on || (ip && ip->sq_arb_mask), now);
	if (on || qp->req.tx.failed)
		return;
	rc_tx_wait_anew(&qp->req.tx, now);
	nic_timer_by(nic, qp, now);
	if (qp->state == NIC_QP_GAP)
		nic_req_place(nic, qp, now);
	nic_req_post(nic, qp, now);
	nic_wait_look(nic, qp, now);
}

// The class was shut after the ideal instant; its total shut time was `shut_ps` when the queue pair
// became ready. The bytes that the limiter owed when the class was shut are lost, and it owes
// nothing for the time since. Returns the lost bytes.
static uint64_t reopen(const struct nic_cls *c, struct pacer *p, tstamp shut_ps)
{
	uint64_t lost = 0;

	if (p->next >= c->opened || shut_ps == c->shut_ps)
		return 0;
	if (p->next < c->shut_from)
		lost = pacer_give_up(p, tstamp_since(c->opened - p->next, c->shut_ps - shut_ps));
	pacer_restart(p, c->opened);
	return lost;
}

void nic_req_waited(const struct nic *nic, struct nic_qp *qp)
{
	const struct nic_cls *c = &nic->cls[qp->queue];
	struct nic_req_use *u = nic_use(&qp->req);

	if (qp->state == NIC_QP_READY || qp->state == NIC_QP_SENDS)
		u->paused_ps += c->shut_ps - u->shut_ps;
	u->shut_ps = c->shut_ps;
}

void nic_req_reopen(struct nic *nic, struct nic_qp *qp)
{
	const struct nic_cls *c = &nic->cls[qp->queue];
	struct nic_req_use *u = nic_use(&qp->req);

	u->lost += reopen(c, &qp->req.pacer, u->shut_ps);
	// Only once: a cut lengthens the delay beyond the time since then.
	nic_req_waited(nic, qp);
}

static uint64_t req_owed(const struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	const struct nic_cls *c = &nic->cls[qp->queue];
	const struct nic_req_use *u = nic_use(&qp->req);
	uint64_t sent = u->s.wire_bytes_tx +
			(uint64_t)(nic->ecfg.framing.wire_extra - PKT_FCS) * u->s.data_frames_tx;
	uint64_t lost = u->lost;
	struct pacer p = qp->req.pacer;

	if (nic_rdma_ip_windowed(qp))
		return 0;
	if (qp->state == NIC_QP_READY) {
		lost += reopen(c, &p, u->shut_ps);
		lost += pacer_give_up(&p, pacer_late(&p, tstamp_min(now, c->shut_at)));
	} else if (p.next > now) {
		sent -= pacer_bytes(p.ps, p.next - now);
	}
	return sent + lost;
}

static tstamp req_paused(const struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	const struct nic_req_use *u = nic_use(&qp->req);

	if (nic_rdma_ip_windowed(qp))
		return 0;
	if (qp->state != NIC_QP_READY)
		return u->paused_ps;
	return u->paused_ps + nic_shut_until(&nic->cls[qp->queue], now) - u->shut_ps;
}

void nic_req_set_owed(const struct nic *nic, struct nic_qp *qp, tstamp now)
{
	uint64_t owed = req_owed(nic, qp, now);
	struct nic_qp_stats *s = nic_counts(qp);

	if (s->pace_owed_bytes != owed) // one that never sent has no memory of it
		s->pace_owed_bytes = owed;
	owed = req_paused(nic, qp, now);
	if (s->paused_ps != owed)
		s->paused_ps = owed;
}

// Returns the instant up to which the limiter owes bytes. It owes none for the time of a pause.
tstamp nic_req_owing_at(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	const struct nic_cls *c = &nic->cls[qp->queue];
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

		if (ev) {
			ev->message.flow = qp->req.flow;
			ev->message.bytes = m.bytes;
			ev->message.begun = m.begun;
			ev->message.posted = m.posted;
		}
		if (qp->loaded)
			nic_load_done(nic, qp, now);
	}
	if (nic->n_wanting)
		nic_ring_pass(nic, qp, now);
	nic_req_post(nic, qp, now);
}

static void tell_rtt(struct nic *nic, const struct nic_qp *qp, tstamp rtt, tstamp now)
{
	struct ev *ev = rtt == TSTAMP_NEVER ? NULL : ev_put(nic->events, EV_RTT, now);

	if (!ev)
		return;
	ev->rtt.flow = qp->req.flow;
	ev->rtt.rtt_ps = rtt;
}

// How long the frame with this PSN took until its ACK came; TSTAMP_NEVER: it was not timed. Frames
// that the ACK passes over are forgotten.
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

// Tells the reaction point of an ACK that acknowledges something new. A NAK may do so, too, but it
// is no answer to the frame whose PSN it has: that frame never came.
static void tell_ack(
	struct nic *nic, struct nic_qp *qp, const struct pkt *p, uint64_t before, tstamp now)
{
	struct nic_req *r = &qp->req;
	struct nic_rtt *rtt = nic_rtt(qp);
	bool timed = rtt && !(p->u.rc.syndrome >> 5);
	struct rp_ack ack = {.bytes = rc_tx_acked(&r->tx) - before,
		.acked = rc_tx_acked(&r->tx),
		.sent = rc_tx_sent_bytes(&r->tx),
		.rtt = timed ? rtt_of(rtt, p->u.rc.psn, now) : TSTAMP_NEVER,
		.ce = p->u.rc.bth & BTH_BECN};

	tell_rtt(nic, qp, ack.rtt, now);
	if (ack.bytes)
		nic_rp_ack(nic, qp, &ack, now);
}

// Frames that are sent again are not timed.
static void went_back(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (nic_rtt(qp))
		nic_rtt(qp)->n = 0;
	nic_rp_nak(nic, qp, now);
}

void nic_req_lose(struct nic *nic, uint32_t flow, const struct rc_tx *tx, tstamp now)
{
	for (unsigned i = 0; tx->msg && i < tx->messages; i++) {
		const struct rc_message *m = rc_tx_message(tx, i);
		struct ev *ev = ev_put(nic->events, EV_MSG_FAILED, now);

		if (ev)
			ev->message = (struct ev_message){flow, m->bytes, m->begun, m->posted};
	}
}

static void failed(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_QP_FAILED, now);

	if (ev)
		ev->qp.flow = qp->req.flow;
	nic_counts(qp)->message_fail += qp->req.tx.messages;
	qp->running = false;
	if (qp->works)
		nic_job_failed(nic, qp);
	irn_tx_release(&qp->req.tx, &nic->maps);
	nic_ring_put(nic, qp, now);
	nic_peer_end(nic, qp, now);
}

void nic_req_abandon(struct nic *nic, struct nic_qp *qp, enum rc_failure why, tstamp now)
{
	rc_tx_fail(&qp->req.tx, why);
	nic_req_lose(nic, qp->req.flow, &qp->req.tx, now);
	failed(nic, qp, now);
	if (qp->state == NIC_QP_GAP)
		nic_req_place(nic, qp, now);
}

// An answer to selective repeat.
ASIDE unsigned take_answer(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	const struct pkt_rc *rc = &p->u.rc;
	uint32_t came = rc->psn + rc->payload;

	if (rc->syndrome == AETH_NAK_PSN && p->flags & PKT_F_FOREIGN)
		came = rc->opcode == BTH_IRN_NACK ? frame_pkt_came(p) : rc->psn;
	if (rc->syndrome == AETH_NAK_PSN && nic_rtt(qp)) // what waits for a repair is not timed
		nic_rtt(qp)->n = 0;
	return irn_tx_ack(&qp->req.tx, &nic->maps, rc->psn, rc->syndrome, came & BTH_PSN_MASK, now);
}

void nic_req_ack(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_req *r = &qp->req;
	// AETH syndrome: 000 ACK, 001 RNR NAK, 011 NAK in the top three bits (standards.md 3.1).
	bool nak = p->u.rc.syndrome >> 5, gap = p->u.rc.syndrome == AETH_NAK_PSN;
	bool had_failed = r->tx.failed;
	uint32_t naks = gap ? r->tx.past->stats.naks : 0, repair = gap ? r->tx.past->repair : 0;
	bool asks = qp->reacts && r->rp->asks & RP_ASKS_ACK;
	uint64_t before = asks ? rc_tx_acked(&r->tx) : 0;
	unsigned done;
	bool fails;

	if (nak) {
		struct ev *ev = ev_put(nic->events, EV_NAK, now);

		if (ev) {
			ev->retry.flow = qp->req.flow;
			ev->retry.psn = p->u.rc.psn;
		}
		nic->s.packet_seq_err += gap;
	}
	if (nak)
		nic_use(r)->s.nak_rx++;
	else
		nic_use(r)->s.ack_rx++;
	if (nic->p.cnflag && p->u.rc.bth & BTH_BECN && !(r->rp->asks & RP_ASKS_CE))
		nic_rp_cnp(nic, qp, p->born, now);
	done = UNLIKELY(r->tx.cfg->repairs) ? take_answer(nic, qp, p, now)
					    : rc_tx_ack(&r->tx, p->u.rc.psn, p->u.rc.syndrome, now);
	fails = r->tx.failed && !had_failed;
	if (fails)
		nic_req_lose(nic, r->flow, &r->tx, now);
	if (r->tx.past->rnr_wait && nic_rtt(qp)) // a repeated frame is not timed
		nic_rtt(qp)->n = 0;
	if (asks) {
		tell_ack(nic, qp, p, before, now);
		// It did not come too late, and is the first of its repair.
		if (gap && r->tx.past->stats.naks != naks && !repair)
			went_back(nic, qp, now);
	}
	if (done)
		completed(nic, qp, now);
	else
		nic_req_wake(nic, qp, now);
	if (fails)
		failed(nic, qp, now);
}

// The retransmission timeout, or the end of the wait after an RNR NAK.
static void rto(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	enum rc_expired what = r->tx.cfg->repairs ? irn_tx_expire(&r->tx, &nic->maps, now)
						  : rc_tx_expire(&r->tx, now);

	if (what == RC_TIMEOUT) {
		struct ev *ev = ev_put(nic->events, EV_TIMEOUT, now);

		if (ev)
			ev->retry =
				(struct ev_retry){r->flow, r->tx.una, nic_use(r)->s.last_timestamp};
		nic->s.local_ack_timeout_err++;
		if (qp->works)
			nic_job_timeout(nic, qp, now);
		went_back(nic, qp, now);
	}
	if (r->tx.failed) {
		nic_req_lose(nic, r->flow, &r->tx, now);
		failed(nic, qp, now);
	} else if (what != RC_NOT_DUE) {
		nic_req_wake(nic, qp, now);
	}
}

tstamp nic_req_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;

	nic_rp_take_cnps(nic, qp);
	if (now >= r->start_at)
		nic_req_start(nic, qp, now);
	if (qp->paused)
		return r->start_at;
	if (now >= rc_tx_rto_at(&r->tx))
		rto(nic, qp, now);
	if (now >= nic_rp_opens(qp) || nic_rp_opened(qp))
		nic_req_wake(nic, qp, now);
	if (r->tx.failed)
		return r->start_at;
	if (nic_rdma_ip(qp))
		return nic_rdma_ip_timer(nic, qp, now);
	return tstamp_min(r->start_at, tstamp_min(rc_tx_rto_at(&r->tx), nic_rp_opens(qp)));
}
