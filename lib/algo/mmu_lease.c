// SPDX-License-Identifier: BSD-3-Clause
// Leases of a shared pool: chunks that are taken and given back.
#include "algo/mmu_lease.h"

// Only the number is shared, and no other memory depends on it, so relaxed order is enough.
uint64_t mmu_lease_more(struct mmu_lease *l, uint64_t bytes)
{
	struct mmu_lease_pool *p = l->pool;
	uint64_t taken = atomic_load_explicit(&p->taken, memory_order_relaxed), more;

	bytes = (bytes + p->chunk - 1) / p->chunk * p->chunk;
	do {
		more = bytes < p->size - taken ? bytes : p->size - taken;
	} while (more && !atomic_compare_exchange_weak_explicit(&p->taken, &taken, taken + more,
				 memory_order_relaxed, memory_order_relaxed));
	l->bytes += more;
	return taken + more;
}

uint64_t mmu_lease_back(struct mmu_lease *l, uint64_t bytes)
{
	uint64_t spare = l->bytes - bytes;

	if (!spare)
		return l->bytes + l->others;
	l->bytes = bytes;
	return atomic_fetch_sub_explicit(&l->pool->taken, spare, memory_order_relaxed) - spare;
}

uint64_t mmu_lease_less(struct mmu_lease *l, uint64_t own)
{
	uint64_t chunk = l->pool->chunk, spare = l->bytes - own;

	if (spare < 2 * chunk)
		return l->bytes + l->others;
	return mmu_lease_back(l, l->bytes - (spare / chunk - 1) * chunk);
}

uint64_t mmu_lease_settle(struct mmu_lease *l, uint64_t own)
{
	uint64_t chunk = l->pool->chunk, more = own > l->had ? own - l->had : 0, to;

	to = l->had + (more + chunk - 1) / chunk * chunk;
	l->ahead = false;
	return mmu_lease_back(l, to < l->bytes ? to : l->bytes);
}
