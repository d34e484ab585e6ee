// SPDX-License-Identifier: BSD-3-Clause
// Names, units and precision of every figure of the summary.
#include "figure_own.h"

static const char *const reaction[RP_EVENTS] = {
	[RP_DECREASE] = "rp_decrease",
	[RP_BC_FAST_RECOVERY] = "rp_bc_fast_recovery",
	[RP_BC_ADDITIVE_INCREASE] = "rp_bc_additive_increase",
	[RP_BC_HYPER_INCREASE] = "rp_bc_hyper_increase",
	[RP_T_FAST_RECOVERY] = "rp_t_fast_recovery",
	[RP_T_ADDITIVE_INCREASE] = "rp_t_additive_increase",
	[RP_T_HYPER_INCREASE] = "rp_t_hyper_increase",
	[RP_ALPHA] = "rp_alpha",
	[RP_WRITTEN] = "rp_written",
};

static void stages(struct figures *o, const double percent[REC_STAGES])
{
	put(o, "line_rate_percent", percent[REC_LINE_RATE], 4);
	put(o, "fast_recovery_percent", percent[REC_FAST_RECOVERY], 4);
	put(o, "additive_increase_percent", percent[REC_ADDITIVE_INCREASE], 4);
	put(o, "hyper_increase_percent", percent[REC_HYPER_INCREASE], 4);
}

static void pace(struct figures *o, const struct summary_pace *p)
{
	put(o, "pace_err_percent", p->percent, 4);
	put(o, "pace_err_frames", p->frames, 1);
}

void figure_flow(struct figures *o, const struct summary_flow *f)
{
	const struct nic_qp_stats *tx = &f->tx, *rx = &f->rx;
	bool latency = rx->data_frames_rx != 0,
	     all = f->rec->scene->req.count && f->rec->messages >= f->rec->scene->req.count;
	bool rp = f->rec->rp;

	count(o, "data_frames_tx", tx->data_frames_tx);
	count(o, "data_frames_rx", rx->data_frames_rx);
	put(o, "frame_delta", (double)tx->data_frames_tx - (double)rx->data_frames_rx, 0);
	count(o, "data_frames_retransmitted", tx->data_frames_retransmitted);
	count(o, "frame_sequence_error", rx->frame_sequence_error);
	count(o, "tx_bytes", tx->tx_bytes);
	count(o, "rx_bytes", rx->rx_bytes);
	put(o, "data_tx_rate", f->data_tx_gbps, 6);
	put(o, "data_rx_rate", f->goodput_gbps, 6);
	count(o, "message_tx", tx->message_tx);
	count(o, "message_complete_rx", rx->message_complete_rx);
	count(o, "message_fail", tx->message_fail);
	put(o, "flow_completion_time",
		all ? instant_us(tstamp_since(f->rec->done_at, f->rec->posted_at)) : NAN, 3);
	put(o, "avg_latency", latency ? f->latency_avg_ns : NAN, 1);
	put(o, "min_latency", latency ? (double)rx->latency_min / 1e3 : NAN, 1);
	put(o, "max_latency", latency ? (double)rx->latency_max / 1e3 : NAN, 1);
	count(o, "ecn_ce_rx", rx->ecn_ce_rx);
	count(o, "cnp_tx", rx->cnp_tx);
	count(o, "cnp_rx", tx->cnp_rx);
	count(o, "cnm_rx", tx->cnm_rx);
	count(o, "ack_tx", rx->ack_tx);
	count(o, "ack_rx", tx->ack_rx);
	count(o, "nak_tx", rx->nak_tx);
	count(o, "nak_rx", tx->nak_rx);
	put(o, "first_timestamp", latency ? instant_us(rx->first_timestamp) : NAN, 6);
	put(o, "last_timestamp", latency ? instant_us(rx->last_timestamp) : NAN, 6);
	put(o, "goodput_gbps", f->goodput_gbps, 6);
	put(o, "fair_gbps", f->rec->fair_gbps > 0 ? f->rec->fair_gbps : NAN, 6);
	count(o, "rate_cuts", tx->rate_cuts);
	put(o, "rc_gbps", rp ? (double)f->rc / 1e9 : NAN, 6);
	put(o, "rt_gbps", rp ? (double)f->rt / 1e9 : NAN, 6);
	put(o, "rc_mean_gbps", rp ? f->rc_mean_gbps : NAN, 6);
	put(o, "alpha", rp ? f->alpha : NAN, 6);
	pace(o, &f->pace);
	for (int i = RP_DECREASE; rp && i < RP_EVENTS; i++)
		count(o, reaction[i], f->rec->rp_events[i]);
	if (f->rec->rp)
		stages(o, f->stage_percent);
}

static void messages(struct figures *o, const struct summary_messages *m)
{
	const struct summary_dist *fct = &m->fct_us, *posted = &m->fct_posted_us,
				  *slow = &m->slowdown;

	count(o, "messages", fct->n);
	of(o, "fct_mean_us", fct, fct->mean);
	of(o, "fct_p50_us", fct, fct->p50);
	of(o, "fct_p95_us", fct, fct->p95);
	of(o, "fct_p99_us", fct, fct->p99);
	of(o, "fct_max_us", fct, fct->max);
	of(o, "fct_posted_mean_us", posted, posted->mean);
	of(o, "fct_posted_p50_us", posted, posted->p50);
	of(o, "fct_posted_p95_us", posted, posted->p95);
	of(o, "fct_posted_p99_us", posted, posted->p99);
	of(o, "fct_posted_max_us", posted, posted->max);
	of(o, "slowdown_p50", slow, slow->p50);
	of(o, "slowdown_p95", slow, slow->p95);
	of(o, "slowdown_p99", slow, slow->p99);
}

void figure_group(struct figures *o, const struct summary_group *g)
{
	const struct summary_dist *gap = &g->cnp_gap_us;

	count(o, "flows", g->rec->n);
	put(o, "goodput_gbps", g->goodput_gbps, 6);
	put(o, "mean_gbps", g->mean_gbps, 6);
	put(o, "min_gbps", g->min_gbps, 6);
	put(o, "max_gbps", g->max_gbps, 6);
	put(o, "jain", g->jain, 6);
	put(o, "fair_gbps", g->fair_gbps, 6);
	put(o, "converged", g->converged, 0);
	put(o, "t_conv_us_total", g->t_conv_us, 3);
	put(o, "off_share_percent", g->off_percent, 4);
	put(o, "osc", g->osc, 4);
	put(o, "osc_converged_total", g->osc_since, 4);
	put(o, "rc_mean_gbps", g->rc_mean_gbps, 6);
	stages(o, g->stage_percent);
	put(o, "rate_err_p1", g->rate_err_p1, 3);
	put(o, "rate_err_p50", g->rate_err_p50, 3);
	put(o, "rate_err_p99", g->rate_err_p99, 3);
	of(o, "t_cut_p50_us", &g->cut_us, g->cut_us.p50);
	of(o, "t_cut_p99_us", &g->cut_us, g->cut_us.p99);
	count(o, "rate_cuts", g->cuts);
	count(o, "ecn_ce_rx", g->ce);
	count(o, "cnp_tx", g->cnp_tx);
	count(o, "cnp_rx", g->cnp_rx);
	put(o, "cnp_per_ce", ratio(g->cnp_tx, g->ce), 6);
	of(o, "cnp_gap_min_us", gap, gap->min);
	of(o, "cnp_gap_p1_us", gap, gap->p1);
	of(o, "cnp_gap_p50_us", gap, gap->p50);
	of(o, "cnp_gap_p99_us", gap, gap->p99);
	count(o, "data_frames_retransmitted", g->retransmitted);
	count(o, "frame_sequence_error", g->sequence_errors);
	count(o, "nak_rx", g->nak);
	count(o, "message_fail", g->failed);
	messages(o, &g->messages);
}

void figure_size(struct figures *o, const struct summary_size *z)
{
	count(o, "from_bytes", z->from_bytes);
	count(o, "to_bytes", z->to_bytes);
	put(o, "up_to_percent", z->up_to_percent, 4);
	messages(o, &z->messages);
}

void figure_queue(struct figures *o, const struct summary_queue *q)
{
	bool seen = !isnan(q->mean_bytes);

	if (q->rec->st) {
		count(o, "tx_frames", q->w.tx_frames);
		count(o, "tx_bytes", q->w.tx_bytes);
	}
	put(o, "mean_bytes", q->mean_bytes, 1);
	put(o, "std_bytes", q->std_bytes, 1);
	put(o, "p50_bytes", seen ? (double)q->p50 : NAN, 0);
	put(o, "p95_bytes", seen ? (double)q->p95 : NAN, 0);
	put(o, "p99_bytes", seen ? (double)q->p99 : NAN, 0);
	count(o, "max_bytes", q->max);
	put(o, "max_at_us_total", instant_us(q->max_at), 6);
	put(o, "delay_p99_us", seen ? q->delay_p99_us : NAN, 3);
	put(o, "empty_percent", seen ? q->empty_percent : NAN, 4);
	if (!q->rec->st)
		return;
	put(o, "kmin_bytes", q->red ? q->red->kmin_bytes : NAN, 0);
	put(o, "kmax_bytes", q->red ? q->red->kmax_bytes : NAN, 0);
	put(o, "above_kmin_percent", q->red && seen ? q->above_kmin_percent : NAN, 4);
	put(o, "above_kmax_percent", q->red && seen ? q->above_kmax_percent : NAN, 4);
	count(o, "ect_frames", sw_class_ect(&q->w));
	count(o, "ecn_marked_frames", q->w.ecn_marked_frames);
	count(o, "ecn_ce_rx_frames", q->w.ecn_ce_rx_frames);
	count(o, "ecn_ce_seen_frames", q->w.seen_frames[ECN_CE]);
	count(o, "wred_dropped_frames", q->w.wred_dropped_frames);
	put(o, "ecn_marking_ratio",
		ratio(q->w.ecn_marked_frames - q->w.ecn_marked_not_ect_frames, sw_class_ect(&q->w)),
		6);
	count(o, "dropped_frames", q->w.dropped_frames);
	count(o, "dropped_bytes", q->w.dropped_bytes);
	if (!q->two_sided)
		return;
	count(o, "buffer_max_bytes_total", q->buffer_max);
	count(o, "shared_max_bytes_total", q->shared_max);
	count(o, "shared_limit_bytes", q->limit);
}

void figure_marking(struct figures *o, const struct summary_marking *m)
{
	const struct rec_queue *q = m->rec;
	const struct red_bin *above = &m->bin[RED_CURVE_ABOVE];
	bool any = q->first_mark != TSTAMP_NEVER;

	count(o, "kmin_bytes", m->red.kmin_bytes);
	count(o, "kmax_bytes", m->red.kmax_bytes);
	put(o, "pmax", m->pmax, 9);
	count(o, "ect_frames", m->ect);
	count(o, "ecn_marked_frames", m->marked);
	count(o, "marked_to_kmin_frames", m->bin[0].marked_frames);
	count(o, "unmarked_above_kmax_frames", above->ect_frames - above->marked_frames);
	put(o, "pmax_fitted", m->fitted, 9);
	put(o, "pmax_error_percent", 100 * (m->fitted - m->pmax) / m->pmax, 4);
	put(o, "pmax_sigma_percent", m->sigma_percent, 4);
	put(o, "chi_square", m->chi_bins ? m->chi_square : NAN, 4);
	count(o, "chi_square_bins", m->chi_bins);
	put(o, "chi_square_p", m->chi_bins ? m->chi_p : NAN, 6);
	put(o, "worst_bin_sigmas", m->worst_sigmas, 4);
	put(o, "first_mark_us", any ? instant_us(q->first_mark) : NAN, 6);
	put(o, "last_mark_us", any ? instant_us(q->last_mark) : NAN, 6);
	count(o, "first_marked_total", m->first_total);
	count(o, "last_marked_total", m->last_total);
	count(o, "ect_frames_total", m->ect_total);
}

void figure_bin(struct figures *o, const struct summary_bin *b)
{
	count(o, "from_bytes", b->from);
	put(o, "to_bytes", b->to < UINT32_MAX ? (double)b->to : NAN, 0);
	count(o, "ect_frames", b->ect);
	count(o, "ecn_marked_frames", b->marked);
	put(o, "expected_frames", b->expected, 6);
	put(o, "ratio", b->ratio, 9);
	put(o, "theory", b->theory, 9);
	put(o, "low_95", b->low, 9);
	put(o, "high_95", b->high, 9);
}

void figure_pause(struct figures *o, const struct summary_pause *p)
{
	const struct pause_stats *w = &p->w;
	const struct summary_dist *e = &p->episode_us;
	uint64_t n = w->transitions_on;

	count(o, "pauses", n);
	put(o, "mean_ps", e->n ? e->mean * 1e6 : NAN, 0);
	count(o, "xoff_frames", w->xoff_frames);
	count(o, "xon_frames", w->xon_frames);
	count(o, "refresh_frames", w->refresh_frames);
	count(o, "transitions_on", w->transitions_on);
	count(o, "transitions_off", w->transitions_off);
	count(o, "expired", w->expired);
	put(o, "pause_requested_us", instant_us(w->pause_requested_ps), 6);
	put(o, "pause_effective_us", instant_us(w->pause_effective_ps), 6);
	put(o, "pause_ratio", p->effective_percent / 100, 6);
	put(o, "longest_pause_us_total", instant_us(p->longest_ps), 6);
	count(o, "episodes", e->n);
	of(o, "episode_min_us", e, e->min);
	of(o, "episode_p50_us", e, e->p50);
	of(o, "episode_p99_us", e, e->p99);
	of(o, "episode_max_us", e, e->max);
	if (!p->t_resp_us.n)
		return;
	count(o, "answers", p->t_resp_us.n);
	put(o, "b_after_p50_bytes", p->after_bytes.p50, 0);
	put(o, "b_after_max_bytes", p->after_bytes.max, 0);
	put(o, "t_resp_p50_us", p->t_resp_us.p50, 6);
	put(o, "t_resp_max_us", p->t_resp_us.max, 6);
	put(o, "quanta_resp_max", p->quanta_resp, 1);
	put(o, "quanta_limit", p->quanta_limit, 0);
	count(o, "headroom_needed_bytes", p->headroom_needed_bytes);
}

void figure_pg(struct figures *o, const struct summary_pg *g)
{
	count(o, "max_bytes_total", g->max_bytes);
	count(o, "xoff_bytes", g->xoff_bytes);
	put(o, "xoff_percent", g->xoff_percent, 4);
	count(o, "headroom_bytes", g->headroom_bytes);
	count(o, "max_headroom_bytes_total", g->max_headroom_bytes);
	count(o, "dropped_frames", g->dropped_frames);
	if (g->two_sided)
		count(o, "shared_max_bytes_total", g->max_shared_bytes);
}

void figure_wd(struct figures *o, const struct summary_wd *w)
{
	count(o, "storms", w->w.storms);
	count(o, "restored", w->w.restored);
	put(o, "storm_us", instant_us(w->w.storm_ps), 6);
	count(o, "tx_dropped_frames", w->w.tx_dropped_frames);
	count(o, "rx_dropped_frames", w->w.rx_dropped_frames);
}

void figure_deadlock(struct figures *o, const struct deadlock *d)
{
	put(o, "since_us", instant_us(d->since), 6);
	put(o, "seen_us", instant_us(d->seen), 6);
	put(o, "until_us", d->until == TSTAMP_NEVER ? NAN : instant_us(d->until), 6);
	count(o, "stuck_queues", d->stuck);
}

void figure_pool(struct figures *o, const struct summary_pool *p)
{
	count(o, "size_bytes", p->size_bytes);
	count(o, "max_bytes_total", p->max_bytes);
}

void figure_link(struct figures *o, const struct summary_link *l)
{
	put(o, "tx_gbps", l->tx_gbps, 6);
	put(o, "utilization_percent", l->utilization, 4);
	put(o, "goodput_percent", l->goodput, 4);
	put(o, "headers_percent", l->headers, 4);
	put(o, "repeated_percent", l->repeated, 4);
	put(o, "control_percent", l->control, 4);
	put(o, "cnm_percent", l->cnm, 4);
	put(o, "open_loop_percent", l->open_loop, 4);
	put(o, "other_percent", l->other, 4);
	put(o, "given_up_percent", l->given_up, 4);
	put(o, "idle_paused_percent", l->idle_paused, 4);
	put(o, "idle_empty_percent", l->idle_empty, 4);
}

void figure_source(struct figures *o, const struct summary_source *s)
{
	bool latency = s->rx.rx_frames != 0;

	count(o, "tx_frames", s->tx_frames);
	count(o, "tx_bytes", s->tx_bytes);
	put(o, "tx_gbps", s->tx_gbps, 6);
	pace(o, &s->pace);
	count(o, "rx_frames", s->rx.rx_frames);
	count(o, "rx_bytes", s->rx.rx_bytes);
	put(o, "rx_gbps", s->rx_gbps, 6);
	count(o, "lost", s->rx.lost);
	count(o, "in_flight", s->in_flight);
	count(o, "out_of_order", s->rx.out_of_order);
	count(o, "ecn_ce_rx", s->rx.ecn_ce_rx);
	put(o, "avg_latency", latency ? s->latency_avg_ns : NAN, 1);
	put(o, "min_latency", latency ? (double)s->rx.latency_min / 1e3 : NAN, 1);
	put(o, "max_latency", latency ? (double)s->rx.latency_max / 1e3 : NAN, 1);
}

void figure_total(struct figures *o, const struct summary_total *t)
{
	put(o, "goodput_gbps", t->goodput_gbps, 6);
	count(o, "drops", t->drops);
	count(o, "drops_total", t->drops_total);
	count(o, "lossless_drops", t->lossless_drops);
	count(o, "filtered", t->filtered);
	count(o, "marks", t->marks);
	count(o, "ect_frames", t->ect);
	put(o, "ecn_marking_ratio", ratio(t->marks - t->not_ect_marks, t->ect), 6);
	count(o, "ecn_ce_rx", t->ce_rx);
	count(o, "cnp_tx", t->cnp_tx);
	count(o, "cnps", t->cnp_rx);
	count(o, "rate_cuts", t->cuts);
	count(o, "cnm_tx", t->cnm_tx);
	count(o, "cnms", t->cnm_rx);
	count(o, "iqcn_tx_cnp", t->iqcn_tx_cnp);
	count(o, "fast_cnp_tx", t->fast_cnp_tx);
	count(o, "pauses", t->pauses);
	count(o, "pause_ps", t->pause_ps);
	count(o, "xoff_tx", t->xoff_tx);
	count(o, "xon_tx", t->xon_tx);
	count(o, "pause_tx", t->pause_tx);
	count(o, "data_frames_retransmitted", t->retransmitted);
	count(o, "nak_rx", t->naks);
	count(o, "timeouts", t->timeouts);
	count(o, "failed_qps", t->failed_qps);
	messages(o, &t->messages);
}

void figure_sw_drops(struct figures *o, const struct summary_total *t)
{
	for (int i = 0; i < SW_DROPS; i++)
		count(o, sw_drop_name((enum sw_drop)i), t->sw_drop[i]);
}

void figure_nic_drops(struct figures *o, const struct summary_total *t)
{
	for (int i = 0; i < NIC_DROPS; i++)
		count(o, nic_drop_name((enum nic_drop)i), t->nic_drop[i]);
}

void figure_replay(struct figures *o, const struct summary_replay *s)
{
	const struct replay_stats *now = &s->now, *then = &s->then;
	uint64_t late = now->late_frames - then->late_frames;

	count(o, "wanted_frames", now->wanted_frames - then->wanted_frames);
	count(o, "tx_frames", now->tx_frames - then->tx_frames);
	count(o, "tx_bytes", now->tx_bytes - then->tx_bytes);
	count(o, "rx_frames", now->rx_frames - then->rx_frames);
	count(o, "rx_bytes", now->rx_bytes - then->rx_bytes);
	count(o, "rx_ce_frames", now->rx_ce_frames - then->rx_ce_frames);
	count(o, "late_frames", late);
	put(o, "late_mean_us",
		late ? instant_us(now->late_sum_ps - then->late_sum_ps) / (double)late : NAN, 3);
	of(o, "late_p50_us_total", &s->late_us, s->late_us.p50);
	of(o, "late_p99_us_total", &s->late_us, s->late_us.p99);
	put(o, "late_max_us_total", instant_us(now->late_max_ps), 3);
	count(o, "unsent_frames_total", s->unsent);
	put(o, "first_tx_us_total", now->tx_frames ? instant_us(now->first_tx) : NAN, 6);
	put(o, "last_tx_us_total", now->tx_frames ? instant_us(now->last_tx) : NAN, 6);
	count(o, "no_desc", now->no_desc - then->no_desc);
	count(o, "malformed_frames", now->malformed_frames - then->malformed_frames);
}

void figure_rxbuf(struct figures *o, const struct summary_rxbuf *b)
{
	const struct nic_rxbuf_params *p = &b->node->u.nic.rxbuf;

	count(o, "max_bytes_total", b->max_bytes);
	count(o, "size_bytes", p->size_bytes);
	put(o, "xoff_bytes", p->xoff_bytes ? (double)p->xoff_bytes : NAN, 0);
	put(o, "drain_gbps", (double)p->drain_rate / 1e9, 6);
}

void figure_put(struct jw *w, const struct figures *o)
{
	for (unsigned i = 0; i < o->n; i++)
		jw_num(w, o->f[i].name, o->f[i].value, o->f[i].decimals);
}

double figure_find(const struct figures *o, const char *name)
{
	for (unsigned i = 0; i < o->n; i++)
		if (!strcmp(o->f[i].name, name))
			return o->f[i].value;
	return NAN;
}
