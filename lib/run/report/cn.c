// SPDX-License-Identifier: BSD-3-Clause
// QCN, iQCN and Fast CNP in the summary: how near a queue was kept to its set point, CNMs, CNPs of
// switches.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "summary.h"

static double per_s(uint64_t n, const struct summary *s)
{
	return s->to > s->from ? (double)n * (double)PS_PER_S / (double)(s->to - s->from) : 0;
}

static const struct summary_queue *queue_of(const struct summary *s, const struct rec_queue *rec)
{
	for (unsigned i = 0; i < s->n_queues; i++)
		if (s->queue[i].rec == rec)
			return &s->queue[i];
	return NULL;
}

// Of the whole run: how often which feedback was found.
static void feedback(struct summary_cp *c, const struct qcn_cp *cp)
{
	uint64_t sum = 0, told = 0;

	for (unsigned i = 0; i < QCN_CP_FB; i++) {
		c->samples += cp->samples[i];
		c->by_fb[i] = cp->samples[i];
		sum += i * cp->samples[i];
		told += i ? cp->samples[i] : 0;
	}
	c->fb_mean = told ? (double)sum / (double)told : NAN;
}

#define SPACINGS 10 // pairs of samples from which a level's mean is judged

// Bytes between samples against the table (measures.md M5). Draws are uniform over `span` whole
// bytes from `least` on: mean least + (span - 1) / 2, variance (span^2 - 1) / 12; what the sampled
// frame has beyond the draw is added.
static void spacing(struct summary_cp *c, const struct qcn_cp *cp)
{
	double bytes = 0, expected = 0;

	c->spacing_sigmas = NAN;
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++) {
		const struct qcn_cp_spacing *s = &cp->spacing[i];
		double n = (double)s->n, span = (double)cp->cfg->span[i], off;

		c->spacing[i] = *s;
		c->base[i] = (double)cp->cfg->least[i] + (span - 1) / 2;
		bytes += (double)s->bytes;
		expected += n * c->base[i] + (double)s->beyond;
		if (s->n < SPACINGS || span < 2)
			continue;
		off = fabs((double)(s->bytes - s->beyond) - n * c->base[i]) /
		      sqrt(n * (span * span - 1) / 12);
		c->spacing_sigmas = fmax(c->spacing_sigmas, off);
	}
	c->spacing_ratio = expected > 0 ? bytes / expected : NAN;
}

// Queues that have carried a frame.
static void cp_make(struct summary *s, const struct rec_queue *rec, const struct qcn_cp *cp)
{
	const struct summary_queue *q = queue_of(s, rec);
	struct summary_cp *c = &s->cp[s->n_cps];
	double set_point = (double)cp->cfg->p.set_point;

	if (!q)
		return;
	*c = (struct summary_cp){
		.rec = rec,
		.set_point = cp->cfg->p.set_point,
		.mean_ratio = q->mean_bytes / set_point,
		.std_ratio = q->std_bytes / set_point,
		.cnms = rec->st->cnm_tx_frames - rec->warm.cnm_tx_frames,
		.discarded = rec->st->cn_discarded_frames - rec->warm.cn_discarded_frames,
	};
	c->cnms_per_s = per_s(c->cnms, s);
	feedback(c, cp);
	spacing(c, cp);
	s->n_cps++;
}

// The port's share of the window in which its most congested class was heavy.
static double heavy_percent(const struct summary *s, const struct rec_port *p)
{
	uint64_t most = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		uint64_t ps = p->queue[c].st->heavy_ps - p->queue[c].warm.heavy_ps;

		most = ps > most ? ps : most;
	}
	return s->to > s->from ? 100 * (double)most / (double)(s->to - s->from) : 0;
}

static void iqcn_make(struct summary *s, const struct rec_port *p, const struct iqcn *q)
{
	uint64_t rx = p->sw->iqcn_rx_cnp - p->warm.sw.iqcn_rx_cnp;
	uint64_t tx = p->sw->iqcn_tx_cnp - p->warm.sw.iqcn_tx_cnp;

	s->iqcn[s->n_iqcns++] = (struct summary_iqcn){
		.port = p,
		.rx_cnp = rx,
		.foreign_cnp = p->sw->iqcn_foreign_cnp - p->warm.sw.iqcn_foreign_cnp,
		.tx_cnp = tx,
		.rx_per_s = per_s(rx, s),
		.tx_per_s = per_s(tx, s),
		.heavy_percent = heavy_percent(s, p),
		.flows = q->port[p->port].flows,
	};
}

static void fast_make(struct summary *s, const struct rec_port *p)
{
	const struct sw_port_stats *now = p->sw, *then = &p->warm.sw;
	uint64_t tx = now->fast_cnp_tx - then->fast_cnp_tx;

	s->fast[s->n_fasts++] = (struct summary_fast_cnp){
		.port = p,
		.tx_cnp = tx,
		.suppressed = now->fast_cnp_suppressed - then->fast_cnp_suppressed,
		.unknown = now->fast_cnp_unknown - then->fast_cnp_unknown,
		.tx_per_s = per_s(tx, s),
	};
}

static void iqcn_table_make(struct summary *s, const struct net_node *n, unsigned number)
{
	const struct iqcn *q = sw_iqcn(n->u.sw);
	uint64_t tx = 0, foreign = 0;

	for (unsigned i = 0; i < s->n_iqcns; i++) {
		bool own = s->iqcn[i].port->node == number;

		tx += own ? s->iqcn[i].tx_cnp : 0;
		foreign += own ? s->iqcn[i].foreign_cnp : 0;
	}
	s->iqcn_table[s->n_iqcn_tables++] = (struct summary_iqcn_table){.node = n->scene,
		.number = number,
		.st = q->stats,
		.flows = q->flows,
		.entries = q->cfg->p.entries,
		.tx_cnp = tx,
		.foreign_cnp = foreign,
		.tx_per_s = per_s(tx, s)};
}

static void fast_table_make(struct summary *s, const struct net_node *n, unsigned number)
{
	const struct fast_cnp *q = sw_fast_cnp(n->u.sw);
	uint64_t tx = 0;

	for (unsigned i = 0; i < s->n_fasts; i++)
		tx += s->fast[i].port->node == number ? s->fast[i].tx_cnp : 0;
	s->fast_table[s->n_fast_tables++] = (struct summary_fast_cnp_table){.node = n->scene,
		.number = number,
		.st = q->stats,
		.flows = q->table.n,
		.entries = q->cfg->p.entries,
		.tx_cnp = tx,
		.tx_per_s = per_s(tx, s)};
}

static int make_room(struct summary *s, const struct record *r)
{
	s->cp = calloc(r->n_queues + 1, sizeof(*s->cp));
	s->iqcn = calloc(r->n_ports + 1, sizeof(*s->iqcn));
	s->iqcn_table = calloc(r->net->n_nodes + 1, sizeof(*s->iqcn_table));
	s->fast = calloc(r->n_ports + 1, sizeof(*s->fast));
	s->fast_table = calloc(r->net->n_nodes + 1, sizeof(*s->fast_table));
	return s->cp && s->iqcn && s->iqcn_table && s->fast && s->fast_table ? 0 : -ENOMEM;
}

int summary_cn(struct summary *s, const struct record *r)
{
	if (make_room(s, r))
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++)
		if (r->net->node[i].kind == SCENE_SW)
			sw_iqcn_tidy(r->net->node[i].u.sw, s->to);
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];
		const struct sw *sw = p->sw ? r->net->node[p->node].u.sw : NULL;

		for (unsigned c = 0; sw && c < PKT_CLASSES; c++)
			if (sw_cp(sw, p->port, c))
				cp_make(s, &p->queue[c], sw_cp(sw, p->port, c));
		if (sw && sw_iqcn(sw))
			iqcn_make(s, p, sw_iqcn(sw));
		if (sw && sw_fast_cnp(sw))
			fast_make(s, p);
	}
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = &r->net->node[i];

		if (n->kind == SCENE_SW && sw_iqcn(n->u.sw))
			iqcn_table_make(s, n, i);
		if (n->kind == SCENE_SW && sw_fast_cnp(n->u.sw))
			fast_table_make(s, n, i);
	}
	return 0;
}
