// SPDX-License-Identifier: BSD-3-Clause
// A scene's network in words: ports with their links and paths, or a graph for graphviz.
#include "topo.h"

#include <string.h>

#include "run/units.h"

static const char *owner_of(const struct scene *s, const uint8_t mac[6])
{
	for (unsigned i = 0; i < s->n_nodes; i++) {
		if (s->node[i].kind != SCENE_SW && memcmp(s->node[i].mac, mac, 6) == 0)
			return s->node[i].name;
	}
	return NULL;
}

static bool leads(const struct sw_params *p, const struct sw_fdb_params *e, unsigned port)
{
	return e->ways ? p->ways[e->ways - 1].port[port / 64] >> port % 64 & 1 : e->port == port;
}

// The hosts that a switch reaches by a port.
static void print_hosts(const struct scene *s, const struct scene_node *n, unsigned port, FILE *f)
{
	const char *comma = "  ";

	for (unsigned i = 0; i < n->u.sw.n_fdb; i++) {
		const struct sw_fdb_params *e = &n->u.sw.fdb[i];
		const char *name = owner_of(s, e->mac);

		if (!leads(&n->u.sw, e, port) || !name || e->vid)
			continue;
		fprintf(f, "%s%s", comma, name);
		comma = ", ";
	}
}

void topo_print(const struct scene *s, FILE *f)
{
	char rate[32], delay[32];

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned p = 0; p < n->n_ports; p++) {
			const struct scene_port *sp = &n->port[p];

			fprintf(f, "%-20s %02x:%02x:%02x:%02x:%02x:%02x  %8s  %8s  mtu %u%s%s",
				sp->name, sp->mac[0], sp->mac[1], sp->mac[2], sp->mac[3],
				sp->mac[4], sp->mac[5],
				units_format(UNITS_RATE, sp->rate, rate, sizeof(rate)),
				units_format(UNITS_TIME, sp->delay, delay, sizeof(delay)), sp->mtu,
				sp->device ? "  device " : "", sp->device ? sp->device : "");
			if (n->kind == SCENE_SW)
				print_hosts(s, n, p, f);
			fprintf(f, "\n");
		}
	}
}

void topo_dot(const struct scene *s, FILE *f)
{
	char rate[32], delay[32];

	fprintf(f,
		"graph \"%s\" {\n\tnode [fontname=sans];\n\tedge [fontname=sans, fontsize=10];\n",
		s->name);
	for (unsigned i = 0; i < s->n_nodes; i++)
		fprintf(f, "\t\"%s\" [shape=%s];\n", s->node[i].name,
			s->node[i].kind == SCENE_SW ? "box" : "ellipse");
	for (unsigned i = 0; i < s->n_nodes; i++) {
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const struct scene_port *sp = &s->node[i].port[p];

			if (sp->peer_node < 0 || (unsigned)sp->peer_node < i)
				continue;
			fprintf(f, "\t\"%s\" -- \"%s\" [label=\"%s %s\"];\n", s->node[i].name,
				s->node[sp->peer_node].name,
				units_format(UNITS_RATE, sp->rate, rate, sizeof(rate)),
				units_format(UNITS_TIME, sp->delay, delay, sizeof(delay)));
		}
	}
	for (unsigned i = 0; i < s->n_flows; i++)
		fprintf(f,
			"\t\"%s\" -- \"%s\" [label=\"%s\", dir=forward, style=dashed, color=gray, "
			"constraint=false];\n",
			s->node[s->flow[i]->from].name, s->node[s->flow[i]->to].name,
			s->flow[i]->group);
	for (unsigned i = 0; i < s->n_sources; i++)
		fprintf(f,
			"\t\"%s\" -- \"%s\" [label=\"%s\", dir=forward, style=dotted, color=gray, "
			"constraint=false];\n",
			s->node[s->source[i]->from].name, s->node[s->source[i]->to].name,
			s->source[i]->name);
	fprintf(f, "}\n");
}
