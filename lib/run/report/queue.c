// SPDX-License-Identifier: BSD-3-Clause
// Egress queues over the window: depths, watermarks of pools and of a buffer's two sides, the PFC
// watchdog, occupancy of lossless ingress groups.
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const struct scene_node *node_of(const struct record *r, const struct rec_port *p)
{
	return r->net->node[p->node].scene;
}

static bool is_lossless(const struct scene_node *n, unsigned port, unsigned cls)
{
	return n->kind == SCENE_SW && n->u.sw.port[port].pg[cls].lossless;
}

static unsigned mapped(const uint8_t *map, unsigned cls)
{
	return map ? map[cls] : cls;
}

bool summary_queue_of(const struct scene_node *n, unsigned pg, unsigned queue)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (mapped(n->u.sw.pg_map, c) == pg && mapped(n->u.sw.queue_map, c) == queue)
			return true;
	return false;
}

// A queue is lossless where any port of the switch takes frames for it as such.
static bool queue_is_lossless(const struct scene_node *n, unsigned queue)
{
	for (unsigned i = 0; i < n->n_ports; i++)
		for (unsigned g = 0; g < MMU_PGS; g++)
			if (is_lossless(n, i, g) && summary_queue_of(n, g, queue))
				return true;
	return false;
}

// Time that a group kept its sender paused: that of the priority that it paused longest.
static tstamp paused_ps(const struct scene_node *n, const struct rec_port *p, unsigned pg)
{
	tstamp most = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (mapped(n->u.sw.pg_map, c) == pg)
			most = tstamp_max(most, p->tx->stats[c].pause_effective_ps -
							p->warm.tx[c].pause_effective_ps);
	return most;
}

static struct sw_class_stats class_window(
	const struct sw_class_stats *now, const struct sw_class_stats *then)
{
	struct sw_class_stats w = {
		.rx_frames = now->rx_frames - then->rx_frames,
		.rx_bytes = now->rx_bytes - then->rx_bytes,
		.tx_frames = now->tx_frames - then->tx_frames,
		.tx_bytes = now->tx_bytes - then->tx_bytes,
		.ecn_marked_frames = now->ecn_marked_frames - then->ecn_marked_frames,
		.ecn_marked_not_ect_frames =
			now->ecn_marked_not_ect_frames - then->ecn_marked_not_ect_frames,
		.ecn_ce_rx_frames = now->ecn_ce_rx_frames - then->ecn_ce_rx_frames,
		.wred_dropped_frames = now->wred_dropped_frames - then->wred_dropped_frames,
		.dropped_frames = now->dropped_frames - then->dropped_frames,
		.dropped_bytes = now->dropped_bytes - then->dropped_bytes,
	};

	for (unsigned i = 0; i <= ECN_CE; i++)
		w.seen_frames[i] = now->seen_frames[i] - then->seen_frames[i];
	return w;
}

// Standard deviation, every value taken for the middle of its bucket.
static double deviation(const struct hist *h)
{
	double sum = 0, squares = 0, n = (double)h->n;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		double mid = ((double)hist_lower(i) + (double)hist_lower(i + 1) - 1) / 2;

		sum += mid * (double)h->bucket[i] / n;
	}
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		double mid = ((double)hist_lower(i) + (double)hist_lower(i + 1) - 1) / 2;

		squares += (mid - sum) * (mid - sum) * ((double)h->bucket[i] / n);
	}
	return sqrt(squares);
}

// Figures of the queue's length over time. `h` is room for a histogram.
static void depth(struct summary_queue *q, const struct rec_queue *rec, struct hist *h)
{
	const struct red_cfg *red = q->red;

	if (!q->held) { // nothing was booked
		q->mean_bytes = q->std_bytes = 0;
		q->empty_percent = 100;
		return;
	}
	*h = *rec->q->hist;
	h->max = q->max;
	if (rec->warm_hist)
		hist_subtract(h, rec->warm_hist, q->max);
	if (!h->n)
		return;
	q->mean_bytes = hist_mean(h);
	q->std_bytes = deviation(h);
	q->p50 = hist_quantile(h, 500);
	q->p95 = hist_quantile(h, 950);
	q->p99 = hist_quantile(h, 990);
	q->empty_percent = 100 * (double)h->bucket[0] / (double)h->n;
	if (red) {
		q->above_kmin_percent = 100 * hist_share_above(h, red->kmin_bytes);
		q->above_kmax_percent = 100 * hist_share_above(h, red->kmax_bytes);
	}
	q->delay_p99_us = (double)q->p99 * 8e6 / (double)rec->port->scene->rate;
}

static const struct mmu_pools *sides_of(const struct record *r, unsigned node)
{
	const struct net_node *n = &r->net->node[node];

	return n->kind == SCENE_SW ? sw_sides(n->u.sw) : NULL;
}

static void queue_sides(struct summary_queue *q, const struct record *r)
{
	const struct rec_port *p = q->rec->port;
	const struct mmu_pools *sides = sides_of(r, p->node);

	if (!sides)
		return;

	const struct mmu_queue *m = &sides->queue[p->port * MMU_PGS + q->rec->cls];

	q->two_sided = true;
	q->buffer_max = m->max_bytes;
	q->shared_max = m->max_shared;
	q->limit = mmu_queue_limit(sides, p->port, q->rec->cls);
}

static int queue_make(
	struct summary_queue *q, const struct record *r, struct rec_queue *rec, struct red_cfg *red)
{
	const struct scene_node *n = node_of(r, rec->port);
	struct hist *h;

	*q = (struct summary_queue){.rec = rec,
		.mean_bytes = NAN,
		.std_bytes = NAN,
		.max_at = rec->q->max_at,
		.held = rec->q->max_bytes};
	if (rec->st)
		q->w = class_window(rec->st, &rec->warm);
	if (n->kind == SCENE_SW) {
		q->lossless = queue_is_lossless(n, rec->cls);
		if (n->u.sw.cls[rec->cls].mark != SW_MARK_NONE &&
			!red_cfg_init(red, &n->u.sw.cls[rec->cls].red))
			q->red = red;
	}
	queue_sides(q, r);
	q->max = rec->max_bytes > rec->q->bytes ? rec->max_bytes : rec->q->bytes;
	if (!rec->q->hist)
		return 0;
	h = malloc(sizeof(*h));
	if (!h)
		return -ENOMEM;
	rec->max_bytes = hist_take_max(rec->q->hist);
	q->max = rec->max_bytes > q->max ? rec->max_bytes : q->max;
	depth(q, rec, h);
	free(h);
	return 0;
}

static void pg_sides(struct summary_pg *g, const struct record *r)
{
	const struct mmu_pools *sides = sides_of(r, g->port->node);

	if (!sides)
		return;
	g->two_sided = true;
	g->max_shared_bytes = sides->pg_max_shared[g->port->port * MMU_PGS + g->pg];
}

static void pg_make(struct summary *s, const struct record *r, const struct rec_port *p, unsigned i)
{
	const struct net_node *n = &r->net->node[p->node];
	const struct mmu *m = sw_mmu(n->u.sw);
	const struct mmu_pg_cfg *cfg = &m->cfg->pg[p->port * MMU_PGS + i];
	const struct mmu_pg *pg = &m->pg[p->port * MMU_PGS + i];
	const struct rec_queue *q = &p->queue[i];
	tstamp xoff;

	if (!is_lossless(n->scene, p->port, i) || (!pg->max_bytes && !q->st->pg_dropped_frames))
		return;
	xoff = paused_ps(n->scene, p, i);
	s->pg[s->n_pgs] = (struct summary_pg){
		.port = p,
		.pg = (uint8_t)i,
		.max_bytes = pg->max_bytes,
		.xoff_bytes = cfg->reserved + mmu_limit(m, p->port, i),
		.headroom_bytes = cfg->headroom,
		.max_headroom_bytes = pg->max_headroom,
		.xoff_percent =
			s->to > s->from ? 100 * (double)xoff / (double)(s->to - s->from) : 0,
		.dropped_frames = q->st->pg_dropped_frames - q->warm.pg_dropped_frames,
	};
	pg_sides(&s->pg[s->n_pgs++], r);
}

// It has held a frame; or by its port and class came what is told nowhere else.
static bool in_use(const struct rec_queue *q)
{
	return q->q->max_bytes || (q->st && (q->st->dropped_frames || q->st->ecn_ce_rx_frames));
}

int summary_queues(struct summary *s, const struct record *r)
{
	s->queue = calloc(r->n_queues + 1, sizeof(*s->queue));
	s->red = calloc(r->n_queues + 1, sizeof(*s->red));
	s->pg = calloc(r->n_queues + 1, sizeof(*s->pg));
	if (!s->queue || !s->red || !s->pg)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_queues; i++) {
		struct rec_queue *rec = &r->queue[i];

		if (!in_use(rec))
			continue;
		if (queue_make(&s->queue[s->n_queues], r, rec, &s->red[i]))
			return -ENOMEM;
		s->n_queues++;
	}
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned k = 0; r->port[i].sw && k < MMU_PGS; k++)
			pg_make(s, r, &r->port[i], k);
	return 0;
}

const struct summary_queue *summary_deepest(const struct summary *s, const struct rec_port *p)
{
	const struct summary_queue *best = NULL;

	for (unsigned i = 0; i < s->n_queues; i++)
		if (s->queue[i].rec->port == p && (!best || s->queue[i].max > best->max))
			best = &s->queue[i];
	return best;
}

const char *summary_pool_name(enum mmu_pool pool)
{
	static const char *const name[MMU_POOLS] = {
		[MMU_INGRESS] = "ingress",
		[MMU_EGRESS_LOSSLESS] = "egress_lossless",
		[MMU_EGRESS_LOSSY] = "egress_lossy",
		[MMU_HEADROOM] = "headroom",
	};

	return name[pool];
}

int summary_pools(struct summary *s, const struct record *r)
{
	s->pool = calloc(r->net->n_nodes * MMU_POOLS + 1ul, sizeof(*s->pool));
	if (!s->pool)
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct mmu_pools *sides = sides_of(r, i);

		for (unsigned k = 0; sides && k < MMU_POOLS; k++)
			s->pool[s->n_pools++] = (struct summary_pool){
				.node = r->net->node[i].scene,
				.pool = (enum mmu_pool)k,
				.size_bytes = sides->cfg->size[k],
				.max_bytes = sides->max_used[k],
			};
	}
	return 0;
}

int summary_wds(struct summary *s, const struct record *r)
{
	s->wd = calloc(r->n_queues + 1, sizeof(*s->wd));
	if (!s->wd)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_queues; i++) {
		const struct rec_queue *q = &r->queue[i];
		const struct sw_wd_stats *now = q->wd, *then = &q->wd_warm;

		if (!now)
			continue;
		s->wd[s->n_wds++] = (struct summary_wd){
			.rec = q,
			.w = {.storms = now->storms - then->storms,
				.restored = now->restored - then->restored,
				.tx_dropped_frames =
					now->tx_dropped_frames - then->tx_dropped_frames,
				.rx_dropped_frames =
					now->rx_dropped_frames - then->rx_dropped_frames,
				.storm_ps = now->storm_ps - then->storm_ps},
			.storm = now->storms > now->restored,
		};
	}
	return 0;
}
