// SPDX-License-Identifier: BSD-3-Clause
// "Why no PFC? Why no marks?": a line for each lossless egress queue that answers both.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

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

// The ingress group that feeds the queues of a class and came nearest to its XOFF.
struct nearest {
	bool known; // else none held a frame
	unsigned group;
	double part; // of XOFF at most that it held
};

// How senders reacted to the marks of a port: the sum over all flows whose path uses the port.
struct reaction {
	unsigned long long cnps, cuts;
};

struct why {
	const struct summary *s;
	struct nearest *nearest;   // by node and class
	struct reaction *reaction; // by port of the record
	unsigned senders_here;     // flows that have a sender that this process runs
};

static void find_nearest(struct why *w)
{
	const struct summary *s = w->s;
	struct figure xoff, most;
	bool has = kind_figure(s->kind[KIND_PG], "xoff_most_bytes", &xoff) &&
		   kind_figure(s->kind[KIND_PG], "max_bytes_total", &most);

	for (unsigned i = 0; has && i < s->set[KIND_PG].n; i++) {
		const void *group = set_at(&s->set[KIND_PG], i);
		const struct rec_port *port = fabric_pg_port(s, i);
		const struct sw_params *sw = &s->rec->scene->node[port->node].u.sw;
		const uint8_t *pg_map = sw_port_set(sw, port->port)->pg_map;
		double at = figure_value(&xoff, group);
		double part = figure_value(&most, group) / (at > 0 ? at : 1);

		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			struct nearest *best = &w->nearest[port->node * PKT_CLASSES + c];

			if (pg_map[c] == fabric_pg_number(s, i) &&
				(!best->known || part > best->part))
				*best = (struct nearest){true, i, part};
		}
	}
}

static void add_reactions(struct why *w)
{
	const struct record *r = w->s->rec;
	const struct set *flows = &w->s->set[KIND_FLOW];

	for (unsigned i = 0; i < flows->n; i++) {
		const struct host_flow *f = set_at(flows, i);
		const struct route *way = &f->rec->route;

		for (unsigned k = 0; k < way->n; k++) {
			const struct route_hop *hop = &way->hop[k];
			struct reaction *of;

			if (!scene_is_here(r->scene, hop->node))
				continue;
			of = &w->reaction[record_obj_port(r, hop->node, hop->port) - r->port];
			of->cnps += f->tx.cnp_rx;
			of->cuts += f->tx.rate_cuts;
		}
	}
}

void verdict_why_free(struct why *w)
{
	if (w) {
		free(w->nearest);
		free(w->reaction);
	}
	free(w);
}

struct why *verdict_why_make(const struct summary *s)
{
	const struct scene *scene = s->rec->scene;
	struct why *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->s = s;
	w->nearest = calloc(scene->n_nodes * PKT_CLASSES, sizeof(*w->nearest));
	w->reaction = calloc(s->rec->n_ports, sizeof(*w->reaction));
	if (!w->nearest || !w->reaction) {
		verdict_why_free(w);
		return NULL;
	}
	find_nearest(w);
	add_reactions(w);
	for (unsigned i = 0; i < scene->n_flows; i++)
		w->senders_here += scene_is_here(scene, scene->flow[i]->from);
	return w;
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
	const struct sw_params *sw = &s->rec->scene->node[p->node].u.sw;
	unsigned long long n = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (sw_port_set(sw, p->port)->pg_map[c] == fabric_pg_number(s, g))
			n += p->warm->tx[c].xoff_frames;
	return n;
}

// Writes how many XOFFs a group sent before the window. If it never held as much as its highest
// threshold, frames of other groups had lowered the threshold, and the line says so.
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

// The group that came nearest to its XOFF with classes that leave by this queue; NULL: none held a
// frame.
static const struct nearest *nearest_of(const struct why *w, const struct fabric_queue *q)
{
	const struct rec_port *port = q->rec->port;
	const struct sw_params *sw = &w->s->rec->scene->node[port->node].u.sw;
	const struct nearest *best = NULL;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct nearest *one = &w->nearest[port->node * PKT_CLASSES + c];

		if (sw_port_set(sw, port->port)->queue_map[c] == q->rec->cls && one->known &&
			(!best || one->part > best->part))
			best = one;
	}
	return best;
}

static void say_pfc(struct line *l, const struct why *w, const struct fabric_queue *q)
{
	const struct summary *s = w->s;
	const struct nearest *nearest = nearest_of(w, q);
	const char *what = s->rec->scene->node[q->rec->port->node].u.sw.pause ? "PAUSE" : "PFC";
	unsigned g;
	char buf[KIND_NAME];
	double xoff;

	if (!nearest) {
		say(l, "no %s: no lossless group held a frame", what);
		return;
	}
	g = nearest->group;
	xoff = summary_at(s, KIND_PG, g, "xoff_percent");
	say(l, "%s%s%s: ", xoff > 0 ? "" : "no ", what,
		xoff > 0 || !xoff_before(s, g) ? "" : " in the window");
	say(l, "%s held at most %.1f KB in the whole run, XOFF at ",
		summary_label(s, KIND_PG, g, "port", buf),
		kb(summary_count(s, KIND_PG, g, "max_bytes_total")));
	say_xoff(l, s, g);
	say(l, " (in XOFF %.2f %%", xoff);
	if (!(xoff > 0))
		say_before(l, s, g);
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

// Says how senders reacted. This process does not know the reaction of senders that run elsewhere,
// in another part or outside. A merged run has this line, too, for those senders.
static void say_reaction(struct line *l, const struct why *w, const struct fabric_queue *q)
{
	const struct record *r = w->s->rec;
	const struct reaction *of = &w->reaction[q->rec->port - r->port];

	if (w->senders_here == r->scene->n_flows)
		say(l, ", %llu CNP%s, %llu cut%s", of->cnps, plural(of->cnps), of->cuts,
			plural(of->cuts));
	else if (w->senders_here)
		say(l,
			", %llu CNP%s, %llu cut%s at senders that run in the same part; those of "
			"other senders are counted where these run",
			of->cnps, plural(of->cnps), of->cuts, plural(of->cuts));
	else
		say(l, "; CNPs and cuts are counted where the senders run");
}

bool verdict_why(const struct why *w, const struct fabric_queue *q, char *text, size_t size)
{
	struct line l = {text, size, 0};

	if (!q->lossless || !q->rec->sw || !q->held)
		return false;
	say(&l, "%s class %u: ", q->rec->port->scene->name, q->rec->cls);
	say_pfc(&l, w, q);
	say_marks(&l, q);
	say_reaction(&l, w, q);
	return true;
}
