// SPDX-License-Identifier: BSD-3-Clause
// Names, units and precision of every figure of the summary.
#include "figure.h"

#include <assert.h>
#include <math.h>

static void list_value(struct figures *o, const char *name, double value, unsigned decimals)
{
	assert(o->n < FIGURE_MAX);
	o->f[o->n++] = (struct figure){name, value, (uint8_t)decimals};
}

static void list_count(struct figures *o, const char *name, uint64_t value)
{
	list_value(o, name, (double)value, 0);
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

// A figure of a distribution; not known where nothing was seen.
static void list_dist(struct figures *o, const char *name, const struct summary_dist *d, double v)
{
	list_value(o, name, d->n ? v : NAN, 3);
}

static double instant_us(uint64_t ps)
{
	return (double)ps / 1e6;
}

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
	[RP_ACK_ADDITIVE_INCREASE] = "rp_ack_additive_increase",
	[RP_ACK_HYPER_INCREASE] = "rp_ack_hyper_increase",
};

static void list_stages(struct figures *o, const double percent[REC_STAGES])
{
	list_value(o, "line_rate_percent", percent[REC_LINE_RATE], 4);
	list_value(o, "fast_recovery_percent", percent[REC_FAST_RECOVERY], 4);
	list_value(o, "additive_increase_percent", percent[REC_ADDITIVE_INCREASE], 4);
	list_value(o, "hyper_increase_percent", percent[REC_HYPER_INCREASE], 4);
}

static void list_pace(struct figures *o, const struct summary_pace *p)
{
	list_value(o, "pace_err_percent", p->percent, 4);
	list_value(o, "pace_err_frames", p->frames, 1);
}

void figure_flow(struct figures *o, const struct summary_flow *f)
{
	const struct nic_qp_stats *tx = &f->tx, *rx = &f->rx;
	bool latency = rx->data_frames_rx != 0,
	     all = f->rec->scene->req.count && f->rec->messages >= f->rec->scene->req.count;
	bool rp = f->rec->rp;

	list_count(o, "data_frames_tx", tx->data_frames_tx);
	list_count(o, "data_frames_rx", rx->data_frames_rx);
	list_value(o, "frame_delta", (double)tx->data_frames_tx - (double)rx->data_frames_rx, 0);
	list_count(o, "data_frames_retransmitted", tx->data_frames_retransmitted);
	list_count(o, "frame_sequence_error", rx->frame_sequence_error);
	list_count(o, "tx_bytes", tx->tx_bytes);
	list_count(o, "rx_bytes", rx->rx_bytes);
	list_value(o, "data_tx_rate", f->data_tx_gbps, 6);
	list_value(o, "data_rx_rate", f->goodput_gbps, 6);
	list_count(o, "message_tx", tx->message_tx);
	list_count(o, "message_complete_rx", rx->message_complete_rx);
	list_count(o, "message_fail", tx->message_fail);
	list_value(o, "flow_completion_time",
		all ? instant_us(tstamp_since(f->rec->done_at, f->rec->posted_at)) : NAN, 3);
	list_value(o, "avg_latency", latency ? f->latency_avg_ns : NAN, 1);
	list_value(o, "min_latency", latency ? (double)rx->latency_min / 1e3 : NAN, 1);
	list_value(o, "max_latency", latency ? (double)rx->latency_max / 1e3 : NAN, 1);
	list_count(o, "ecn_ce_rx", rx->ecn_ce_rx);
	list_count(o, "cnp_tx", rx->cnp_tx);
	list_count(o, "cnp_rx", tx->cnp_rx);
	list_count(o, "cnm_rx", tx->cnm_rx);
	list_count(o, "ack_tx", rx->ack_tx);
	list_count(o, "ack_rx", tx->ack_rx);
	list_count(o, "nak_tx", rx->nak_tx);
	list_count(o, "nak_rx", tx->nak_rx);
	list_value(o, "first_timestamp", latency ? instant_us(rx->first_timestamp) : NAN, 6);
	list_value(o, "last_timestamp", latency ? instant_us(rx->last_timestamp) : NAN, 6);
	list_value(o, "goodput_gbps", f->goodput_gbps, 6);
	list_value(o, "fair_gbps", f->rec->fair_gbps > 0 ? f->rec->fair_gbps : NAN, 6);
	list_count(o, "rate_cuts", tx->rate_cuts);
	list_value(o, "rc_gbps", rp ? (double)f->rc / 1e9 : NAN, 6);
	list_value(o, "rt_gbps", rp ? (double)f->rt / 1e9 : NAN, 6);
	list_value(o, "rc_mean_gbps", rp ? f->rc_mean_gbps : NAN, 6);
	list_value(o, "alpha", rp ? f->alpha : NAN, 6);
	list_pace(o, &f->pace);
	for (int i = RP_DECREASE; rp && i < RP_EVENTS; i++)
		list_count(o, reaction[i], f->rec->rp_events[i]);
	if (f->rec->rp)
		list_stages(o, f->stage_percent);
}

static void list_messages(struct figures *o, const struct summary_messages *m)
{
	const struct summary_dist *fct = &m->fct_us, *posted = &m->fct_posted_us,
				  *slow = &m->slowdown;

	list_count(o, "messages", fct->n);
	list_dist(o, "fct_mean_us", fct, fct->mean);
	list_dist(o, "fct_p50_us", fct, fct->p50);
	list_dist(o, "fct_p95_us", fct, fct->p95);
	list_dist(o, "fct_p99_us", fct, fct->p99);
	list_dist(o, "fct_max_us", fct, fct->max);
	list_dist(o, "fct_posted_mean_us", posted, posted->mean);
	list_dist(o, "fct_posted_p50_us", posted, posted->p50);
	list_dist(o, "fct_posted_p95_us", posted, posted->p95);
	list_dist(o, "fct_posted_p99_us", posted, posted->p99);
	list_dist(o, "fct_posted_max_us", posted, posted->max);
	list_dist(o, "slowdown_p50", slow, slow->p50);
	list_dist(o, "slowdown_p95", slow, slow->p95);
	list_dist(o, "slowdown_p99", slow, slow->p99);
}

// Of reaction points that ask for it: no other group has these.
static void list_rtt(struct figures *o, const struct summary_dist *rtt)
{
	if (!rtt->n)
		return;
	list_dist(o, "rtt_min_us", rtt, rtt->min);
	list_dist(o, "rtt_p50_us", rtt, rtt->p50);
	list_dist(o, "rtt_p99_us", rtt, rtt->p99);
	list_dist(o, "rtt_max_us", rtt, rtt->max);
}

void figure_group(struct figures *o, const struct summary_group *g)
{
	const struct summary_dist *gap = &g->cnp_gap_us;

	list_count(o, "flows", g->rec->n);
	list_value(o, "goodput_gbps", g->goodput_gbps, 6);
	list_value(o, "mean_gbps", g->mean_gbps, 6);
	list_value(o, "min_gbps", g->min_gbps, 6);
	list_value(o, "max_gbps", g->max_gbps, 6);
	list_value(o, "jain", g->jain, 6);
	list_value(o, "fair_gbps", g->fair_gbps, 6);
	list_value(o, "converged", g->converged, 0);
	list_value(o, "t_conv_us_total", g->t_conv_us, 3);
	list_value(o, "off_share_percent", g->off_percent, 4);
	list_value(o, "osc", g->osc, 4);
	list_value(o, "osc_converged_total", g->osc_since, 4);
	list_value(o, "rc_mean_gbps", g->rc_mean_gbps, 6);
	list_stages(o, g->stage_percent);
	list_value(o, "rate_err_p1", g->rate_err_p1, 3);
	list_value(o, "rate_err_p50", g->rate_err_p50, 3);
	list_value(o, "rate_err_p99", g->rate_err_p99, 3);
	list_dist(o, "t_cut_p50_us", &g->cut_us, g->cut_us.p50);
	list_dist(o, "t_cut_p99_us", &g->cut_us, g->cut_us.p99);
	list_rtt(o, &g->rtt_us);
	list_count(o, "rate_cuts", g->cuts);
	list_count(o, "ecn_ce_rx", g->ce);
	list_count(o, "cnp_tx", g->cnp_tx);
	list_count(o, "cnp_rx", g->cnp_rx);
	list_value(o, "cnp_per_ce", ratio(g->cnp_tx, g->ce), 6);
	list_dist(o, "cnp_gap_min_us", gap, gap->min);
	list_dist(o, "cnp_gap_p1_us", gap, gap->p1);
	list_dist(o, "cnp_gap_p50_us", gap, gap->p50);
	list_dist(o, "cnp_gap_p99_us", gap, gap->p99);
	list_count(o, "data_frames_retransmitted", g->retransmitted);
	list_count(o, "frame_sequence_error", g->sequence_errors);
	list_count(o, "nak_rx", g->nak);
	list_count(o, "message_fail", g->failed);
	list_messages(o, &g->messages);
}

void figure_size(struct figures *o, const struct summary_size *z)
{
	list_count(o, "from_bytes", z->from_bytes);
	list_count(o, "to_bytes", z->to_bytes);
	list_value(o, "up_to_percent", z->up_to_percent, 4);
	list_messages(o, &z->messages);
}

void figure_queue(struct figures *o, const struct summary_queue *q)
{
	bool seen = !isnan(q->mean_bytes);

	if (q->rec->st) {
		list_count(o, "tx_frames", q->w.tx_frames);
		list_count(o, "tx_bytes", q->w.tx_bytes);
	}
	list_value(o, "mean_bytes", q->mean_bytes, 1);
	list_value(o, "std_bytes", q->std_bytes, 1);
	list_value(o, "p50_bytes", seen ? (double)q->p50 : NAN, 0);
	list_value(o, "p95_bytes", seen ? (double)q->p95 : NAN, 0);
	list_value(o, "p99_bytes", seen ? (double)q->p99 : NAN, 0);
	list_count(o, "max_bytes", q->max);
	list_value(o, "max_at_us_total", instant_us(q->max_at), 6);
	list_value(o, "delay_p99_us", seen ? q->delay_p99_us : NAN, 3);
	list_value(o, "empty_percent", seen ? q->empty_percent : NAN, 4);
	if (!q->rec->st)
		return;
	list_value(o, "kmin_bytes", q->red ? q->red->kmin_bytes : NAN, 0);
	list_value(o, "kmax_bytes", q->red ? q->red->kmax_bytes : NAN, 0);
	list_value(o, "above_kmin_percent", q->red && seen ? q->above_kmin_percent : NAN, 4);
	list_value(o, "above_kmax_percent", q->red && seen ? q->above_kmax_percent : NAN, 4);
	list_count(o, "ect_frames", sw_class_ect(&q->w));
	list_count(o, "ecn_marked_frames", q->w.ecn_marked_frames);
	list_count(o, "ecn_ce_rx_frames", q->w.ecn_ce_rx_frames);
	list_count(o, "ecn_ce_seen_frames", q->w.seen_frames[ECN_CE]);
	list_count(o, "wred_dropped_frames", q->w.wred_dropped_frames);
	list_value(o, "ecn_marking_ratio",
		ratio(q->w.ecn_marked_frames - q->w.ecn_marked_not_ect_frames, sw_class_ect(&q->w)),
		6);
	list_count(o, "dropped_frames", q->w.dropped_frames);
	list_count(o, "dropped_bytes", q->w.dropped_bytes);
	if (!q->two_sided)
		return;
	list_count(o, "buffer_max_bytes_total", q->buffer_max);
	list_count(o, "shared_max_bytes_total", q->shared_max);
	list_count(o, "shared_limit_bytes", q->limit);
}

void figure_marking(struct figures *o, const struct summary_marking *m)
{
	const struct rec_queue *q = m->rec;
	const struct red_bin *above = &m->bin[RED_CURVE_ABOVE];
	bool any = q->first_mark != TSTAMP_NEVER;

	list_count(o, "kmin_bytes", m->red.kmin_bytes);
	list_count(o, "kmax_bytes", m->red.kmax_bytes);
	list_value(o, "pmax", m->pmax, 9);
	list_count(o, "ect_frames", m->ect);
	list_count(o, "ecn_marked_frames", m->marked);
	list_count(o, "marked_to_kmin_frames", m->bin[0].marked_frames);
	list_count(o, "unmarked_above_kmax_frames", above->ect_frames - above->marked_frames);
	list_value(o, "pmax_fitted", m->fitted, 9);
	list_value(o, "pmax_error_percent", 100 * (m->fitted - m->pmax) / m->pmax, 4);
	list_value(o, "pmax_sigma_percent", m->sigma_percent, 4);
	list_value(o, "chi_square", m->chi_bins ? m->chi_square : NAN, 4);
	list_count(o, "chi_square_bins", m->chi_bins);
	list_value(o, "chi_square_p", m->chi_bins ? m->chi_p : NAN, 6);
	list_value(o, "worst_bin_sigmas", m->worst_sigmas, 4);
	list_value(o, "first_mark_us", any ? instant_us(q->first_mark) : NAN, 6);
	list_value(o, "last_mark_us", any ? instant_us(q->last_mark) : NAN, 6);
	list_count(o, "first_marked_total", m->first_total);
	list_count(o, "last_marked_total", m->last_total);
	list_count(o, "ect_frames_total", m->ect_total);
}

void figure_bin(struct figures *o, const struct summary_bin *b)
{
	list_count(o, "from_bytes", b->from);
	list_value(o, "to_bytes", b->to < UINT32_MAX ? (double)b->to : NAN, 0);
	list_count(o, "ect_frames", b->ect);
	list_count(o, "ecn_marked_frames", b->marked);
	list_value(o, "expected_frames", b->expected, 6);
	list_value(o, "ratio", b->ratio, 9);
	list_value(o, "theory", b->theory, 9);
	list_value(o, "low_95", b->low, 9);
	list_value(o, "high_95", b->high, 9);
}

void figure_pause(struct figures *o, const struct summary_pause *p)
{
	const struct pause_stats *w = &p->w;
	const struct summary_dist *e = &p->episode_us;
	uint64_t n = w->transitions_on;

	list_count(o, "pauses", n);
	list_value(o, "mean_ps", e->n ? e->mean * 1e6 : NAN, 0);
	list_count(o, "xoff_frames", w->xoff_frames);
	list_count(o, "xon_frames", w->xon_frames);
	list_count(o, "refresh_frames", w->refresh_frames);
	list_count(o, "transitions_on", w->transitions_on);
	list_count(o, "transitions_off", w->transitions_off);
	list_count(o, "expired", w->expired);
	list_value(o, "pause_requested_us", instant_us(w->pause_requested_ps), 6);
	list_value(o, "pause_effective_us", instant_us(w->pause_effective_ps), 6);
	list_value(o, "pause_ratio", p->effective_percent / 100, 6);
	list_value(o, "longest_pause_us_total", instant_us(p->longest_ps), 6);
	list_count(o, "episodes", e->n);
	list_dist(o, "episode_min_us", e, e->min);
	list_dist(o, "episode_p50_us", e, e->p50);
	list_dist(o, "episode_p99_us", e, e->p99);
	list_dist(o, "episode_max_us", e, e->max);
	if (!p->t_resp_us.n)
		return;
	list_count(o, "answers", p->t_resp_us.n);
	list_value(o, "b_after_p50_bytes", p->after_bytes.p50, 0);
	list_value(o, "b_after_max_bytes", p->after_bytes.max, 0);
	list_value(o, "t_resp_p50_us", p->t_resp_us.p50, 6);
	list_value(o, "t_resp_max_us", p->t_resp_us.max, 6);
	list_value(o, "quanta_resp_max", p->quanta_resp, 1);
	list_value(o, "quanta_limit", p->quanta_limit, 0);
	list_count(o, "headroom_needed_bytes", p->headroom_needed_bytes);
}

void figure_pg(struct figures *o, const struct summary_pg *g)
{
	list_count(o, "max_bytes_total", g->max_bytes);
	list_count(o, "xoff_bytes", g->xoff_bytes);
	list_value(o, "xoff_percent", g->xoff_percent, 4);
	list_count(o, "headroom_bytes", g->headroom_bytes);
	list_count(o, "max_headroom_bytes_total", g->max_headroom_bytes);
	list_count(o, "dropped_frames", g->dropped_frames);
	if (g->two_sided)
		list_count(o, "shared_max_bytes_total", g->max_shared_bytes);
}

void figure_wd(struct figures *o, const struct summary_wd *w)
{
	list_count(o, "storms", w->w.storms);
	list_count(o, "restored", w->w.restored);
	list_value(o, "storm_us", instant_us(w->w.storm_ps), 6);
	list_count(o, "tx_dropped_frames", w->w.tx_dropped_frames);
	list_count(o, "rx_dropped_frames", w->w.rx_dropped_frames);
}

void figure_deadlock(struct figures *o, const struct deadlock *d)
{
	list_value(o, "since_us", instant_us(d->since), 6);
	list_value(o, "seen_us", instant_us(d->seen), 6);
	list_value(o, "until_us", d->until == TSTAMP_NEVER ? NAN : instant_us(d->until), 6);
	list_count(o, "stuck_queues", d->stuck);
}

void figure_pool(struct figures *o, const struct summary_pool *p)
{
	list_count(o, "size_bytes", p->size_bytes);
	list_count(o, "max_bytes_total", p->max_bytes);
}

void figure_link(struct figures *o, const struct summary_link *l)
{
	list_value(o, "tx_gbps", l->tx_gbps, 6);
	list_value(o, "utilization_percent", l->utilization, 4);
	list_value(o, "goodput_percent", l->goodput, 4);
	list_value(o, "headers_percent", l->headers, 4);
	list_value(o, "repeated_percent", l->repeated, 4);
	list_value(o, "control_percent", l->control, 4);
	list_value(o, "cnm_percent", l->cnm, 4);
	list_value(o, "open_loop_percent", l->open_loop, 4);
	list_value(o, "other_percent", l->other, 4);
	list_value(o, "given_up_percent", l->given_up, 4);
	list_value(o, "idle_paused_percent", l->idle_paused, 4);
	list_value(o, "idle_empty_percent", l->idle_empty, 4);
}

void figure_source(struct figures *o, const struct summary_source *s)
{
	bool latency = s->rx.rx_frames != 0;

	list_count(o, "tx_frames", s->tx_frames);
	list_count(o, "tx_bytes", s->tx_bytes);
	list_value(o, "tx_gbps", s->tx_gbps, 6);
	list_pace(o, &s->pace);
	list_count(o, "rx_frames", s->rx.rx_frames);
	list_count(o, "rx_bytes", s->rx.rx_bytes);
	list_value(o, "rx_gbps", s->rx_gbps, 6);
	list_count(o, "lost", s->rx.lost);
	list_count(o, "in_flight", s->in_flight);
	list_count(o, "out_of_order", s->rx.out_of_order);
	list_count(o, "ecn_ce_rx", s->rx.ecn_ce_rx);
	list_value(o, "avg_latency", latency ? s->latency_avg_ns : NAN, 1);
	list_value(o, "min_latency", latency ? (double)s->rx.latency_min / 1e3 : NAN, 1);
	list_value(o, "max_latency", latency ? (double)s->rx.latency_max / 1e3 : NAN, 1);
}

void figure_total(struct figures *o, const struct summary_total *t)
{
	list_value(o, "goodput_gbps", t->goodput_gbps, 6);
	list_count(o, "drops", t->drops);
	list_count(o, "drops_total", t->drops_total);
	list_count(o, "lossless_drops", t->lossless_drops);
	list_count(o, "filtered", t->filtered);
	list_count(o, "marks", t->marks);
	list_count(o, "ect_frames", t->ect);
	list_value(o, "ecn_marking_ratio", ratio(t->marks - t->not_ect_marks, t->ect), 6);
	list_count(o, "ecn_ce_rx", t->ce_rx);
	list_count(o, "cnp_tx", t->cnp_tx);
	list_count(o, "cnps", t->cnp_rx);
	list_count(o, "rate_cuts", t->cuts);
	list_count(o, "cnm_tx", t->cnm_tx);
	list_count(o, "cnms", t->cnm_rx);
	list_count(o, "iqcn_tx_cnp", t->iqcn_tx_cnp);
	list_count(o, "fast_cnp_tx", t->fast_cnp_tx);
	list_count(o, "pauses", t->pauses);
	list_count(o, "pause_ps", t->pause_ps);
	list_count(o, "xoff_tx", t->xoff_tx);
	list_count(o, "xon_tx", t->xon_tx);
	list_count(o, "pause_tx", t->pause_tx);
	list_count(o, "data_frames_retransmitted", t->retransmitted);
	list_count(o, "nak_rx", t->naks);
	list_count(o, "timeouts", t->timeouts);
	list_count(o, "failed_qps", t->failed_qps);
	list_messages(o, &t->messages);
}

void figure_sw_drops(struct figures *o, const struct summary_total *t)
{
	for (int i = 0; i < SW_DROPS; i++)
		list_count(o, sw_drop_name((enum sw_drop)i), t->sw_drop[i]);
}

void figure_nic_drops(struct figures *o, const struct summary_total *t)
{
	for (int i = 0; i < NIC_DROPS; i++)
		list_count(o, nic_drop_name((enum nic_drop)i), t->nic_drop[i]);
}

void figure_replay(struct figures *o, const struct summary_replay *s)
{
	const struct replay_stats *now = &s->now, *then = &s->then;
	uint64_t late = now->late_frames - then->late_frames;

	list_count(o, "wanted_frames", now->wanted_frames - then->wanted_frames);
	list_count(o, "tx_frames", now->tx_frames - then->tx_frames);
	list_count(o, "tx_bytes", now->tx_bytes - then->tx_bytes);
	list_count(o, "rx_frames", now->rx_frames - then->rx_frames);
	list_count(o, "rx_bytes", now->rx_bytes - then->rx_bytes);
	list_count(o, "rx_ce_frames", now->rx_ce_frames - then->rx_ce_frames);
	list_count(o, "late_frames", late);
	list_value(o, "late_mean_us",
		late ? instant_us(now->late_sum_ps - then->late_sum_ps) / (double)late : NAN, 3);
	list_dist(o, "late_p50_us_total", &s->late_us, s->late_us.p50);
	list_dist(o, "late_p99_us_total", &s->late_us, s->late_us.p99);
	list_value(o, "late_max_us_total", instant_us(now->late_max_ps), 3);
	list_count(o, "unsent_frames_total", s->unsent);
	list_value(o, "first_tx_us_total", now->tx_frames ? instant_us(now->first_tx) : NAN, 6);
	list_value(o, "last_tx_us_total", now->tx_frames ? instant_us(now->last_tx) : NAN, 6);
	list_count(o, "no_desc", now->no_desc - then->no_desc);
	list_count(o, "malformed_frames", now->malformed_frames - then->malformed_frames);
}

void figure_rxbuf(struct figures *o, const struct summary_rxbuf *b)
{
	const struct nic_rxbuf_params *p = &b->node->u.nic.rxbuf;

	list_count(o, "max_bytes_total", b->max_bytes);
	list_count(o, "size_bytes", p->size_bytes);
	list_value(o, "xoff_bytes", p->xoff_bytes ? (double)p->xoff_bytes : NAN, 0);
	list_value(o, "drain_gbps", (double)p->drain_rate / 1e9, 6);
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

void figure_cp(struct figures *o, const struct summary_cp *c)
{
	list_count(o, "set_point_bytes", c->set_point);
	list_value(o, "mean_over_set_point", c->mean_ratio, 6);
	list_value(o, "std_over_set_point", c->std_ratio, 6);
	list_count(o, "cnm_tx", c->cnms);
	list_value(o, "cnm_tx_per_s", c->cnms_per_s, 1);
	list_count(o, "discarded_frames", c->discarded);
	list_count(o, "samples_total", c->samples);
	list_value(o, "fb_mean_total", c->fb_mean, 3);
	list_value(o, "spacing_ratio_total", c->spacing_ratio, 6);
	list_value(o, "spacing_sigmas_total", c->spacing_sigmas, 3);
}

void figure_cnp(struct figures *o, const struct summary_cnp *c)
{
	const struct rec_cnp *rec = c->rec;
	const struct summary_dist *gap = &c->gap_us, *np = &c->np_delay_us, *way = &c->way_us;
	bool gaps = rec->gap_min != TSTAMP_NEVER;

	list_count(o, "ce_rx", rec->ce);
	list_count(o, "cnp_tx", rec->cnps);
	list_count(o, "cnp_switch_tx", rec->made);
	list_count(o, "cnp_rx", c->cnp_rx);
	list_value(o, "cnp_per_ce", ratio(rec->cnps, rec->ce), 6);
	list_count(o, "cnp_expected", rec->expected);
	list_count(o, "cnp_missing", c->missing);
	list_count(o, "cnp_extra", c->extra);
	list_count(o, "nak_tx", rec->naks);
	list_count(o, "cnp_with_nack", rec->nak_cnps);
	list_value(o, "cnp_gap_min_us", gaps ? instant_us(rec->gap_min) : NAN, 6);
	list_dist(o, "cnp_gap_p1_us", gap, gap->p1);
	list_dist(o, "cnp_gap_p50_us", gap, gap->p50);
	list_dist(o, "cnp_gap_p99_us", gap, gap->p99);
	list_dist(o, "np_delay_p50_us", np, np->p50);
	list_dist(o, "np_delay_p99_us", np, np->p99);
	list_dist(o, "np_delay_max_us", np, np->max);
	list_dist(o, "cnp_delay_p50_us", way, way->p50);
	list_dist(o, "cnp_delay_p99_us", way, way->p99);
	list_dist(o, "cnp_delay_max_us", way, way->max);
	list_value(o, "pass", c->pass, 0);
}

void figure_np(struct figures *o, const struct summary_np *n)
{
	list_value(o, "interval_us", instant_us(n->all->np->u.nic.np.interval_ps), 6);
	list_count(o, "ce_rx", n->all->rec->ce);
	list_count(o, "cnp_tx", n->all->rec->cnps);
	list_count(o, "cnp_capped", n->capped);
	list_value(o, "pass", n->pass, 0);
}

void figure_iqcn(struct figures *o, const struct summary_iqcn *q)
{
	list_count(o, "rx_cnp", q->rx_cnp);
	list_value(o, "rx_cnp_per_s", q->rx_per_s, 1);
	list_count(o, "foreign_cnp", q->foreign_cnp);
	list_count(o, "tx_cnp", q->tx_cnp);
	list_value(o, "tx_cnp_per_s", q->tx_per_s, 1);
	list_value(o, "heavy_percent", q->heavy_percent, 4);
	list_count(o, "flows_total", q->flows);
}

void figure_fast_cnp(struct figures *o, const struct summary_fast_cnp *q)
{
	list_count(o, "tx_cnp", q->tx_cnp);
	list_value(o, "tx_cnp_per_s", q->tx_per_s, 1);
	list_count(o, "suppressed", q->suppressed);
	list_count(o, "unknown", q->unknown);
}

void figure_fast_cnp_table(struct figures *o, const struct summary_fast_cnp_table *q)
{
	list_count(o, "tx_cnp", q->tx_cnp);
	list_value(o, "tx_cnp_per_s", q->tx_per_s, 1);
	list_count(o, "entries", q->entries);
	list_count(o, "flows_total", q->flows);
	list_count(o, "learned_total", q->st.learned);
	list_count(o, "aged_total", q->st.aged);
	list_count(o, "table_full_total", q->st.table_full);
	list_count(o, "ambiguous_total", q->st.ambiguous);
}

void figure_iqcn_table(struct figures *o, const struct summary_iqcn_table *q)
{
	list_count(o, "tx_cnp", q->tx_cnp);
	list_value(o, "tx_cnp_per_s", q->tx_per_s, 1);
	list_count(o, "foreign_cnp", q->foreign_cnp);
	list_count(o, "entries", q->entries);
	list_count(o, "flows_total", q->flows);
	list_count(o, "rx_cnp_total", q->st.rx_cnps);
	list_count(o, "tx_cnp_total", q->st.tx_cnps);
	list_count(o, "learned_total", q->st.learned);
	list_count(o, "aged_total", q->st.aged);
	list_count(o, "table_full_total", q->st.table_full);
	list_count(o, "capped_total", q->st.capped);
}
