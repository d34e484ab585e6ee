// SPDX-License-Identifier: BSD-3-Clause
// Maps of PSNs, lent to queue pairs while packets of theirs are missing.
#include <string.h>

#include "transport/irn.h"

#define POOL_MAX 65535 // a responder has 16 bits for the number of its map

// Places for all packets in flight, in whole words.
static uint32_t places(const struct rc_cfg *cfg)
{
	uint32_t n = 64;

	while (n < cfg->p.window)
		n *= 2;
	return n;
}

size_t irn_map_bytes(const struct rc_cfg *cfg)
{
	uint32_t n = places(cfg);

	return sizeof(struct irn_map) + n / 64 * 2 * sizeof(uint64_t) + (cfg->has_imm ? n * 4 : 0);
}

void irn_pool_init(struct irn_pool *pool, void *memory, uint32_t n, size_t bytes)
{
	*pool = (struct irn_pool){
		.memory = memory, .bytes = bytes, .n = n < POOL_MAX ? n : POOL_MAX};
}

uint32_t irn_map_take(struct irn_pool *pool, const struct rc_cfg *cfg)
{
	uint32_t number = pool->free;
	struct irn_map *m;

	if (!number && pool->used < pool->n)
		number = ++pool->used;
	if (!number || irn_map_bytes(cfg) > pool->bytes) {
		pool->empty++;
		return 0;
	}
	m = irn_map_at(pool, number);
	pool->free = m->next;
	memset(m, 0, sizeof(*m));
	m->places = places(cfg);
	memset(m->bits, 0, m->places / 64 * 2 * sizeof(uint64_t));
	return number;
}

void irn_map_give(struct irn_pool *pool, uint32_t number)
{
	irn_map_at(pool, number)->next = pool->free;
	pool->free = number;
}
