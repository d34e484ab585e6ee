// SPDX-License-Identifier: BSD-3-Clause
// Rings of messages: a requester has one while it has messages. Where there are fewer rings than
// requesters, these take turns. And the memory for maps of PSNs, which queue pairs with selective
// repeat share.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define MAPS_FIRST 16 // maps of a NIC at first; their number doubles up to NIC_MAPS

static struct nic_ring_pool *pool_of(struct nic *nic, const struct nic_qp *qp)
{
	return &nic->ring[nic_kind(nic, qp->req.kind)->ring_size];
}

int nic_ring_add(struct nic *nic, unsigned size)
{
	struct nic_ring_pool *p = &nic->ring[size];
	uint32_t bytes = (uint32_t)sizeof(struct rc_message) << size;

	if (p->rings.n && nic->ring_bytes + bytes > nic->p.ring_bytes)
		return 0; // it takes turns with the others
	p->rings.size = bytes;
	p->rings.least = nic->req.least;
	if (!nic_slab_get(&p->rings))
		return -ENOMEM;
	nic->ring_bytes += bytes;
	return 0;
}

void nic_ring_fini(struct nic *nic)
{
	for (unsigned i = 0; i < NIC_RING_SIZES; i++)
		nic_slab_fini(&nic->ring[i].rings);
}

static struct rc_message *take(struct nic_ring_pool *p)
{
	struct rc_message *ring = p->free;

	if (ring)
		memcpy(&p->free, (const void *)ring, sizeof(p->free));
	else if (p->lent < p->rings.n)
		ring = nic_slab_at(&p->rings, p->lent++);
	return ring;
}

static void lend(struct nic *nic, struct nic_ring_pool *p, struct nic_qp *qp)
{
	rc_tx_lend(&qp->req.tx, take(p), 1u << nic_kind(nic, qp->req.kind)->ring_size);
}

static void wait(struct nic *nic, struct nic_ring_pool *p, struct nic_qp *qp)
{
	if (qp->wants_ring)
		return;
	qp->wants_ring = true;
	nic->n_wanting++;
	nic_use(&qp->req)->next_wanting = NULL;
	if (p->head)
		nic_use(&p->tail->req)->next_wanting = qp;
	else
		p->head = qp;
	p->tail = qp;
}

bool nic_ring_take(struct nic *nic, struct nic_qp *qp)
{
	struct nic_ring_pool *p = pool_of(nic, qp);

	if (nic_wait_holds(nic, qp))
		return false;
	if (qp->req.tx.room)
		return !p->head || !qp->req.tx.messages;
	if (p->head || (!p->free && p->lent == p->rings.n)) {
		wait(nic, p, qp);
		return false;
	}
	lend(nic, p, qp);
	return true;
}

// Gives free rings to the requesters that have waited longest, except for those that were stopped
// since then. A requester that has nothing to post gives its ring back at once.
static void deal(struct nic *nic, struct nic_ring_pool *p, tstamp now)
{
	if (p->dealt)
		return;
	p->dealt = true;
	while (p->free && p->head) {
		struct nic_qp *qp = p->head;

		p->head = nic_use(&qp->req)->next_wanting;
		qp->wants_ring = false;
		nic->n_wanting--;
		if (!qp->running)
			continue;
		lend(nic, p, qp);
		nic_req_post(nic, qp, now);
	}
	p->dealt = false;
}

void nic_ring_put(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_ring_pool *p = pool_of(nic, qp);
	struct rc_message *ring = rc_tx_unlend(&qp->req.tx);

	if (!ring)
		return;
	memcpy((void *)ring, &p->free, sizeof(p->free));
	p->free = ring;
	if (p->head)
		deal(nic, p, now);
}

void nic_ring_pass(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_ring_pool *p = pool_of(nic, qp);

	if (qp->req.tx.messages)
		return;
	nic_wait_pass(nic, qp, now);
	if (!p->head)
		return;
	if (qp->running && !qp->wants_place)
		wait(nic, p, qp);
	nic_ring_put(nic, qp, now);
}

int nic_maps_add(struct nic *nic, const struct rc_cfg *cfg)
{
	struct irn_pool *pool = &nic->maps;
	uint32_t n = pool->n;
	size_t bytes = irn_map_bytes(cfg) > pool->bytes ? irn_map_bytes(cfg) : pool->bytes;
	void *memory;

	if (++nic->n_repair > n && n < NIC_MAPS)
		n = n ? 2 * n : MAPS_FIRST;
	if (n == pool->n && bytes == pool->bytes)
		return 0;
	memory = realloc(pool->memory, n * bytes);
	if (!memory)
		return -ENOMEM;
	nic->s.has_maps = true;
	irn_pool_init(pool, memset(memory, 0, n * bytes), n, bytes);
	return 0;
}
