// SPDX-License-Identifier: BSD-3-Clause
// Links in memory, and rings that carry packets from one lcore to another.
#pragma once

#include <stdint.h>
#include <stdatomic.h>

#include "wire/pkt.h"
#include "eal/eal.h"
#include "limits.h"

#pragma GCC visibility push(hidden)

// Single producer, single consumer: packets that cross from one lcore to another.
struct rt_ring {
	_Alignas(EAL_LINE) _Atomic uint32_t head; // written by the sender
	uint32_t tail_seen;
	_Alignas(EAL_LINE) _Atomic uint32_t tail; // written by the receiver
	uint32_t head_seen;
	_Alignas(EAL_LINE) uint32_t mask;
	struct pkt *slot[];
};

// One direction of a link, kept at its receiver. Packets stand in order of arrival with p->when
// set. The list belongs to the receiving lcore and has no limit; the ring only carries packets from
// one lcore to the other.
struct rt_link {
	struct pkt *head;
	struct pkt *tail;
	uint32_t n;
	struct rt_ring *ring; // NULL: both ends on one lcore
};

struct rt_ring *rt_ring_new(uint32_t slots); // a power of two; NULL: no memory
unsigned rt_ring_put(struct rt_ring *r, struct pkt **p, unsigned n);
unsigned rt_ring_get(struct rt_ring *r, struct pkt **p, unsigned max);
uint32_t rt_ring_count(const struct rt_ring *r); // exact only while both ends stand still
// The i-th from the oldest, while both ends stand still.
const struct pkt *rt_ring_at(const struct rt_ring *r, uint32_t i);

static inline void rt_link_put(struct rt_link *l, struct pkt *p)
{
	p->next = NULL;
	if (l->head)
		l->tail->next = p;
	else
		l->head = p;
	l->tail = p;
	l->n++;
}

// Takes what has arrived by `now`, at most `max`.
static inline unsigned rt_link_get(struct rt_link *l, struct pkt **out, unsigned max, tstamp now)
{
	struct pkt *p = l->head;
	unsigned n = 0;

	while (p && p->when <= now && n < max) {
		out[n++] = p;
		p = p->next;
	}
	l->head = p;
	l->n -= n;
	return n;
}

static inline tstamp rt_link_next(const struct rt_link *l)
{
	return l->head ? l->head->when : TSTAMP_NEVER;
}

// Moves what the ring holds to the list.
void rt_link_pull(struct rt_link *l);

#pragma GCC visibility pop
