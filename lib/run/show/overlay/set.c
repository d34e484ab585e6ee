// SPDX-License-Identifier: BSD-3-Clause
// Sets of runs that differ in their seed only: their means, and the differences between two sets
// over equal seeds.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "int.h"
#include "page/page.h"

#define POINTS 1000 // of a distribution of several runs

static bool has_seed(const struct overlay *o, unsigned set, unsigned n, json_int_t seed)
{
	for (unsigned i = 0; i < n; i++)
		if (o->run[i].set == set && o->run[i].seed == seed)
			return true;
	return false;
}

static bool same_label(const struct overlay_run *a, const struct overlay_run *b)
{
	return a->label && b->label ? strcmp(a->label, b->label) == 0 : a->label == b->label;
}

void overlay_join(struct overlay *o)
{
	struct overlay_run *r = &o->run[o->n_runs - 1];

	for (unsigned i = 0; i + 1 < o->n_runs; i++) {
		const struct overlay_run *first = &o->run[i];

		if (!first->s || !page_alike(first->s, r->s) || !same_label(first, r) ||
			!json_equal(first->config, r->config) ||
			has_seed(o, first->set, o->n_runs - 1, r->seed))
			continue;
		r->set = first->set;
		saved_close(r->s);
		json_decref(r->config);
		r->s = NULL;
		r->config = NULL;
		return;
	}
	r->set = o->n_sets++;
}

int overlay_sets(struct overlay *o, struct err *err)
{
	o->set = arena_get(&o->arena, o->n_sets * sizeof(*o->set));
	if (!o->set)
		return err_set(err, -ENOMEM, "no memory for the figure");
	for (unsigned i = 0; i < o->n_runs; i++)
		o->set[o->run[i].set].n++;
	for (unsigned k = 0; k < o->n_sets; k++) {
		struct overlay_set *set = &o->set[k];

		set->run = arena_get(&o->arena, set->n * sizeof(*set->run));
		if (!set->run)
			return err_set(err, -ENOMEM, "no memory for the figure");
		set->n = 0;
		for (unsigned i = 0; i < o->n_runs; i++)
			if (o->run[i].set == k)
				set->run[set->n++] = i;
	}
	return 0;
}

int overlay_by_key(const void *a, const void *b)
{
	const struct overlay_point *p = a, *q = b;

	if (p->name && q->name)
		return strcmp(p->name, q->name);
	return (p->key > q->key) - (p->key < q->key);
}

// A distribution between the values that are known: it keeps its share until the next value, or,
// if only some values are known, is on the line between two of them.
static double share_at(const struct overlay_run *r, double key)
{
	const struct overlay_point *p = r->curve.point;
	size_t low = 0, high = r->curve.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p[middle].key <= key)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || low == r->curve.n || !r->quantiles)
		return low ? p[low - 1].y : 0;
	return p[low - 1].y +
	       (p[low].y - p[low - 1].y) * (key - p[low - 1].key) / (p[low].key - p[low - 1].key);
}

// The value of a run at a key; NAN: it has none. A port without a pause was paused for 0 % of the
// time.
static double value_at(
	const struct overlay *o, const struct overlay_run *r, const struct overlay_point *key)
{
	const struct overlay_curve *c = &r->curve;
	const struct overlay_point *found = NULL;

	if (o->want.figure == OVERLAY_CDF)
		return c->n ? share_at(r, key->key) : NAN;
	if (c->n)
		found = bsearch(key, c->point, c->n, sizeof(*c->point), overlay_by_key);
	if (found)
		return found->y;
	return o->want.figure == OVERLAY_PAUSES ? 0 : NAN;
}

// All keys of the runs of a set, each once. A distribution keeps at most POINTS of them.
static int find_keys(struct overlay *o, struct overlay_set *set, struct err *err)
{
	struct overlay_point *all;
	size_t n = 0, m = 0, each;

	for (unsigned i = 0; i < set->n; i++)
		n += o->run[set->run[i]].curve.n;
	all = arena_get(&o->arena, (n + 1) * sizeof(*all));
	if (!all)
		return err_set(err, -ENOMEM, "no memory for the figure");
	n = 0;
	for (unsigned i = 0; i < set->n; i++) {
		const struct overlay_curve *c = &o->run[set->run[i]].curve;

		for (size_t k = 0; k < c->n; k++)
			all[n++] = c->point[k];
	}
	qsort(all, n, sizeof(*all), overlay_by_key);
	for (size_t i = 0; i < n; i++)
		if (!m || overlay_by_key(&all[m - 1], &all[i]))
			all[m++] = all[i];
	each = o->want.figure == OVERLAY_CDF ? (m + POINTS - 1) / POINTS : 1;
	for (size_t i = 0; i < m; i++)
		if (each < 2 || i % each == 0 || i + 1 == m)
			all[set->curve.n++] = all[i];
	set->curve.point = all;
	return 0;
}

static void find_mean(
	const struct overlay *o, const struct overlay_set *set, struct overlay_point *p)
{
	struct student_sum sum = {0};

	for (unsigned i = 0; i < set->n; i++)
		student_add(&sum, value_at(o, &o->run[set->run[i]], p));
	p->y = sum.n ? sum.mean : NAN;
	p->half = student_half(&sum);
	p->n = sum.n;
}

// The difference from the other set over the seeds that both have: chance that both share, as equal
// arrivals, is not in it.
static void find_difference(const struct overlay *o, const struct overlay_set *set,
	const struct overlay_set *base, struct overlay_point *p)
{
	struct student_sum sum = {0};

	for (unsigned i = 0; i < set->n; i++)
		for (unsigned k = 0; k < base->n; k++) {
			const struct overlay_run *a = &o->run[set->run[i]];
			const struct overlay_run *b = &o->run[base->run[k]];

			if (a->seed == b->seed)
				student_add(&sum, value_at(o, a, p) - value_at(o, b, p));
		}
	p->less = sum.n ? sum.mean : NAN;
	p->less_half = student_half(&sum);
	p->pairs = sum.n;
}

int overlay_means(struct overlay *o, struct err *err)
{
	bool compares = o->want.figure == OVERLAY_SLOWDOWN || o->want.figure == OVERLAY_PAUSES;
	bool any = false;

	for (unsigned k = 0; k < o->n_sets; k++) {
		struct overlay_set *set = &o->set[k];

		if (find_keys(o, set, err))
			return -ENOMEM;
		for (size_t i = 0; i < set->curve.n; i++) {
			struct overlay_point *p = &set->curve.point[i];

			find_mean(o, set, p);
			any |= isfinite(p->y);
			if (compares && set->base >= 0)
				find_difference(o, set, &o->set[set->base], p);
			else
				p->less = p->less_half = NAN;
		}
	}
	if (any)
		return 0;
	if (o->want.figure == OVERLAY_PAUSES)
		return err_set(err, -ENOENT, "none of the runs has a paused port");
	return err_set(err, -ENOENT, "none of the runs has enough messages that have ended");
}
