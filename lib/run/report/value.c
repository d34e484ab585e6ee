// SPDX-License-Identifier: BSD-3-Clause
// Figures of the summary by path, "queue.s1:r.3.p99_bytes": a kind, an object's name, a figure's
// name.
#include <math.h>

#include "figure.h"

// The path without its kind: the object's name, of `len` characters, and the figure's name behind
// the last dot.
struct path {
	const char *object;
	size_t len;
	const char *figure;
};

static bool is_object(const struct path *p, const char *name)
{
	return strlen(name) == p->len && !memcmp(name, p->object, p->len);
}

static bool is_port(const struct path *p, const struct rec_port *port, unsigned number)
{
	char name[REC_LABEL];

	snprintf(name, sizeof(name), "%s.%u", port->scene->name, number);
	return is_object(p, name);
}

static void find_group(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_groups && !o->n; i++)
		if (is_object(p, s->group[i].rec->name))
			figure_group(o, &s->group[i]);
}

static void find_flow(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_flows && !o->n; i++)
		if (is_object(p, s->flow[i].rec->scene->name))
			figure_flow(o, &s->flow[i]);
}

// By number, smallest messages first.
static void find_size(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_sizes && !o->n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		if (is_object(p, name))
			figure_size(o, &s->size[i]);
	}
}

static void find_queue(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_queues && !o->n; i++)
		if (is_port(p, s->queue[i].rec->port, s->queue[i].rec->cls))
			figure_queue(o, &s->queue[i]);
}

static void find_marking(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_markings && !o->n; i++)
		if (is_port(p, s->marking[i].rec->port, s->marking[i].rec->cls))
			figure_marking(o, &s->marking[i]);
}

// "bin.s1:r.3.17.ect_frames": the 17th of a queue's curve.
static void find_bin(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_markings * RED_CURVE_BINS && !o->n; i++) {
		const struct summary_marking *m = &s->marking[i / RED_CURVE_BINS];
		struct summary_bin b;
		char name[REC_LABEL];

		snprintf(name, sizeof(name), "%s.%u.%u", m->rec->port->scene->name, m->rec->cls,
			i % RED_CURVE_BINS);
		if (!is_object(p, name))
			continue;
		b = summary_bin(m, i % RED_CURVE_BINS);
		figure_bin(o, &b);
	}
}

static void find_pause(struct figures *o, const struct summary *s, const struct path *p, bool sent)
{
	for (unsigned i = 0; i < s->n_pauses && !o->n; i++)
		if (s->pause[i].sent == sent && is_port(p, s->pause[i].port, s->pause[i].prio))
			figure_pause(o, &s->pause[i]);
}

static void find_pg(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_pgs && !o->n; i++)
		if (is_port(p, s->pg[i].port, s->pg[i].pg))
			figure_pg(o, &s->pg[i]);
}

static void find_wd(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_wds && !o->n; i++)
		if (is_port(p, s->wd[i].rec->port, s->wd[i].rec->cls))
			figure_wd(o, &s->wd[i]);
}

// By number, in the order in which they were found.
static void find_deadlock(struct figures *o, const struct record *r, const struct path *p)
{
	for (unsigned i = 0; i < r->dead.n && !o->n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		if (is_object(p, name))
			figure_deadlock(o, &r->dead.d[i]);
	}
}

// "pool.s1.ingress.max_bytes_total"
static void find_pool(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_pools && !o->n; i++) {
		char name[REC_LABEL];

		snprintf(name, sizeof(name), "%s.%s", s->pool[i].node->name,
			summary_pool_name(s->pool[i].pool));
		if (is_object(p, name))
			figure_pool(o, &s->pool[i]);
	}
}

static void find_cp(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_cps && !o->n; i++)
		if (is_port(p, s->cp[i].rec->port, s->cp[i].rec->cls))
			figure_cp(o, &s->cp[i]);
}

static void find_iqcn(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_iqcns && !o->n; i++)
		if (is_object(p, s->iqcn[i].port->scene->name))
			figure_iqcn(o, &s->iqcn[i]);
	for (unsigned i = 0; i < s->n_iqcn_tables && !o->n; i++)
		if (is_object(p, s->iqcn_table[i].node->name))
			figure_iqcn_table(o, &s->iqcn_table[i]);
}

// "cnp.ip_pair.r>h1.cnp_tx"
static void find_cnp(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_cnps && !o->n; i++) {
		char name[REC_LABEL + 16];

		snprintf(name, sizeof(name), "%s.%s", summary_cnp_key(s->cnp[i].rec->key),
			s->cnp[i].name);
		if (is_object(p, name))
			figure_cnp(o, &s->cnp[i]);
	}
}

static void find_np(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_nps && !o->n; i++)
		if (is_object(p, s->np[i].all->np->name))
			figure_np(o, &s->np[i]);
}

static void find_fast_cnp(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_fasts && !o->n; i++)
		if (is_object(p, s->fast[i].port->scene->name))
			figure_fast_cnp(o, &s->fast[i]);
	for (unsigned i = 0; i < s->n_fast_tables && !o->n; i++)
		if (is_object(p, s->fast_table[i].node->name))
			figure_fast_cnp_table(o, &s->fast_table[i]);
}

static void find_link(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_links && !o->n; i++)
		if (is_object(p, s->link[i].port->scene->name))
			figure_link(o, &s->link[i]);
}

static void find_source(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_sources && !o->n; i++)
		if (is_object(p, s->source[i].rec->scene->name))
			figure_source(o, &s->source[i]);
}

static void find_replay(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_replays && !o->n; i++)
		if (is_object(p, s->replay[i].node->name))
			figure_replay(o, &s->replay[i]);
}

static void find_rxbuf(struct figures *o, const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_rxbufs && !o->n; i++)
		if (is_object(p, s->rxbuf[i].node->name))
			figure_rxbuf(o, &s->rxbuf[i]);
}

// "port.s1:r.pause_rx_frames", "nic.h1.rx_frames": a counter of the switch port or the NIC.
static double find_counter(const struct summary *s, const struct path *p)
{
	for (unsigned i = 0; i < s->n_ports; i++)
		if (is_object(p, s->port[i].rec->scene->name))
			return summary_port_counter(&s->port[i], p->figure);
	for (unsigned i = 0; i < s->n_nics; i++)
		if (is_object(p, s->nic[i].node->name))
			return summary_nic_counter(&s->nic[i], p->figure);
	return NAN;
}

// Of the busiest link that leaves a switch, its deepest queue; nothing where there is none.
static void find_bottleneck(struct figures *o, const struct summary *s)
{
	const struct summary_queue *q =
		s->bottleneck < 0 ? NULL : summary_deepest(s, s->link[s->bottleneck].port);

	if (q)
		figure_queue(o, q);
}

// A path of one word, or of "total", "main", "bottleneck", "drop" and a figure.
static double find_total(const struct summary *s, const char *path)
{
	struct figures o = {0};

	if (!strcmp(path, "jain"))
		return s->n_groups ? s->group[s->main_group].jain : NAN;
	if (!strcmp(path, "warnings"))
		return s->rec->scene->n_warnings;
	if (!strcmp(path, "deadlocks"))
		return s->rec->dead.n;
	if (!strcmp(path, "utilization"))
		return s->bottleneck < 0 ? NAN : s->link[s->bottleneck].utilization;
	if (!strncmp(path, "main.", 5)) {
		if (s->n_groups)
			figure_group(&o, &s->group[s->main_group]);
		return figure_find(&o, path + 5);
	}
	if (!strncmp(path, "bottleneck.", 11)) {
		find_bottleneck(&o, s);
		return figure_find(&o, path + 11);
	}
	if (!strncmp(path, "drop.", 5)) {
		figure_sw_drops(&o, &s->total);
		return figure_find(&o, path + 5);
	}
	if (!strncmp(path, "nic_drop.", 9)) {
		figure_nic_drops(&o, &s->total);
		return figure_find(&o, path + 9);
	}
	figure_total(&o, &s->total);
	return figure_find(&o, strncmp(path, "total.", 6) ? path : path + 6);
}

double summary_value(const struct summary *s, const char *path)
{
	const char *dot = strchr(path, '.'), *last = strrchr(path, '.');
	struct figures o = {0};
	struct path p;

	if (!dot || dot == last)
		return find_total(s, path);
	p = (struct path){dot + 1, (size_t)(last - dot - 1), last + 1};
	if (!strncmp(path, "port.", 5) || !strncmp(path, "nic.", 4))
		return find_counter(s, &p);
	if (!strncmp(path, "group.", 6))
		find_group(&o, s, &p);
	else if (!strncmp(path, "flow.", 5))
		find_flow(&o, s, &p);
	else if (!strncmp(path, "size.", 5))
		find_size(&o, s, &p);
	else if (!strncmp(path, "queue.", 6))
		find_queue(&o, s, &p);
	else if (!strncmp(path, "marking.", 8))
		find_marking(&o, s, &p);
	else if (!strncmp(path, "bin.", 4))
		find_bin(&o, s, &p);
	else if (!strncmp(path, "pfc.", 4))
		find_pause(&o, s, &p, false);
	else if (!strncmp(path, "pfc_tx.", 7))
		find_pause(&o, s, &p, true);
	else if (!strncmp(path, "pg.", 3))
		find_pg(&o, s, &p);
	else if (!strncmp(path, "pool.", 5))
		find_pool(&o, s, &p);
	else if (!strncmp(path, "deadlock.", 9))
		find_deadlock(&o, s->rec, &p);
	else if (!strncmp(path, "cp.", 3))
		find_cp(&o, s, &p);
	else if (!strncmp(path, "iqcn.", 5))
		find_iqcn(&o, s, &p);
	else if (!strncmp(path, "cnp.", 4))
		find_cnp(&o, s, &p);
	else if (!strncmp(path, "np.", 3))
		find_np(&o, s, &p);
	else if (!strncmp(path, "fast_cnp.", 9))
		find_fast_cnp(&o, s, &p);
	else if (!strncmp(path, "wd.", 3))
		find_wd(&o, s, &p);
	else if (!strncmp(path, "link.", 5))
		find_link(&o, s, &p);
	else if (!strncmp(path, "source.", 7))
		find_source(&o, s, &p);
	else if (!strncmp(path, "replay.", 7))
		find_replay(&o, s, &p);
	else if (!strncmp(path, "rxbuf.", 6))
		find_rxbuf(&o, s, &p);
	return figure_find(&o, p.figure);
}
