// SPDX-License-Identifier: BSD-3-Clause
// QCN reaction points of the NIC: whose they are, what a CNM means, turns at a limiter that is
// shared.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// The trace speaks of both kinds of reaction point in one language.
static const uint8_t event_of[QCN_RP_EVENTS] = {
	[QCN_RP_NONE] = RP_NONE,
	[QCN_RP_DECREASE] = RP_DECREASE,
	[QCN_RP_BC_FAST_RECOVERY] = RP_BC_FAST_RECOVERY,
	[QCN_RP_BC_ACTIVE_INCREASE] = RP_BC_ADDITIVE_INCREASE,
	[QCN_RP_BC_HYPER_INCREASE] = RP_BC_HYPER_INCREASE,
	[QCN_RP_T_FAST_RECOVERY] = RP_T_FAST_RECOVERY,
	[QCN_RP_T_ACTIVE_INCREASE] = RP_T_ADDITIVE_INCREASE,
	[QCN_RP_T_HYPER_INCREASE] = RP_T_HYPER_INCREASE,
};

static uint32_t hash_of(uint16_t flow_id, const uint8_t dst[6], unsigned cls)
{
	return flow_id ? index_hash(flow_id, NULL, 0) : index_hash(cls, dst, 6);
}

// The reaction point of a flow ID, or with flow ID 0 the shared one of a destination and class.
static struct nic_cn *find_cn(
	const struct nic *nic, uint16_t flow_id, const uint8_t dst[6], unsigned cls)
{
	const struct nic_qp *qp = nic_by_number(nic, flow_id);
	uint32_t hash = hash_of(flow_id, dst, cls), at = hash, i;

	// A scene gives a queue pair its number as flow ID.
	if (flow_id && qp && qp->requester && qp->req.cn && qp->req.cn->flow_id == flow_id)
		return qp->req.cn;
	while ((i = index_next(&nic->cn_of, hash, &at)) != INDEX_NONE) {
		struct nic_cn *cn = nic->cn[i];

		if (cn->flow_id != flow_id)
			continue;
		if (flow_id || (cn->cls == cls && !memcmp(cn->dst, dst, 6)))
			return cn;
	}
	return NULL;
}

static struct nic_cn *add_cn(struct nic *nic, const struct nic_qp_params *p, uint16_t flow_id)
{
	uint32_t hash = hash_of(flow_id, p->data_hdr->dst, p->cls);
	struct nic_cn *cn;
	char name[96];

	if (!nic_room(&nic->cn, nic->n_cns))
		return NULL;
	cn = calloc(1, sizeof(*cn));
	if (!cn || index_add(&nic->cn_of, hash, nic->n_cns)) {
		free(cn);
		return NULL;
	}
	cn->flow_id = flow_id;
	cn->cls = p->cls;
	memcpy(cn->dst, p->data_hdr->dst, sizeof(cn->dst));
	snprintf(name, sizeof(name), "%s.rp%u", nic->p.name, nic->n_cns);
	prng_init(&cn->rng, nic->p.seed, name);
	qcn_rp_init(&cn->rp, p->qcn, &cn->rng);
	nic->cn[nic->n_cns++] = cn;
	return cn;
}

int nic_cn_join(struct nic *nic, struct nic_qp *qp)
{
	const struct nic_qp_params *p = &qp->p;
	bool tagged = p->data_hdr->flags & HDR_CNTAG;
	uint16_t flow_id = tagged ? p->data_hdr->cntag : 0;
	struct nic_cn *cn = find_cn(nic, flow_id, p->data_hdr->dst, p->cls);
	bool shared = !flow_id || p->qcn_shared;

	if (p->rp || (tagged && !flow_id))
		return -EINVAL;
	if (cn && (!shared || cn->rp.cfg != p->qcn))
		return -EEXIST;
	if (!cn)
		cn = add_cn(nic, p, flow_id);
	if (!cn)
		return -ENOMEM;
	qp->req.cn = cn;
	qp->req.next_member = cn->members;
	cn->members = qp;
	if (shared)
		qp->req.shared = cn;
	else
		cn->turn = qp;
	nic_req_rate(nic, qp, qcn_rp_rate(&cn->rp), 0);
	return 0;
}

// What an event at the nominal instant `at` means for those who have the limiter; the rate holds
// from `from` on.
static void reacted(struct nic *nic, struct nic_cn *cn, enum qcn_rp_event e, tstamp from, tstamp at)
{
	if (!cn->turn) {
		rate_t rate = qcn_rp_rate(&cn->rp);

		pacer_set_rate(&cn->idle, rate < cn->ceiling ? rate : cn->ceiling, from);
	}
	for (struct nic_qp *qp = cn->members; qp; qp = qp->req.next_member) {
		struct ev *ev = ev_put(nic->events, EV_RP, at);

		if (ev) {
			ev->cls = event_of[e];
			ev->id = qp->p.flow;
			ev->a = cn->rp.rc;
			ev->b = cn->rp.rt;
		}
		nic_req_rate(nic, qp, qcn_rp_rate(&cn->rp), from);
		if (e == QCN_RP_DECREASE)
			nic_req_cut(nic, qp, at);
	}
}

// Whose turn it is looks after the limiter's timer.
static void timer_changed(struct nic *nic, struct nic_cn *cn)
{
	struct nic_qp *qp = cn->turn;

	if (!qp)
		return;
	qp->req.rp_at = qcn_rp_deadline(&cn->rp);
	if (qp->state == NIC_QP_GAP && qp->req.rp_at < nic_heap_at(&nic->gap, qp->index))
		nic_heap_set(&nic->gap, qp->index, qp->req.rp_at);
}

void nic_cn_expire(struct nic *nic, struct nic_cn *cn, tstamp now)
{
	enum qcn_rp_event e;

	while ((e = qcn_rp_expire(&cn->rp, now)) != QCN_RP_NONE)
		reacted(nic, cn, e, cn->rp.at, cn->rp.at);
	if (cn->turn)
		cn->turn->req.rp_at = qcn_rp_deadline(&cn->rp);
}

void nic_cn_start(struct nic *nic, struct nic_cn *cn, tstamp now)
{
	qcn_rp_start(&cn->rp, now);
	timer_changed(nic, cn);
}

void nic_cn_sent(struct nic *nic, struct nic_qp *qp, uint32_t bytes, tstamp now)
{
	struct nic_cn *cn = qp->req.cn;
	enum qcn_rp_event e = qcn_rp_sent(&cn->rp, bytes, now);

	cn->served = true;
	if (e == QCN_RP_NONE)
		return;
	reacted(nic, cn, e, qp->req.pacer.next, now);
	qp->req.rp_at = qcn_rp_deadline(&cn->rp);
}

void nic_cn_cnm(struct nic *nic, const struct pkt *p, tstamp now)
{
	const struct pkt_cnm *m = &p->u.cnm;
	struct nic_cn *cn = find_cn(nic, m->flow_id, p->hdr->daddr, m->priority);
	enum qcn_rp_event e;

	if (!cn || !m->qntzfb) {
		nic->s.rp_cnm_ignored++;
		return;
	}
	nic->s.rp_cnm_handled++;
	for (struct nic_qp *qp = cn->members; qp; qp = qp->req.next_member) {
		struct ev *ev = ev_put(nic->events, EV_CNM_RX, now);

		qp->s.cnm_rx++;
		if (ev) {
			ev->id = qp->p.flow;
			ev->c = m->qntzfb;
		}
	}
	nic_cn_expire(nic, cn, now);
	e = qcn_rp_cnm(&cn->rp, m->qntzfb, now);
	reacted(nic, cn, e, now, now);
	timer_changed(nic, cn);
}

// The limiter goes from hand to hand; what each gave up stays its own.
static void hand_over(struct pacer *to, const struct pacer *from)
{
	to->next = from->next;
	to->frac = from->frac;
	to->bytes = from->bytes;
}

static void take_turn(struct nic_cn *cn, struct nic_qp *qp, const struct pacer *from)
{
	cn->turn = qp;
	cn->served = false;
	hand_over(&qp->req.pacer, from);
	qp->req.rp_at = qcn_rp_deadline(&cn->rp);
}

// Whether it is this queue pair's turn at its shared limiter; if not, it waits. One that has sent
// goes behind those who wait.
bool nic_cn_turn(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_cn *cn = qp->req.shared;

	if (!cn->turn) {
		// Nobody could send: the schedule begins anew, whatever the rate did meanwhile.
		nic_cn_expire(nic, cn, now);
		pacer_restart(&cn->idle, now);
		take_turn(cn, qp, &cn->idle);
		return true;
	}
	if (cn->turn == qp && !(cn->served && cn->head))
		return true;
	if (qp->state == NIC_QP_GAP)
		nic_heap_set(&nic->gap, qp->index, TSTAMP_NEVER);
	qp->state = NIC_QP_WAIT;
	qp->next_ready = NULL;
	if (cn->head)
		cn->tail->next_ready = qp;
	else
		cn->head = qp;
	cn->tail = qp;
	if (cn->turn == qp)
		nic_cn_pass(nic, qp, now);
	return false;
}

// The turn goes on, with the gap that is still running.
void nic_cn_pass(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_cn *cn = qp->req.shared;
	struct nic_qp *next = cn->head;

	qp->req.rp_at = TSTAMP_NEVER;
	if (!next) {
		cn->turn = NULL;
		cn->idle = qp->req.pacer;
		cn->idle.lost = 0;
		cn->ceiling = qp->req.ceiling;
		return;
	}
	cn->head = next->next_ready;
	take_turn(cn, next, &qp->req.pacer);
	next->state = NIC_QP_IDLE;
	nic_req_place(nic, next, now);
}
