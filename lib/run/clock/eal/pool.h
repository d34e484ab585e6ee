// SPDX-License-Identifier: BSD-3-Clause
// The packet pool: a descriptor is the private area of its mbuf.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "scene/scene.h"
#include "wire/pkt.h"

#define EAL_BURST 64  // frames that a loop takes from a port or gives to it at once
#define EAL_LINE  64  // of cache, bytes
#define EAL_MBUF  128 // bytes of a struct rte_mbuf
#define EAL_PRIV  (sizeof(struct pkt) + sizeof(struct hdr))

struct eal_pool_size {
	uint32_t packets;
	uint16_t room;  // bytes for the frame; 0: scenes wholly in memory touch no bytes
	uint64_t bytes; // memory for all of it
};

struct rte_mbuf;
struct rte_mempool;

static inline struct pkt *eal_pkt(struct rte_mbuf *m)
{
	return (struct pkt *)((char *)m + EAL_MBUF);
}

static inline struct rte_mbuf *eal_mbuf(struct pkt *p)
{
	return (struct rte_mbuf *)((char *)p - EAL_MBUF);
}

// A driver that sends better from the pool that it receives into (net_af_xdp, which copies all
// others) has one for everything.
enum eal_pools {
	EAL_ONE_POOL,
	// Our own packets have a pool of their own. Every node is a host with a device, so no
	// foreign frame leaves by a device, and only the renderer writes into the buffers of our
	// packets.
	EAL_OWN_APART,
	// Frames of up to SCENE_SHORT bytes, and our own packets, have a pool of their own. Every
	// node is a switch, and frames may be so long that a buffer full of the shortest frames
	// would take several times the memory. Short received frames are copied into this pool.
	EAL_SHORT_APART,
};

enum eal_pools eal_pools(const struct scene *scene);
// Packets and room that the scene needs on `lcores` workers, at most `limit` bytes (then fewer
// packets).
void eal_pool_size(
	struct eal_pool_size *size, const struct scene *scene, unsigned lcores, uint64_t limit);
// Computes the size of the pool into which devices receive, if that is a pool of its own.
void eal_pool_size_devices(struct eal_pool_size *size, const struct scene *scene, unsigned lcores);
// Asks the kernel for transparent huge pages in the part of memory that consists of whole ones. If
// the kernel has none, memory stays as it is.
void eal_huge_pages(void *memory, size_t bytes);
// EAL's heap: hugepages, or what -m gave it; needed where a device masters the bus. Ordinary memory
// is mapped for the pool alone and good for everything else.
enum eal_memory { EAL_HEAP, EAL_ORDINARY };

// Makes a pool of packets. `node`: the NUMA node to take memory from, or from any if there is not
// enough; -1: any.
struct rte_mempool *eal_pool_new(const char *name, const struct eal_pool_size *size,
	enum eal_memory memory, int node, struct err *err);
