// SPDX-License-Identifier: BSD-3-Clause
// Instants of numbered items, in the order of instants and then of numbers: a binary heap that
// knows where each item stands, so that it can move.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

#pragma GCC visibility push(hidden)

#define NIC_HEAP_NONE UINT32_MAX

struct nic_heap_slot {
	tstamp at;
	uint32_t id;
	uint32_t resv;
};

// Written and read by its NIC only. slot[0].at is TSTAMP_NEVER while empty.
struct nic_heap {
	struct nic_heap_slot *slot;
	uint32_t *pos; // slot of an item; NIC_HEAP_NONE: not in the heap
	uint32_t n;
	uint32_t ids;
};

// Items 0..ids-1, none in the heap. 0 or -ENOMEM.
int nic_heap_init(struct nic_heap *h, uint32_t ids);
void nic_heap_fini(struct nic_heap *h);

// Makes room for items up to ids-1; what is in the heap stays. 0 or -ENOMEM.
int nic_heap_grow(struct nic_heap *h, uint32_t ids);

// nic_heap_set where other items are in the heap.
void nic_heap_move(struct nic_heap *h, uint32_t id, tstamp at);

// Puts item `id` at instant `at`, wherever it was; TSTAMP_NEVER takes it out.
static inline void nic_heap_set(struct nic_heap *h, uint32_t id, tstamp at)
{
	if (h->n != (h->pos[id] != NIC_HEAP_NONE)) {
		nic_heap_move(h, id, at);
		return;
	}
	h->slot[0] = (struct nic_heap_slot){.at = at, .id = id};
	h->n = at != TSTAMP_NEVER;
	h->pos[id] = h->n - 1; // 0 or NIC_HEAP_NONE
}

// Earliest instant, TSTAMP_NEVER if none, and its item (only where there is one).
static inline tstamp nic_heap_first(const struct nic_heap *h)
{
	return h->slot[0].at;
}

static inline uint32_t nic_heap_first_id(const struct nic_heap *h)
{
	return h->slot[0].id;
}

// Instant of one item; TSTAMP_NEVER where it is not in the heap.
static inline tstamp nic_heap_at(const struct nic_heap *h, uint32_t id)
{
	return h->pos[id] == NIC_HEAP_NONE ? TSTAMP_NEVER : h->slot[h->pos[id]].at;
}

#pragma GCC visibility pop
