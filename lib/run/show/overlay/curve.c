// SPDX-License-Identifier: BSD-3-Clause
// The points of one run that its figures have: slowdown by size, distributions, pauses by port.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

int overlay_lacks(const struct overlay_run *r, struct err *err, const char *fmt, ...)
{
	char text[ERR_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(err, -ENOENT, "%s: %s", saved_dir(r->s), text);
}

int overlay_room(struct overlay *o, struct overlay_run *r, size_t n, struct err *err)
{
	r->curve.point = arena_get(&o->arena, (n + 1) * sizeof(*r->curve.point));
	if (!r->curve.point)
		return err_set(err, -ENOMEM, "%s: no memory for the figure", saved_dir(r->s));
	return 0;
}

static void add_point(struct overlay_run *r, double x, double y, const char *name)
{
	r->curve.point[r->curve.n++] =
		(struct overlay_point){.key = x, .x = x, .y = y, .name = name, .half = NAN};
}

const char *overlay_group(const struct overlay *o, const struct overlay_run *r)
{
	const json_t *one, *best = NULL;
	size_t i;

	json_array_foreach(json_object_get(saved_summary(r->s), "groups"), i, one)
	{
		if (o->want.group && strcmp(saved_text(one, "group"), o->want.group) == 0)
			return o->want.group;
		if (!best || saved_number(one, "flows") > saved_number(best, "flows"))
			best = one;
	}
	return best && !o->want.group ? saved_text(best, "group") : NULL;
}

// A figure of a group; 0: the group is not there.
static double figure_of(const struct overlay_run *r, const char *group, const char *figure)
{
	const json_t *list = json_object_get(saved_summary(r->s), "groups");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);

		if (strcmp(saved_text(one, "group"), group) == 0)
			return saved_number(one, figure);
	}
	return 0;
}

// The group whose rows are taken: the one that the user named, else the one with the most flows. ""
// if the rows are of all groups together; NULL: there is no such group.
static const char *group_of_rows(
	const struct overlay *o, const struct overlay_run *r, const json_t *rows)
{
	const char *best = NULL, *before = NULL;
	double most = 0;
	const json_t *one;
	size_t i;

	json_array_foreach(rows, i, one)
	{
		const char *group = saved_text(one, "group");
		double flows;

		if (o->want.group && strcmp(group, o->want.group) == 0)
			return group;
		if (o->want.group || (before && strcmp(group, before) == 0))
			continue;
		before = group;
		flows = figure_of(r, group, "flows");
		if (!best || flows > most) {
			best = group;
			most = flows;
		}
	}
	return best;
}

void overlay_percentile(char key[static 32], const char *percentile)
{
	char *to = key + sprintf(key, "slowdown_p");

	for (; *percentile; percentile++)
		if (*percentile != '.')
			*to++ = *percentile;
	*to = '\0';
}

// A run whose groups have no bins has one list for all groups.
static int by_size(struct overlay *o, struct overlay_run *r, struct err *err)
{
	const json_t *rows = json_object_get(saved_summary(r->s), "slowdown_by_size"), *one;
	const char *group;
	char key[32];
	size_t i;

	if (!json_array_size(rows))
		rows = json_object_get(saved_summary(r->s), "messages_by_size");
	if (!saved_summary(r->s))
		return overlay_lacks(r, err, "summary.json is missing");
	if (!json_array_size(rows)) // no message has ended
		return 0;
	group = group_of_rows(o, r, rows);
	if (!group)
		return overlay_lacks(
			r, err, "it has no slowdown by size of group %s", o->want.group);
	o->all_groups |=
		!*group && json_array_size(json_object_get(saved_summary(r->s), "groups")) > 1;
	overlay_percentile(key, o->want.percentile);
	if (overlay_room(o, r, json_array_size(rows), err))
		return -ENOMEM;
	for (i = 0; i < json_array_size(rows); i++) {
		double size;

		one = json_array_get(rows, i);
		size = saved_number(one, "to_bytes");
		if (strcmp(saved_text(one, "group"), group) == 0 && isfinite(size))
			add_point(r, size, saved_number(one, key), NULL);
	}
	return 0;
}

// Points of a stored distribution: the shares of values that are at most as large.
static void add_stored(struct overlay_run *r, const struct saved_dist *d)
{
	double total = d->count[d->n - 1];

	for (unsigned i = 0; i < d->n; i++) {
		if (r->curve.n && r->curve.point[r->curve.n - 1].x == d->value[i])
			r->curve.n--;
		add_point(r, d->value[i], d->count[i] / total, NULL);
	}
}

// fct.txt has all messages of a run, without their groups.
static int from_list(struct overlay *o, struct overlay_run *r, struct err *err)
{
	size_t n;
	double *v = saved_messages(r->s, strcmp(o->want.of, "slowdown") == 0, &n);
	int rc = overlay_room(o, r, n, err);

	for (size_t i = 0; !rc && i < n; i++)
		if (i + 1 == n || v[i] != v[i + 1])
			add_point(r, v[i], (double)(i + 1) / (double)n, NULL);
	free(v);
	return rc;
}

static int distribution(struct overlay *o, struct overlay_run *r, struct err *err)
{
	const char *group = overlay_group(o, r);
	size_t groups = json_array_size(json_object_get(saved_summary(r->s), "groups"));
	struct saved_dist *d;
	char name[256];
	int rc = 0;

	if (!group)
		return overlay_lacks(
			r, err, "it has no group %s", o->want.group ? o->want.group : "of flows");
	d = malloc(sizeof(*d));
	if (!d)
		return err_set(err, -ENOMEM, "%s: no memory for the figure", saved_dir(r->s));
	snprintf(name, sizeof(name), "group.%s.%s%s", group, o->want.of,
		strcmp(o->want.of, "slowdown") == 0 ? "" : "_us");
	if (saved_dist(r->s, d, name)) {
		rc = overlay_room(o, r, d->n, err);
		if (!rc)
			add_stored(r, d);
		r->quantiles = true;
	} else if (groups == 1 && strcmp(o->want.of, "fct_posted") != 0) {
		rc = from_list(o, r, err);
	}
	free(d);
	if (!rc && !r->curve.n && figure_of(r, group, "messages") > 0)
		return overlay_lacks(r, err,
			"no distribution of %s of group %s is stored; run it with --hdr",
			o->want.of, group);
	return rc;
}

static int pauses(struct overlay *o, struct overlay_run *r, struct err *err)
{
	const json_t *list = json_object_get(saved_summary(r->s), "pauses"), *one;
	size_t i;

	if (!saved_summary(r->s))
		return overlay_lacks(r, err, "summary.json is missing");
	if (overlay_room(o, r, json_array_size(list), err))
		return -ENOMEM;
	json_array_foreach(list, i, one)
	{
		const char *name = arena_format(&o->arena, "%s.%.0f", saved_text(one, "port"),
			saved_number(one, "priority"));
		double share = 100 * saved_number(one, "pause_ratio");

		if (strcmp(saved_text(one, "direction"), "rx") == 0 && name && share > 0)
			add_point(r, 0, share, name);
	}
	qsort(r->curve.point, r->curve.n, sizeof(*r->curve.point), overlay_by_key);
	return 0;
}

int overlay_curve(struct overlay *o, struct overlay_run *r, struct err *err)
{
	if (o->want.figure == OVERLAY_CDF)
		return distribution(o, r, err);
	return o->want.figure == OVERLAY_PAUSES ? pauses(o, r, err) : by_size(o, r, err);
}
