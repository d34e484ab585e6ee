// SPDX-License-Identifier: BSD-3-Clause
// A scene's network as a graph for graphviz.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "topo.h"

#define DOT_FLOWS 64 // most flows in a graph

// Hosts are tier 0, a switch is one above the nearest thing below it. Returns the highest, 0
// without memory.
static unsigned tiers(const struct scene *s, uint16_t *tier)
{
	unsigned top = 0;
	bool changed = tier != NULL;

	for (unsigned i = 0; tier && i < s->n_nodes; i++)
		tier[i] = s->node[i].kind == SCENE_SW ? UINT16_MAX : 0;
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < s->n_nodes; i++)
			for (unsigned p = 0; p < s->node[i].n_ports; p++) {
				int32_t peer = s->node[i].port[p].peer_node;

				if (peer < 0 || tier[peer] + 1 >= tier[i])
					continue;
				tier[i] = (uint16_t)(tier[peer] + 1);
				changed = true;
			}
	}
	for (unsigned i = 0; tier && i < s->n_nodes; i++)
		top = tier[i] != UINT16_MAX && tier[i] > top ? tier[i] : top;
	return top;
}

// Tiers one above the other, spines first, where there is more than one of switches.
static void dot_tiers(const struct scene *s, const uint16_t *tier, unsigned top, FILE *f)
{
	for (unsigned t = top + 1; top > 1 && t-- > 0;) {
		fprintf(f, "\t{ rank=same;");
		for (unsigned i = 0; i < s->n_nodes; i++)
			if (tier[i] == t)
				fprintf(f, " \"%s\";", s->node[i].name);
		fprintf(f, " }\n");
	}
}

// A link is written from above, so that its upper end is drawn there.
static void dot_links(const struct scene *s, const uint16_t *tier, FILE *f)
{
	char rate[32], delay[32];

	for (unsigned i = 0; i < s->n_nodes; i++) {
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const struct scene_port *sp = &s->node[i].port[p];

			if (sp->peer_node < 0 || (unsigned)sp->peer_node < i)
				continue;

			unsigned one = i, two = (unsigned)sp->peer_node;

			if (tier && tier[two] > tier[one]) {
				one = two;
				two = i;
			}
			fprintf(f, "\t\"%s\" -- \"%s\" [label=\"%s %s\"];\n", s->node[one].name,
				s->node[two].name,
				units_format(UNITS_RATE, sp->rate, rate, sizeof(rate)),
				units_format(UNITS_TIME, sp->delay, delay, sizeof(delay)));
		}
	}
}

static void dot_flow(const struct scene *s, unsigned from, unsigned to, const char *name,
	const char *style, FILE *f)
{
	fprintf(f,
		"\t\"%s\" -- \"%s\" [label=\"%s\", dir=forward, style=%s, color=gray, "
		"constraint=false];\n",
		s->node[from].name, s->node[to].name, name, style);
}

// One line for all queue pairs of a flow between two hosts; of too many nobody could see a thing.
static void dot_flows(const struct scene *s, FILE *f)
{
	unsigned drawn = 0;

	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *a = s->flow[i], *b = i ? s->flow[i - 1] : NULL;

		if (b && a->from == b->from && a->to == b->to && !strcmp(a->group, b->group))
			continue;
		if (drawn++ < DOT_FLOWS)
			dot_flow(s, a->from, a->to, a->group, "dashed", f);
	}
	for (unsigned i = 0; i < s->n_sources; i++)
		if (drawn++ < DOT_FLOWS)
			dot_flow(s, s->source[i]->from, s->source[i]->to, s->source[i]->name,
				"dotted", f);
	if (drawn > DOT_FLOWS)
		fprintf(f, "\t// %u flows more are not drawn\n", drawn - DOT_FLOWS);
}

void topo_dot(const struct scene *s, FILE *f)
{
	uint16_t *tier = calloc(s->n_nodes, sizeof(*tier));
	unsigned top = tiers(s, tier);

	fprintf(f,
		"graph \"%s\" {\n\tnode [fontname=sans];\n\tedge [fontname=sans, fontsize=10];\n",
		s->name);
	for (unsigned i = 0; i < s->n_nodes; i++)
		fprintf(f, "\t\"%s\" [shape=%s];\n", s->node[i].name,
			s->node[i].kind == SCENE_SW ? "box" : "ellipse");
	dot_tiers(s, tier, top, f);
	dot_links(s, tier, f);
	dot_flows(s, f);
	fprintf(f, "}\n");
	free(tier);
}
