// SPDX-License-Identifier: BSD-3-Clause
// The reaction point of a queue pair: what its events mean to those who have it, and who looks
// after its timer.
#include "base/fixed.h"
#include "int.h"

static rate_t limited(const struct nic_req *r, rate_t rate)
{
	return rate < r->ceiling ? rate : r->ceiling;
}

rate_t nic_rp_paced(const struct nic_req *r)
{
	return limited(r, rp_rate(r->rp));
}

// Returns whether due timers may stay undone until the queue pair's next frame is handled. This is
// so if the queue pair waits for its turn, or if its gap is running, because the end of both is
// known.
static bool is_left(const struct nic_qp *qp)
{
	return (qp->state == NIC_QP_READY || qp->state == NIC_QP_GAP) && rp_catches_up(qp->req.rp);
}

// How a requester stands with a reaction point.
static void look_at(const struct nic_qp *qp, const struct rp *rp, struct rp_look *look, tstamp now)
{
	rp_look(rp, now, look);
	if (!nic_rdma_ip(qp))
		return;
	look->rc = qp->req.rate;
	look->line = limited(&qp->req, look->line);
}

// Returns whether the queue pair listens to this kind of notification (RP_ASKS_*). A queue pair
// that has failed listens to none.
static bool asks(const struct nic_qp *qp, unsigned what)
{
	return qp->requester && qp->req.rp->asks & what && !qp->req.tx.failed;
}

// Returns whether CNPs to the class of this requester may wait until the queue pair is next used.
// Then the effect of a CNP depends on its instant alone, the whole state is in place, and there is
// no window that a CNP could open. Firmware and plug-ins must learn of each CNP at once.
static bool is_patient(const struct nic_req *r)
{
	return rp_catches_up(r->rp);
}

// The first CNP to its class that it has to take.
static uint32_t first_cnp(const struct nic_class_cnps *c, const struct nic_req *r)
{
	return c->n - r->cnps > NIC_CLASS_CNPS ? c->n - NIC_CLASS_CNPS : r->cnps;
}

// A reaction point's state at `now`, if nothing but its timers changes it.
static void run_to(struct rp *rp, tstamp now)
{
	tstamp at;

	while (rp_catch_up(rp, now, &at) != RP_NONE)
		;
}

void nic_rp_look(const struct nic *nic, const struct nic_qp *qp, struct rp_look *look, tstamp now)
{
	const struct nic_req *r = &qp->req;
	bool takes = nic_rp_has_cnps(nic, qp) && is_patient(r) && asks(qp, RP_ASKS_CNP);
	struct rp then = *r->rp;

	if (takes) {
		const struct nic_class_cnps *c = &nic->class_cnps[qp->cls];

		for (uint32_t i = first_cnp(c, r); i != c->n; i++) {
			run_to(&then, c->at[i % NIC_CLASS_CNPS]);
			rp_cnp(&then, c->at[i % NIC_CLASS_CNPS]);
		}
	}
	if (takes || is_left(qp))
		run_to(&then, now);
	look_at(qp, &then, look, now);
}

void nic_rp_rate(struct nic *nic, struct nic_qp *qp, rate_t rate, tstamp at)
{
	struct nic_req *r = &qp->req;
	uint64_t lost;

	rate = limited(r, rate);
	if (rate == r->rate)
		return;
	r->rate = rate;
	if (UNLIKELY(qp->works))
		nic_job_rate(nic, qp, at);
	if (nic_rdma_ip_next(qp))
		return;
	if (nic->p.fixed_gap) {
		// The simulator's rule: a gap that is running stays as it is.
		pacer_set_next_rate(&r->pacer, rate);
		return;
	}
	if (qp->state == NIC_QP_IDLE || qp->state == NIC_QP_WAIT)
		pacer_restart(&r->pacer, at); // it has nothing to send: it is behind by nothing
	else if (r->pacer.next < at)
		at = nic_req_owing_at(nic, qp, at);
	lost = pacer_set_rate(&r->pacer, rate, at);
	if (lost)
		nic_use(r)->lost += lost;
}

// Takes over rate and window of the reaction point, from the instant `from` on.
static void obey(struct nic *nic, struct nic_qp *qp, tstamp from)
{
	struct nic_req *r = &qp->req;

	nic_rp_rate(nic, qp, rp_rate(r->rp), from);
	rc_tx_set_window(&r->tx, rp_window(r->rp));
}

// The next frame that the cut holds back may leave at `next`; `at`: it holds back none.
static void tell_cut(struct nic *nic, uint32_t flow, tstamp next, tstamp at)
{
	struct ev *ev = ev_put(nic->events, EV_CUT, at);

	if (!ev)
		return;
	ev->cut.flow = flow;
	ev->cut.next = next;
}

// A decrease answers CNPs in any case. It is a cut if it lowered the rate or the window.
static void count_cut(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	struct nic_req_use *u = nic_use(&qp->req);
	struct rp_book *b = u->book;
	bool fell = rp_fell(qp->req.rp);
	tstamp next = fell ? qp->req.pacer.next : at, after;

	u->s.rate_cuts += fell;
	if (!b) {
		tell_cut(nic, qp->req.flow, next, at);
		return;
	}
	after = rp_book_cut(b, next, at);
	if (after != TSTAMP_NEVER)
		hist_add(b->cut, after, 1);
}

// Notes a CNP or CNM in the queue pair's book, for the delay of the cut that follows. A control
// that listens to CNMs is not cut by CNPs, so only the kind that it listens to counts.
static void book_notified(const struct nic_qp *qp, unsigned asks, tstamp now)
{
	bool by_cnm = qp->requester && qp->req.rp->asks & RP_ASKS_CNM;

	if (qp->requester && nic_use(&qp->req)->book && by_cnm == (asks == RP_ASKS_CNM))
		rp_book_notified(nic_use(&qp->req)->book, now);
}

static void book(const struct nic_qp *qp, struct rp_book *b, enum rp_event e, tstamp at)
{
	rate_t rc, rt;

	rp_rates(qp->req.rp, at, &rc, &rt);
	rp_book_add(b, e, nic_rdma_ip(qp) ? qp->req.rate : rc, rt, at);
}

static void tell(struct nic *nic, const struct nic_qp *qp, enum rp_event e, tstamp at)
{
	struct ev *ev = ev_put(nic->events, e == RP_ALPHA ? EV_RP_ALPHA : EV_RP, at);
	struct rp_look look;

	if (!ev)
		return;
	look_at(qp, qp->req.rp, &look, at);
	ev->reaction = (uint8_t)e;
	ev->rp.flow = qp->req.flow;
	ev->rp.alpha_millionths = (uint32_t)fixed_mul(look.alpha, 1000000, 60);
	ev->rp.rc = look.rc;
	ev->rp.rt = look.rt;
}

static void happened(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp at)
{
	struct nic_req_use *u = nic_use(&qp->req);

	if (e == RP_DECREASE)
		count_cut(nic, qp, at);
	u->s.alpha_updates += e == RP_ALPHA;
	if (u->book && e != RP_ALPHA)
		book(qp, u->book, e, at);
	else
		tell(nic, qp, e, at);
}

static void reacted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp from, tstamp at)
{
	obey(nic, qp, from);
	happened(nic, qp, e, at);
}

// Reports one event for all queue pairs that take turns at a reaction point; it names one of them.
// The queue pair whose turn it is takes the new rate at once, the others when their turn comes.
static void shared_reacted(
	struct nic *nic, struct nic_group *g, enum rp_event e, tstamp from, tstamp at)
{
	const struct nic_qp *named = g->turn ? g->turn : g->any;

	nic_group_rate(g, from);
	if (g->turn)
		obey(nic, g->turn, from);
	if (e == RP_DECREASE) {
		bool fell = rp_fell(&g->rp);

		g->cuts += fell;
		tell_cut(nic, named->req.flow, g->turn && fell ? g->turn->req.pacer.next : at, at);
	}
	tell(nic, named, e, at);
}

void nic_rp_reacted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp from, tstamp at)
{
	struct nic_group *g = nic_shared(qp);

	if (g)
		shared_reacted(nic, g, e, from, at);
	else
		reacted(nic, qp, e, from, at);
}

// Returns the queue pair that handles the timer: in a group, the one whose turn it is; NULL:
// nobody.
static struct nic_qp *timed(struct nic_qp *qp)
{
	return qp->joined ? nic_group(qp)->turn : qp;
}

bool nic_rp_opened(const struct nic_qp *qp)
{
	return qp->state == NIC_QP_IDLE && rc_tx_ready(&qp->req.tx);
}

tstamp nic_rp_opens(const struct nic_qp *qp)
{
	const struct rc_tx *tx = &qp->req.tx;

	if (qp->state != NIC_QP_IDLE || tx->next == tx->stop || rc_tx_ready(tx))
		return TSTAMP_NEVER;
	return qp->req.rp_at;
}

// Lets the next timer that is due by `now` expire on copies of reaction point, pacer and rate, in
// the same way as expire() does.
static void foresee(const struct nic *nic, const struct nic_req *r, struct rp *then,
	struct pacer *pacer, rate_t *rate, tstamp now)
{
	tstamp at;
	rate_t next;

	if (rp_expire(then, now, &at, false) == RP_NONE)
		return;
	next = limited(r, rp_rate(then));
	if (next != *rate && !nic->p.fixed_gap)
		(void)pacer_set_rate(pacer, next, at);
	*rate = next;
}

tstamp nic_rp_gap_end(const struct nic *nic, const struct nic_qp *qp)
{
	const struct nic_req *r = &qp->req;
	tstamp at = r->rp_at, until = tstamp_add(at, NIC_RP_LONG_DUE);
	struct pacer pacer = r->pacer;
	rate_t rate = r->rate;
	struct rp then;

	if (at >= pacer.next)
		return pacer.next;
	if (!rp_catches_up(r->rp))
		return at;
	for (then = *r->rp; at < tstamp_min(pacer.next, until); at = rp_deadline(&then))
		foresee(nic, r, &then, &pacer, &rate, at);
	return tstamp_min(pacer.next, at);
}

// A frame that was to leave when the wire is free may not: the wire is idle for want of frames.
static void gap_moved(struct nic *nic)
{
	if (!nic->e.pull && wheel_first(&nic->gap) > nic->e.tat)
		eport_starve(&nic->e);
}

void nic_rp_changed(struct nic *nic, struct nic_qp *qp)
{
	tstamp end;

	qp = timed(qp);
	if (!qp)
		return;
	qp->req.rp_at = rp_deadline(qp->req.rp);
	nic_timer_by(nic, qp, nic_rp_opens(qp));
	if (qp->state != NIC_QP_GAP)
		return;
	end = nic_rp_gap_end(nic, qp);
	if (end == wheel_at(&nic->gap, qp->index))
		return;
	wheel_set(&nic->gap, qp->index, end);
	gap_moved(nic);
}

// Returns whether a timer is overdue for so long that the requester will lose its owed bytes in any
// case: it has no frame to send, or its frame waits for the wire.
static bool is_long_due(const struct nic_qp *qp, tstamp now)
{
	const struct nic_req *r = &qp->req;

	return rp_catches_up(r->rp) && qp->state != NIC_QP_GAP && r->pacer.next <= r->rp_at &&
	       tstamp_since(now, r->rp_at) > NIC_RP_LONG_DUE;
}

// Counts changes of alpha if nobody wants an event for each.
static void count_alpha(struct nic_qp *qp, tstamp now)
{
	uint64_t n = rp_alpha_moves(qp->req.rp, now), told;
	struct nic_req_use *u = nic_use(&qp->req);

	if (!n)
		return;
	told = n < u->alphas_told ? n : u->alphas_told;
	u->alphas_told -= told;
	u->s.alpha_updates += n - told;
}

// Runs the timers that are due by `now`. Each change holds from its instant on. If they have been
// due for long, all are run at once and the limiter has the last rate from `now` on, the same
// whether anybody wants to see what happened at each instant.
static void expire(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct rp *rp = qp->req.rp;
	const struct rp_book *book = nic_use(&qp->req)->book;
	const bool with_events = nic->events->want >> EV_RP & 1 || book;
	// Nobody looks at alpha between two cuts, unless each change is asked for: it is enough to
	// know how many there were. Each event says what alpha was then.
	const bool with_alpha = !rp_catches_up(rp) || nic->events->want >> EV_RP_ALPHA & 1;
	const bool late = is_long_due(qp, now), tells = with_events && !book && !late;
	const bool each = with_events || !late;
	enum rp_event e;
	tstamp at;

	if (!with_alpha)
		count_alpha(qp, tells ? tstamp_min(rp_deadline(rp), now) : now);
	while ((e = each ? rp_expire(rp, now, &at, with_alpha) : rp_catch_up(rp, now, &at)) !=
		RP_NONE) {
		bool told = at >= nic_use(&qp->req)->told_to;

		if (late && told)
			happened(nic, qp, e, at);
		else if (told)
			nic_rp_reacted(nic, qp, e, at, at);
		else if (!late)
			obey(nic, qp, at);
		if (!with_alpha && (tells || e == RP_DECREASE))
			count_alpha(qp, tells ? tstamp_min(rp_deadline(rp), now) : now);
	}
	if (late)
		obey(nic, qp, now);
	qp = timed(qp);
	if (qp)
		qp->req.rp_at = rp_deadline(rp);
}

static void notified(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	enum rp_event e;

	expire(nic, qp, now);
	e = rp_cnp(qp->req.rp, now);
	if (e != RP_NONE)
		nic_rp_reacted(nic, qp, e, now, now);
	nic_rp_changed(nic, qp);
}

// It need not be touched for another reason.
static void notified_at_once(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	notified(nic, qp, now);
	if (nic_rp_opened(qp))
		nic_req_wake(nic, qp, now);
	if (nic_rdma_ip(qp))
		nic_rdma_ip_notified(nic, qp, now);
}

void nic_rp_join_class(struct nic *nic, struct nic_qp *qp)
{
	struct nic_class_cnps *c = nic->class_cnps ? &nic->class_cnps[qp->cls] : NULL;

	if (!c || is_patient(&qp->req) || !asks(qp, RP_ASKS_CNP))
		return;
	if (c->prompt)
		c->prompt_tail->req.more->next_prompt = qp;
	else
		c->prompt = qp;
	c->prompt_tail = qp;
}

void nic_rp_take_cnps(struct nic *nic, struct nic_qp *qp)
{
	struct nic_req *r = &qp->req;

	while (nic_rp_has_cnps(nic, qp)) {
		const struct nic_class_cnps *c = &nic->class_cnps[qp->cls];

		r->cnps = first_cnp(c, r) + 1;
		if (is_patient(r) && asks(qp, RP_ASKS_CNP))
			notified(nic, qp, c->at[(r->cnps - 1) % NIC_CLASS_CNPS]);
	}
}

void nic_rp_expire(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	nic_rp_take_cnps(nic, qp);
	expire(nic, qp, now);
}

// Expires the timers of a queue pair that waits for its turn, on a copy. The queue pair itself
// stays as it is, because it catches up with all its timers at once when it sends. The copy's
// counters become those of the queue pair. `told_to` and `alphas_told` keep these events from being
// counted and reported again later.
static void account_on_paper(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req_use *u = nic_use(&qp->req), use = *u;
	uint64_t alphas = u->s.alpha_updates - u->alphas_told;
	struct nic_qp then = *qp;

	then.req.rp = &then.req.own;
	then.req.tx.past = &use.past;
	expire(nic, &then, now);
	nic_req_set_owed(nic, &then, now);
	u->s = use.s;
	u->told_to = now + 1;
	u->alphas_told = u->s.alpha_updates - alphas;
}

void nic_rp_account(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	const struct rp *rp = qp->req.rp;

	nic_rp_take_cnps(nic, qp);
	if (qp->state == NIC_QP_READY && rp_catches_up(rp)) {
		account_on_paper(nic, qp, now);
		return;
	}
	if (rp->kind)
		expire(nic, qp, now);
	nic_req_set_owed(nic, qp, now);
}

void nic_rp_counted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp now)
{
	// It holds from the ideal beginning of the gap that this frame makes.
	nic_rp_reacted(nic, qp, e, qp->req.pacer.next, now);
	qp->req.rp_at = rp_deadline(qp->req.rp);
}

void nic_rp_cnp(struct nic *nic, struct nic_qp *qp, tstamp made, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_CNP_RX, now);
	struct nic_class_cnps *c;

	if (ev) {
		ev->cnp_rx.flow = qp->req.flow;
		ev->cnp_rx.age_ps = made == TSTAMP_NEVER ? made : tstamp_since(now, made);
	}
	nic_counts(qp)->cnp_rx++;
	nic_rp_take_cnps(nic, qp);
	book_notified(qp, RP_ASKS_CNP, now);
	if (!asks(qp, RP_ASKS_CNP)) {
		nic->s.rp_cnp_ignored++;
		return;
	}
	nic->s.rp_cnp_handled++;
	if (!nic->class_cnps) {
		notified_at_once(nic, qp, now);
		return;
	}
	c = &nic->class_cnps[qp->cls];
	c->at[c->n++ % NIC_CLASS_CNPS] = now;
	nic_rp_take_cnps(nic, qp);
	for (qp = c->prompt; qp; qp = qp->req.more->next_prompt)
		if (asks(qp, RP_ASKS_CNP))
			notified_at_once(nic, qp, now);
}

void nic_rp_cnm(struct nic *nic, const struct pkt *p, tstamp now)
{
	const struct pkt_cnm *m = &p->u.cnm;
	struct nic_group *g = nic_group_find(nic, m->flow_id, p->hdr->daddr, m->priority);
	enum rp_event e;
	struct ev *ev;

	if (!g || !m->qntzfb || !(g->rp.asks & RP_ASKS_CNM)) {
		nic->s.rp_cnm_ignored++;
		return;
	}
	nic->s.rp_cnm_handled++;
	if (nic_shared(g->any)) {
		g->cnms++;
	} else {
		nic_counts(g->any)->cnm_rx++;
		book_notified(g->any, RP_ASKS_CNM, now);
	}
	ev = ev_put(nic->events, EV_CNM_RX, now);
	if (ev) {
		ev->cnm_rx.flow = g->any->req.flow;
		ev->cnm_rx.qntzfb = m->qntzfb;
	}
	nic_rp_expire(nic, g->any, now);
	e = rp_cnm(&g->rp, m->qntzfb, now);
	nic_rp_reacted(nic, g->any, e, now, now);
	nic_rp_changed(nic, g->any);
}

// Applies the reaction to an ACK or a NAK. A window may change without an event.
static void answered(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp now)
{
	if (e != RP_NONE)
		nic_rp_reacted(nic, qp, e, now, now);
	else
		obey(nic, qp, now);
	nic_rp_changed(nic, qp);
}

void nic_rp_ack(struct nic *nic, struct nic_qp *qp, const struct rp_ack *ack, tstamp now)
{
	if (!asks(qp, RP_ASKS_ACK))
		return;
	nic_rp_expire(nic, qp, now);
	answered(nic, qp, rp_ack(qp->req.rp, ack, now), now);
}

void nic_rp_nak(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (!asks(qp, RP_ASKS_ACK))
		return;
	nic_rp_expire(nic, qp, now);
	answered(nic, qp, rp_nak(qp->req.rp, now), now);
}

// The reaction point of a queue pair takes over the configuration of its kind. The one of a group
// has that of the queue pair that adopted last. The RDMA IP's is in its registers, and a plug-in
// has none that changes.
static void adopt_cfg(struct nic_qp *qp, const struct rp_cfg *cfg, tstamp now)
{
	if (!cfg || cfg->kind == RP_RDMA_IP || cfg->kind == RP_PLUGIN)
		return;
	rp_adopt(qp->req.rp, cfg, now);
	if (qp->joined)
		nic_group(qp)->cfg = cfg;
}

static void adopt_limit(struct nic *nic, struct nic_qp *qp, rate_t limit, tstamp now)
{
	struct nic_req *r = &qp->req;

	r->ceiling = limit && limit < nic->p.rate ? limit : nic->p.rate;
	if (!nic_rdma_ip(qp))
		return;
	rdma_ip_qp_set_most(nic_rdma_ip(qp), limit, now);
	nic_rdma_ip_next(qp);
	if (qp->state == NIC_QP_GAP)
		nic_req_place(nic, qp, now);
}

void nic_rp_adopt(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	const struct nic_qp_params *p = &nic_kind(nic, qp->req.kind)->p;
	struct nic_group *g = nic_shared(qp);
	rate_t rate;

	nic_rp_expire(nic, qp, now);
	rate = rp_rate(qp->req.rp);
	adopt_cfg(qp, p->rp, now);
	adopt_limit(nic, qp, p->rate_limit, now);
	if (rp_rate(qp->req.rp) != rate)
		nic_rp_reacted(nic, qp, RP_WRITTEN, now, now);
	else if (!g || g->turn == qp)
		obey(nic, qp, now);
	expire(nic, qp, now);
	nic_rp_changed(nic, qp);
}
