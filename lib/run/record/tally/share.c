// SPDX-License-Identifier: BSD-3-Clause
// Convergence (measuring.md M5): each flow's goodput, millisecond by millisecond, beside its fair
// share.
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define PERIOD    PS_PER_MS
#define TOLERANCE 0.1 // a flow is off its share beyond it

// A link while the shares are found. Links that flows connect are a component, led by one of them.
struct link {
	double left;     // Gb/s that no flow has yet
	double each;     // left / open; INFINITY: all its flows have their share
	unsigned open;   // flows without a share that cross it
	unsigned parent; // towards its component's leader
};

// The links, and the tightest of each part of them: that of part i is the tighter one of parts 2 i
// and 2 i + 1, part 1 is all links, and part n + i is link i.
struct links {
	struct link *link;
	unsigned *part;
	unsigned n;
};

static unsigned link_of(const struct record *r, const struct route_hop *h)
{
	return (unsigned)(record_obj_port(r, h->node, h->port) - r->port);
}

static unsigned leader(struct link *link, unsigned i)
{
	while (link[i].parent != i)
		i = link[i].parent = link[link[i].parent].parent;
	return i;
}

struct span {
	tstamp start, stop;
};

// The instants at which each flow begins to post and ends, commands included; NULL where memory is
// out.
static struct span *spans(const struct scene *s)
{
	struct span *span = calloc(s->n_flows + 1ul, sizeof(*span));

	for (unsigned i = 0; span && i < s->n_flows; i++)
		span[i] = (struct span){s->flow[i]->req.start, s->flow[i]->req.stop};
	for (unsigned i = 0; span && i < s->n_events; i++) {
		const struct ctl *c = &s->event[i].ctl;
		struct span *of = c->id < s->n_flows ? &span[c->id] : NULL;
		tstamp at = s->event[i].at;

		if (of && c->type == CTL_FLOW_START)
			of->start = of->start == TSTAMP_NEVER ? at : tstamp_max(of->start, at);
		else if (of && c->type == CTL_FLOW_STOP)
			of->stop = tstamp_min(of->stop, at);
	}
	return span;
}

// Payload of a flow's messages over their bytes on the wire.
static double payload_part(const struct scene *s, const struct scene_flow *f)
{
	uint64_t bytes = f->req.message_bytes, frames = rc_packets(f->rc, f->req.message_bytes);
	uint64_t wire = bytes + route_ext(f) +
			frames * (route_overhead(f) + (uint64_t)s->framing.wire_extra);

	return wire ? (double)bytes / (double)wire : 0;
}

static void join_links(struct record *r, struct link *link, const struct rec_flow *f)
{
	for (unsigned i = 0; i < f->route.n; i++) {
		unsigned at = link_of(r, &f->route.hop[i]);

		link[at].open++;
		link[leader(link, at)].parent = leader(link, link_of(r, &f->route.hop[0]));
	}
}

// Flows of one group are judged over one time, whether links connect them or not.
static void join_group(const struct record *r, struct link *link, const struct rec_flow *f)
{
	const struct rec_flow *first = &r->flow[r->group[f->group].first];

	if (f->route.n && first->route.n)
		link[leader(link, link_of(r, &f->route.hop[0]))].parent =
			leader(link, link_of(r, &first->route.hop[0]));
}

// When all flows of a component are there.
static void find_spans(struct record *r, struct link *link, const struct span *span)
{
	for (unsigned i = 0; i < r->n_ports; i++)
		r->component[i].until = TSTAMP_NEVER;
	for (unsigned i = 0; i < r->n_flows; i++) {
		struct rec_flow *f = &r->flow[i];
		struct rec_component *c;

		if (!f->route.n)
			continue;
		f->component = leader(link, link_of(r, &f->route.hop[0]));
		c = &r->component[f->component];
		c->onset = tstamp_max(c->onset, span[i].start);
		c->until = tstamp_min(c->until, span[i].stop);
		c->loaded |= f->scene->req.loaded;
	}
	for (unsigned i = 0; i < r->n_groups; i++) {
		struct rec_share *s = &r->group[i].share;

		s->component = r->flow[r->group[i].first].component;
		s->settled = r->component[s->component].onset;
	}
}

// The link that gives its flows less, of equals the lower number.
static unsigned tighter(const struct link *link, unsigned a, unsigned b)
{
	if (link[a].each < link[b].each)
		return a;
	return link[b].each < link[a].each ? b : a < b ? a : b;
}

// Call it after a change of left or open of a link.
static void links_changed(struct links *l, unsigned at)
{
	struct link *link = &l->link[at];

	link->each = link->open ? link->left / link->open : INFINITY;
	for (unsigned i = (l->n + at) / 2; i; i /= 2)
		l->part[i] = tighter(l->link, l->part[2 * i], l->part[2 * i + 1]);
}

static int links_make(struct links *l, const struct record *r)
{
	l->n = r->n_ports;
	l->link = calloc(l->n + 1ul, sizeof(*l->link));
	l->part = calloc(2ul * l->n + 1, sizeof(*l->part));
	if (!l->link || !l->part)
		return -ENOMEM;
	for (unsigned i = 0; i < l->n; i++) {
		l->link[i] = (struct link){.left = (double)r->port[i].scene->rate / 1e9,
			.each = INFINITY,
			.parent = i};
		l->part[l->n + i] = i;
	}
	return 0;
}

static void links_free(struct links *l)
{
	free(l->part);
	free(l->link);
}

static int position(const struct record *r, const struct route *way, unsigned link)
{
	for (unsigned i = 0; i < way->n; i++)
		if (link_of(r, &way->hop[i]) == link)
			return (int)i;
	return -1;
}

// The flows that cross each link: those of link i stand from first[i] on, up to first[i + 1].
struct crossings {
	uint32_t *first, *flow;
};

static int crossings_make(struct crossings *c, const struct record *r, const struct link *link)
{
	uint32_t *next;

	c->first = calloc(r->n_ports + 1ul, sizeof(*c->first));
	next = calloc(r->n_ports + 1ul, sizeof(*next));
	for (unsigned i = 0; c->first && i < r->n_ports; i++)
		c->first[i + 1] = c->first[i] + link[i].open;
	c->flow = c->first ? calloc(c->first[r->n_ports] + 1ul, sizeof(*c->flow)) : NULL;
	if (!next || !c->flow) {
		free(next);
		return -ENOMEM;
	}
	memcpy(next, c->first, r->n_ports * sizeof(*next));
	for (unsigned i = 0; i < r->n_flows; i++)
		for (unsigned k = 0; k < r->flow[i].route.n; k++)
			c->flow[next[link_of(r, &r->flow[i].route.hop[k])]++] = i;
	free(next);
	return 0;
}

// Gives a flow the share of its tightest link, and takes it from its other links.
static void fill_flow(struct record *r, struct links *l, struct rec_flow *f, unsigned at)
{
	double gbps = l->link[at].each;

	f->tightest = f->route.hop[position(r, &f->route, at)];
	f->fair_gbps = gbps;
	for (unsigned k = 0; k < f->route.n; k++) {
		unsigned i = link_of(r, &f->route.hop[k]);

		l->link[i].open--;
		l->link[i].left -= gbps;
		if (i != at)
			links_changed(l, i);
	}
}

// Max-min fairness by progressive filling: the tightest link is shared out equally among its flows,
// and so on. Where all meet in one link it is C / N.
static void fill_shares(struct record *r, struct links *l, const struct crossings *c)
{
	for (unsigned i = 0; i < l->n; i++)
		links_changed(l, i);
	while (l->n && isfinite(l->link[l->part[1]].each)) {
		unsigned at = l->part[1];

		for (uint32_t i = c->first[at]; i < c->first[at + 1]; i++)
			if (r->flow[c->flow[i]].fair_gbps <= 0)
				fill_flow(r, l, &r->flow[c->flow[i]], at);
		links_changed(l, at);
	}
}

int record_share_build(struct record *r)
{
	struct span *span = spans(r->scene);
	struct crossings over = {0};
	struct links l = {0};
	int code = links_make(&l, r);

	r->component = calloc(r->n_ports + 1ul, sizeof(*r->component));
	if (!span || !r->component)
		code = -ENOMEM;
	for (unsigned i = 0; !code && i < r->n_flows; i++)
		join_links(r, l.link, &r->flow[i]);
	if (!code)
		code = crossings_make(&over, r, l.link);
	if (!code) {
		for (unsigned i = 0; i < r->n_flows; i++)
			join_group(r, l.link, &r->flow[i]);
		find_spans(r, l.link, span);
		fill_shares(r, &l, &over);
	}
	for (unsigned i = 0; !code && i < r->n_flows; i++) {
		struct rec_flow *f = &r->flow[i];

		f->fair_gbps *=
			r->component[f->component].loaded ? 0 : payload_part(r->scene, f->scene);
	}
	free(over.first);
	free(over.flow);
	free(span);
	links_free(&l);
	return code;
}

// A flow that has had all its messages received leaves its links to the others.
static void check_over(struct record *r, struct rec_flow *f, tstamp since)
{
	uint64_t count = f->scene->req.count;
	struct rec_component *c = &r->component[f->component];

	if (f->over || !count || rec_flow_rx(f)->message_complete_rx < count)
		return;
	f->over = true;
	c->until = tstamp_min(c->until, since);
}

// The values that were few get bins. False: memory is out.
static bool make_bins(struct rec_spread *s)
{
	s->bin = calloc(REC_SPREAD, sizeof(*s->bin));
	for (unsigned i = 0; s->bin && i < s->n; i++)
		s->bin[s->few[i]]++;
	return s->bin;
}

void record_spread_add(struct record *r, struct rec_spread **to, double part)
{
	double thousandths = part * 1000 + 0.5;
	unsigned i = thousandths < REC_SPREAD - 1 ? (unsigned)thousandths : REC_SPREAD - 1;
	struct rec_spread *s = *to ? *to : (*to = calloc(1, sizeof(*s)));

	if (!s || (s->n == REC_SPREAD_FEW && !s->bin && !make_bins(s))) {
		record_fail(r, -ENOMEM, "no memory for the flows' shares");
		return;
	}
	if (s->bin)
		s->bin[i]++;
	else
		s->few[s->n] = (uint16_t)i;
	s->n++;
	s->sum += i;
}

// Whether all flows that bear on the group's shares were there from..to.
static bool counts(const struct record *r, const struct rec_share *s, tstamp from, tstamp to)
{
	const struct rec_component *c = &r->component[s->component];

	return from >= c->onset && to <= c->until;
}

static void judge_flow(struct record *r, struct rec_flow *f, tstamp from, tstamp to)
{
	struct rec_share *s = &r->group[f->group].share;
	uint64_t now = rec_flow_rx(f)->rx_bytes, bytes = now - f->share_bytes;

	f->share_bytes = now;
	if (!counts(r, s, from, to) || f->fair_gbps <= 0)
		return;
	f->part = (double)bytes * 8000 / (double)(to - from) / f->fair_gbps;
	f->off = fabs(f->part - 1) > TOLERANCE;
	s->off |= f->off;
}

static void judge_group(const struct record *r, struct rec_share *s, tstamp from, tstamp to)
{
	if (!counts(r, s, from, to))
		return;
	s->judged = to;
	if (!s->off)
		return;
	s->settled = to;
	record_spread_free(s->since);
	s->since = NULL;
}

static void book_flow(struct record *r, const struct rec_flow *f, tstamp from, tstamp to)
{
	struct rec_share *s = &r->group[f->group].share;

	if (!counts(r, s, from, to) || f->fair_gbps <= 0)
		return;
	if (!s->off)
		record_spread_add(r, &s->since, f->part);
	if (from < record_window(r))
		return;
	record_spread_add(r, &s->window, f->part);
	s->periods++;
	s->periods_off += f->off;
}

void record_share_take(struct record *r, tstamp now)
{
	tstamp from = r->share_at;

	if (tstamp_since(now, from) < PERIOD)
		return;
	for (unsigned i = 0; i < r->n_flows; i++)
		check_over(r, &r->flow[i], from);
	for (unsigned i = 0; i < r->n_groups; i++)
		r->group[i].share.off = false;
	for (unsigned i = 0; i < r->n_flows; i++)
		judge_flow(r, &r->flow[i], from, now);
	for (unsigned i = 0; i < r->n_groups; i++)
		judge_group(r, &r->group[i].share, from, now);
	for (unsigned i = 0; i < r->n_flows; i++)
		book_flow(r, &r->flow[i], from, now);
	r->share_at = now;
}

static int by_size(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

unsigned record_spread_at(const struct rec_spread *s, unsigned permille)
{
	uint64_t below = 0, want = (s->n * permille + 999) / 1000;
	uint16_t sorted[REC_SPREAD_FEW];
	unsigned i = 0;

	assert(want);
	if (!s->bin) {
		memcpy(sorted, s->few, s->n * sizeof(*sorted));
		qsort(sorted, s->n, sizeof(*sorted), by_size);
		return sorted[want - 1];
	}
	while (i < REC_SPREAD - 1 && (below += s->bin[i]) < want)
		i++;
	return i;
}

void record_spread_free(struct rec_spread *s)
{
	if (s)
		free(s->bin);
	free(s);
}

void record_share_free(struct record *r)
{
	for (unsigned i = 0; i < r->n_groups; i++) {
		record_spread_free(r->group[i].share.window);
		record_spread_free(r->group[i].share.since);
	}
	free(r->component);
}
