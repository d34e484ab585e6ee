// SPDX-License-Identifier: BSD-3-Clause
// The objects of a scene that have figures, by the names that paths give them.
#include <stdarg.h>

#include "figure_path.h"
#include "figure.h"

// Who is told, and whether it has seen enough.
struct look {
	enum figure_kind kind;
	const struct scene *s;
	figure_see *see;
	void *arg;
	bool enough;
};

__attribute__((format(printf, 2, 3))) static void tell(struct look *l, const char *fmt, ...)
{
	char name[2 * REC_LABEL];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	l->enough = l->enough || l->see(l->arg, name);
}

// A name with several destinations is told apart by them, as in record_obj.c.
static void groups(struct look *l)
{
	const struct scene *s = l->s;

	for (unsigned i = 0, j; i < s->n_flows && !l->enough; i = j) {
		const struct scene_flow *first = s->flow[i];
		bool several = false;

		for (j = i; j < s->n_flows && !strcmp(s->flow[j]->group, first->group); j++)
			several |= s->flow[j]->to != first->to;
		if (!several)
			tell(l, "%s", first->group);
		for (unsigned k = i; several && k < j && !l->enough; k++)
			tell(l, "%s>%s", first->group, s->node[s->flow[k]->to].name);
	}
}

static void flows(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_flows && !l->enough; i++)
		tell(l, "%s", l->s->flow[i]->name);
}

static void sources(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_sources && !l->enough; i++)
		tell(l, "%s", l->s->source[i]->name);
}

// Sizes of messages are no more than flows, cycles of paused queues no more than queues.
static void numbers(struct look *l)
{
	unsigned most = l->s->n_flows;

	for (unsigned i = 0; l->kind == FIGURE_DEADLOCK && i < l->s->n_nodes; i++)
		most += l->s->node[i].kind == SCENE_SW ? l->s->node[i].n_ports * PKT_CLASSES : 0;
	for (unsigned i = 0; i < most && !l->enough; i++)
		tell(l, "%u", i);
}

// Whether a class of a port has an object of this kind.
static bool has_class(enum figure_kind kind, const struct scene_node *n, unsigned p, unsigned cls)
{
	const struct sw_params *sw = n->kind == SCENE_SW ? &n->u.sw : NULL;

	switch (kind) {
	case FIGURE_PFC:
		return true;
	case FIGURE_QUEUE:
	case FIGURE_PFC_TX:
		return n->kind != SCENE_REPLAY;
	case FIGURE_MARKING:
	case FIGURE_BIN:
		return sw && sw->cls[cls].mark != SW_MARK_NONE;
	case FIGURE_CP:
		return sw && sw->cls[cls].qcn.on;
	case FIGURE_WD:
		return sw && sw->port[p].wd_classes >> cls & 1;
	default:
		return sw;
	}
}

static void classes(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned k = 0; k < n->n_ports * PKT_CLASSES && !l->enough; k++) {
			const char *port = n->port[k / PKT_CLASSES].name;
			unsigned cls = k % PKT_CLASSES;

			if (!has_class(l->kind, n, k / PKT_CLASSES, cls))
				continue;
			if (l->kind != FIGURE_BIN)
				tell(l, "%s.%u", port, cls);
			for (unsigned b = 0; l->kind == FIGURE_BIN && b < RED_CURVE_BINS; b++)
				tell(l, "%s.%u.%u", port, cls, b);
		}
	}
}

// Whether a node, or each of its ports, is an object of this kind.
static bool has_node(enum figure_kind kind, const struct scene_node *n)
{
	const struct sw_params *sw = n->kind == SCENE_SW ? &n->u.sw : NULL;

	switch (kind) {
	case FIGURE_IQCN:
	case FIGURE_IQCN_TABLE:
		return sw && sw->iqcn_on;
	case FIGURE_FAST_CNP:
	case FIGURE_FAST_CNP_TABLE:
		return sw && sw->fast_cnp_on;
	case FIGURE_POOL:
		return sw && sw_has_two_sides(sw);
	case FIGURE_PORT:
		return sw;
	case FIGURE_NP:
	case FIGURE_NIC:
		return n->kind == SCENE_NIC;
	case FIGURE_RXBUF:
		return n->kind == SCENE_NIC && n->u.nic.rxbuf.drain_rate;
	case FIGURE_REPLAY:
		return n->kind == SCENE_REPLAY;
	default:
		return true;
	}
}

static void ports(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned p = 0; has_node(l->kind, n) && p < n->n_ports && !l->enough; p++)
			tell(l, "%s", n->port[p].name);
	}
}

static void nodes(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes && !l->enough; i++)
		if (has_node(l->kind, &l->s->node[i]))
			tell(l, "%s", l->s->node[i].name);
}

static void pools(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++)
		for (unsigned k = 0; has_node(l->kind, &l->s->node[i]) && k < MMU_POOLS; k++)
			tell(l, "%s.%s", l->s->node[i].name, summary_pool_name((enum mmu_pool)k));
}

static void cnps(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_flows && !l->enough; i++) {
		const struct scene_flow *f = l->s->flow[i];
		const char *np = l->s->node[f->to].name, *rp = l->s->node[f->from].name;

		tell(l, "%s.%s", summary_cnp_key(NP_KEY_QP), f->name);
		tell(l, "%s.%s>%s", summary_cnp_key(NP_KEY_IP_PAIR), np, rp);
		tell(l, "%s.%s>%s", summary_cnp_key(NP_KEY_DST_IP), np, rp);
		tell(l, "%s.%s", summary_cnp_key(NP_KEY_PORT), np);
	}
}

bool figure_path_objects(enum figure_kind kind, const struct scene *s, figure_see *see, void *arg)
{
	static void (*const objects[FIGURE_KINDS])(struct look *) = {
		[FIGURE_GROUP] = groups,
		[FIGURE_FLOW] = flows,
		[FIGURE_SIZE] = numbers,
		[FIGURE_QUEUE] = classes,
		[FIGURE_MARKING] = classes,
		[FIGURE_BIN] = classes,
		[FIGURE_PFC] = classes,
		[FIGURE_PFC_TX] = classes,
		[FIGURE_PG] = classes,
		[FIGURE_POOL] = pools,
		[FIGURE_DEADLOCK] = numbers,
		[FIGURE_CP] = classes,
		[FIGURE_IQCN] = ports,
		[FIGURE_IQCN_TABLE] = nodes,
		[FIGURE_CNP] = cnps,
		[FIGURE_NP] = nodes,
		[FIGURE_FAST_CNP] = ports,
		[FIGURE_FAST_CNP_TABLE] = nodes,
		[FIGURE_WD] = classes,
		[FIGURE_LINK] = ports,
		[FIGURE_SOURCE] = sources,
		[FIGURE_REPLAY] = nodes,
		[FIGURE_RXBUF] = nodes,
		[FIGURE_PORT] = ports,
		[FIGURE_NIC] = nodes,
	};
	struct look l = {.kind = kind, .s = s, .see = see, .arg = arg};

	if (objects[kind])
		objects[kind](&l);
	return l.enough;
}
