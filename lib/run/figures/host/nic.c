// SPDX-License-Identifier: BSD-3-Clause
// Counters of NICs over the window, and receive buffers that may fill.
#include <errno.h>
#include <math.h>

#include "int.h"

static struct nic_stats nic_window(const struct record *r, unsigned node)
{
	const struct nic_stats *now = nic_stats(net_node(r->net, node)->u.nic);
	struct nic_stats w = *now;

	stat_diff(&nic_stat_table, &w, now, &r->node_warm[node].nic);
	stat_diff(&nic_malformed_stat_table, &w, now, &r->node_warm[node].nic);
	return w;
}

struct nic_stats host_nic_window(const struct record *r, unsigned node)
{
	const struct scene_node *s = net_node(r->net, node)->scene;
	struct nic_stats w = nic_window(r, node);

	for (unsigned k = 0; k + 1 < s->n_lanes; k++) {
		struct nic_stats lane = nic_window(r, s->lane_at + k);

		stat_sum(&nic_stat_table, &w, &lane);
		stat_sum(&nic_malformed_stat_table, &w, &lane);
	}
	return w;
}

const char *host_arrival_by(const struct record *r, unsigned node)
{
	const struct rec_port *p;

	if (!scene_is_here(r->scene, node) || !net_node(r->net, node)->scene->n_ports)
		return NULL;
	p = record_obj_port(r, node, 0);
	if (!p->stamped)
		return NULL;
	return !*p->stamped ? "loop" : *p->unstamped ? "both" : "stamp";
}

struct host {
	const char *name;
	struct nic_stats w;
};

static int make_nics(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_nic, r->net->n_nodes))
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = net_node(r->net, i);
		struct host *h;

		if (n->kind != SCENE_NIC || n->scene->lane)
			continue;
		h = set_add(to);
		h->name = n->scene->name;
		h->w = host_nic_window(r, i);
	}
	return 0;
}

static const struct figure nic_figures[] = {ROW_TEXT(struct host, name, "node", "the host")};

static bool is_nic(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_NIC;
}

static void could_nics(struct kind_look *l)
{
	look_nodes(l, is_nic);
}

const struct kind kind_nic = {
	.key = "nic_counters",
	.path = "nic",
	.title = "Counters of NICs",
	.about = "Each NIC; [counters.md](counters.md) has the field's names.",
	.example = "h1",
	.size = sizeof(struct host),
	KIND_FIGURES(nic_figures),
	.counters = {{&nic_stat_table, offsetof(struct host, w)},
		{&nic_malformed_stat_table, offsetof(struct host, w)}},
	.make = make_nics,
	.name_at = offsetof(struct host, name),
	.could = could_nics,
};

struct rxbuf {
	const char *name;
	uint64_t max_bytes, size_bytes;
	double xoff_bytes, drain_gbps;
};

static int make_rxbufs(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_rxbuf, r->n_rxbufs))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_rxbufs; i++) {
		const struct nic_rxbuf_params *p = &r->rxbuf[i].scene->u.nic.rxbuf;

		*(struct rxbuf *)set_add(to) = (struct rxbuf){
			.name = r->rxbuf[i].scene->name,
			.max_bytes = nic_rxbuf_max(r->rxbuf[i].nic),
			.size_bytes = p->size_bytes,
			.xoff_bytes = p->xoff_bytes ? (double)p->xoff_bytes : NAN,
			.drain_gbps = (double)p->drain_rate / 1e9,
		};
	}
	return 0;
}

static const struct figure rxbuf_figures[] = {
	ROW_TEXT(struct rxbuf, name, "node", "the host"),
	ROW_COUNT(struct rxbuf, max_bytes, "max_bytes_total", "bytes", "most that it held"),
	ROW_COUNT(struct rxbuf, size_bytes, "size_bytes", "bytes", "its size"),
	ROW_VALUE(struct rxbuf, xoff_bytes, "xoff_bytes", "bytes", 0,
		"where it sends XOFF; `null`: it does not"),
	ROW_VALUE(struct rxbuf, drain_gbps, "drain_gbps", "Gb/s", 6, "the rate that drains it"),
};

static bool fills(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_NIC && n->u.nic.rxbuf.drain_rate;
}

static void could_rxbufs(struct kind_look *l)
{
	look_nodes(l, fills);
}

const struct kind kind_rxbuf = {
	.key = "receive_buffers",
	.path = "rxbuf",
	.title = "Receive buffers",
	.about = "Each receive buffer that may fill.",
	.example = "r",
	.size = sizeof(struct rxbuf),
	KIND_FIGURES(rxbuf_figures),
	.make = make_rxbufs,
	.name_at = offsetof(struct rxbuf, name),
	.could = could_rxbufs,
};
