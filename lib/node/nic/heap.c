// SPDX-License-Identifier: BSD-3-Clause
// Instants of numbered items: sifting in a binary heap with back references.
#include "heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int nic_heap_grow(struct nic_heap *h, uint32_t ids)
{
	struct nic_heap_slot *slot = realloc(h->slot, (ids + 1ul) * sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	h->slot = slot;

	uint32_t *pos = realloc(h->pos, (ids + 1ul) * sizeof(*pos));

	if (!pos)
		return -ENOMEM;
	h->pos = pos;
	for (; h->ids < ids; h->ids++)
		pos[h->ids] = NIC_HEAP_NONE;
	if (!h->n)
		slot[0].at = TSTAMP_NEVER;
	return 0;
}

int nic_heap_init(struct nic_heap *h, uint32_t ids)
{
	*h = (struct nic_heap){0};
	if (!nic_heap_grow(h, ids))
		return 0;
	nic_heap_fini(h);
	return -ENOMEM;
}

void nic_heap_fini(struct nic_heap *h)
{
	free(h->slot);
	free(h->pos);
	*h = (struct nic_heap){0};
}

static void put(struct nic_heap *h, uint32_t i, struct nic_heap_slot s)
{
	h->slot[i] = s;
	h->pos[s.id] = i;
}

// The order of instants, then of items.
static bool before(struct nic_heap_slot a, struct nic_heap_slot b)
{
	return a.at < b.at || (a.at == b.at && a.id < b.id);
}

static void sift_up(struct nic_heap *h, uint32_t i, struct nic_heap_slot s)
{
	while (i && before(s, h->slot[(i - 1) / 2])) {
		put(h, i, h->slot[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(h, i, s);
}

static void sift_down(struct nic_heap *h, uint32_t i, struct nic_heap_slot s)
{
	uint32_t child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && before(h->slot[child + 1], h->slot[child]))
			child++;
		if (!before(h->slot[child], s))
			break;
		put(h, i, h->slot[child]);
		i = child;
	}
	put(h, i, s);
}

static void take_out(struct nic_heap *h, uint32_t i)
{
	struct nic_heap_slot last = h->slot[--h->n];

	h->pos[h->slot[i].id] = NIC_HEAP_NONE;
	if (!h->n)
		h->slot[0].at = TSTAMP_NEVER;
	else if (i == h->n)
		return;
	else if (i && before(last, h->slot[(i - 1) / 2]))
		sift_up(h, i, last);
	else
		sift_down(h, i, last);
}

void nic_heap_move(struct nic_heap *h, uint32_t id, tstamp at)
{
	uint32_t i = h->pos[id];
	struct nic_heap_slot s = {.at = at, .id = id};

	if (at == TSTAMP_NEVER) {
		if (i != NIC_HEAP_NONE)
			take_out(h, i);
	} else if (i == NIC_HEAP_NONE) {
		sift_up(h, h->n++, s);
	} else if (before(s, h->slot[i])) {
		sift_up(h, i, s);
	} else {
		sift_down(h, i, s);
	}
}
