// SPDX-License-Identifier: BSD-3-Clause
// "Why no PFC? Why no marks?": a line for each lossless egress queue that answers both.
#include <math.h>
#include <stdarg.h>

#include "summary.h"

struct line {
	char *text;
	size_t size, n;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->n, l->size - l->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->n += (size_t)n < l->size - l->n ? (size_t)n : l->size - l->n - 1;
}

static double kb(uint64_t bytes)
{
	return (double)bytes / 1000;
}

// The ingress group of the same switch that feeds the queue and came nearest to its XOFF.
static const struct summary_pg *nearest(
	const struct record *r, const struct summary *s, const struct summary_queue *q)
{
	const struct scene_node *n = &r->scene->node[q->rec->port->node];
	const struct summary_pg *best = NULL;
	double most = -1;

	for (unsigned i = 0; i < s->n_pgs; i++) {
		const struct summary_pg *g = &s->pg[i];
		double part = (double)g->max_bytes / (double)(g->xoff_bytes ? g->xoff_bytes : 1);

		if (g->port->node != q->rec->port->node ||
			!summary_queue_of(n, g->pg, q->rec->cls) || part <= most)
			continue;
		best = g;
		most = part;
	}
	return best;
}

static void say_pfc(struct line *l, const struct summary *s, const struct summary_queue *q)
{
	const struct summary_pg *g = nearest(s->rec, s, q);
	bool pause = s->rec->scene->node[q->rec->port->node].u.sw.pause;
	const char *what = pause ? "PAUSE" : "PFC";

	if (!g) {
		say(l, "no %s: no lossless group held a frame", what);
		return;
	}
	say(l, "%s%s: ", g->xoff_percent > 0 ? "" : "no ", what);
	say(l, "%s held at most %.1f KB in the whole run, XOFF at %.1f KB (in XOFF %.2f %%)",
		g->port->scene->name, kb(g->max_bytes), kb(g->xoff_bytes), g->xoff_percent);
}

static void say_marks(struct line *l, const struct summary_queue *q)
{
	if (!q->red) {
		say(l, "; no marker");
		return;
	}
	say(l, q->w.ecn_marked_frames ? "; marks: " : "; no marks: ");
	say(l, "queue at most %.1f KB, Kmin %.1f KB", kb(q->max), kb(q->red->kmin_bytes));
	if (!isnan(q->mean_bytes))
		say(l, " (above %.2f %%)", q->above_kmin_percent);
	say(l, ", Kmax %.1f KB", kb(q->red->kmax_bytes));
	if (!isnan(q->mean_bytes))
		say(l, " (above %.2f %%)", q->above_kmax_percent);
	say(l, ", %llu marks", (unsigned long long)q->w.ecn_marked_frames);
}

// What the flows made of it whose way leads through the queue.
static void say_reaction(struct line *l, const struct summary *s, const struct summary_queue *q)
{
	unsigned long long cnps = 0, cuts = 0;

	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct route *way = &s->flow[i].rec->route;

		for (unsigned k = 0; k < way->n; k++) {
			if (way->hop[k].node != q->rec->port->node ||
				way->hop[k].port != q->rec->port->port)
				continue;
			cnps += s->flow[i].tx.cnp_rx;
			cuts += s->flow[i].tx.rate_cuts;
		}
	}
	say(l, ", %llu CNPs, %llu cuts", cnps, cuts);
}

bool summary_why(const struct summary *s, const struct summary_queue *q, char *text, size_t size)
{
	struct line l = {text, size, 0};

	if (!q->lossless || !q->rec->st || !q->held)
		return false;
	say(&l, "%s class %u: ", q->rec->port->scene->name, q->rec->cls);
	say_pfc(&l, s, q);
	say_marks(&l, q);
	say_reaction(&l, s, q);
	return true;
}
