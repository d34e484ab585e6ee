// SPDX-License-Identifier: BSD-3-Clause
// Bills: sums of times by queue and root, and by pair of queue and holder, in order of size.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

void tally_add(struct lineage *l, struct tally *t, uint32_t a, uint32_t b, tstamp ps)
{
	const uint32_t key[] = {a, b};
	uint32_t hash = index_hash(0, key, sizeof(key)), at = hash, i;
	struct list list = {t->sum, t->n, t->room};
	struct tally_sum *s;

	while ((i = index_next(&t->index, hash, &at)) != INDEX_NONE)
		if (t->sum[i].a == a && t->sum[i].b == b) {
			t->sum[i].ps += ps;
			return;
		}
	s = lineage_grow(l, &list, sizeof(*s));
	t->sum = list.at;
	t->room = list.room;
	if (!s || index_add(&t->index, hash, t->n)) {
		l->failed = true;
		return;
	}
	*s = (struct tally_sum){a, b, ps};
	t->n++;
}

void tally_fini(struct tally *t)
{
	free(t->sum);
	index_fini(&t->index);
	*t = (struct tally){0};
}

struct placed {
	tstamp ps;
	uint32_t number;
	bool named; // by a bill or an edge
};

static int by_time(const void *one, const void *two)
{
	const struct placed *a = one, *b = two;

	if (a->named != b->named)
		return a->named ? -1 : 1;
	if (a->ps != b->ps)
		return a->ps < b->ps ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

// Orders the roots by their time, without roots to which nothing leads. place[] has the new number
// of each old one.
static int order_roots(struct lineage *l, uint32_t *place)
{
	uint32_t n = l->roots.n;
	struct placed *order = malloc(n * sizeof(*order));
	struct lineage_root *old = malloc(n * sizeof(*old));

	if (!order || !old) {
		free(order);
		free(old);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		order[i] = (struct placed){.ps = root_at(l, i)->ps, .number = i};
		old[i] = *root_at(l, i);
	}
	for (uint32_t i = 0; i < l->bills.n; i++)
		order[l->bills.sum[i].b].named = true;
	for (uint32_t i = 0; i < l->edges.n; i++)
		if (l->edges.sum[i].b & TO_ROOT)
			order[l->edges.sum[i].b & ~TO_ROOT].named = true;
	qsort(order, n, sizeof(*order), by_time);
	l->roots.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		l->roots.n += order[i].named;
		place[order[i].number] = i;
		*root_at(l, i) = old[order[i].number];
	}
	free(order);
	free(old);
	return 0;
}

static int by_sum(const void *one, const void *two)
{
	const struct tally_sum *a = one, *b = two;

	if (a->ps != b->ps)
		return a->ps < b->ps ? 1 : -1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

int bill_finish(struct lineage *l)
{
	uint32_t *place = calloc(l->roots.n + 1ul, sizeof(*place));
	int ret = place ? order_roots(l, place) : -ENOMEM;

	l->bill = calloc(l->bills.n + 1ul, sizeof(*l->bill));
	l->edge = calloc(l->edges.n + 1ul, sizeof(*l->edge));
	if (ret || !l->bill || !l->edge) {
		free(place);
		l->bills.n = l->edges.n = 0;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < l->bills.n; i++)
		l->bills.sum[i].b = place[l->bills.sum[i].b];
	for (uint32_t i = 0; i < l->edges.n; i++)
		if (l->edges.sum[i].b & TO_ROOT)
			l->edges.sum[i].b = place[l->edges.sum[i].b & ~TO_ROOT] | TO_ROOT;
	for (uint32_t i = 0; i < l->parts.n; i++) {
		struct lineage_part *p = (struct lineage_part *)l->parts.at + i;

		if (p->root != LINEAGE_NONE)
			p->root = place[p->root];
	}
	free(place);
	if (l->bills.n)
		qsort(l->bills.sum, l->bills.n, sizeof(*l->bills.sum), by_sum);
	if (l->edges.n)
		qsort(l->edges.sum, l->edges.n, sizeof(*l->edges.sum), by_sum);
	for (uint32_t i = 0; i < l->bills.n; i++) {
		const struct tally_sum *s = &l->bills.sum[i];

		l->bill[i] = (struct lineage_bill){s->a, s->b, s->ps};
	}
	for (uint32_t i = 0; i < l->edges.n; i++) {
		const struct tally_sum *s = &l->edges.sum[i];
		bool root = s->b & TO_ROOT;

		l->edge[i] = (struct lineage_edge){
			.queue = s->a,
			.to = root ? LINEAGE_NONE : s->b,
			.root = root ? s->b & ~TO_ROOT : LINEAGE_NONE,
			.ps = s->ps,
		};
	}
	return 0;
}
