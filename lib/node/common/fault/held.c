// SPDX-License-Identifier: BSD-3-Clause
// Held frames: a heap by instant, and the lines of frames that wait for later ones.
#include "held.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int holds_init(struct holds *h, uint32_t n)
{
	*h = (struct holds){.room = n};
	h->held = calloc(n ? n : 1, sizeof(*h->held));
	h->heap = calloc(n ? n : 1, sizeof(struct held *));
	if (!h->held || !h->heap) {
		holds_fini(h);
		return -ENOMEM;
	}
	for (uint32_t i = n; i-- > 0;) {
		h->held[i].next = h->free;
		h->free = &h->held[i];
	}
	return 0;
}

void holds_fini(struct holds *h)
{
	free(h->held);
	free(h->heap);
	*h = (struct holds){0};
}

static bool is_before(const struct held *a, const struct held *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void heap_place(struct holds *h, struct held *it, uint32_t place)
{
	h->heap[place] = it;
	it->place = place;
}

// Puts `it` where its instant belongs, from a place on that is free.
static void heap_sift(struct holds *h, struct held *it, uint32_t place)
{
	while (place && is_before(it, h->heap[(place - 1) / 2])) {
		heap_place(h, h->heap[(place - 1) / 2], place);
		place = (place - 1) / 2;
	}
	for (uint32_t child; (child = 2 * place + 1) < h->n; place = child) {
		if (child + 1 < h->n && is_before(h->heap[child + 1], h->heap[child]))
			child++;
		if (!is_before(h->heap[child], it))
			break;
		heap_place(h, h->heap[child], place);
	}
	heap_place(h, it, place);
}

static void line_put(struct line *l, struct held *it)
{
	it->line = l;
	it->next = NULL;
	it->prev = l->last;
	if (l->last)
		l->last->next = it;
	else
		l->first = it;
	l->last = it;
}

static void line_take(struct held *it)
{
	struct line *l = it->line;

	if (it->prev)
		it->prev->next = it->next;
	else
		l->first = it->next;
	if (it->next)
		it->next->prev = it->prev;
	else
		l->last = it->prev;
	it->line = NULL;
}

void holds_put(struct holds *h, const struct held *of, struct line *line)
{
	struct held *it = h->free;

	assert(h->n < h->room);
	h->free = it->next;
	*it = *of;
	it->line = NULL;
	if (!it->order)
		it->order = ++h->order;
	if (line)
		line_put(line, it);
	heap_sift(h, it, h->n++);
}

struct held holds_take(struct holds *h, struct held *it)
{
	struct held was = *it, *last = h->heap[--h->n];

	if (it->line)
		line_take(it);
	if (last != it)
		heap_sift(h, last, it->place);
	it->next = h->free;
	h->free = it;
	return was;
}

void holds_move(struct holds *h, struct held *it, tstamp at)
{
	if (it->line)
		line_take(it);
	it->behind = 0;
	it->at = at;
	heap_sift(h, it, it->place);
}
