// SPDX-License-Identifier: BSD-3-Clause
// Paths of figures before a run: the kinds, the names of their figures, the objects that a scene
// has, and what comes nearest to a wrong part.
#include "figure_path.h"

#include <errno.h>
#include <stdarg.h>

#include "conf/conf.h"
#include "figure.h"
#include "report.h"

static const char *const word[FIGURE_KINDS] = {
	[FIGURE_TOTAL] = "total",
	[FIGURE_DROP] = "drop",
	[FIGURE_NIC_DROP] = "nic_drop",
	[FIGURE_MAIN] = "main",
	[FIGURE_BOTTLENECK] = "bottleneck",
	[FIGURE_GROUP] = "group",
	[FIGURE_FLOW] = "flow",
	[FIGURE_SIZE] = "size",
	[FIGURE_QUEUE] = "queue",
	[FIGURE_MARKING] = "marking",
	[FIGURE_BIN] = "bin",
	[FIGURE_PFC] = "pfc",
	[FIGURE_PFC_TX] = "pfc_tx",
	[FIGURE_PG] = "pg",
	[FIGURE_POOL] = "pool",
	[FIGURE_DEADLOCK] = "deadlock",
	[FIGURE_CP] = "cp",
	[FIGURE_IQCN] = "iqcn",
	[FIGURE_IQCN_TABLE] = "iqcn",
	[FIGURE_CNP] = "cnp",
	[FIGURE_NP] = "np",
	[FIGURE_FAST_CNP] = "fast_cnp",
	[FIGURE_FAST_CNP_TABLE] = "fast_cnp",
	[FIGURE_WD] = "wd",
	[FIGURE_LINK] = "link",
	[FIGURE_SOURCE] = "source",
	[FIGURE_REPLAY] = "replay",
	[FIGURE_RXBUF] = "rxbuf",
	[FIGURE_PORT] = "port",
	[FIGURE_NIC] = "nic",
};

// Paths of one word besides the figures of `total`.
static const char *const alone[] = {"jain", "deadlocks", "utilization", "warnings"};

const char *figure_path_kind(enum figure_kind kind)
{
	return word[kind];
}

const char *figure_path_alone(unsigned i)
{
	return i < sizeof(alone) / sizeof(alone[0]) ? alone[i] : NULL;
}

// The path taken apart; object "": it has none.
struct parts {
	const char *path;
	char kind[32], object[2 * REC_LABEL];
	const char *figure;
};

// Objects that were looked at: the nearest to what was written, and the first.
struct objects {
	struct near near;
	char first[2 * REC_LABEL];
};

static bool see_object(void *arg, const char *name)
{
	struct objects *o = arg;

	if (!*o->first)
		snprintf(o->first, sizeof(o->first), "%s", name);
	near_see(&o->near, name);
	return false;
}

static bool is_same(void *arg, const char *name)
{
	return !strcmp(arg, name);
}

static bool has_figure(enum figure_kind kind, const char *name)
{
	const char *one;

	for (unsigned i = 0; (one = figure_path_name(kind, i)); i++)
		if (!strcmp(one, name))
			return true;
	return false;
}

static bool is_alone(const char *name)
{
	for (unsigned i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		if (!strcmp(alone[i], name))
			return true;
	return false;
}

static bool has_kind(const char *kind)
{
	for (unsigned k = 0; k < FIGURE_KINDS; k++)
		if (!strcmp(word[k], kind))
			return true;
	return false;
}

// Kinds up to `bottleneck` are of the run, and there is one of each.
static bool has_objects(enum figure_kind kind)
{
	return kind >= FIGURE_GROUP;
}

static int wrong_word(const struct parts *p, struct err *err)
{
	struct near n = near_to(p->figure);
	const char *one;

	for (unsigned i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		near_see(&n, alone[i]);
	for (unsigned i = 0; (one = figure_path_name(FIGURE_TOTAL, i)); i++)
		near_see(&n, one);
	if (*n.name)
		return err_set(err, -EINVAL, "there is no figure '%.120s'; did you mean '%s'?",
			p->path, n.name);
	return err_set(err, -EINVAL,
		"there is no figure '%.120s'; a path is as in drops, total.drops or "
		"queue.s1:r.3.p99_bytes",
		p->path);
}

static int wrong_kind(const struct parts *p, struct err *err)
{
	struct near n = near_to(p->kind);
	char list[ERR_HINT] = "";

	for (unsigned k = 0; k < FIGURE_KINDS; k++) {
		size_t len = strlen(list);

		near_see(&n, word[k]);
		if (!k || strcmp(word[k], word[k - 1]) != 0)
			snprintf(list + len, sizeof(list) - len, "%s%s", k ? ", " : "", word[k]);
	}
	if (*n.name)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': no kind is '%s'; did you mean '%s'?", p->path,
			p->kind, n.name);
	return err_set(err, -EINVAL, "there is no figure '%.120s': no kind is '%s'; kinds are %s",
		p->path, p->kind, list);
}

static int wrong_object(const struct scene *s, const struct parts *p, struct err *err)
{
	struct objects o = {.near = near_to(p->object)};
	unsigned own = 0;

	while (strcmp(word[own], p->kind) != 0)
		own++;
	if (!has_objects((enum figure_kind)own))
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s has no objects; write %s.%s", p->path,
			p->kind, p->kind, p->figure);
	for (unsigned k = 0; k < FIGURE_KINDS; k++)
		if (!strcmp(word[k], p->kind))
			figure_path_objects((enum figure_kind)k, s, see_object, &o);
	if (!*o.first)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': nothing in this scenario is of kind '%s'",
			p->path, p->kind);
	if (!*p->object)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s wants a name and a figure, as in %s.%s.%s",
			p->path, p->kind, p->kind, o.first,
			figure_path_name((enum figure_kind)own, 0));
	if (*o.near.name)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': no %s is '%s'; did you mean '%s'?", p->path,
			p->kind, p->object, o.near.name);
	return err_set(err, -EINVAL,
		"there is no figure '%.120s': no %s is '%s'; the first is '%s'", p->path, p->kind,
		p->object, o.first);
}

static int wrong_figure(enum figure_kind kind, const struct parts *p, struct err *err)
{
	struct near n = near_to(p->figure);
	char list[ERR_HINT] = "";
	const char *one;

	for (unsigned i = 0; (one = figure_path_name(kind, i)); i++) {
		size_t len = strlen(list);

		near_see(&n, one);
		snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", one);
	}
	if (*n.name)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s has no '%.60s'; did you mean '%s'?",
			p->path, p->kind, p->figure, n.name);
	return err_set(err, -EINVAL, "there is no figure '%.120s': %s has no '%.60s'; it has %s",
		p->path, p->kind, p->figure, list);
}

static void take_apart(struct parts *p, const char *path)
{
	const char *dot = strchr(path, '.'), *last = strrchr(path, '.');

	*p = (struct parts){.path = path, .figure = last ? last + 1 : path};
	if (dot)
		snprintf(p->kind, sizeof(p->kind), "%.*s", (int)(dot - path), path);
	if (dot != last)
		snprintf(p->object, sizeof(p->object), "%.*s", (int)(last - dot - 1), dot + 1);
}

int report_expects_check(const struct scene *s, struct err *err)
{
	for (unsigned i = 0; i < s->n_expects; i++) {
		const struct scene_expect *x = &s->expect[i];
		struct err why;

		if (report_figure_check(s, x->figure, &why))
			return err_set(err, -EINVAL, "%s: %s", x->at, why.text);
	}
	return 0;
}

int report_figure_check(const struct scene *s, const char *path, struct err *err)
{
	int found = -1;
	struct parts p;

	take_apart(&p, path);
	if (!*p.kind)
		return is_alone(path) || has_figure(FIGURE_TOTAL, path) ? 0 : wrong_word(&p, err);
	if (!has_kind(p.kind))
		return wrong_kind(&p, err);
	for (unsigned k = 0; k < FIGURE_KINDS; k++) {
		enum figure_kind kind = (enum figure_kind)k;

		if (strcmp(word[k], p.kind) != 0)
			continue;
		if (has_objects(kind) ? !figure_path_objects(kind, s, is_same, p.object)
				      : *p.object)
			continue;
		if (has_figure(kind, p.figure))
			return 0;
		found = (int)k;
	}
	return found < 0 ? wrong_object(s, &p, err)
			 : wrong_figure((enum figure_kind)found, &p, err);
}

// Objects that have everything a list may leave out; of their values nothing is read.
static const struct scene_flow blank_flow;
static const struct scene_port blank_port;
static const struct scene_node blank_node;
static const struct sw_class_stats blank_st;
static const struct red_cfg blank_red;
static const struct rec_flow a_flow = {.scene = &blank_flow, .rp = true};
static const struct rec_group a_group;
static const struct rec_port a_port = {.scene = &blank_port};
static const struct rec_queue a_queue = {.port = (struct rec_port *)&a_port, .st = &blank_st};
static const struct rec_cnp a_cnp;
static const struct summary_cnp blank_cnp = {.rec = &a_cnp, .np = &blank_node};

static void name_flow(struct figures *o)
{
	figure_flow(o, &(struct summary_flow){.rec = &a_flow});
}

static void name_group(struct figures *o)
{
	figure_group(o, &(struct summary_group){.rec = &a_group});
}

static void name_queue(struct figures *o)
{
	figure_queue(
		o, &(struct summary_queue){.rec = &a_queue, .red = &blank_red, .two_sided = true});
}

static void name_marking(struct figures *o)
{
	figure_marking(o, &(struct summary_marking){.rec = &a_queue});
}

static void name_bin(struct figures *o)
{
	figure_bin(o, &(struct summary_bin){0});
}

static void name_size(struct figures *o)
{
	figure_size(o, &(struct summary_size){0});
}

static void name_pause(struct figures *o)
{
	figure_pause(o, &(struct summary_pause){.port = &a_port, .t_resp_us = {.n = 1}});
}

static void name_pg(struct figures *o)
{
	figure_pg(o, &(struct summary_pg){.port = &a_port, .two_sided = true});
}

static void name_cp(struct figures *o)
{
	figure_cp(o, &(struct summary_cp){.rec = &a_queue});
}

static void name_cnp(struct figures *o)
{
	figure_cnp(o, &blank_cnp);
}

static void name_np(struct figures *o)
{
	figure_np(o, &(struct summary_np){.all = &blank_cnp});
}

static void name_iqcn(struct figures *o)
{
	figure_iqcn(o, &(struct summary_iqcn){.port = &a_port});
}

static void name_iqcn_table(struct figures *o)
{
	figure_iqcn_table(o, &(struct summary_iqcn_table){.node = &blank_node});
}

static void name_fast_cnp(struct figures *o)
{
	figure_fast_cnp(o, &(struct summary_fast_cnp){.port = &a_port});
}

static void name_fast_cnp_table(struct figures *o)
{
	figure_fast_cnp_table(o, &(struct summary_fast_cnp_table){.node = &blank_node});
}

static void name_wd(struct figures *o)
{
	figure_wd(o, &(struct summary_wd){.rec = &a_queue});
}

static void name_deadlock(struct figures *o)
{
	figure_deadlock(o, &(struct deadlock){0});
}

static void name_pool(struct figures *o)
{
	figure_pool(o, &(struct summary_pool){.node = &blank_node});
}

static void name_link(struct figures *o)
{
	figure_link(o, &(struct summary_link){.port = &a_port});
}

static void name_source(struct figures *o)
{
	figure_source(o, &(struct summary_source){0});
}

static void name_rxbuf(struct figures *o)
{
	figure_rxbuf(o, &(struct summary_rxbuf){.node = &blank_node});
}

static void name_replay(struct figures *o)
{
	figure_replay(o, &(struct summary_replay){.node = &blank_node});
}

static void name_total(struct figures *o)
{
	figure_total(o, &(struct summary_total){0});
}

static void name_sw_drops(struct figures *o)
{
	figure_sw_drops(o, &(struct summary_total){0});
}

static void name_nic_drops(struct figures *o)
{
	figure_nic_drops(o, &(struct summary_total){0});
}

static void (*const list[FIGURE_KINDS])(struct figures *o) = {
	[FIGURE_TOTAL] = name_total,
	[FIGURE_DROP] = name_sw_drops,
	[FIGURE_NIC_DROP] = name_nic_drops,
	[FIGURE_MAIN] = name_group,
	[FIGURE_BOTTLENECK] = name_queue,
	[FIGURE_GROUP] = name_group,
	[FIGURE_FLOW] = name_flow,
	[FIGURE_SIZE] = name_size,
	[FIGURE_QUEUE] = name_queue,
	[FIGURE_MARKING] = name_marking,
	[FIGURE_BIN] = name_bin,
	[FIGURE_PFC] = name_pause,
	[FIGURE_PFC_TX] = name_pause,
	[FIGURE_PG] = name_pg,
	[FIGURE_POOL] = name_pool,
	[FIGURE_DEADLOCK] = name_deadlock,
	[FIGURE_CP] = name_cp,
	[FIGURE_IQCN] = name_iqcn,
	[FIGURE_IQCN_TABLE] = name_iqcn_table,
	[FIGURE_CNP] = name_cnp,
	[FIGURE_NP] = name_np,
	[FIGURE_FAST_CNP] = name_fast_cnp,
	[FIGURE_FAST_CNP_TABLE] = name_fast_cnp_table,
	[FIGURE_WD] = name_wd,
	[FIGURE_LINK] = name_link,
	[FIGURE_SOURCE] = name_source,
	[FIGURE_REPLAY] = name_replay,
	[FIGURE_RXBUF] = name_rxbuf,
};

static const struct stat_table *const counters[FIGURE_KINDS][2] = {
	[FIGURE_PORT] = {&sw_port_stat_table, &sw_malformed_stat_table},
	[FIGURE_NIC] = {&nic_stat_table, &nic_malformed_stat_table},
};

const char *figure_path_name(enum figure_kind kind, unsigned i)
{
	struct figures o = {0};

	for (unsigned k = 0; k < 2; k++) {
		const struct stat_table *t = counters[kind][k];

		if (t && i < t->n)
			return t->row[i].name;
		i -= t ? t->n : 0;
	}
	if (list[kind])
		list[kind](&o);
	return i < o.n ? o.f[i].name : NULL;
}

// Who is told, and whether it has seen enough.
struct look {
	enum figure_kind kind;
	const struct scene *s;
	figure_see *see;
	void *arg;
	bool enough;
};

__attribute__((format(printf, 2, 3))) static void tell_name(struct look *l, const char *fmt, ...)
{
	char name[2 * REC_LABEL];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	l->enough = l->enough || l->see(l->arg, name);
}

// A name with several destinations is told apart by them, as in record/group.c.
static void groups(struct look *l)
{
	const struct scene *s = l->s;

	for (unsigned i = 0, j; i < s->n_flows && !l->enough; i = j) {
		const struct scene_flow *first = s->flow[i];
		bool several = false;

		for (j = i; j < s->n_flows && !strcmp(s->flow[j]->group, first->group); j++)
			several |= s->flow[j]->to != first->to;
		if (!several)
			tell_name(l, "%s", first->group);
		for (unsigned k = i; several && k < j && !l->enough; k++)
			tell_name(l, "%s>%s", first->group, s->node[s->flow[k]->to].name);
	}
}

static void flows(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_flows && !l->enough; i++)
		tell_name(l, "%s", l->s->flow[i]->name);
}

static void sources(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_sources && !l->enough; i++)
		tell_name(l, "%s", l->s->source[i]->name);
}

// Sizes of messages are no more than flows, cycles of paused queues no more than queues.
static void numbers(struct look *l)
{
	unsigned most = l->s->n_flows;

	for (unsigned i = 0; l->kind == FIGURE_DEADLOCK && i < l->s->n_nodes; i++)
		most += l->s->node[i].kind == SCENE_SW ? l->s->node[i].n_ports * PKT_CLASSES : 0;
	for (unsigned i = 0; i < most && !l->enough; i++)
		tell_name(l, "%u", i);
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
				tell_name(l, "%s.%u", port, cls);
			for (unsigned b = 0; l->kind == FIGURE_BIN && b < RED_CURVE_BINS; b++)
				tell_name(l, "%s.%u.%u", port, cls, b);
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
			tell_name(l, "%s", n->port[p].name);
	}
}

static void nodes(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes && !l->enough; i++)
		if (has_node(l->kind, &l->s->node[i]))
			tell_name(l, "%s", l->s->node[i].name);
}

static void pools(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++)
		for (unsigned k = 0; has_node(l->kind, &l->s->node[i]) && k < MMU_POOLS; k++)
			tell_name(l, "%s.%s", l->s->node[i].name,
				summary_pool_name((enum mmu_pool)k));
}

static void cnp_keys(struct look *l)
{
	for (unsigned i = 0; i < l->s->n_flows && !l->enough; i++) {
		const struct scene_flow *f = l->s->flow[i];
		const char *np = l->s->node[f->to].name, *rp = l->s->node[f->from].name;

		tell_name(l, "%s.%s", summary_cnp_key(NP_KEY_QP), f->name);
		tell_name(l, "%s.%s>%s", summary_cnp_key(NP_KEY_IP_PAIR), np, rp);
		tell_name(l, "%s.%s>%s", summary_cnp_key(NP_KEY_DST_IP), np, rp);
		tell_name(l, "%s.%s", summary_cnp_key(NP_KEY_PORT), np);
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
		[FIGURE_CNP] = cnp_keys,
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
