// SPDX-License-Identifier: BSD-3-Clause
// The summary: all objects of all kinds, and what several kinds compute.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

double summary_jain(const double *x, unsigned n)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	return squares > 0 ? sum * sum / (n * squares) : NAN;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// The least of sorted values that `percent` of them do not exceed.
static double at_rank(const double *x, unsigned n, unsigned percent)
{
	return n ? x[((uint64_t)n * percent + 99) / 100 - 1] : NAN;
}

struct summary_among summary_among(double *x, unsigned n)
{
	unsigned known = 0;

	for (unsigned i = 0; i < n; i++)
		if (!isnan(x[i]))
			x[known++] = x[i];
	qsort(x, known, sizeof(*x), by_value);
	return (struct summary_among){
		at_rank(x, known, 1), at_rank(x, known, 50), at_rank(x, known, 99)};
}

struct summary_dist summary_dist(const struct hist *h, double unit)
{
	if (!h || !h->n)
		return (struct summary_dist){0};
	return (struct summary_dist){
		.from = h,
		.unit = unit,
		.n = h->n,
		.mean = hist_mean(h) / unit,
		.min = (double)hist_min(h) / unit,
		.p1 = (double)hist_quantile(h, 10) / unit,
		.p50 = (double)hist_quantile(h, 500) / unit,
		.p90 = (double)hist_quantile(h, 900) / unit,
		.p95 = (double)hist_quantile(h, 950) / unit,
		.p99 = (double)hist_quantile(h, 990) / unit,
		.p999 = (double)hist_quantile(h, 999) / unit,
		.max = (double)h->max / unit,
	};
}

double summary_gbps(uint64_t bytes, tstamp ps)
{
	return ps ? (double)bytes * 8000 / (double)ps : 0;
}

struct pause_stats summary_pause_window(const struct rec_port *p, unsigned prio, bool sent)
{
	struct pause_stats w;

	if (sent)
		stat_diff(&pause_stat_table, &w, &p->tx->stats[prio], &p->warm.tx[prio]);
	else
		stat_diff(&pause_stat_table, &w, &p->rx->stats[prio], &p->warm.rx[prio]);
	return w;
}

struct sw_class_stats summary_class_window(const struct rec_queue *q)
{
	struct sw_class_stats now = rec_class_stats(q), w = now;

	stat_diff(&sw_class_stat_table, &w, &now, &q->warm);
	return w;
}

static struct nic_stats nic_window(const struct record *r, unsigned node)
{
	const struct nic_stats *now = nic_stats(r->net->node[node].u.nic);
	struct nic_stats w = *now;

	stat_diff(&nic_stat_table, &w, now, &r->node_warm[node].nic);
	stat_diff(&nic_malformed_stat_table, &w, now, &r->node_warm[node].nic);
	return w;
}

struct nic_stats summary_nic_window(const struct record *r, unsigned node)
{
	const struct scene_node *s = r->net->node[node].scene;
	struct nic_stats w = nic_window(r, node);

	for (unsigned k = 0; k + 1 < s->n_lanes; k++) {
		struct nic_stats lane = nic_window(r, s->lane_at + k);

		stat_sum(&nic_stat_table, &w, &lane);
		stat_sum(&nic_malformed_stat_table, &w, &lane);
	}
	return w;
}

double summary_percent(const struct summary *s, tstamp ps)
{
	return s->to > s->from ? 100 * (double)ps / (double)(s->to - s->from) : 0;
}

double summary_per_s(const struct summary *s, uint64_t n)
{
	return s->to > s->from ? (double)n * (double)PS_PER_S / (double)(s->to - s->from) : 0;
}

double summary_ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

struct summary_pace summary_pace(uint64_t sent, uint64_t owed, uint64_t frames)
{
	double off = (double)sent - (double)owed;

	if (!owed)
		return (struct summary_pace){NAN, NAN};
	return (struct summary_pace){
		100 * off / (double)owed, frames ? off * (double)frames / (double)sent : NAN};
}

static int make(
	struct summary **out, const struct record *r, const struct record_run *run, bool live)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*out = s;
	s->rec = r;
	s->run = *run;
	s->from = r->warmed ? r->warm : 0;
	s->to = tstamp_max(run->end, s->from);
	s->bottleneck = -1;
	s->live = live;
	for (unsigned k = 0; k < KINDS; k++)
		summary_set(s, (enum kind_id)k);
	return s->no_memory ? -ENOMEM : 0;
}

int summary_make(struct summary **out, const struct record *r, const struct record_run *run)
{
	return make(out, r, run, false);
}

int summary_so_far(struct summary **out, const struct record *r, const struct record_run *run)
{
	return make(out, r, run, true);
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	for (unsigned k = 0; k < KINDS; k++)
		free(s->set[k].object);
	free(s);
}
