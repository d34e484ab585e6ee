// SPDX-License-Identifier: BSD-3-Clause
// Data frames: a requester waits for its gap to end, then for its class, makes its next frame,
// waits again.
#include <assert.h>

#include "int.h"
#include "base/hint.h"
#include "wire/bth.h"

INLINE void ready(struct nic *nic, struct nic_qp *qp)
{
	qp->state = NIC_QP_READY;
	nic_use(&qp->req)->shut_ps = nic_shut_until(&nic->cls[qp->queue], qp->req.pacer.next);
	nic->e.pull |= (uint8_t)(1u << qp->queue);
}

// Puts the requester at the end of its class's FIFO.
static void make_ready(struct nic *nic, struct nic_qp *qp)
{
	struct nic_cls *c = &nic->cls[qp->queue];

	ready(nic, qp);
	qp->next_ready = NULL;
	if (c->head)
		c->tail->next_ready = qp;
	else
		c->head = qp;
	c->tail = qp;
}

// Puts the requester at the front of its class's FIFO.
ASIDE void make_next(struct nic *nic, struct nic_qp *qp)
{
	struct nic_cls *c = &nic->cls[qp->queue];

	ready(nic, qp);
	qp->next_ready = c->head;
	if (!c->head)
		c->tail = qp;
	c->head = qp;
}

// Takes back the time in which the class was shut before `at`, when the requester got data to send.
static void had_nothing(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	const struct nic_cls *c = &nic->cls[qp->queue];
	struct nic_req_use *u = nic_use(&qp->req);

	if (UNLIKELY(qp->req.pacer.next < c->opened || c->shut_at < at))
		u->paused_ps -= nic_shut_until(c, at) - u->shut_ps;
}

// Whether it begins a message while it has nothing in flight. The responder of READs does so with
// the first response to the only request that it has.
static bool begins(const struct nic_qp *qp)
{
	const struct rc_tx *tx = &qp->req.tx;
	const struct rc_source *src = nic_source(qp);

	if (src)
		return src->n == 1 && tx->next == src->job[src->head].psn;
	return !tx->left && tx->next == tx->una;
}

// Takes the first ready requester of a class.
static struct nic_qp *unready(struct nic *nic, unsigned queue)
{
	struct nic_cls *c = &nic->cls[queue];
	struct nic_qp *qp = c->head;

	c->head = qp->next_ready;
	if (!c->head)
		nic->e.pull &= (uint8_t) ~(1u << queue);
	qp->state = NIC_QP_SENDS;
	return qp;
}

// Decides when a requester sends next: it becomes ready, waits for the end of its gap, or is idle.
// Timers of its rate limiter that are due by `at` expire first. `sent`: a frame of the queue pair
// has just left.
INLINE void place(struct nic *nic, struct nic_qp *qp, bool sent, tstamp at)
{
	struct nic_req *r = &qp->req;

	assert(qp->state != NIC_QP_READY);
	if (nic_shared(qp) && !nic_group_turn(nic, qp, sent, at))
		return;
	// A requester that has sent has taken the CNPs.
	if (sent ? at >= r->rp_at : nic_rp_is_due(nic, qp, at))
		nic_rp_expire(nic, qp, at);

	bool can = rc_tx_ready(&r->tx) && !qp->masked;

	if (can && r->pacer.next > at) {
		wheel_set(&nic->gap, qp->index,
			r->rp_at < r->pacer.next ? nic_rp_gap_end(nic, qp) : r->pacer.next);
		qp->state = NIC_QP_GAP;
		return;
	}
	if (qp->state == NIC_QP_GAP)
		wheel_set(&nic->gap, qp->index, TSTAMP_NEVER);
	qp->state = NIC_QP_IDLE;
	if (can) {
		if (!sent && UNLIKELY(nic->p.new_next) && begins(qp))
			make_next(nic, qp);
		else
			make_ready(nic, qp);
		if (!sent)
			had_nothing(nic, qp, at);
	} else if (nic_shared(qp))
		nic_group_pass(nic, qp, at);
	else if (r->tx.windowed)
		nic_timer_by(nic, qp, nic_rp_opens(qp));
}

void nic_req_place(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	place(nic, qp, false, at);
}

// A requester that waited for its gap or its class may have nothing left to send: an ACK that came
// late has acknowledged all that it would send again. Timers of this instant have expired already.
static void place_anew(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	nic_req_place(nic, qp, at);
	if (nic->n_wanting)
		nic_wait_look(nic, qp, nic->now + 1);
}

// Mostly it can send at once; place_anew knows all other cases.
void nic_gap_ended(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	const struct nic_req *r = &qp->req;

	if (qp->joined || qp->masked || nic_rp_is_due(nic, qp, at) || r->pacer.next > at ||
		!rc_tx_ready(&r->tx)) {
		place_anew(nic, qp, at);
		return;
	}
	wheel_take(&nic->gap);
	make_ready(nic, qp);
}

// Books a frame that leaves long after its ideal instant, or whose class was paused since then. The
// queue pair makes up for the time that the frame waited for the wire and behind other frames,
// within a bound.
static void late(struct nic *nic, struct nic_qp *qp, uint32_t bytes, tstamp now)
{
	struct pacer *p = &qp->req.pacer;
	uint64_t lost;

	if (nic_rdma_ip_windowed(qp))
		return;
	if (p->next < nic->cls[qp->queue].opened)
		nic_req_reopen(nic, qp);
	if (p->next >= now)
		return;
	lost = pacer_bound(p, bytes, now - p->next, nic_kind(nic, qp->req.kind)->p.catch_up_ps);
	if (lost) // as a rule none is, and that line is not needed
		nic_use(&qp->req)->lost += lost;
}

// Books a frame with the reaction point and the limiter.
static inline void sent(struct nic *nic, struct nic_qp *qp, uint32_t len, tstamp now)
{
	const struct eport_framing *f = &nic->ecfg.framing;
	struct nic_req *r = &qp->req;
	uint32_t wire = len + f->wire_extra;

	if (r->pacer.next < now && (now - r->pacer.next > nic_kind(nic, r->kind)->makes_up ||
					   r->pacer.next < nic->cls[qp->queue].opened))
		late(nic, qp, wire, now);

	// The byte counter comes before the gap, which has the new rate from its start.
	if (qp->reacts) {
		enum rp_event e = rp_sent(qp->joined ? r->rp : &r->own, len + f->queue_extra, now);

		if (e != RP_NONE)
			nic_rp_counted(nic, qp, e, now);
	}
	if (qp->special && nic_rdma_ip_passed(nic, qp, wire, now))
		return;
	if (f->whole_ns)
		r->pacer.next += rate_simulator_time(r->rate, wire);
	else
		pacer_sent(&r->pacer, wire);
}

// Immediate data, or the AETH of a READ's response: the word that the frame has for itself. Of the
// segment only values come here: it is never in memory.
ASIDE void add_own(struct pkt *p, const struct nic_kind *k, const struct nic_req *r, bool first,
	bool last, uint32_t word)
{
	uint32_t own = nic_frame_own(&k->frame, first, last);

	if (k->frame.form & NIC_FRAME_AETHS)
		p->kind = PKT_ROCE;
	if (!own)
		return;
	p->len = (uint16_t)nic_frame_len(&k->frame, p->u.rc.payload, first, own);
	pkt_set_imm(&p->u.rc, k->frame.form & NIC_FRAME_ASIDE ? word : rc_tx_imm(&r->tx));
}

static void fill_data(const struct nic_req *r, const struct nic_kind *k, struct pkt *p,
	const struct rc_segment *seg, tstamp now)
{
	uint16_t kept = p->u.rc.kept;

	*p = (struct pkt){
		.hdr = r->data_hdr,
		.when = now,
		.born = now,
		.len = (uint16_t)nic_frame_len(&k->frame, seg->payload, seg->first, 0),
		.kind = PKT_DATA,
		.flags = (uint8_t)(seg->retx * PKT_F_RETX | seg->first * PKT_F_FIRST |
				   seg->last * PKT_F_LAST),
		.tos = k->p.tos,
		.cls = k->p.cls,
		.in_port = PKT_NO_PORT,
		.u.rc = {.opcode = seg->opcode,
			.bth = (uint8_t)(seg->ack_req * BTH_ACKREQ),
			.pad = (uint8_t)nic_frame_pad(&k->frame, seg->payload),
			.psn = seg->psn,
			.qpn = r->peer_qpn,
			.arg = seg->dma_len,
			.payload = (uint16_t)seg->payload,
			.kept = kept},
	};
	if (UNLIKELY(k->frame.own))
		add_own(p, k, r, seg->first, seg->last, seg->word);
}

static void count_data(
	struct nic_qp_stats *s, const struct pkt *p, const struct rc_segment *seg, tstamp now)
{
	if (!s->data_frames_tx++)
		s->first_timestamp = now;
	s->last_timestamp = now;
	s->data_frames_retransmitted += seg->retx;
	s->message_tx += seg->last && !seg->retx;
	s->tx_bytes += seg->payload;
	s->wire_bytes_tx += p->len + PKT_FCS;
}

// Times a frame that asks for an ACK.
static void time_frame(struct nic_rtt *t, const struct rc_segment *seg, tstamp now)
{
	uint32_t i = (t->first + t->n) & t->mask;

	if (seg->retx || t->n > t->mask)
		return;
	t->frame[i].psn = seg->psn;
	t->frame[i].left = now;
	t->n++;
}

ASIDE void tell_resent(struct nic *nic, const struct nic_qp *qp, struct pkt *p, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_RESENT, now);

	if (ev)
		ev->resent = (struct ev_resent){qp->req.flow, p->u.rc.psn, p->len};
	if (qp->works && !(p->flags & PKT_F_LAST))
		nic_job_left(nic, qp, p, now);
}

// The frame of a segment that has just been made.
INLINE struct pkt *segment(
	struct nic *nic, struct nic_qp *qp, struct pkt *p, const struct rc_segment *seg, tstamp now)
{
	struct nic_req *r = &qp->req;
	const struct nic_kind *k = nic_kind(nic, r->kind);
	unsigned queue = qp->queue;
	struct nic_cls *c = &nic->cls[queue];

	if (seg->ack_req && nic_rtt(qp))
		time_frame(nic_rtt(qp), seg, now);
	fill_data(r, k, p, seg, now);
	count_data(&nic_use(r)->s, p, seg, now);
	if (UNLIKELY(seg->retx))
		tell_resent(nic, qp, p, now);
	nic->s.originated_frames++;
	sent(nic, qp, p->len, now);
	if (seg->ack_req)
		nic_timer_by(nic, qp, rc_tx_rto_at(&r->tx));
	eport_sent(&nic->e, (int)queue, p->len, now);
	if (seg->last) {
		rc_tx_left(&r->tx, nic->e.tat);
		if (UNLIKELY(qp->works))
			nic_job_left(nic, qp, p, now);
	}
	place(nic, qp, true, now);
	// A gap that ends before the wire is free has a frame ready then.
	if (nic->e.pull || wheel_first(&nic->gap) <= nic->e.tat)
		nic->e.starved = false;
	c->lead = nic->e.q[queue].head ? c->lead - (int32_t)(p->len + nic->ecfg.framing.queue_extra)
				       : 0;
	eport_pulled(&nic->e, queue, p->len, c->head);
	if (!c->head)
		nic->lapsed |= (uint8_t)(1u << queue);
	return p;
}

// The next response of a READ, or the next packet of selective repeat.
ASIDE struct pkt *aside(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now)
{
	struct rc_segment seg;

	if (nic_source(qp)) {
		rc_source_next(nic_source(qp), &qp->req.tx, &seg);
		nic_read_refuse(nic, qp, now);
	} else {
		irn_tx_next(&qp->req.tx, &nic->maps, &seg, now);
	}
	return segment(nic, qp, p, &seg, now);
}

// One data frame of the requester that is first in its class. NULL if none may leave after all: a
// rate cut has stretched its gap, it has failed or was masked, or no descriptor is left.
struct pkt *nic_data(struct nic *nic, unsigned queue, tstamp now)
{
	struct nic_qp *qp = unready(nic, queue);
	struct nic_req *r = &qp->req;
	struct rc_segment seg;
	struct pkt *p;

	if (nic_rp_is_due(nic, qp, now))
		nic_rp_expire(nic, qp, now);
	if (!rc_tx_ready(&r->tx) || qp->masked || r->pacer.next > now) {
		nic_req_waited(nic, qp);
		place_anew(nic, qp, now);
		return NULL;
	}
	p = pkt_get(nic->stack);
	if (!p) {
		nic_req_reopen(nic, qp);
		make_ready(nic, qp);
		nic->held |= (uint8_t)(1u << queue);
		nic->e.pull &= (uint8_t) ~(1u << queue);
		return NULL;
	}
	if (UNLIKELY(nic_kind(nic, r->kind)->frame.form & NIC_FRAME_ASIDE))
		return aside(nic, qp, p, now);
	rc_tx_next(&r->tx, &seg, now);
	return segment(nic, qp, p, &seg, now);
}
