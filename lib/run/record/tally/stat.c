// SPDX-License-Identifier: BSD-3-Clause
// Figures that need events: lengths of pauses, gaps between CNPs, completion times, time-weighted
// rates.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fixed.h"

void record_stat_settle(struct record *r, struct rec_flow *f, tstamp t)
{
	const struct rec_sample *s;

	if (f->limiter) {
		record_limiter_settle(r, f->limiter, t);
		return;
	}
	while ((s = record_rate_next(f, t))) {
		rp_book_upto(&f->book, s->t);
		record_rate_sampled(r, f, s);
	}
}

static struct rp_book *book_of(struct rec_flow *f)
{
	return f->limiter ? &f->limiter->book : &f->book;
}

static void reaction(struct record *r, struct rec_flow *f, const struct ev *e)
{
	if (f->samples || f->limiter)
		record_stat_settle(r, f, e->t);
	rp_book_add(book_of(f), (enum rp_event)e->reaction, e->rp.rc, e->rp.rt, e->t);
	if (!f->limiter && e->t >= record_window(r))
		record_split_reacted(r, f, e->t);
}

static void rate_cut(struct record *r, struct rec_flow *f, const struct ev *e)
{
	tstamp after = rp_book_cut(book_of(f), e->cut.next, e->t);

	if (after != TSTAMP_NEVER)
		record_hist_add(r, &r->group[f->group].cut, after);
}

static void marked(const struct record *r, struct rec_queue *q, tstamp t)
{
	if (t < record_window(r))
		return;
	q->first_mark = tstamp_min(q->first_mark, t);
	q->last_mark = t;
}

// Messages of a load have many sizes and are in bins only.
static void message_done(struct record *r, struct rec_flow *f, const struct ev *e)
{
	struct rec_group *g = &r->group[f->group];
	struct rec_times t = {.fct = tstamp_since(e->t, rec_message_since(f, &e->message)),
		.posted = tstamp_since(e->t, e->message.posted),
		.slowdown = REC_NO_SLOWDOWN};
	tstamp ideal = record_standalone(f, e->message.bytes);

	if (!f->messages++)
		f->posted_at = e->message.posted;
	f->done_at = e->t;
	if (e->t < record_window(r))
		return;
	record_split_done(r, f, e, ideal);
	record_bins_done(r, f, e, ideal);
	record_hist_add(r, &g->fct, t.fct);
	record_hist_add(r, &g->fct_posted, t.posted);
	if (ideal) {
		t.slowdown = fixed_muldiv(t.fct, 1000, ideal);
		record_hist_add(r, &g->slowdown, t.slowdown);
	}
	if (!f->scene->req.loaded)
		record_size_done(r, &r->size[f->size], &t);
}

static struct rec_flow *flow_of(const struct record *r, uint32_t flow)
{
	return flow < r->n_flows ? &r->flow[flow] : NULL;
}

static bool asks_cnm(const struct rec_flow *f)
{
	return rp_asks(f->scene->rp) & RP_ASKS_CNM;
}

// A function for each type of event.
// The port that the event names; NULL: none.
static struct rec_port *port_of(const struct record *r, const struct ev *e)
{
	bool has_port = e->port < net_node(r->net, e->node)->scene->n_ports;

	return has_port ? record_obj_port(r, e->node, e->port) : NULL;
}

static void take_mark(struct record *r, const struct ev *e)
{
	const struct rec_port *p = port_of(r, e);

	r->seen[e->node].marks++;
	if (p && p->queue)
		marked(r, &p->queue[e->cls % PKT_CLASSES], e->t);
}

static void take_drop(struct record *r, const struct ev *e)
{
	bool is_nic = net_node(r->net, e->node)->kind == SCENE_NIC;

	r->seen[e->node].drops += !is_nic || nic_drop_is_event((enum nic_drop)e->drop.reason);
}

static void take_pause(struct record *r, const struct ev *e)
{
	struct rec_port *p = port_of(r, e);

	if (p)
		record_pause(r, p, e->cls % PAUSE_PRIOS, e->type == EV_PAUSE_RX, e->t);
}

static void take_pause_sent(struct record *r, const struct ev *e)
{
	struct rec_port *p = port_of(r, e);

	if (p)
		record_pauses_sent(r, p, e);
}

static void take_link(struct record *r, const struct ev *e)
{
	struct rec_port *p = port_of(r, e);

	if (p)
		record_link_changed(p);
}

static void take_ce(struct record *r, const struct ev *e)
{
	const struct rec_flow *f = flow_of(r, e->ce_rx.flow);

	if (f)
		record_cnp_ce(r, f, e);
}

static void take_cnp_sent(struct record *r, const struct ev *e)
{
	const struct rec_flow *f = flow_of(r, e->cnp_tx.flow);

	r->seen[e->node].cnp_tx++;
	if (f)
		record_cnp_sent(r, f, e);
}

// No cut of QCN answers a CNP.
static void take_cnp_received(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->cnp_rx.flow);

	r->seen[e->node].cnp_rx++;
	if (!f)
		return;
	record_cnp_came(r, f, e);
	if (!f->lent && !asks_cnm(f))
		rp_book_notified(&f->book, e->t);
}

static void take_cnm(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->cnm_rx.flow);

	if (f && !f->lent && asks_cnm(f))
		rp_book_notified(book_of(f), e->t);
}

static void take_cnm_sent(struct record *r, const struct ev *e)
{
	record_cnp_made(r, e->cnm_tx.hdr, e);
}

static void take_iqcn(struct record *r, const struct ev *e)
{
	record_cnp_made(r, e->iqcn_tx.hdr, e);
}

static void take_fast_cnp(struct record *r, const struct ev *e)
{
	record_cnp_made(r, e->mark.hdr, e);
}

static void take_reaction(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->rp.flow);

	if (f)
		reaction(r, f, e);
}

static void take_rtt(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->rtt.flow);

	if (f && e->t >= record_window(r))
		record_hist_add(r, &r->group[f->group].rtt, e->rtt.rtt_ps);
}

static void take_cut(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->cut.flow);

	if (f)
		rate_cut(r, f, e);
}

static void take_resent(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->resent.flow);

	if (f)
		record_split_resent(r, f, e);
}

static void take_timeout(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->retry.flow);

	if (f)
		record_split_timeout(r, f, e);
}

static void take_message(struct record *r, const struct ev *e)
{
	struct rec_flow *f = flow_of(r, e->message.flow);

	if (f)
		message_done(r, f, e);
}

static void take_message_failed(struct record *r, const struct ev *e)
{
	record_bins_unfinished(r, e->message.flow, e->message.bytes, e->message.posted);
}

static void take_nothing(struct record *r, const struct ev *e)
{
	(void)r;
	(void)e;
}

static void take_user_mark(struct record *r, const struct ev *e)
{
	r->marks++;
	r->mark = e->user_mark.text;
}

static record_stat_fn *const take[EV_TYPES] = {
	[EV_MARK] = take_mark,
	[EV_DROP] = take_drop,
	[EV_XOFF_TX] = take_pause_sent,
	[EV_XON_TX] = take_pause_sent,
	[EV_PAUSE_RX] = take_pause,
	[EV_RESUME_RX] = take_pause,
	[EV_CNP_TX] = take_cnp_sent,
	[EV_CNP_RX] = take_cnp_received,
	[EV_RP] = take_reaction,
	[EV_MSG_DONE] = take_message,
	[EV_RESENT] = take_resent,
	[EV_TIMEOUT] = take_timeout,
	[EV_MSG_FAILED] = take_message_failed,
	[EV_CNM_TX] = take_cnm_sent,
	[EV_CNM_RX] = take_cnm,
	[EV_IQCN_TX] = take_iqcn,
	[EV_FAST_CNP_TX] = take_fast_cnp,
	[EV_CE_RX] = take_ce,
	[EV_CUT] = take_cut,
	[EV_RTT] = take_rtt,
	[EV_LINK_DOWN] = take_link,
	[EV_LINK_UP] = take_link,
	[EV_USER_MARK] = take_user_mark,
	[EV_JOB_STEP] = record_job_step,
	[EV_JOB_PART] = record_job_part,
};

void record_stat_init(struct record *r)
{
	for (unsigned i = 0; i < EV_TYPES; i++)
		r->take[i] = take[i] ? take[i] : take_nothing;
}

void record_stat_finish(struct record *r, tstamp end)
{
	for (unsigned i = 0; i < r->n_flows; i++) {
		struct rec_flow *f = &r->flow[i];

		record_stat_settle(r, f, end);
		rp_book_upto(book_of(f), end);
		if (r->warmed && !f->limiter)
			f->book.events[RP_ALPHA] =
				rec_flow_tx(f)->alpha_updates - f->warm->tx.alpha_updates;
	}
	record_bins_finish(r);
	record_jobs_finish(r);
	record_cnp_finish(r, end);
	record_pauses_finish(r, end);
}
