// SPDX-License-Identifier: BSD-3-Clause
// The buffer's two sides: groups on the way in, egress queues on the way out, pools, cells,
// watermarks.
//
// Several shards of a switch may share a buffer (docs/algo/shards.md). Each shard's admission then
// has the groups and the queues of its own ports, and a frame may enter a group here and a queue
// there. A shard leases bytes of a shared pool before it uses them (mmu_lease.h).
#pragma once

#include "algo/mmu.h"
#include "algo/mmu_lease.h"

// Every frame is held once by its group and once by its egress queue. The pools are SONiC's: one
// for ingress, two for egress, and headroom that all groups share, if it is given.
enum mmu_pool { MMU_INGRESS, MMU_EGRESS_LOSSLESS, MMU_EGRESS_LOSSY, MMU_HEADROOM, MMU_POOLS };

// One (port, egress queue).
struct mmu_queue_params {
	bool lossless; // which of the egress pools
	bool one_pool; // there is one egress pool, which counts as the lossless one
	bool limited;  // else it may take all of its pool
	enum mmu_threshold threshold;
	uint64_t reserved_bytes; // own, before the pool
	uint64_t static_bytes;   // MMU_STATIC: shared bytes above which frames are dropped
	int dynamic_th;          // MMU_DYNAMIC: limit = 2^n * free shared of its pool
};

// The egress pool of a queue: 0 the lossless one, 1 the lossy one.
static inline unsigned mmu_queue_pool(const struct mmu_queue_params *q)
{
	return !q->lossless && !q->one_pool;
}

struct mmu_pools_params {
	const struct mmu_queue_params *queue; // n_ports * MMU_PGS, by port, then queue
	uint32_t cell_bytes;                  // frames take whole cells, 1..16384; 1: bytes
	uint64_t egress_bytes[2];             // pools, lossless and lossy; 0: the buffer's size
	// The switch is cut into shards, and this is the admission of one shard. It has
	// `headroom_bytes` of the headroom pool. Its lossless queues refuse no frame: the scenario
	// was checked for sizes with which they cannot be full.
	bool cut;
	uint64_t headroom_bytes;
};

// A queue's share of its pool: reserve, then limit = fixed + (free * alpha >> 8), one term being 0.
struct mmu_queue_cfg {
	uint32_t reserved;
	uint32_t fixed;
	uint16_t alpha; // Q8
	uint8_t pool;   // enum mmu_pool
	bool takes_all; // it is never full, whatever the groups hold: no check
};

struct mmu_pools_cfg {
	const struct mmu_cfg *mmu;
	uint32_t cell;
	uint64_t cell_inverse;    // 2^32 / cell, rounded up
	uint64_t size[MMU_POOLS]; // shared bytes; MMU_HEADROOM 0: each group has its own
	struct mmu_queue_cfg *queue;
};

struct mmu_queue {
	uint32_t bytes;
	uint32_t shared; // of these, in its pool
	uint32_t max_bytes;
	uint32_t max_shared;
};

struct mmu_pools {
	const struct mmu_pools_cfg *cfg;
	struct mmu *m;                                 // its groups, its sums: kept here too
	struct mmu_queue *queue;                       // n_ports * MMU_PGS
	uint32_t *pg_max_shared;                       // n_ports * MMU_PGS
	uint64_t used[MMU_POOLS], max_used[MMU_POOLS]; // shared bytes; ingress: as m->shared_used,
						       // but for what others have leased
	// lease[i].pool NULL: all of size[i] belongs to this admission, which leases nothing then.
	struct mmu_lease lease[MMU_POOLS];
};

// Compiles the parameters. `mmu` must be compiled from `mp`. -EINVAL: a cell size or n is out of
// range, or reserved bytes exceed their pool; -ENOMEM.
int mmu_pools_cfg_init(struct mmu_pools_cfg *cfg, const struct mmu_pools_params *params,
	const struct mmu_cfg *mmu, const struct mmu_params *mp);
void mmu_pools_cfg_fini(struct mmu_pools_cfg *cfg);
int mmu_pools_init(struct mmu_pools *s, const struct mmu_pools_cfg *cfg, struct mmu *m);
void mmu_pools_fini(struct mmu_pools *s);

// A frame of `bytes` (len + FCS, up to 16384) enters group (port, pg) and, at once, queue (out,
// queue). Instead of mmu_admit, never mixed with it. On a drop nothing changes; what the queue
// refuses, the group is not asked for.
enum mmu_verdict mmu_enter(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out,
	unsigned queue, uint32_t bytes);

// Returns how many bytes of a burst one group, or one queue, can take without reaching a threshold,
// wherever the other frames go. `most`: bytes of all frames of the burst. `least`: bytes of its
// smallest frame. With cells, give sizes from mmu_cells(). In a pool that is leased this leases
// `most` bytes, and mmu_settle() must follow.
uint64_t mmu_group_room(
	struct mmu_pools *s, unsigned port, unsigned pg, uint32_t least, uint32_t most);
uint64_t mmu_queue_room(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t most);
// They enter, as far as there is room.
void mmu_take_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes);
void mmu_take_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes);
// All frames of the burst have entered: gives back the leased bytes that they did not need.
void mmu_settle(struct mmu_pools *s);

// A frame leaves, or several of `bytes` in all (with cells, from mmu_cells()). Returns true if the
// group has just come back to XON. `asks`: this may be the case; false: the caller knows that it is
// not.
bool mmu_leave_burst(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes, bool asks);
bool mmu_leave(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes);

// For one side only, if another shard has the other side. Sizes are whole cells (mmu_cells()). If
// the queue refuses the frame, the drop is MMU_DROP_QUEUE.
enum mmu_verdict mmu_enter_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes);
// Whether a group has room for a frame of `bytes` without its headroom.
bool mmu_group_has_room(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes);
bool mmu_enter_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes);
bool mmu_leave_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes); // XON
void mmu_leave_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes);

// As mmu_look().
enum mmu_turn mmu_look_group(struct mmu_pools *s, unsigned i);

// The limit of an egress queue's shared bytes at this instant.
uint64_t mmu_queue_limit(const struct mmu_pools *s, unsigned port, unsigned queue);

// Bytes of the whole cells that a frame takes: floor(n / cell) = n * ceil(2^32 / cell) >> 32,
// exact while n * cell < 2^32.
static inline uint32_t mmu_cells(const struct mmu_pools_cfg *c, uint32_t bytes)
{
	return (uint32_t)((bytes + c->cell - 1) * c->cell_inverse >> 32) * c->cell;
}
