// SPDX-License-Identifier: BSD-3-Clause
// A scene's network in words: ports with their links, and the hosts that are reached by them; or as
// a graph for graphviz.
#include "topo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "conf/conf.h"

// Hosts by their address.
static int owners(struct index *ix, const struct scene *s)
{
	int rc = 0;

	for (unsigned i = 0; i < s->n_nodes && !rc; i++)
		if (s->node[i].kind != SCENE_SW)
			rc = index_add(ix, index_hash(0, s->node[i].mac, 6), i);
	return rc;
}

static const char *owner_of(const struct scene *s, const struct index *ix, const uint8_t mac[6])
{
	uint32_t hash = index_hash(0, mac, 6), at = hash, i;

	while ((i = index_next(ix, hash, &at)) != INDEX_NONE)
		if (!memcmp(s->node[i].mac, mac, 6))
			return s->node[i].name;
	return NULL;
}

static bool leads(const struct sw_params *p, const struct sw_fdb_params *e, unsigned port)
{
	return e->ecmp ? p->ecmp[e->ecmp - 1].port[port / 64] >> port % 64 & 1 : e->port == port;
}

// Names that are written as a scenario has them: three and more that are numbered in a row are a
// range.
struct run {
	const char *first, *last;
	unsigned n;
	const char *comma;
};

// Whether `b` is the name behind `a`: h9 and h10.
static bool follows(const char *a, const char *b)
{
	char next[64];
	size_t stem = strlen(a);

	while (stem && a[stem - 1] >= '0' && a[stem - 1] <= '9')
		stem--;
	if (!a[stem] || strlen(a) > 32 || a[stem] == '0')
		return false;
	snprintf(next, sizeof(next), "%.*s%lu", (int)stem, a, strtoul(a + stem, NULL, 10) + 1);
	return !strcmp(next, b);
}

static void end_run(struct run *r, FILE *f)
{
	const char *number = r->n ? r->last + strlen(r->last) : "";

	while (r->n && number > r->last && number[-1] >= '0' && number[-1] <= '9')
		number--;
	if (r->n > 2)
		fprintf(f, "%s%s..%s", r->comma, r->first, number);
	else if (r->n == 2)
		fprintf(f, "%s%s, %s", r->comma, r->first, r->last);
	else if (r->n)
		fprintf(f, "%s%s", r->comma, r->first);
	r->comma = r->n ? ", " : r->comma;
	r->n = 0;
}

static void add_to_run(struct run *r, const char *name, FILE *f)
{
	if (r->n && !follows(r->last, name))
		end_run(r, f);
	if (!r->n++)
		r->first = name;
	r->last = name;
}

// The hosts that a switch reaches by a port.
static void print_hosts(const struct scene *s, const struct index *ix, const struct scene_node *n,
	unsigned port, FILE *f)
{
	struct run r = {.comma = "  "};

	for (unsigned i = 0; i < n->u.sw.n_fdb; i++) {
		const struct sw_fdb_params *e = &n->u.sw.fdb[i];
		const char *name =
			leads(&n->u.sw, e, port) && !e->vid ? owner_of(s, ix, e->mac) : NULL;

		if (name)
			add_to_run(&r, name, f);
	}
	end_run(&r, f);
}

static void print_port(const struct scene_port *sp, FILE *f)
{
	char rate[32], delay[32];

	fprintf(f, "%-20s %02x:%02x:%02x:%02x:%02x:%02x  %8s  %8s  mtu %u%s%s", sp->name,
		sp->mac[0], sp->mac[1], sp->mac[2], sp->mac[3], sp->mac[4], sp->mac[5],
		units_format(UNITS_RATE, sp->rate, rate, sizeof(rate)),
		units_format(UNITS_TIME, sp->delay, delay, sizeof(delay)), sp->mtu,
		sp->device ? "  device " : "", sp->device ? sp->device : "");
}

void topo_print(const struct scene *s, FILE *f)
{
	struct index ix = {0};
	bool known = !owners(&ix, s);

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned p = 0; p < n->n_ports; p++) {
			print_port(&n->port[p], f);
			if (n->kind == SCENE_SW && known)
				print_hosts(s, &ix, n, p, f);
			fprintf(f, "\n");
		}
	}
	index_fini(&ix);
}

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

// One line for all queue pairs of a flow between two hosts: a line for each could not be read.
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
		fprintf(f, "\t// not drawn: %u flow%s more\n", drawn - DOT_FLOWS,
			plural(drawn - DOT_FLOWS));
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
