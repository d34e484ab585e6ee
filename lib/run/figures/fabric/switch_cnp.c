// SPDX-License-Identifier: BSD-3-Clause
// CNPs of switches: iQCN and Fast CNP, by port and by switch with its flow table.
#include <errno.h>
#include <math.h>

#include "int.h"

// A port of a switch with iQCN.
struct iqcn_at {
	const char *name;
	unsigned node;
	uint64_t cnp_rx, cnp_foreign, cnp_tx, flows;
	double rx_per_s, tx_per_s, heavy_percent;
};

// A switch with iQCN: its flow table over the whole run, its CNPs in the window.
struct iqcn_of {
	const char *name;
	struct iqcn_stats st;
	uint64_t flows, entries, cnp_tx, cnp_foreign;
	double tx_per_s;
};

// A port of a switch with Fast CNP.
struct fast_port {
	const char *name;
	unsigned node;
	uint64_t cnp_tx, suppressed, unknown, ack_foreign;
	double tx_per_s;
};

// A switch with Fast CNP.
struct fast_table {
	const char *name;
	struct fast_cnp_stats st;
	uint64_t flows, entries, cnp_tx;
	double tx_per_s;
};

// The switch that a port belongs to; NULL: it belongs to no switch.
static const struct sw *switch_of(const struct summary *s, const struct rec_port *p)
{
	return p->sw ? net_node(s->rec->net, p->node)->u.sw : NULL;
}

// The port's time in the window in which its most congested class was heavy.
static tstamp heavy_ps(const struct rec_port *p)
{
	tstamp most = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		most = tstamp_max(most, fabric_class_window(&p->queue[c]).heavy_ps);
	return most;
}

static void tidy(struct sw *sw, tstamp now)
{
	for (unsigned k = 0; k < sw_shards(sw); k++)
		sw_iqcn_tidy(sw_shard(sw, k), now);
}

static int make_iqcn_ports(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_iqcn, r->n_ports))
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes && !s->live; i++)
		if (net_node(r->net, i)->kind == SCENE_SW)
			tidy(net_node(r->net, i)->u.sw, s->to);
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];
		const struct sw *sw = switch_of(s, p);
		struct sw_port_stats now, w;
		struct iqcn_at *o;

		if (!sw || !sw_iqcn(sw))
			continue;
		now = sw_port_stats(sw, p->port);
		stat_diff(&sw_port_stat_table, &w, &now, &p->warm->sw);
		o = set_add(to);
		*o = (struct iqcn_at){
			.name = p->scene->name,
			.node = p->node,
			.cnp_rx = w.iqcn_rx_cnp,
			.cnp_foreign = w.iqcn_foreign_cnp,
			.cnp_tx = w.iqcn_tx_cnp,
			.flows = sw_iqcn(sw_owner(sw, p->port))->port[p->port].flows,
			.rx_per_s = fabric_per_s(s, w.iqcn_rx_cnp),
			.tx_per_s = fabric_per_s(s, w.iqcn_tx_cnp),
			.heavy_percent = fabric_percent(s, heavy_ps(p)),
		};
	}
	return 0;
}

// Adds up the entries of the tables of a switch's shards.
static void add_iqcn(struct iqcn_of *o, const struct sw *sw)
{
	for (unsigned k = 0; k < sw_shards(sw); k++) {
		const struct iqcn *q = sw_iqcn(sw_shard_at(sw, k));

		o->st.rx_cnps += q->stats.rx_cnps;
		o->st.tx_cnps += q->stats.tx_cnps;
		o->st.learned += q->stats.learned;
		o->st.aged += q->stats.aged;
		o->st.table_full += q->stats.table_full;
		o->st.capped += q->stats.capped;
		o->flows += q->flows;
		o->entries += q->cfg->p.entries;
	}
}

static int make_iqcn_tables(struct summary *s, struct set *to)
{
	const struct set *ports = kind_set(s, KIND_IQCN);
	const struct net *net = s->rec->net;
	unsigned at = 0;

	if (set_room(to, &kind_iqcn_table, net->n_nodes))
		return -ENOMEM;
	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct net_node *n = net_node(net, i);
		struct iqcn_of *o;

		if (n->kind != SCENE_SW || !sw_iqcn(n->u.sw))
			continue;
		o = set_add(to);
		*o = (struct iqcn_of){.name = n->scene->name};
		add_iqcn(o, n->u.sw);
		for (const struct iqcn_at *p; at < ports->n && (p = set_at(ports, at))->node == i;
			at++) {
			o->cnp_tx += p->cnp_tx;
			o->cnp_foreign += p->cnp_foreign;
		}
		o->tx_per_s = fabric_per_s(s, o->cnp_tx);
	}
	return 0;
}

static int make_fast_ports(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_fast_cnp, r->n_ports))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];
		const struct sw *sw = switch_of(s, p);
		struct sw_port_stats now, w;

		if (!sw || !sw_fast_cnp(sw))
			continue;
		now = sw_port_stats(sw, p->port);
		stat_diff(&sw_port_stat_table, &w, &now, &p->warm->sw);
		*(struct fast_port *)set_add(to) = (struct fast_port){p->scene->name, p->node,
			w.fast_cnp_tx, w.fast_cnp_suppressed, w.fast_cnp_unknown,
			w.fast_cnp_foreign_ack, fabric_per_s(s, w.fast_cnp_tx)};
	}
	return 0;
}

static void add_fast(struct fast_table *o, const struct sw *sw)
{
	for (unsigned k = 0; k < sw_shards(sw); k++) {
		const struct fast_cnp *q = sw_fast_cnp(sw_shard_at(sw, k));

		o->st.learned += q->stats.learned;
		o->st.aged += q->stats.aged;
		o->st.table_full += q->stats.table_full;
		o->st.ambiguous += q->stats.ambiguous;
		o->flows += fast_cnp_flows(q);
		o->entries += q->cfg->p.entries;
	}
}

static int make_fast_tables(struct summary *s, struct set *to)
{
	const struct set *ports = kind_set(s, KIND_FAST_CNP);
	const struct net *net = s->rec->net;
	unsigned at = 0;

	if (set_room(to, &kind_fast_cnp_table, net->n_nodes))
		return -ENOMEM;
	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct net_node *n = net_node(net, i);
		struct fast_table *o;

		if (n->kind != SCENE_SW || !sw_fast_cnp(n->u.sw))
			continue;
		o = set_add(to);
		*o = (struct fast_table){.name = n->scene->name};
		add_fast(o, n->u.sw);
		for (const struct fast_port *p; at < ports->n && (p = set_at(ports, at))->node == i;
			at++)
			o->cnp_tx += p->cnp_tx;
		o->tx_per_s = fabric_per_s(s, o->cnp_tx);
	}
	return 0;
}

static const struct figure iqcn_figures[] = {
	ROW_TEXT(struct iqcn_at, name, "port", "its port"),
	ROW_COUNT(struct iqcn_at, cnp_rx, "cnp_rx", "frames",
		"CNPs that came in by the port and were recorded", .was = "rx_cnp"),
	ROW_VALUE(struct iqcn_at, rx_per_s, "cnp_rx_per_s", "1/s", 1,
		"CNPs that came in by the port and were recorded, each second",
		.was = "rx_cnp_per_s"),
	ROW_COUNT(struct iqcn_at, cnp_foreign, "cnp_foreign", "frames",
		"CNPs that came in by the port and were not recorded, for their source does not "
		"live there",
		.was = "foreign_cnp"),
	ROW_COUNT(struct iqcn_at, cnp_tx, "cnp_tx", "frames",
		"CNPs of the switch's own for flows that leave by the port", .was = "tx_cnp"),
	ROW_VALUE(struct iqcn_at, tx_per_s, "cnp_tx_per_s", "1/s", 1,
		"CNPs of the switch's own, each second", .was = "tx_cnp_per_s"),
	ROW_VALUE(struct iqcn_at, heavy_percent, "heavy_percent", "%", 4,
		"share of the time in which the most congested of its classes was heavily "
		"congested"),
	ROW_COUNT(struct iqcn_at, flows, "flows_total", "", "flows that the port knows at the end"),
};

static const struct figure iqcn_table_figures[] = {
	ROW_TEXT(struct iqcn_of, name, "switch", "the switch"),
	ROW_COUNT(struct iqcn_of, cnp_tx, "cnp_tx", "frames", "CNPs of the switch's own",
		.was = "tx_cnp"),
	ROW_VALUE(struct iqcn_of, tx_per_s, "cnp_tx_per_s", "1/s", 1,
		"CNPs of the switch's own, each second", .was = "tx_cnp_per_s"),
	ROW_COUNT(struct iqcn_of, cnp_foreign, "cnp_foreign", "frames",
		"CNPs that were not recorded, for their source does not live where they came in",
		.was = "foreign_cnp"),
	ROW_COUNT(struct iqcn_of, entries, "entries", "", "size of the flow table"),
	ROW_COUNT(struct iqcn_of, flows, "flows_total", "", "flows that it knows at the end"),
	ROW_COUNT(struct iqcn_of, st.rx_cnps, "cnp_rx_total", "frames", "CNPs recorded, whole run",
		.was = "rx_cnp_total"),
	ROW_COUNT(struct iqcn_of, st.tx_cnps, "cnp_tx_total", "frames",
		"CNPs of the switch's own, whole run", .was = "tx_cnp_total"),
	ROW_COUNT(struct iqcn_of, st.learned, "learned_total", "", "flows learned, whole run"),
	ROW_COUNT(struct iqcn_of, st.aged, "aged_total", "",
		"flows forgotten for their age, whole run"),
	ROW_COUNT(struct iqcn_of, st.table_full, "table_full_total", "",
		"flows that gave way to others, whole run"),
	ROW_COUNT(struct iqcn_of, st.capped, "capped_total", "frames",
		"CNPs that were due and waited for a token of their port (`port_rate`), each "
		"counted once, whole run"),
};

static const struct figure fast_figures[] = {
	ROW_TEXT(struct fast_port, name, "port", "its port"),
	ROW_COUNT(struct fast_port, cnp_tx, "cnp_tx", "frames",
		"CNPs of the switch's own for frames that the port's markers chose",
		.was = "tx_cnp"),
	ROW_VALUE(struct fast_port, tx_per_s, "cnp_tx_per_s", "1/s", 1,
		"CNPs of the switch's own, each second", .was = "tx_cnp_per_s"),
	ROW_COUNT(struct fast_port, suppressed, "suppressed", "frames",
		"frames chosen, but the flow had had a CNP of the switch within the interval: a "
		"duplicate"),
	ROW_COUNT(struct fast_port, unknown, "unknown", "frames",
		"frames chosen, but the sender's queue pair is not known: CE alone tells"),
	ROW_COUNT(struct fast_port, ack_foreign, "ack_foreign", "frames",
		"ACKs that came in by the port and taught nothing, for their source does not live "
		"there"),
};

static const struct figure fast_table_figures[] = {
	ROW_TEXT(struct fast_table, name, "switch", "the switch"),
	ROW_COUNT(struct fast_table, cnp_tx, "cnp_tx", "frames", "CNPs of the switch's own",
		.was = "tx_cnp"),
	ROW_VALUE(struct fast_table, tx_per_s, "cnp_tx_per_s", "1/s", 1,
		"CNPs of the switch's own, each second", .was = "tx_cnp_per_s"),
	ROW_COUNT(struct fast_table, entries, "entries", "", "size of the flow table"),
	ROW_COUNT(struct fast_table, flows, "flows_total", "",
		"entries in use at the end, those included that have aged unnoticed"),
	ROW_COUNT(struct fast_table, st.learned, "learned_total", "", "flows learned, whole run"),
	ROW_COUNT(struct fast_table, st.aged, "aged_total", "",
		"flows met when they had aged, whole run"),
	ROW_COUNT(struct fast_table, st.table_full, "table_full_total", "",
		"flows that gave way to others, whole run"),
	ROW_COUNT(struct fast_table, st.ambiguous, "ambiguous_total", "frames",
		"ACKs that named another QPN than the one before, whole run"),
};

static bool has_iqcn(const struct scene_node *n, unsigned port_number, unsigned cls)
{
	(void)port_number;
	(void)cls;
	return n->kind == SCENE_SW && n->u.sw.iqcn_on;
}

static bool has_fast_cnp(const struct scene_node *n, unsigned port_number, unsigned cls)
{
	(void)port_number;
	(void)cls;
	return n->kind == SCENE_SW && n->u.sw.fast_cnp_on;
}

static void could_iqcn_ports(struct kind_look *l)
{
	look_ports(l, has_iqcn);
}

static void could_iqcn_tables(struct kind_look *l)
{
	look_nodes(l, has_iqcn);
}

static void could_fast_ports(struct kind_look *l)
{
	look_ports(l, has_fast_cnp);
}

static void could_fast_tables(struct kind_look *l)
{
	look_nodes(l, has_fast_cnp);
}

const struct kind kind_iqcn = {
	.key = "iqcn",
	.path = "iqcn",
	.title = "Ports with iQCN",
	.about = "Each port of a switch that runs iQCN. The vendor's `display iqcn statistics` "
		 "shows these figures and the switch's table.",
	.example = "s1:r",
	.if_any = true,
	.size = sizeof(struct iqcn_at),
	KIND_FIGURES(iqcn_figures),
	.make = make_iqcn_ports,
	.name_at = offsetof(struct iqcn_at, name),
	.could = could_iqcn_ports,
};

const struct kind kind_iqcn_table = {
	.key = "iqcn_tables",
	.path = "iqcn",
	.title = "Switches with iQCN",
	.about = "Each switch that runs iQCN, with its flow table.",
	.example = "s1",
	.if_any = true,
	.size = sizeof(struct iqcn_of),
	KIND_FIGURES(iqcn_table_figures),
	.make = make_iqcn_tables,
	.name_at = offsetof(struct iqcn_of, name),
	.could = could_iqcn_tables,
};

const struct kind kind_fast_cnp = {
	.key = "fast_cnp",
	.path = "fast_cnp",
	.title = "Ports with Fast CNP",
	.about = "Each port of a switch with Fast CNP.",
	.example = "s1:r",
	.if_any = true,
	.size = sizeof(struct fast_port),
	KIND_FIGURES(fast_figures),
	.make = make_fast_ports,
	.name_at = offsetof(struct fast_port, name),
	.could = could_fast_ports,
};

const struct kind kind_fast_cnp_table = {
	.key = "fast_cnp_tables",
	.path = "fast_cnp",
	.title = "Switches with Fast CNP",
	.about = "Each switch with Fast CNP, with its flow table.",
	.example = "s1",
	.if_any = true,
	.size = sizeof(struct fast_table),
	KIND_FIGURES(fast_table_figures),
	.make = make_fast_tables,
	.name_at = offsetof(struct fast_table, name),
	.could = could_fast_tables,
};
