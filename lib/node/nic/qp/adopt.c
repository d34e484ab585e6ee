// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that take over other properties while they run.
#include <stdlib.h>
#include <string.h>

#include "int.h"

void nic_brought_free(struct nic_brought *b)
{
	while (b) {
		struct nic_brought *next = b->next;

		for (unsigned i = 0; i < b->n_kinds; i++)
			free(b->kind[i]);
		for (unsigned i = 0; i < b->n_rcs; i++)
			free(b->rc[i]);
		for (unsigned i = 0; i < b->n_rps; i++)
			free(b->rp[i]);
		free(b->kind);
		free(b->rc);
		free(b->rp);
		free(b);
		b = next;
	}
}

void nic_kind_make_room(struct nic *nic, struct nic_kind_room *room)
{
	struct nic_kind_room had = nic->kinds;

	if (had.free)
		return;
	memcpy(room->kind, nic->kind, nic->n_kinds * sizeof(struct nic_kind *));
	had.kind = nic->kind;
	nic->kinds = *room;
	nic->kind = room->kind;
	*room = had;
}

static void give_number(struct nic *nic, struct nic_brought_kind *k)
{
	k->number = nic->n_kinds_free ? nic->kinds.free[--nic->n_kinds_free]
				      : nic->n_kinds + nic->n_kinds_brought++;
	nic->kind[k->number] = &k->k;
}

// A queue pair has the kind no more. What nobody needs any longer joins the list *back.
static void leave(struct nic *nic, uint32_t number, struct nic_brought **back)
{
	struct nic_brought_kind *k;
	struct nic_brought *b;

	if (number < nic->n_kinds)
		return;
	k = (struct nic_brought_kind *)nic->kind[number];
	b = k->of;
	if (!--k->pairs)
		nic->kinds.free[nic->n_kinds_free++] = number;
	if (--b->pairs)
		return;
	if (b->link) { // else it is being adopted
		*b->link = b->next;
		if (b->next)
			b->next->link = b->link;
	}
	b->link = NULL;
	b->next = *back;
	*back = b;
}

void nic_brought_keep(struct nic *nic, struct nic_brought *b)
{
	b->next = nic->brought;
	b->link = &nic->brought;
	if (b->next)
		b->next->link = &b->next;
	nic->brought = b;
}

// Takes over limit, window and what else the transport has.
static void adopt_transport(
	struct nic *nic, struct nic_qp *qp, const struct nic_kind *was, tstamp now)
{
	const struct nic_qp_params *p = &nic_kind(nic, qp->req.kind)->p;
	struct rc_tx *tx = &qp->req.tx;

	if (nic_source(qp)) {
		tx->cfg = nic_source(qp)->cfg = p->rc;
		return;
	}
	rc_tx_adopt(tx, p->rc, now);
	if (tx->failed)
		return;
	if (tx->messages && p->outstanding > was->p.outstanding)
		nic_req_post(nic, qp, now);
	else if (qp->state == NIC_QP_IDLE && rc_tx_ready(tx))
		nic_req_wake(nic, qp, now);
	nic_timer_by(nic, qp, rc_tx_rto_at(tx));
}

static void adopt_req(struct nic *nic, struct nic_qp *qp, const struct nic_kind *was, tstamp now)
{
	nic_rp_adopt(nic, qp, now);
	adopt_transport(nic, qp, was, now);
}

static void adopt_rsp(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	qp->rsp.rx.cfg = nic_kind(nic, qp->rsp.kind)->p.rc;
	if (qp->rsp.read)
		nic_read_adopt(nic, qp, now);
}

void nic_pair_adopt(
	struct nic *nic, const struct nic_pair_order *o, struct nic_brought **back, tstamp now)
{
	struct nic_qp *qp = nic->qp[o->i];
	uint32_t old = nic_kind_at(nic, o->i);
	const struct nic_kind *was = nic_kind(nic, old);

	if (!o->kind->pairs++)
		give_number(nic, o->kind);
	o->kind->of->pairs++;
	nic->idle[o->i].kind = o->kind->number; // for a time when it has no place
	if (qp && qp->requester) {
		qp->req.kind = o->kind->number;
		adopt_req(nic, qp, was, now);
	} else if (qp) {
		qp->rsp.kind = o->kind->number;
		adopt_rsp(nic, qp, now);
	}
	leave(nic, old, back);
}
