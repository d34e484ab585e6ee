// SPDX-License-Identifier: BSD-3-Clause
// What only events tell: lengths of pauses, gaps between CNPs, completion times, time-weighted
// rates.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fixed.h"

void record_hist_add(struct record *r, struct hist **h, uint64_t v)
{
	if (!*h) {
		*h = calloc(1, sizeof(**h));
		if (!*h) {
			record_fail(r, -ENOMEM, "no memory for a distribution");
			return;
		}
	}
	hist_add(*h, v, 1);
}

static void cnp_sent(struct record *r, struct rec_flow *f, tstamp t)
{
	if (f->cnp_at != TSTAMP_NEVER && t >= record_window(r))
		record_hist_add(r, &r->group[f->group].cnp_gap, tstamp_since(t, f->cnp_at));
	f->cnp_at = t;
}

// The rate and the stage that held until t, as far as they held in the window.
static void integrate(struct record *r, struct rec_flow *f, tstamp t)
{
	tstamp from = tstamp_max(f->rc_since, record_window(r)), held = tstamp_since(t, from);

	f->rc_ps += (unsigned __int128)f->rc_rate * held;
	f->stage_ps[f->stage] += held;
	f->rc_since = tstamp_max(f->rc_since, t);
}

// The stage that an event leaves the reaction point in; those that are not named change nothing.
static enum rec_stage stage_after(const struct rec_flow *f, const struct ev *e)
{
	static const uint8_t stage[RP_EVENTS] = {
		[RP_DECREASE] = REC_FAST_RECOVERY,
		[RP_BC_FAST_RECOVERY] = REC_FAST_RECOVERY,
		[RP_T_FAST_RECOVERY] = REC_FAST_RECOVERY,
		[RP_BC_ADDITIVE_INCREASE] = REC_ADDITIVE_INCREASE,
		[RP_T_ADDITIVE_INCREASE] = REC_ADDITIVE_INCREASE,
		[RP_BC_HYPER_INCREASE] = REC_HYPER_INCREASE,
		[RP_T_HYPER_INCREASE] = REC_HYPER_INCREASE,
		[RP_ACK_ADDITIVE_INCREASE] = REC_ADDITIVE_INCREASE,
		[RP_ACK_HYPER_INCREASE] = REC_HYPER_INCREASE,
	};

	if (e->rp.rc >= f->line_rate && e->rp.rt >= f->line_rate)
		return REC_LINE_RATE;
	return e->reaction < RP_EVENTS && stage[e->reaction] ? stage[e->reaction] : f->stage;
}

void record_stat_settle(struct record *r, struct rec_flow *f, tstamp t)
{
	const struct rec_sample *s;

	while ((s = record_rate_next(f, t))) {
		integrate(r, f, s->t);
		record_rate_sampled(r, f, s);
	}
}

static void reaction(struct record *r, struct rec_flow *f, const struct ev *e)
{
	if (f->samples)
		record_stat_settle(r, f, e->t);
	integrate(r, f, e->t);
	f->rc_rate = e->rp.rc;
	if (e->reaction == RP_START)
		f->cnp_first = TSTAMP_NEVER; // it does not cut
	f->stage = stage_after(f, e);
	if (e->t >= record_window(r) && e->reaction < RP_EVENTS)
		f->rp_events[e->reaction]++;
}

static void rate_cut(struct record *r, struct rec_flow *f, const struct ev *e)
{
	tstamp after = record_rate_cut(r, f, e);

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

tstamp record_standalone(const struct record *r, const struct rec_flow *f, uint64_t bytes)
{
	if (bytes == f->scene->req.message_bytes)
		return f->standalone_ps;
	return route_standalone(r->scene, f->scene, &f->route, &f->back, bytes);
}

static void message_done(struct record *r, struct rec_flow *f, const struct ev *e)
{
	struct rec_group *g = &r->group[f->group];
	struct rec_size *z = &r->size[f->size];
	tstamp fct = tstamp_since(e->t, e->message.begun),
	       posted = tstamp_since(e->t, e->message.posted);
	tstamp ideal = record_standalone(r, f, e->message.bytes);

	if (!f->messages++)
		f->posted_at = e->message.posted;
	f->done_at = e->t;
	if (e->t < record_window(r))
		return;
	record_hist_add(r, &g->fct, fct);
	record_hist_add(r, &z->fct, fct);
	record_hist_add(r, &g->fct_posted, posted);
	record_hist_add(r, &z->fct_posted, posted);
	if (!ideal)
		return;
	record_hist_add(r, &g->slowdown, fixed_muldiv(fct, 1000, ideal));
	record_hist_add(r, &z->slowdown, fixed_muldiv(fct, 1000, ideal));
}

static struct rec_flow *flow_of(const struct record *r, uint32_t flow)
{
	return flow < r->n_flows ? &r->flow[flow] : NULL;
}

static bool asks_cnm(const struct rec_flow *f)
{
	return rp_asks(f->scene->rp) & RP_ASKS_CNM;
}

// What a queue pair tells of itself.
static void flow_event(struct record *r, const struct ev *e)
{
	struct rec_flow *f;

	switch ((enum ev_type)e->type) {
	case EV_CNP_TX:
		record_cnp_event(r, e);
		r->seen[e->node].cnp_tx++;
		if ((f = flow_of(r, e->cnp_tx.flow)))
			cnp_sent(r, f, e->t);
		break;
	case EV_CNP_RX:
		record_cnp_event(r, e);
		r->seen[e->node].cnp_rx++;
		// No cut of QCN answers a CNP.
		if ((f = flow_of(r, e->cnp_rx.flow)) && !asks_cnm(f))
			record_rate_cnp(f, e->t);
		break;
	case EV_CNM_RX:
		if ((f = flow_of(r, e->cnm_rx.flow)) && asks_cnm(f))
			record_rate_cnp(f, e->t);
		break;
	case EV_RP:
		if ((f = flow_of(r, e->rp.flow)))
			reaction(r, f, e);
		break;
	case EV_RTT:
		if ((f = flow_of(r, e->rtt.flow)) && e->t >= record_window(r))
			record_hist_add(r, &r->group[f->group].rtt, e->rtt.rtt_ps);
		break;
	case EV_CUT:
		if ((f = flow_of(r, e->cut.flow)))
			rate_cut(r, f, e);
		break;
	case EV_MSG_DONE:
		if ((f = flow_of(r, e->message.flow)))
			message_done(r, f, e);
		break;
	default:
		break;
	}
}

// The port that the event names; NULL: none.
static struct rec_port *port_of(const struct record *r, const struct ev *e)
{
	bool has_port = e->port < r->net->node[e->node].scene->n_ports;

	return has_port ? record_obj_port(r, e->node, e->port) : NULL;
}

void record_stat_event(struct record *r, const struct ev *e)
{
	struct rec_port *p;

	switch ((enum ev_type)e->type) {
	case EV_MARK:
		r->seen[e->node].marks++;
		if ((p = port_of(r, e)) && p->queue)
			marked(r, &p->queue[e->cls % PKT_CLASSES], e->t);
		break;
	case EV_PAUSE_RX:
	case EV_RESUME_RX:
		if ((p = port_of(r, e)))
			record_pause(r, p, e->cls % PAUSE_PRIOS, e->type == EV_PAUSE_RX, e->t);
		break;
	case EV_XOFF_TX:
	case EV_XON_TX:
		if ((p = port_of(r, e)))
			record_pauses_sent(r, p, e);
		break;
	case EV_CE_RX:
	case EV_CNM_TX:
	case EV_IQCN_TX:
	case EV_FAST_CNP_TX:
		record_cnp_event(r, e);
		break;
	default:
		flow_event(r, e);
		break;
	}
}

void record_stat_finish(struct record *r, tstamp end)
{
	for (unsigned i = 0; i < r->n_flows; i++) {
		struct rec_flow *f = &r->flow[i];

		record_stat_settle(r, f, end);
		integrate(r, f, end);
		if (r->warmed)
			f->rp_events[RP_ALPHA] = f->tx->alpha_updates - f->tx_warm.alpha_updates;
	}
	record_cnp_finish(r, end);
}
