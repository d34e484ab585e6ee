// SPDX-License-Identifier: BSD-3-Clause
// Counters of switch ports and NICs over the window, and receive buffers that may fill.
#include <errno.h>
#include <math.h>

#include "int.h"

struct port {
	const char *name;
	struct sw_port_stats w;
};

static int make_ports(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_port, r->n_ports))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *rec = &r->port[i];
		struct sw_port_stats now;
		struct port *p;

		if (!rec->sw)
			continue;
		now = sw_port_stats(rec->sw, rec->port);
		p = set_add(to);
		p->name = rec->scene->name;
		stat_diff(&sw_port_stat_table, &p->w, &now, &rec->warm.sw);
		stat_diff(&sw_malformed_stat_table, &p->w, &now, &rec->warm.sw);
	}
	return 0;
}

static const struct figure port_figures[] = {TEXT(struct port, name, "port", "the port")};

static bool is_switch(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_SW;
}

static void could_ports(struct kind_look *l)
{
	look_ports(l, is_switch);
}

const struct kind kind_port = {
	.key = "switch_port_counters",
	.path = "port",
	.title = "Counters of switch ports",
	.about = "Each port of a switch; [counters.md](counters.md) has the field's names.",
	.example = "s1:r",
	.size = sizeof(struct port),
	KIND_FIGURES(port_figures),
	.counters = {{&sw_port_stat_table, offsetof(struct port, w)},
		{&sw_malformed_stat_table, offsetof(struct port, w)}},
	.make = make_ports,
	.name_at = offsetof(struct port, name),
	.could = could_ports,
};

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
		const struct net_node *n = &r->net->node[i];
		struct host *h;

		if (n->kind != SCENE_NIC || n->scene->lane)
			continue;
		h = set_add(to);
		h->name = n->scene->name;
		h->w = summary_nic_window(r, i);
	}
	return 0;
}

static const struct figure nic_figures[] = {TEXT(struct host, name, "node", "the host")};

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
	TEXT(struct rxbuf, name, "node", "the host"),
	COUNT(struct rxbuf, max_bytes, "max_bytes_total", "bytes", "most that it held"),
	COUNT(struct rxbuf, size_bytes, "size_bytes", "bytes", "its size"),
	VALUE(struct rxbuf, xoff_bytes, "xoff_bytes", "bytes", 0,
		"where it sends XOFF; `null`: it does not"),
	VALUE(struct rxbuf, drain_gbps, "drain_gbps", "Gb/s", 6, "the rate that drains it"),
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
