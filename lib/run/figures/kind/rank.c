// SPDX-License-Identifier: BSD-3-Clause
// The first objects of an order: a heap of the first ones so far, whose root is the last of them.
#include <errno.h>
#include <stdlib.h>

#include "kind.h"

struct entry {
	double key;
	unsigned number;
};

struct first {
	struct entry *entry;
	unsigned n, room;
};

static bool is_behind(const struct entry *a, const struct entry *b)
{
	return a->key != b->key ? a->key > b->key : a->number > b->number;
}

static void sift_up(struct first *f, struct entry e)
{
	unsigned i = f->n++;

	for (; i && is_behind(&e, &f->entry[(i - 1) / 2]); i = (i - 1) / 2)
		f->entry[i] = f->entry[(i - 1) / 2];
	f->entry[i] = e;
}

// The root gives way.
static void sift_down(struct first *f, struct entry e)
{
	unsigned i = 0;

	for (unsigned k; (k = 2 * i + 1) < f->n; i = k) {
		if (k + 1 < f->n && is_behind(&f->entry[k + 1], &f->entry[k]))
			k++;
		if (!is_behind(&f->entry[k], &e))
			break;
		f->entry[i] = f->entry[k];
	}
	f->entry[i] = e;
}

static void find_first(struct first *f, const struct set *set, const struct rank_order *order)
{
	f->n = 0;
	for (unsigned i = 0; i < set->n; i++) {
		struct entry e = {order->key(set_at(set, i)), i};

		if (order->some && e.key == 0)
			continue;
		if (f->n < f->room)
			sift_up(f, e);
		else if (is_behind(&f->entry[0], &e))
			sift_down(f, e);
	}
}

static void list_for(struct rank *r, const char *order)
{
	size_t n = strlen(r->orders);

	snprintf(r->orders + n, sizeof(r->orders) - n, "%s%s", n ? ", " : "", order);
	r->listed_for = r->orders;
	r->listed = r->ranked = true;
}

int rank_list(const struct set *set, size_t at, unsigned n, const struct rank_order *order,
	unsigned orders)
{
	struct first f = {.room = n < set->n ? n : set->n};

	if (!f.room)
		return 0;
	f.entry = calloc(f.room, sizeof(*f.entry));
	if (!f.entry)
		return -ENOMEM;
	for (unsigned k = 0; k < orders; k++) {
		find_first(&f, set, &order[k]);
		for (unsigned i = 0; i < f.n; i++)
			list_for((struct rank *)((char *)set_at(set, f.entry[i].number) + at),
				order[k].name);
	}
	free(f.entry);
	return 0;
}
