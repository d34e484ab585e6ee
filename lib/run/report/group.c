// SPDX-License-Identifier: BSD-3-Clause
// Flows and their groups: rates, how they came to their fair share, and the stages that their
// reaction points were in (measures.md M5).
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "summary.h"

static double oscillation(const struct rec_spread *s)
{
	if (!s || !s->sum)
		return NAN;
	return ((double)record_spread_at(s, 950) - record_spread_at(s, 50)) * (double)s->n /
	       (double)s->sum;
}

static void convergence(struct summary_group *g)
{
	const struct rec_share *s = &g->rec->share;

	g->converged = g->t_conv_us = g->off_percent = NAN;
	g->osc = oscillation(s->window);
	g->osc_since = oscillation(s->since);
	if (s->periods)
		g->off_percent = 100 * (double)s->periods_off / (double)s->periods;
	if (!s->judged)
		return;
	g->converged = s->settled < s->judged;
	g->t_conv_us = g->converged > 0 ? (double)(s->settled - s->onset) / 1e6 : INFINITY;
}

// What each of its flows should have, and the port that all owe it to.
static void shares(struct summary_group *g, const struct record *r, unsigned group)
{
	const struct rec_flow *first = &r->flow[g->rec->first];

	g->tightest = first->fair_gbps > 0 ? route_port(r->scene, &first->tightest) : NULL;
	for (unsigned k = g->rec->first; k < r->n_flows; k++) {
		const struct rec_flow *f = &r->flow[k];

		if (f->group != group)
			continue;
		g->fair_gbps += f->fair_gbps > 0 ? f->fair_gbps / g->rec->n : NAN;
		if (memcmp(&f->tightest, &first->tightest, sizeof(f->tightest)) != 0)
			g->tightest = NULL;
	}
}

// What was sent against what the reaction points allowed.
static void rates(struct summary_group *g)
{
	const struct rec_spread *w = g->rec->wire;

	g->rate_err_p1 = w ? record_spread_at(w, 10) / 1e3 - 1 : NAN;
	g->rate_err_p50 = w ? record_spread_at(w, 500) / 1e3 - 1 : NAN;
	g->rate_err_p99 = w ? record_spread_at(w, 990) / 1e3 - 1 : NAN;
	g->cut_us = summary_dist(g->rec->cut, 1e6);
}

static void group_share(struct summary *s, const struct record *r, unsigned group)
{
	struct summary_group *g = &s->group[group];
	unsigned points = 0;

	shares(g, r, group);
	convergence(g);
	rates(g);
	for (unsigned k = g->rec->first; k < s->n_flows; k++) {
		const struct summary_flow *f = &s->flow[k];

		if (f->rec->group != group || !f->rec->rp)
			continue;
		points++;
		for (unsigned i = 0; i < REC_STAGES; i++)
			g->stage_percent[i] += f->stage_percent[i];
	}
	for (unsigned i = 0; i < REC_STAGES; i++)
		g->stage_percent[i] = points ? g->stage_percent[i] / points : NAN;
}

// Counters of a queue pair over the window. Instants and extremes cannot be taken apart: they stay
// those of the whole run.
static struct nic_qp_stats qp_window(
	const struct nic_qp_stats *now, const struct nic_qp_stats *then)
{
	const uint64_t *a = (const uint64_t *)now, *b = (const uint64_t *)then;
	struct nic_qp_stats w;
	uint64_t *to = (uint64_t *)&w;

	for (unsigned i = 0; i < sizeof(w) / sizeof(*to); i++)
		to[i] = a[i] - b[i];
	w.first_timestamp = now->first_timestamp;
	w.last_timestamp = now->last_timestamp;
	w.latency_min = now->latency_min;
	w.latency_max = now->latency_max;
	return w;
}

static struct summary_pace flow_pace(const struct rec_flow *rec, const struct nic_qp_stats *tx)
{
	bool paced = rec->rp || rec->scene->req.rate_limit;

	return summary_pace(
		record_rate_wire(rec, tx), paced ? tx->pace_owed_bytes : 0, tx->data_frames_tx);
}

static void flow_make(struct summary_flow *f, const struct rec_flow *rec, tstamp span)
{
	struct rp_look look;

	*f = (struct summary_flow){.rec = rec};
	f->tx = qp_window(rec->tx, &rec->tx_warm);
	f->rx = qp_window(rec->rx, &rec->rx_warm);
	f->pace = flow_pace(rec, &f->tx);
	f->goodput_gbps = summary_gbps(f->rx.rx_bytes, span);
	f->data_tx_gbps = summary_gbps(f->tx.tx_bytes, span);
	if (f->rx.data_frames_rx)
		f->latency_avg_ns = (double)f->rx.latency_sum / (double)f->rx.data_frames_rx / 1e3;
	for (unsigned i = 0; i < REC_STAGES; i++)
		f->stage_percent[i] = span ? 100 * (double)rec->stage_ps[i] / (double)span : NAN;
	if (!rec->rp || !nic_qp_look(rec->nic, rec->qp, &look))
		return;
	f->rc = look.rc;
	f->rt = look.rt;
	// Rounded down, as everywhere: 1 is 1.
	f->alpha = look.has_alpha ? (double)fixed_mul(look.alpha, 1000000, 60) / 1e6 : NAN;
	f->rc_mean_gbps = span ? (double)rec->rc_ps / (double)span / 1e9 : 0;
}

static void group_add(struct summary_group *g, const struct summary_flow *f)
{
	double gbps = f->goodput_gbps;

	g->goodput_gbps += gbps;
	g->min_gbps = gbps < g->min_gbps ? gbps : g->min_gbps;
	g->max_gbps = gbps > g->max_gbps ? gbps : g->max_gbps;
	g->ce += f->rx.ecn_ce_rx;
	g->cnp_tx += f->rx.cnp_tx;
	g->cnp_rx += f->tx.cnp_rx;
	g->cuts += f->tx.rate_cuts;
	g->retransmitted += f->tx.data_frames_retransmitted;
	g->sequence_errors += f->rx.frame_sequence_error;
	g->nak += f->tx.nak_rx;
	g->failed += f->tx.message_fail;
	if (!(fabs(f->pace.percent) >= PACE_OFF_PERCENT)) // NAN, too
		return;
	g->off_pace++;
	if (!g->worst_pace || fabs(f->pace.percent) > fabs(g->worst_pace->pace.percent))
		g->worst_pace = f;
}

static int group_make(struct summary *s, const struct record *r, unsigned i)
{
	struct summary_group *g = &s->group[i];
	double *rate = calloc(s->n_flows, sizeof(*rate)), rc = 0;
	unsigned n = 0, points = 0;

	if (!rate)
		return -ENOMEM;
	*g = (struct summary_group){.rec = &r->group[i], .min_gbps = INFINITY};
	for (unsigned k = g->rec->first; k < s->n_flows; k++) {
		const struct summary_flow *f = &s->flow[k];

		if (f->rec->group != i)
			continue;
		group_add(g, f);
		rate[n++] = f->goodput_gbps;
		points += f->rec->rp;
		rc += f->rc_mean_gbps;
	}
	g->mean_gbps = g->goodput_gbps / n;
	g->jain = n > 1 ? summary_jain(rate, n) : NAN;
	g->rc_mean_gbps = points ? rc / points : NAN;
	g->messages = summary_messages(g->rec->fct, g->rec->fct_posted, g->rec->slowdown);
	g->rtt_us = summary_dist(g->rec->rtt, 1e6);
	g->cnp_gap_us = summary_dist(g->rec->cnp_gap, 1e6);
	group_share(s, r, i);
	free(rate);
	return 0;
}

int summary_flows(struct summary *s, const struct record *r)
{
	s->flow = calloc(r->n_flows + 1, sizeof(*s->flow));
	s->group = calloc(r->n_groups + 1, sizeof(*s->group));
	if (!s->flow || !s->group)
		return -ENOMEM;
	s->n_flows = r->n_flows;
	s->n_groups = r->n_groups;
	for (unsigned i = 0; i < s->n_flows; i++)
		flow_make(&s->flow[i], &r->flow[i], s->to - s->from);
	for (unsigned i = 0; i < s->n_groups; i++) {
		if (group_make(s, r, i))
			return -ENOMEM;
		if (r->group[i].n > r->group[s->main_group].n)
			s->main_group = i;
	}
	return 0;
}
