// SPDX-License-Identifier: BSD-3-Clause
// Maps of PSNs, which queue pairs with selective repeat share.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

int nic_maps_add(struct nic *nic, const struct rc_cfg *cfg)
{
	struct irn_pool *pool = &nic->maps;
	uint32_t n = pool->n < NIC_MAPS ? pool->n + 1 : NIC_MAPS;
	size_t bytes = irn_map_bytes(cfg) > pool->bytes ? irn_map_bytes(cfg) : pool->bytes;
	void *memory;

	if (n == pool->n && bytes == pool->bytes)
		return 0;
	memory = realloc(pool->memory, n * bytes);
	if (!memory)
		return -ENOMEM;
	nic->s.has_maps = true;
	irn_pool_init(pool, memset(memory, 0, n * bytes), n, bytes);
	return 0;
}
