// SPDX-License-Identifier: BSD-3-Clause
// Links in memory: a ring that bridges two lcores, and the list in which packets wait to arrive.
#include <stdlib.h>

#include "link.h"

struct rt_ring *rt_ring_new(uint32_t slots)
{
	struct rt_ring *r;
	size_t size = sizeof(*r) + slots * sizeof(r->slot[0]);

	r = aligned_alloc(EAL_LINE, (size + EAL_LINE - 1) / EAL_LINE * EAL_LINE);
	if (!r)
		return NULL;
	*r = (struct rt_ring){.mask = slots - 1};
	return r;
}

unsigned rt_ring_put(struct rt_ring *r, struct pkt **p, unsigned n)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (r->mask + 1 - (head - r->tail_seen) < n)
		r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	if (r->mask + 1 - (head - r->tail_seen) < n)
		n = r->mask + 1 - (head - r->tail_seen);
	for (unsigned i = 0; i < n; i++)
		r->slot[(head + i) & r->mask] = p[i];
	atomic_store_explicit(&r->head, head + n, memory_order_release);
	return n;
}

unsigned rt_ring_get(struct rt_ring *r, struct pkt **p, unsigned max)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	unsigned n;

	if (r->head_seen == tail)
		r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
	n = r->head_seen - tail;
	if (n > max)
		n = max;
	if (!n)
		return 0;
	for (unsigned i = 0; i < n; i++)
		p[i] = r->slot[(tail + i) & r->mask];
	atomic_store_explicit(&r->tail, tail + n, memory_order_release);
	return n;
}

uint32_t rt_ring_count(const struct rt_ring *r)
{
	return atomic_load(&r->head) - atomic_load(&r->tail);
}

const struct pkt *rt_ring_at(const struct rt_ring *r, uint32_t i)
{
	return r->slot[(atomic_load(&r->tail) + i) & r->mask];
}

void rt_link_pull(struct rt_link *l)
{
	struct pkt *p[EAL_BURST];
	unsigned n;

	do {
		n = rt_ring_get(l->ring, p, EAL_BURST);
		for (unsigned i = 0; i < n; i++)
			rt_link_put(l, p[i]);
	} while (n == EAL_BURST);
}
