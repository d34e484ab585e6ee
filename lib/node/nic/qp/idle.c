// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that have no place: nobody has used them, or they are at rest. A small record of each
// is enough to set it up at its next message, frame or command.
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "int.h"
#include "wire/bth.h"

int nic_place_make(struct nic *nic, bool requester)
{
	struct nic_slab *lines = nic_place_lines(nic, requester);
	struct nic_slab *uses = nic_place_uses(nic, requester);
	bool has_lines = nic_slab_get(lines);
	void *use = has_lines ? nic_slab_get(uses) : NULL;
	bool has_kept = use && nic_slab_get(&nic->kept);

	if (use && nic->p.large) // so no page of it is new later
		memset(use, 0, uses->size);
	if (use && !has_kept)
		nic_slab_unget(uses);
	if (has_lines && !has_kept)
		nic_slab_unget(lines);
	return has_kept ? 0 : -ENOMEM;
}

void nic_place_unmake(struct nic *nic, bool requester, bool lent)
{
	if (lent)
		nic_place_return(nic, requester);
	nic->fixed -= lent && requester;
	nic_slab_unget(nic_place_lines(nic, requester));
	nic_slab_unget(nic_place_uses(nic, requester));
	nic_slab_unget(&nic->kept);
}

// Sets up a zeroed queue pair with its zeroed `use`.
static int set_up(struct nic *nic, struct nic_qp *qp, void *use, const struct nic_qp_params *p,
	uint32_t kind, unsigned i)
{
	qp->requester = p->requester;
	qp->index = i;
	qp->cls = p->cls & (PKT_CLASSES - 1);
	qp->queue = nic->queue_of[p->cls];
	qp->timer_at = TSTAMP_NEVER;
	qp->works = nic->work && nic->fifos.fifo[i].of != NIC_FIFO_NOBODY &&
		    nic->fifos.fifo[i].of & NIC_WORK_JOB;
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
		.kept = (nic->kept.n - 1) & ((1u << 29) - 1),
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
	struct nic_place place;

	if (may_idle && can_idle(nic, p) && idle(nic, p, kind))
		return 0;
	place = nic_place_next(nic, p->requester);
	nic->fixed += p->requester;
	nic->qp[nic->n_qps] = place.qp;
	return set_up(nic, place.qp, place.use, p, kind, nic->n_qps);
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

const struct nic_rest *nic_idle_rest(const struct nic *nic, unsigned i)
{
	const struct nic_idle *d = &nic->idle[i];
	const struct nic_kept none = {0};

	nic_kept_get(d->was_used ? nic_slab_at(&nic->kept, d->kept) : &none, nic->shown);
	return nic->shown;
}

static void resume_req(struct nic *nic, struct nic_qp *qp, const struct nic_rest *r)
{
	struct nic_req *q = &qp->req;
	struct nic_req_use *u = nic_use(q);

	u->s = r->s;
	u->lost = r->lost;
	u->paused_ps = r->s.paused_ps;
	q->tx.past->done = r->s.message_tx;
	q->start_at = TSTAMP_NEVER;
	qp->running = r->running;
	if (qp->running)
		rp_start(q->rp, nic->now);
}

static void resume_rsp(struct nic_qp *qp, const struct nic_rest *r)
{
	struct nic_rsp *a = &qp->rsp;
	struct nic_rsp_use *u = nic_rsp_use(a);

	u->s = r->s;
	u->rc.messages = r->s.message_complete_rx;
	u->rc.receives = r->s.receives;
	u->rc.immediates = r->s.immediate_rx;
	a->rx.msn = r->s.message_complete_rx & BTH_PSN_MASK;
	a->ce = r->ce;
	a->imm = (uint32_t)r->imm;
	a->whole_at = r->whole_at;
}

struct nic_qp *nic_idle_end(struct nic *nic, unsigned i)
{
	const struct nic_idle *d = &nic->idle[i];
	struct nic_place place = nic_place_lend(nic, d->requester);
	struct nic_qp_params p = nic_idle_params(nic, i);
	struct nic_qp *qp = place.qp;
	int rc = set_up(nic, qp, place.use, &p, d->kind, i);

	assert(!rc); // as when it was added
	(void)rc;
	qp->lends = true;
	qp->paused = qp->masked = d->paused;
	qp->timer_at = wheel_at(&nic->timers, i);
	// An adopted rate or message changes the share of a gap, but not an instant that is set.
	if (d->requester && !d->was_used && qp->timer_at != TSTAMP_NEVER)
		qp->req.start_at = qp->timer_at;
	if (d->lent && d->requester)
		nic_use(&qp->req)->book = d->lent;
	else if (d->lent)
		nic_rsp_use(&qp->rsp)->latency = d->lent;
	if (d->was_used && d->requester)
		resume_req(nic, qp, nic_idle_rest(nic, i));
	else if (d->was_used)
		resume_rsp(qp, nic_idle_rest(nic, i));
	nic->qp[i] = qp;
	return qp;
}

struct nic_qp *nic_idle_end_number(struct nic *nic, uint32_t number)
{
	if (nic->by_number || number - 1 >= nic->n_qps)
		return NULL;
	return nic_idle_end(nic, number - 1);
}

// A queue pair at rest has no timer: the one that is due was set earlier.
struct nic_qp *nic_idle_timer(struct nic *nic, unsigned i)
{
	if (!nic->idle[i].was_used && !nic_wait_start(nic, i, nic->now))
		return nic_idle_end(nic, i);
	wheel_set(&nic->timers, i, TSTAMP_NEVER);
	return NULL;
}

uint32_t nic_flow_at(const struct nic *nic, unsigned i)
{
	return nic->qp[i] ? nic_flow(nic->qp[i]) : nic->idle[i].flow;
}

bool nic_requests(const struct nic *nic, unsigned i)
{
	return nic->qp[i] ? nic->qp[i]->requester : nic->idle[i].requester;
}
