// SPDX-License-Identifier: BSD-3-Clause
// How far a run has come, and how it goes: what a line for the user says meanwhile.
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "summary/summary.h"

static void count_traffic(const struct record *r, struct live_progress *p)
{
	for (unsigned i = 0; i < r->n_flows; i++)
		p->rx_bytes += rec_flow_rx(&r->flow[i])->rx_bytes;
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *port = &r->port[i];

		for (unsigned k = 0; port->rx && k < PAUSE_PRIOS; k++)
			p->pauses += port->rx->stats[k].transitions_on;
	}
	p->drops = summary_lost(r);
}

static void name_it(struct live_progress *p, const struct rec_port *port, unsigned number)
{
	snprintf(p->fullest, sizeof(p->fullest), "%s.%u", port->scene->name, number);
}

// Looks for the lossless group of a switch port that is nearest to its XOFF, and notes it in `p` if
// it is nearer than the one noted before. Returns whether the port has lossless groups.
static bool look_at_groups(
	const struct record *r, struct live_progress *p, const struct rec_port *port)
{
	const struct net_node *n = net_node(r->net, port->node);
	const struct mmu *m = sw_mmu_of(n->u.sw, port->port);
	bool any = false;

	for (unsigned k = 0; k < MMU_PGS; k++) {
		unsigned at = port->port * MMU_PGS + k;
		uint64_t held = m->pg[at].bytes, xoff;
		double percent;

		if (!fabric_is_lossless(n->scene, port->port, k))
			continue;
		any = true;
		xoff = m->cfg->pg[at].reserved + mmu_limit(m, port->port, k);
		percent = xoff ? 100 * (double)held / (double)xoff : 100;
		if (!held || percent <= p->xoff_percent)
			continue;
		p->xoff_percent = percent;
		p->held_bytes = held;
		name_it(p, port, k);
	}
	return any;
}

static void look_at_queues(struct live_progress *p, const struct rec_port *port)
{
	for (unsigned k = 0; port->queue && k < PKT_CLASSES; k++) {
		uint64_t held = rec_queue_bytes(&port->queue[k]);

		if (held <= p->held_bytes)
			continue;
		p->held_bytes = held;
		name_it(p, port, k);
	}
}

static void find_fullest(const struct record *r, struct live_progress *p)
{
	bool groups = false;

	for (unsigned i = 0; i < r->n_ports; i++)
		if (r->port[i].sw)
			groups |= look_at_groups(r, p, &r->port[i]);
	for (unsigned i = 0; !groups && i < r->n_ports; i++)
		look_at_queues(p, &r->port[i]);
}

void live_progress(const struct record *r, tstamp now, struct live_progress *p)
{
	struct live_progress before = *p;

	*p = (struct live_progress){.now = now, .end = r->scene->duration, .xoff_percent = -1};
	count_traffic(r, p);
	find_fullest(r, p);
	p->goodput_gbps =
		host_gbps(p->rx_bytes - before.rx_bytes, tstamp_since(p->now, before.now));
}

// A line in the making; what does not fit ends it.
struct progress_line {
	char *buf;
	size_t size, n;
	bool full;
};

__attribute__((format(printf, 2, 3))) static void add_part(
	struct progress_line *l, const char *fmt, ...)
{
	char part[160];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(part, sizeof(part), fmt, ap);
	va_end(ap);
	n = strlen(part) + (l->n ? 2 : 0);
	l->full |= l->n + n >= l->size;
	if (l->full)
		return;
	snprintf(l->buf + l->n, l->size - l->n, "%s%s", l->n ? "  " : "", part);
	l->n += n;
}

// Bytes as scenarios write them, in three digits at least.
static void add_held(struct progress_line *l, const struct live_progress *p)
{
	static const char *const unit[] = {"B", "KB", "MB", "GB"};
	double held = (double)p->held_bytes;
	unsigned u = 0;

	if (!*p->fullest)
		return;
	if (p->xoff_percent >= 0) {
		add_part(l, "%s at %.0f %% of XOFF", p->fullest, p->xoff_percent);
		return;
	}
	for (; held >= 1000 && u < 3; u++)
		held /= 1000;
	add_part(l, "%s holds %.*f %s", p->fullest, u && held < 100 ? 1 : 0, held, unit[u]);
}

char *live_progress_text(
	const struct live_progress *p, double left_s, unsigned columns, char *buf, size_t size)
{
	// A character in the last column would break the line.
	struct progress_line l = {.buf = buf, .size = columns < size ? columns : size};
	double end = (double)p->end / PS_PER_MS, now = (double)p->now / PS_PER_MS;

	*buf = '\0';
	add_part(&l, "%.*f of %.10g ms", end < 10 ? 2 : end < 1000 ? 1 : 0, now, end);
	if (left_s >= 0)
		add_part(&l, "%.0f s to go", left_s);
	if (isnan(p->goodput_gbps)) // no time has passed
		add_part(&l, "- Gb/s");
	else
		add_part(&l, "%.*f Gb/s", p->goodput_gbps < 100 ? 1 : 0, p->goodput_gbps);
	add_held(&l, p);
	add_part(&l, "%llu drop%s", (unsigned long long)p->drops, plural(p->drops));
	add_part(&l, "%llu pause%s", (unsigned long long)p->pauses, plural(p->pauses));
	return buf;
}
