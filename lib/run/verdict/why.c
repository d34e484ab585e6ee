// SPDX-License-Identifier: BSD-3-Clause
// "Why no PFC? Why no marks?": a line for each lossless egress queue that answers both.
#include <math.h>
#include <stdarg.h>

#include "hardware/hardware.h"
#include "verdict.h"

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

// The ingress group of the same switch that feeds the queue and came nearest to its XOFF; -1: none
// held a frame.
static int nearest(const struct summary *s, const struct fabric_queue *q)
{
	const struct scene *scene = s->rec->scene;
	const struct scene_node *n = &scene->node[q->rec->port->node];
	double most = -1;
	int best = -1;

	for (unsigned i = 0; i < s->set[KIND_PG].n; i++) {
		const struct rec_port *p = fabric_pg_port(s, i);
		double xoff = summary_at(s, KIND_PG, i, "xoff_most_bytes");
		double part = summary_at(s, KIND_PG, i, "max_bytes_total") / (xoff > 0 ? xoff : 1);

		if (p->node != q->rec->port->node ||
			!fabric_queue_of(n, fabric_pg_number(s, i), q->rec->cls) || part <= most)
			continue;
		best = (int)i;
		most = part;
	}
	return best;
}

// A dynamic threshold is highest for a group that is alone in the switch, and falls as it fills.
static void say_xoff(struct line *l, const struct summary *s, unsigned g)
{
	const struct rec_port *p = fabric_pg_port(s, g);
	const struct sw_params *sw = &s->rec->scene->node[p->node].u.sw;
	unsigned pg = fabric_pg_number(s, g);
	const struct mmu_pg_params *of = &sw->port[p->port].pg[pg];

	say(l, "%.1f KB", kb(summary_count(s, KIND_PG, g, "xoff_most_bytes")));
	if (of->threshold == MMU_DYNAMIC)
		say(l, " at most, 2^%d of what is free", of->dynamic_th);
}

// XOFF that the port of a group sent for it before the window.
static unsigned long long xoff_before(const struct summary *s, unsigned g)
{
	const struct rec_port *p = fabric_pg_port(s, g);
	const uint8_t *map = s->rec->scene->node[p->node].u.sw.pg_map;
	unsigned long long n = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if ((map ? map[c] : c) == fabric_pg_number(s, g))
			n += p->warm.tx[c].xoff_frames;
	return n;
}

// A group that held less than XOFF is at most has sent it all the same: others held frames then.
static void say_before(struct line *l, const struct summary *s, unsigned g)
{
	unsigned long long n = xoff_before(s, g);

	if (!n)
		return;
	say(l, ", %llu XOFF before the window", n);
	if (summary_count(s, KIND_PG, g, "max_bytes_total") <
		summary_count(s, KIND_PG, g, "xoff_most_bytes"))
		say(l, " while others held frames");
}

static void say_pfc(struct line *l, const struct summary *s, const struct fabric_queue *q)
{
	bool pause = s->rec->scene->node[q->rec->port->node].u.sw.pause;
	const char *what = pause ? "PAUSE" : "PFC";
	int g = nearest(s, q);
	char buf[KIND_NAME];
	double xoff;

	if (g < 0) {
		say(l, "no %s: no lossless group held a frame", what);
		return;
	}
	xoff = summary_at(s, KIND_PG, (unsigned)g, "xoff_percent");
	say(l, "%s%s%s: ", xoff > 0 ? "" : "no ", what,
		xoff > 0 || !xoff_before(s, (unsigned)g) ? "" : " in the window");
	say(l, "%s held at most %.1f KB in the whole run, XOFF at ",
		summary_label(s, KIND_PG, (unsigned)g, "port", buf),
		kb(summary_count(s, KIND_PG, (unsigned)g, "max_bytes_total")));
	say_xoff(l, s, (unsigned)g);
	say(l, " (in XOFF %.2f %%", xoff);
	if (!(xoff > 0))
		say_before(l, s, (unsigned)g);
	say(l, ")");
}

static void say_marks(struct line *l, const struct fabric_queue *q)
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
	say(l, "; %llu mark%s", (unsigned long long)q->w.ecn_marked_frames,
		plural(q->w.ecn_marked_frames));
}

// How many of the scenario's flows have a sender that this process runs.
static unsigned senders_here(const struct scene *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_flows; i++)
		n += scene_is_here(s, s->flow[i]->from);
	return n;
}

// What the flows made of it whose way leads through the queue's port. Of those whose sender runs
// elsewhere, in another part or outside, this process does not know it. A merged run has the line,
// too, beside those senders.
static void say_reaction(struct line *l, const struct summary *s, const struct fabric_queue *q)
{
	const struct set *flows = &s->set[KIND_FLOW];
	unsigned long long cnps = 0, cuts = 0;
	unsigned here;

	for (unsigned i = 0; i < flows->n; i++) {
		const struct host_flow *f = set_at(flows, i);
		const struct route *way = &f->rec->route;

		for (unsigned k = 0; k < way->n; k++) {
			if (way->hop[k].node != q->rec->port->node ||
				way->hop[k].port != q->rec->port->port)
				continue;
			cnps += f->tx.cnp_rx;
			cuts += f->tx.rate_cuts;
		}
	}
	here = senders_here(s->rec->scene);
	if (here == s->rec->scene->n_flows)
		say(l, ", %llu CNP%s, %llu cut%s", cnps, plural(cnps), cuts, plural(cuts));
	else if (here)
		say(l,
			", %llu CNP%s, %llu cut%s at senders that run in the same part; those of "
			"other senders are counted where these run",
			cnps, plural(cnps), cuts, plural(cuts));
	else
		say(l, "; CNPs and cuts are counted where the senders run");
}

bool verdict_why(const struct summary *s, const struct fabric_queue *q, char *text, size_t size)
{
	struct line l = {text, size, 0};

	if (!q->lossless || !q->rec->sw || !q->held)
		return false;
	say(&l, "%s class %u: ", q->rec->port->scene->name, q->rec->cls);
	say_pfc(&l, s, q);
	say_marks(&l, q);
	say_reaction(&l, s, q);
	return true;
}
