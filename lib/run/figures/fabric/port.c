// SPDX-License-Identifier: BSD-3-Clause
// Counters of switch ports over the window, and frames of any port.
#include <errno.h>
#include <math.h>

#include "int.h"

struct port {
	const char *name;
	struct sw_port_stats w;
};

static uint64_t nic_frames(const struct net_node *n, bool sent)
{
	const struct nic_stats *s = nic_stats(n->u.nic);

	return sent ? s->tx_frames : s->rx_frames;
}

double fabric_port_frames(const struct record *r, const struct rec_port *p, bool sent)
{
	const struct net_node *n = net_node(r->net, p->node);
	uint64_t frames;

	if (n->kind == SCENE_NIC) {
		frames = nic_frames(n, sent);
		for (unsigned k = 0; k < p->n_lanes; k++)
			frames += nic_frames(&p->lane[k], sent);
		return (double)frames;
	}
	if (n->kind == SCENE_SW) {
		struct sw_port_stats s = sw_port_stats(p->sw, p->port);

		return (double)(sent ? s.tx_frames : s.rx_frames);
	}
	if (n->kind == SCENE_TESTER)
		return (double)(sent ? p->tester->tx_frames : p->tester->rx_frames);
	frames = sent ? p->replay->tx_frames : p->replay->rx_frames;
	return (double)frames;
}

double fabric_port_came(const struct record *r, const struct rec_port *p)
{
	const struct fault *f = net_fault(net_node(r->net, p->node), p->port);
	double frames = fabric_port_frames(r, p, false);

	if (f)
		frames += (double)fault_stats(f)->in_frames - (double)fault_stats(f)->on_frames;
	return frames;
}

double fabric_changed_by_faults(const struct record *r, const struct rec_port *p)
{
	const struct fault *f = net_fault(net_node(r->net, p->node), p->port);
	const struct fault_stats *s = f ? fault_stats(f) : NULL;

	return s ? (double)(s->dropped_frames + s->corrupted_frames + s->rewritten_frames +
			    s->copied_frames + s->forged_frames + fault_held(f))
		 : 0;
}

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
		stat_diff(&sw_port_stat_table, &p->w, &now, &rec->warm->sw);
		stat_diff(&sw_malformed_stat_table, &p->w, &now, &rec->warm->sw);
		p->w.knows_far = now.knows_far;
	}
	return 0;
}

static const struct figure port_figures[] = {ROW_TEXT(struct port, name, "port", "the port")};

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
