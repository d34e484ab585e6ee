// SPDX-License-Identifier: BSD-3-Clause
// The summary: differences of counters over the window, and what they add up to.
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

double summary_jain(const double *x, unsigned n)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	return squares > 0 ? sum * sum / (n * squares) : NAN;
}

struct summary_dist summary_dist(const struct hist *h, double unit)
{
	if (!h || !h->n)
		return (struct summary_dist){0};
	return (struct summary_dist){
		.n = h->n,
		.mean = hist_mean(h) / unit,
		.min = (double)hist_min(h) / unit,
		.p1 = (double)hist_quantile(h, 10) / unit,
		.p50 = (double)hist_quantile(h, 500) / unit,
		.p95 = (double)hist_quantile(h, 950) / unit,
		.p99 = (double)hist_quantile(h, 990) / unit,
		.max = (double)h->max / unit,
	};
}

double summary_gbps(uint64_t bytes, tstamp ps)
{
	return ps ? (double)bytes * 8000 / (double)ps : 0;
}

struct summary_pace summary_pace(uint64_t sent, uint64_t owed, uint64_t frames)
{
	double off = (double)sent - (double)owed;

	if (!owed)
		return (struct summary_pace){NAN, NAN};
	return (struct summary_pace){
		100 * off / (double)owed, frames ? off * (double)frames / (double)sent : NAN};
}

static int sources_make(struct summary *s, const struct record *r)
{
	s->source = calloc(r->n_sources + 1, sizeof(*s->source));
	if (!s->source)
		return -ENOMEM;
	s->n_sources = r->n_sources;
	for (unsigned i = 0; i < s->n_sources; i++) {
		const struct rec_source *rec = &r->source[i];
		struct summary_source *o = &s->source[i];
		uint64_t sent, lost, gone;
		const struct nic_gen_stats *then = &rec->rx_warm;

		*o = (struct summary_source){.rec = rec, .rx = *rec->rx};
		if (rec->gen) {
			o->tx_frames = rec->gen->tx_frames - rec->tx_frames_warm;
			o->tx_bytes = rec->gen->tx_bytes - rec->tx_bytes_warm;
		}
		sent = o->tx_bytes + o->tx_frames * (PKT_WIRE - PKT_FCS);
		lost = rec->gen ? rec->gen->lost_bytes - rec->lost_warm : 0;
		o->pace = summary_pace(sent, sent + lost, o->tx_frames);
		o->rx.rx_frames -= then->rx_frames;
		o->rx.rx_bytes -= then->rx_bytes;
		gone = record_source_lost(r, rec, &o->in_flight);
		o->rx.lost = gone > rec->gone_warm ? gone - rec->gone_warm : 0;
		o->rx.out_of_order -= then->out_of_order;
		o->rx.ecn_ce_rx -= then->ecn_ce_rx;
		o->rx.latency_sum -= then->latency_sum;
		o->tx_gbps = summary_gbps(o->tx_bytes, s->to - s->from);
		o->rx_gbps = summary_gbps(o->rx.rx_bytes, s->to - s->from);
		if (o->rx.rx_frames)
			o->latency_avg_ns =
				(double)o->rx.latency_sum / (double)o->rx.rx_frames / 1e3;
	}
	return 0;
}

static int replays_make(struct summary *s, const struct record *r)
{
	s->replay = calloc(r->net->n_nodes + 1, sizeof(*s->replay));
	if (!s->replay)
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = &r->net->node[i];

		if (n->kind != SCENE_REPLAY)
			continue;
		s->replay[s->n_replays] = (struct summary_replay){
			.node = n->scene,
			.now = *replay_stats(n->u.replay),
			.then = r->node_warm[i].replay,
			.late_us = summary_dist(replay_lateness(n->u.replay), 1e6),
			.unsent = replay_unsent(n->u.replay),
		};
		s->total.replay_unsent += s->replay[s->n_replays++].unsent;
	}
	return 0;
}

static int rxbufs_make(struct summary *s, const struct record *r)
{
	s->rxbuf = calloc(r->n_rxbufs + 1, sizeof(*s->rxbuf));
	if (!s->rxbuf)
		return -ENOMEM;
	s->n_rxbufs = r->n_rxbufs;
	for (unsigned i = 0; i < r->n_rxbufs; i++)
		s->rxbuf[i] = (struct summary_rxbuf){
			.node = r->rxbuf[i].scene, .max_bytes = nic_rxbuf_max(r->rxbuf[i].nic)};
	return 0;
}

static void sum_flows(struct summary_total *t, const struct summary *s, const struct record *r)
{
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct summary_flow *f = &s->flow[i];

		t->goodput_gbps += f->goodput_gbps;
		t->ce_rx += f->rx.ecn_ce_rx;
		t->cnp_tx += f->rx.cnp_tx;
		t->cnp_rx += f->tx.cnp_rx;
		t->cnm_rx += f->tx.cnm_rx;
		t->cuts += f->tx.rate_cuts;
		t->retransmitted += f->tx.data_frames_retransmitted;
		t->naks += f->tx.nak_rx;
		t->failed_qps += f->rec->rc && f->rec->rc->failed;
	}
	for (unsigned i = 0; i < r->net->n_nodes; i++)
		if (r->net->node[i].kind == SCENE_NIC)
			t->timeouts += nic_stats(r->net->node[i].u.nic)->local_ack_timeout_err -
				       r->node_warm[i].nic.local_ack_timeout_err;
}

// Completion times of all flows together.
static int sum_messages(struct summary_total *t, const struct record *r)
{
	struct hist *h = malloc(3 * sizeof(*h));

	if (!h)
		return -ENOMEM;
	for (unsigned i = 0; i < 3; i++)
		hist_init(&h[i]);
	for (unsigned i = 0; i < r->n_groups; i++) {
		const struct rec_group *g = &r->group[i];

		if (!g->fct)
			continue;
		hist_merge(&h[0], g->fct);
		hist_merge(&h[1], g->fct_posted);
		if (g->slowdown)
			hist_merge(&h[2], g->slowdown);
	}
	t->messages = summary_messages(&h[0], &h[1], &h[2]);
	free(h);
	return 0;
}

static void sum_network(struct summary_total *t, const struct summary *s, const struct record *r)
{
	for (unsigned i = 0; i < r->n_ports; i++)
		if (r->port[i].pause_tx)
			t->pause_tx += *r->port[i].pause_tx - r->port[i].warm.pause_tx;
	for (unsigned i = 0; i < s->n_pauses; i++) {
		const struct summary_pause *p = &s->pause[i];

		if (p->sent) {
			t->xoff_tx += p->w.xoff_frames;
			t->xon_tx += p->w.xon_frames;
		} else {
			t->pauses += p->w.transitions_on;
			t->pause_ps += p->w.pause_effective_ps;
		}
	}
	for (unsigned i = 0; i < s->n_queues; i++) {
		const struct summary_queue *q = &s->queue[i];

		t->marks += q->w.ecn_marked_frames;
		t->not_ect_marks += q->w.ecn_marked_not_ect_frames;
		t->ect += sw_class_ect(&q->w);
	}
	for (unsigned i = 0; i < s->n_cps; i++)
		t->cnm_tx += s->cp[i].cnms;
	for (unsigned i = 0; i < s->n_iqcns; i++)
		t->iqcn_tx_cnp += s->iqcn[i].tx_cnp;
	for (unsigned i = 0; i < s->n_fasts; i++)
		t->fast_cnp_tx += s->fast[i].tx_cnp;
	for (unsigned i = 0; i < s->n_pgs; i++)
		t->lossless_drops += s->pg[i].dropped_frames;
}

int summary_make(struct summary **out, const struct record *r, const struct record_run *run)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*out = s;
	s->rec = r;
	s->run = *run;
	s->from = r->warmed ? r->warm : 0;
	s->to = tstamp_max(run->end, s->from);
	if (summary_flows(s, r) || summary_sizes(s, r) || sources_make(s, r) ||
		replays_make(s, r) || rxbufs_make(s, r) || summary_queues(s, r) ||
		summary_markings(s, r) || summary_pools(s, r) || summary_wds(s, r) ||
		summary_cn(s, r) || summary_cnps(s, r) || summary_pauses(s, r) ||
		summary_links(s, r) || summary_counters(s, r) || sum_messages(&s->total, r))
		return -ENOMEM;
	sum_flows(&s->total, s, r);
	summary_drops(&s->total, r);
	sum_network(&s->total, s, r);
	return summary_recons(s, r) || summary_expects(s, r) ? -ENOMEM : 0;
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	free(s->flow);
	free(s->group);
	free(s->size);
	free(s->criterion);
	free(s->recon);
	free(s->pause);
	free(s->queue);
	free(s->red);
	free(s->marking);
	free(s->pg);
	free(s->pool);
	free(s->wd);
	free(s->cp);
	free(s->iqcn);
	free(s->iqcn_table);
	free(s->fast);
	free(s->fast_table);
	free(s->cnp);
	free(s->np);
	free(s->link);
	free(s->source);
	free(s->replay);
	free(s->rxbuf);
	free(s->port);
	free(s->nic);
	free(s);
}
