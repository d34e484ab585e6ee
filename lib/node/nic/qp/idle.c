// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that have not been used: their memory is address space, which nobody has written. A
// small record of each is enough to set it up at its first message, frame or command.
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "int.h"

// The slab with the lines of a queue pair, and the slab with the part that it needs once it is
// used. Both have it in the same place.
static struct nic_slab *lines(struct nic *nic, bool requester)
{
	return requester ? &nic->req : &nic->rsp;
}

static struct nic_slab *uses(struct nic *nic, bool requester)
{
	return requester ? &nic->req_use : &nic->rsp_use;
}

int nic_place_take(struct nic *nic, bool requester)
{
	void *qp = nic_slab_get(lines(nic, requester));
	void *use = qp ? nic_slab_get(uses(nic, requester)) : NULL;

	if (qp && !use)
		nic_slab_unget(lines(nic, requester));
	if (use && nic->p.large) // so no page of it is new later
		memset(use, 0, uses(nic, requester)->size);
	return use ? 0 : -ENOMEM;
}

void nic_place_untake(struct nic *nic, bool requester)
{
	nic_slab_unget(lines(nic, requester));
	nic_slab_unget(uses(nic, requester));
}

// Sets up a zeroed queue pair with its zeroed `use`.
static int set_up(struct nic *nic, struct nic_qp *qp, void *use, const struct nic_qp_params *p,
	uint32_t kind, unsigned i)
{
	qp->requester = p->requester;
	qp->index = i;
	qp->cls = p->cls;
	qp->timer_at = TSTAMP_NEVER;
	if (p->requester)
		qp->req.tx.past = &((struct nic_req_use *)use)->past;
	else
		qp->rsp.rx.stats = &((struct nic_rsp_use *)use)->rc;
	return p->requester ? nic_req_init(nic, qp, p, kind) : nic_rsp_init(nic, qp, p, kind);
}

// Whether nobody needs anything of the queue pair before it is used.
static bool can_idle(const struct nic *nic, const struct nic_qp_params *p)
{
	if (nic->p.large || nic->class_cnps || p->peer || p->rc->p.verb == RC_READ)
		return false;
	return !p->requester || !nic_req_needs_more(p);
}

// Makes the record of an idle queue pair, and sets the timer of its start. False: its reaction
// point has a timer or a window from the start, or it cannot be set up.
static bool idle(struct nic *nic, const struct nic_qp_params *p, uint32_t kind)
{
	union {
		struct nic_req_use req;
		struct nic_rsp_use rsp;
	} use = {0};
	struct nic_qp qp = {0};
	unsigned i = nic->n_qps;

	if (set_up(nic, &qp, &use, p, kind, i))
		return false;
	if (p->requester && (qp.req.rp_at != TSTAMP_NEVER || qp.req.tx.windowed))
		return false;
	nic->idle[i] = (struct nic_idle){.hdr = p->requester ? p->data_hdr : p->ack_hdr,
		.kind = kind,
		.flow = p->flow,
		.qpn = p->qpn,
		.peer_qpn = p->peer_qpn,
		.psn = p->psn,
		.place = lines(nic, p->requester)->n - 1,
		.requester = p->requester};
	if (p->requester)
		nic->idle[i].phase = p->phase;
	else
		nic->idle[i].cnp_hdr = p->cnp_hdr;
	if (p->requester && qp.req.start_at != TSTAMP_NEVER)
		wheel_set(&nic->timers, i, qp.req.start_at);
	return true;
}

int nic_place_fill(struct nic *nic, const struct nic_qp_params *p, uint32_t kind, bool may_idle)
{
	struct nic_slab *of = lines(nic, p->requester), *use = uses(nic, p->requester);
	struct nic_qp *qp = nic_slab_at(of, of->n - 1);

	if (may_idle && can_idle(nic, p) && idle(nic, p, kind))
		return 0;
	nic->qp[nic->n_qps] = qp;
	return set_up(nic, qp, nic_slab_at(use, use->n - 1), p, kind, nic->n_qps);
}

struct nic_qp_params nic_idle_params(const struct nic *nic, unsigned i)
{
	const struct nic_idle *d = &nic->idle[i];
	struct nic_qp_params p = nic_kind(nic, d->kind)->p;

	p.flow = d->flow;
	p.qpn = d->qpn;
	p.peer_qpn = d->peer_qpn;
	p.psn = d->psn;
	if (d->requester) {
		p.data_hdr = d->hdr;
		p.phase = (uint32_t)d->phase;
	} else {
		p.ack_hdr = d->hdr;
		p.cnp_hdr = d->cnp_hdr;
	}
	return p;
}

struct nic_qp *nic_idle_end(struct nic *nic, unsigned i)
{
	const struct nic_idle *d = &nic->idle[i];
	struct nic_qp *qp = nic_slab_at(lines(nic, d->requester), d->place);
	void *use = nic_slab_at(uses(nic, d->requester), d->place);
	struct nic_qp_params p = nic_idle_params(nic, i);
	int rc = set_up(nic, qp, use, &p, d->kind, i);

	assert(!rc); // as when it was added
	(void)rc;
	qp->timer_at = wheel_at(&nic->timers, i);
	if (d->lent && d->requester)
		nic_use(&qp->req)->book = d->lent;
	else if (d->lent)
		nic_rsp_use(&qp->rsp)->latency = d->lent;
	nic->qp[i] = qp;
	return qp;
}

struct nic_qp *nic_idle_end_number(struct nic *nic, uint32_t number)
{
	if (nic->by_number || number - 1 >= nic->n_qps)
		return NULL;
	return nic_idle_end(nic, number - 1);
}

struct nic_qp *nic_place(const struct nic *nic, unsigned i)
{
	const struct nic_idle *d = &nic->idle[i];

	if (nic->qp[i])
		return nic->qp[i];
	return nic_slab_at(d->requester ? &nic->req : &nic->rsp, d->place);
}

struct nic_qp_stats *nic_place_counts(const struct nic *nic, unsigned i)
{
	const struct nic_idle *d = &nic->idle[i];

	if (nic->qp[i])
		return nic_counts(nic->qp[i]);
	if (d->requester)
		return &((struct nic_req_use *)nic_slab_at(&nic->req_use, d->place))->s;
	return &((struct nic_rsp_use *)nic_slab_at(&nic->rsp_use, d->place))->s;
}

uint32_t nic_flow_at(const struct nic *nic, unsigned i)
{
	return nic->qp[i] ? nic_flow(nic->qp[i]) : nic->idle[i].flow;
}

bool nic_requests(const struct nic *nic, unsigned i)
{
	return nic->qp[i] ? nic->qp[i]->requester : nic->idle[i].requester;
}
