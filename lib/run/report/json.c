// SPDX-License-Identifier: BSD-3-Clause
// summary.json: every figure of every object that was in use.
#include "figure.h"

#include <math.h>

#include "out/out.h"

// An object that holds figures only.
static void put_all(struct jw *w, const char *key, const struct figures *o)
{
	jw_object(w, key, false);
	figure_put(w, o);
	jw_end(w);
}

static void put_address(struct jw *w, const char *key, const struct hdr *h, const uint8_t addr[16])
{
	char text[64], *p = text;

	if (h->flags & HDR_IPV6) {
		for (unsigned i = 0; i < 16; i += 2) {
			p = fmt_hex(p, (uint64_t)addr[i] << 8 | addr[i + 1], 4);
			*p++ = i < 14 ? ':' : '\0';
		}
	} else {
		for (unsigned i = 0; i < 4; i++) {
			p = fmt_u64(p, addr[i]);
			*p++ = i < 3 ? '.' : '\0';
		}
	}
	jw_str(w, key, text);
}

static const char *port_name(const struct record *r, const struct route *way, bool last)
{
	const struct route_hop *h = &way->hop[last ? way->n - 1 : 0];
	const struct scene_port *p;

	if (!way->n)
		return "";
	p = route_port(r->scene, h);
	// The receiver's own port is the peer of the last one that sends.
	if (last && p->peer_node >= 0)
		p = &r->scene->node[p->peer_node].port[p->peer_port];
	return p->name;
}

static void put_flows(struct jw *w, const struct record *r, const struct summary *s)
{
	jw_array(w, "flows", false);
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct rec_flow *rec = s->flow[i].rec;
		const struct hdr *h = &rec->scene->hdr_data;
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "flow_name", rec->scene->name);
		jw_str(w, "group", r->group[rec->group].name);
		jw_str(w, "port_tx", port_name(r, &rec->route, false));
		jw_str(w, "port_rx", port_name(r, &rec->route, true));
		jw_u64(w, "src_qp", rec->scene->req.qpn);
		jw_u64(w, "dest_qp", rec->scene->req.peer_qpn);
		put_address(w, h->flags & HDR_IPV6 ? "src_ipv6" : "src_ipv4", h, h->saddr);
		put_address(w, h->flags & HDR_IPV6 ? "dest_ipv6" : "dest_ipv4", h, h->daddr);
		jw_u64(w, "class", rec->scene->cls);
		jw_str(w, "control", rec->scene->control);
		figure_flow(&o, &s->flow[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_groups(struct jw *w, const struct record *r, const struct summary *s)
{
	jw_array(w, "groups", false);
	for (unsigned i = 0; i < s->n_groups; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "group", s->group[i].rec->name);
		if (s->group[i].rec->several)
			jw_null(w, "to");
		else
			jw_str(w, "to", r->scene->node[s->group[i].rec->to].name);
		if (s->group[i].tightest)
			jw_str(w, "bottleneck", s->group[i].tightest->name);
		else
			jw_null(w, "bottleneck");
		figure_group(&o, &s->group[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_queues(struct jw *w, const struct summary *s)
{
	jw_array(w, "queues", false);
	for (unsigned i = 0; i < s->n_queues; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->queue[i].rec->port->scene->name);
		jw_u64(w, "class", s->queue[i].rec->cls);
		jw_bool(w, "lossless", s->queue[i].lossless);
		figure_queue(&o, &s->queue[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// A curve by columns: for each figure of a bin the list of its values. Bins without a frame are
// left out.
static void put_bins(struct jw *w, const struct summary_marking *m)
{
	struct summary_bin b = summary_bin(m, 0);
	struct figures o = {0};

	figure_bin(&o, &b);
	jw_object(w, "bins", true);
	for (unsigned k = 0, columns = o.n; k < columns; k++) {
		jw_array(w, o.f[k].name, true);
		for (unsigned i = 0; i < RED_CURVE_BINS; i++) {
			b = summary_bin(m, i);
			o.n = 0;
			figure_bin(&o, &b);
			if (b.ect)
				jw_num(w, NULL, o.f[k].value, o.f[k].decimals);
		}
		jw_end(w);
	}
	jw_end(w);
}

static void put_markings(struct jw *w, const struct summary *s)
{
	jw_array(w, "markings", false);
	for (unsigned i = 0; i < s->n_markings; i++) {
		const struct summary_marking *m = &s->marking[i];
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", m->rec->port->scene->name);
		jw_u64(w, "class", m->rec->cls);
		jw_str(w, "mark", m->at_dequeue ? "dequeue" : "enqueue");
		figure_marking(&o, m);
		figure_put(w, &o);
		put_bins(w, m);
		jw_end(w);
	}
	jw_end(w);
}

static void put_pauses(struct jw *w, const struct summary *s)
{
	jw_array(w, "pauses", false);
	for (unsigned i = 0; i < s->n_pauses; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->pause[i].port->scene->name);
		jw_u64(w, "priority", s->pause[i].prio);
		jw_str(w, "direction", s->pause[i].sent ? "tx" : "rx");
		figure_pause(&o, &s->pause[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "ingress_groups", false);
	for (unsigned i = 0; i < s->n_pgs; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->pg[i].port->scene->name);
		jw_u64(w, "class", s->pg[i].pg);
		figure_pg(&o, &s->pg[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// Only where a switch's buffer has two sides.
static void put_pools(struct jw *w, const struct summary *s)
{
	if (!s->n_pools)
		return;
	jw_array(w, "buffer_pools", false);
	for (unsigned i = 0; i < s->n_pools; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "switch", s->pool[i].node->name);
		jw_str(w, "pool", summary_pool_name(s->pool[i].pool));
		figure_pool(&o, &s->pool[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// Only where there was one.
static void put_deadlocks(struct jw *w, const struct record *r)
{
	if (!r->dead.n)
		return;
	jw_array(w, "deadlocks", false);
	for (unsigned i = 0; i < r->dead.n; i++) {
		const struct deadlock *d = &r->dead.d[i];
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_u64(w, "class", d->cls);
		figure_deadlock(&o, d);
		figure_put(w, &o);
		jw_array(w, "ports", true);
		for (unsigned k = 0; k < d->n; k++)
			jw_str(w, NULL, deadlock_port(r, d, k)->name);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

// Only where queues are watched.
static void put_watchdog(struct jw *w, const struct summary *s)
{
	if (!s->n_wds)
		return;
	jw_array(w, "pfc_watchdog", false);
	for (unsigned i = 0; i < s->n_wds; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->wd[i].rec->port->scene->name);
		jw_u64(w, "class", s->wd[i].rec->cls);
		jw_bool(w, "storm", s->wd[i].storm);
		figure_wd(&o, &s->wd[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_links(struct jw *w, const struct summary *s)
{
	if (s->bottleneck >= 0)
		jw_str(w, "bottleneck", s->link[s->bottleneck].port->scene->name);
	else
		jw_null(w, "bottleneck");
	jw_array(w, "links", false);
	for (unsigned i = 0; i < s->n_links; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->link[i].port->scene->name);
		jw_u64(w, "rate_bps", s->link[i].port->scene->rate);
		figure_link(&o, &s->link[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_others(struct jw *w, const struct summary *s)
{
	jw_array(w, "sources", false);
	for (unsigned i = 0; i < s->n_sources; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "source", s->source[i].rec->scene->name);
		figure_source(&o, &s->source[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "replays", false);
	for (unsigned i = 0; i < s->n_replays; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "node", s->replay[i].node->name);
		figure_replay(&o, &s->replay[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_rxbufs(struct jw *w, const struct summary *s)
{
	jw_array(w, "receive_buffers", false);
	for (unsigned i = 0; i < s->n_rxbufs; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "node", s->rxbuf[i].node->name);
		figure_rxbuf(&o, &s->rxbuf[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_counters(
	struct jw *w, const struct stat_table *t, const void *now, const void *then)
{
	for (unsigned i = 0; i < t->n; i++)
		jw_u64(w, t->row[i].name, stat_get(t, now, i) - stat_get(t, then, i));
}

// Every counter of NICs and switch ports, over the window.
static void put_tables(struct jw *w, const struct record *r)
{
	jw_array(w, "nic_counters", false);
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = &r->net->node[i];

		if (n->kind != SCENE_NIC)
			continue;
		jw_object(w, NULL, true);
		jw_str(w, "node", n->scene->name);
		put_counters(w, &nic_stat_table, nic_stats(n->u.nic), &r->node_warm[i].nic);
		put_counters(
			w, &nic_malformed_stat_table, nic_stats(n->u.nic), &r->node_warm[i].nic);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "switch_port_counters", false);
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];

		if (!p->sw)
			continue;
		jw_object(w, NULL, true);
		jw_str(w, "port", p->scene->name);
		put_counters(w, &sw_port_stat_table, p->sw, &p->warm.sw);
		put_counters(w, &sw_malformed_stat_table, p->sw, &p->warm.sw);
		jw_end(w);
	}
	jw_end(w);
}

static void put_total(struct jw *w, const struct summary *s)
{
	struct figures o = {0};

	figure_total(&o, &s->total);
	put_all(w, "total", &o);
	o.n = 0;
	figure_sw_drops(&o, &s->total);
	put_all(w, "switch_drops", &o);
	o.n = 0;
	figure_nic_drops(&o, &s->total);
	put_all(w, "nic_drops", &o);
}

static void put_sizes(struct jw *w, const struct summary *s)
{
	if (!s->n_sizes)
		return;
	jw_array(w, "messages_by_size", false);
	for (unsigned i = 0; i < s->n_sizes; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		figure_size(&o, &s->size[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// Bytes between two samples by the level of the first one's feedback: what the table has, how
// often, the mean.
static void put_spacing(struct jw *w, const struct summary_cp *c)
{
	jw_array(w, "sample_base_bytes", true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		jw_num(w, NULL, c->base[i], 0);
	jw_end(w);
	jw_array(w, "spacings_total", true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		jw_u64(w, NULL, c->spacing[i].n);
	jw_end(w);
	jw_array(w, "spacing_mean_bytes_total", true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++) {
		double n = (double)c->spacing[i].n;

		jw_num(w, NULL, n > 0 ? (double)c->spacing[i].bytes / n : NAN, 1);
	}
	jw_end(w);
}

// Only where queues are congestion points.
static void put_cps(struct jw *w, const struct summary *s)
{
	if (!s->n_cps)
		return;
	jw_array(w, "congestion_points", false);
	for (unsigned i = 0; i < s->n_cps; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->cp[i].rec->port->scene->name);
		jw_u64(w, "class", s->cp[i].rec->cls);
		figure_cp(&o, &s->cp[i]);
		figure_put(w, &o);
		jw_array(w, "samples_by_feedback_total", true);
		for (unsigned k = 0; k < QCN_CP_FB; k++)
			jw_u64(w, NULL, s->cp[i].by_fb[k]);
		jw_end(w);
		put_spacing(w, &s->cp[i]);
		jw_end(w);
	}
	jw_end(w);
}

// Only where switches run iQCN.
static void put_iqcn(struct jw *w, const struct summary *s)
{
	if (!s->n_iqcn_tables)
		return;
	jw_array(w, "iqcn", false);
	for (unsigned i = 0; i < s->n_iqcns; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->iqcn[i].port->scene->name);
		figure_iqcn(&o, &s->iqcn[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "iqcn_tables", false);
	for (unsigned i = 0; i < s->n_iqcn_tables; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "switch", s->iqcn_table[i].node->name);
		figure_iqcn_table(&o, &s->iqcn_table[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// Only where switches run Fast CNP.
static void put_fast_cnp(struct jw *w, const struct summary *s)
{
	if (!s->n_fast_tables)
		return;
	jw_array(w, "fast_cnp", false);
	for (unsigned i = 0; i < s->n_fasts; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->fast[i].port->scene->name);
		figure_fast_cnp(&o, &s->fast[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "fast_cnp_tables", false);
	for (unsigned i = 0; i < s->n_fast_tables; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "switch", s->fast_table[i].node->name);
		figure_fast_cnp_table(&o, &s->fast_table[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// Only where there were CNPs or reasons for them.
static void put_cnps(struct jw *w, const struct summary *s)
{
	if (!s->n_cnps)
		return;
	jw_array(w, "cnps", false);
	for (unsigned i = 0; i < s->n_cnps; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "key", summary_cnp_key(s->cnp[i].rec->key));
		jw_str(w, "name", s->cnp[i].name);
		jw_str(w, "node", s->cnp[i].np->name);
		jw_bool(w, "configured", s->cnp[i].configured);
		figure_cnp(&o, &s->cnp[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_nps(struct jw *w, const struct summary *s)
{
	static const char *const mode[] = {[NP_WINDOW] = "window",
		[NP_NEXT_MARKED] = "next_marked",
		[NP_PER_PACKET] = "per_packet"};

	if (!s->n_nps)
		return;
	jw_array(w, "notification_points", false);
	for (unsigned i = 0; i < s->n_nps; i++) {
		const struct scene_node *n = s->np[i].all->np;
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "node", n->name);
		jw_str(w, "mode", mode[n->u.nic.np.mode]);
		jw_str(w, "key", summary_cnp_key(n->u.nic.np.key));
		figure_np(&o, &s->np[i]);
		figure_put(w, &o);
		jw_array(w, "paced_by", true);
		for (unsigned k = 0; k < REC_CNP_KEYS; k++)
			if (s->np[i].paced_by >> k & 1)
				jw_str(w, NULL, summary_cnp_key((enum np_key)k));
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

static void put_cn(struct jw *w, const struct summary *s)
{
	put_nps(w, s);
	put_cnps(w, s);
	put_cps(w, s);
	put_iqcn(w, s);
	put_fast_cnp(w, s);
}

static void put_verdicts(struct jw *w, const struct summary *s)
{
	const struct record_run *run = &s->run;
	char line[SUMMARY_LINE];

	jw_object(w, "verdicts", false);
	jw_bool(w, "conserved", run->conserved == 0);
	jw_str(w, "conservation", run->conserve_text);
	jw_bool(w, "lossless", s->total.lossless_drops == 0);
	jw_u64(w, "pool_size", run->pool_size);
	jw_u64(w, "pool_missing", run->pool_missing);
	jw_u64(w, "link_frames", run->link_frames);
	summary_expects_put(w, s);
	jw_array(w, "why", false);
	for (unsigned i = 0; i < s->n_queues; i++)
		if (summary_why(s, &s->queue[i], line, sizeof(line)))
			jw_str(w, NULL, line);
	jw_end(w);
	jw_end(w);
}

// How good the instrument was (measures.md M9). Virtual time has no such figures to differ from run
// to run.
static void put_instrument(struct jw *w, const struct summary *s)
{
	const struct record_run *run = &s->run;

	jw_object(w, "instrument", false);
	jw_str(w, "clock", run->clock);
	jw_u64(w, "dilate", run->dilate ? run->dilate : 1);
	jw_u64(w, "packet_hops", run->packet_hops);
	jw_bool(w, "timing_broken", run->timing_broken);
	jw_str(w, "timing", run->timing_text);
	jw_num(w, "loop_gap_p50_us", (double)run->loop_gap_p50_ps / 1e6, 3);
	jw_num(w, "loop_gap_p99_us", (double)run->loop_gap_p99_ps / 1e6, 3);
	jw_num(w, "loop_gap_max_us", (double)run->loop_gap_max_ps / 1e6, 3);
	jw_u64(w, "imissed", run->imissed);
	jw_u64(w, "rx_nombuf", run->rx_nombuf);
	jw_u64(w, "ring_drops", run->ring_drops);
	jw_num(w, "lost_tx_us", (double)run->lost_tx_ps / 1e6, 3);
	jw_u64(w, "events_lost", run->events_lost);
	jw_end(w);
}

// What the scene says but hardly means.
static void put_warnings(struct jw *w, const struct scene *s)
{
	jw_array(w, "warnings", false);
	for (unsigned i = 0; i < s->n_warnings; i++) {
		jw_object(w, NULL, true);
		if (s->warning[i].line)
			jw_u64(w, "line", s->warning[i].line);
		else
			jw_null(w, "line");
		jw_str(w, "text", s->warning[i].text);
		jw_end(w);
	}
	jw_end(w);
}

int summary_write(const struct summary *s, struct err *err)
{
	const struct record *r = s->rec;
	char path[4096];
	struct out o;
	struct jw w;
	int code;

	snprintf(path, sizeof(path), "%s/summary.json", r->dir);
	code = out_open(&o, path, err);
	if (code)
		return code;
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	jw_str(&w, "name", r->scene->name);
	jw_u64(&w, "seed", r->scene->seed);
	jw_bool(&w, "interrupted", s->run.interrupted);
	if (*s->run.crash)
		jw_str(&w, "crash", s->run.crash);
	jw_num(&w, "window_from_us", (double)s->from / PS_PER_US, 6);
	jw_num(&w, "window_to_us", (double)s->to / PS_PER_US, 6);
	put_warnings(&w, r->scene);
	summary_plugins_put(&w, s);
	put_verdicts(&w, s);
	put_total(&w, s);
	put_groups(&w, r, s);
	put_sizes(&w, s);
	put_flows(&w, r, s);
	put_links(&w, s);
	put_queues(&w, s);
	put_markings(&w, s);
	put_pauses(&w, s);
	put_pools(&w, s);
	put_watchdog(&w, s);
	put_deadlocks(&w, r);
	put_cn(&w, s);
	put_others(&w, s);
	put_rxbufs(&w, s);
	put_tables(&w, r);
	summary_recons_put(&w, s);
	put_instrument(&w, s);
	jw_end(&w);
	return out_close(&o, err);
}
