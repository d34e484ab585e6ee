// SPDX-License-Identifier: BSD-3-Clause
// Paths of figures judged part by part: the kind, the object, the figure; and what comes nearest to
// a wrong one.
#include "figure_path.h"
#include "figure.h"

#include <errno.h>

#include "conf/conf.h"
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

// The name that comes nearest to what was written.
struct nearest {
	const char *wanted;
	int best; // distance; 0: none yet
	char name[2 * REC_LABEL];
	char first[2 * REC_LABEL]; // of all that were looked at
};

#define HOLDS 100 // a name that only holds what was written is further than any mistyped one

static bool nearer(void *arg, const char *name)
{
	struct nearest *n = arg;
	int d = opt_distance(n->wanted, name);

	if (!*n->first)
		snprintf(n->first, sizeof(n->first), "%s", name);
	if (d < 0 && strlen(n->wanted) > 2 && strstr(name, n->wanted))
		d = HOLDS + (int)(strlen(name) - strlen(n->wanted));
	if (d < 0 || (n->best && d >= n->best))
		return false;
	n->best = d ? d : 1;
	snprintf(n->name, sizeof(n->name), "%s", name);
	return false;
}

static bool same(void *arg, const char *name)
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
	struct nearest n = {.wanted = p->figure};
	const char *one;

	for (unsigned i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		nearer(&n, alone[i]);
	for (unsigned i = 0; (one = figure_path_name(FIGURE_TOTAL, i)); i++)
		nearer(&n, one);
	if (n.best)
		return err_set(err, -EINVAL, "there is no figure '%.120s'; did you mean '%s'?",
			p->path, n.name);
	return err_set(err, -EINVAL,
		"there is no figure '%.120s'; a path is as in drops, total.drops or "
		"queue.s1:r.3.p99_bytes",
		p->path);
}

static int wrong_kind(const struct parts *p, struct err *err)
{
	struct nearest n = {.wanted = p->kind};
	char list[ERR_HINT] = "";

	for (unsigned k = 0; k < FIGURE_KINDS; k++) {
		size_t len = strlen(list);

		nearer(&n, word[k]);
		if (!k || strcmp(word[k], word[k - 1]) != 0)
			snprintf(list + len, sizeof(list) - len, "%s%s", k ? ", " : "", word[k]);
	}
	if (n.best)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': no kind is '%s'; did you mean '%s'?", p->path,
			p->kind, n.name);
	return err_set(err, -EINVAL, "there is no figure '%.120s': no kind is '%s'; kinds are %s",
		p->path, p->kind, list);
}

static int wrong_object(const struct scene *s, const struct parts *p, struct err *err)
{
	struct nearest n = {.wanted = p->object};
	unsigned own = 0;

	while (strcmp(word[own], p->kind) != 0)
		own++;
	if (!has_objects((enum figure_kind)own))
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s has no objects; write %s.%s", p->path,
			p->kind, p->kind, p->figure);
	for (unsigned k = 0; k < FIGURE_KINDS; k++)
		if (!strcmp(word[k], p->kind))
			figure_path_objects((enum figure_kind)k, s, nearer, &n);
	if (!*n.first)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': nothing in this scenario is of kind '%s'",
			p->path, p->kind);
	if (!*p->object)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s wants a name and a figure, as in %s.%s.%s",
			p->path, p->kind, p->kind, n.first,
			figure_path_name((enum figure_kind)own, 0));
	if (n.best)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': no %s is '%s'; did you mean '%s'?", p->path,
			p->kind, p->object, n.name);
	return err_set(err, -EINVAL,
		"there is no figure '%.120s': no %s is '%s'; the first is '%s'", p->path, p->kind,
		p->object, n.first);
}

static int wrong_figure(enum figure_kind kind, const struct parts *p, struct err *err)
{
	struct nearest n = {.wanted = p->figure};
	char list[ERR_HINT] = "";
	const char *one;

	for (unsigned i = 0; (one = figure_path_name(kind, i)); i++) {
		size_t len = strlen(list);

		nearer(&n, one);
		snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", one);
	}
	if (n.best)
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
		if (has_objects(kind) ? !figure_path_objects(kind, s, same, p.object) : *p.object)
			continue;
		if (has_figure(kind, p.figure))
			return 0;
		found = (int)k;
	}
	return found < 0 ? wrong_object(s, &p, err)
			 : wrong_figure((enum figure_kind)found, &p, err);
}
