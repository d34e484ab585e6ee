// SPDX-License-Identifier: BSD-3-Clause
// The packet pool: a descriptor is the private area of its mbuf.
#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "scene/scene.h"
#include "wire/pkt.h"

#pragma GCC visibility push(hidden)

#define RT_PRIV (sizeof(struct pkt) + sizeof(struct hdr))

struct rt_pool_size {
	uint32_t packets;
	uint16_t room;  // bytes for the frame; 0: scenes wholly in memory touch no bytes
	uint64_t bytes; // memory for all of it
};

static inline struct pkt *rt_pkt(struct rte_mbuf *m)
{
	return (struct pkt *)(m + 1);
}

static inline struct rte_mbuf *rt_mbuf(struct pkt *p)
{
	return (struct rte_mbuf *)p - 1;
}

// Packets and room that the scene needs on `lcores` workers, at most `limit` bytes (then fewer
// packets).
void rt_pool_size(
	struct rt_pool_size *size, const struct scene *scene, unsigned lcores, uint64_t limit);
// EAL's heap: hugepages, or what -m gave it; needed where a device masters the bus. Ordinary memory
// is mapped for the pool alone and good for everything else.
enum rt_memory { RT_HEAP, RT_ORDINARY };

struct rte_mempool *rt_pool_new(
	const char *name, const struct rt_pool_size *size, enum rt_memory memory, struct err *err);

#pragma GCC visibility pop
