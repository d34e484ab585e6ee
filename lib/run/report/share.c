// SPDX-License-Identifier: BSD-3-Clause
// How the flows of a group came to their fair share, and the stages that their reaction points were
// in (measures.md M5).
#include <math.h>

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

void summary_share(struct summary *s, const struct record *r, unsigned group)
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
