// SPDX-License-Identifier: BSD-3-Clause
// One shared pool for the admissions of several threads: what each may take of it is leased first.
//
// The pool is one number, the bytes that are leased in all. An admission leases in chunks before it
// gives bytes out, and counts what others have leased as used. So all of them together never give
// out more than the pool has, and each sees less free than there is, never more: limits that follow
// what is free fall early, and XOFF is sent early, never late.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "algo/mmu.h"

#define MMU_LEASE_PARTS 256         // of the pool: a chunk
#define MMU_LEASE_MAX   (64 * 1024) // bytes of a chunk at most

struct mmu_lease_pool {
	_Alignas(64) _Atomic uint64_t taken; // leased in all
	_Alignas(64) uint64_t size;          // shared bytes
	uint64_t chunk;
};

// The lease of one shard. The shared_used of its mmu includes the bytes that other shards have
// leased.
struct mmu_lease {
	struct mmu_lease_pool *pool;
	uint64_t bytes;  // leased
	uint64_t others; // leased by others, as counted in shared_used
	uint64_t had;    // before it went ahead
	bool ahead;
};

static inline void mmu_lease_pool_init(struct mmu_lease_pool *p, uint64_t size)
{
	p->size = size;
	p->chunk =
		size / MMU_LEASE_PARTS < MMU_LEASE_MAX ? size / MMU_LEASE_PARTS + 1 : MMU_LEASE_MAX;
	atomic_init(&p->taken, 0);
}

// The bytes of the pool that this admission itself holds.
static inline uint64_t mmu_lease_own(const struct mmu_lease *l, const struct mmu *m)
{
	return m->shared_used - l->others;
}

// All shards have leased `taken` bytes in all. The part of the other shards counts as used.
static inline void mmu_lease_see(struct mmu_lease *l, struct mmu *m, uint64_t taken)
{
	m->shared_used += taken - l->bytes - l->others;
	l->others = taken - l->bytes;
}

// Sets `others` from the bytes that all shards have leased by now.
static inline void mmu_lease_look(struct mmu_lease *l, struct mmu *m)
{
	mmu_lease_see(l, m, atomic_load_explicit(&l->pool->taken, memory_order_relaxed));
}

// Leases `bytes` more, in whole chunks, or as much as is left. Returns the bytes that all shards
// then have leased.
uint64_t mmu_lease_more(struct mmu_lease *l, uint64_t bytes);

// Gives back all unused chunks except for one, if at least two are unused. `own`: the bytes in use.
// Returns the bytes that all shards then have leased, as far as this lease knows.
uint64_t mmu_lease_less(struct mmu_lease *l, uint64_t own);

// For the files of this room only: gives back what was leased beyond `bytes`. Returns what is
// leased in all then.
#pragma GCC visibility push(hidden)
uint64_t mmu_lease_back(struct mmu_lease *l, uint64_t bytes);
#pragma GCC visibility pop

// Call it before admitting frames that take `bytes` of the pool in all. Afterwards the mmu finds
// bytes free only if they are leased, or if the lease covers more than the frames need.
static inline void mmu_lease_take(struct mmu_lease *l, struct mmu *m, uint32_t bytes)
{
	uint64_t own = mmu_lease_own(l, m);

	if (own + bytes > l->bytes)
		mmu_lease_see(l, m, mmu_lease_more(l, own + bytes - l->bytes));
	else
		mmu_lease_look(l, m);
}

// Leases `most`, the bytes that a burst may take, in one step. The free bytes then stay the same
// until mmu_lease_settle(), which gives back what the burst did not take. The lease then is as if
// the frames had come one by one. Returns the bytes that all shards then have leased.
static inline void mmu_lease_ahead(struct mmu_lease *l, struct mmu *m, uint32_t most)
{
	if (l->ahead)
		return;
	l->had = l->bytes;
	l->ahead = true;
	mmu_lease_take(l, m, most);
}

uint64_t mmu_lease_settle(struct mmu_lease *l, uint64_t own);

// Call it after frames have left: gives back unused bytes except for one chunk.
static inline void mmu_lease_give(struct mmu_lease *l, struct mmu *m)
{
	mmu_lease_see(l, m, mmu_lease_less(l, mmu_lease_own(l, m)));
}
