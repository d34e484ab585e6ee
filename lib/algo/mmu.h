// SPDX-License-Identifier: BSD-3-Clause
// Buffer admission: ingress accounting per port and priority group, thresholds, headroom, XOFF and
// XON.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hint.h"

#define MMU_PGS 8 // priority groups of a port; group i holds class i

enum mmu_threshold { MMU_STATIC, MMU_DYNAMIC };

// One (port, priority group).
struct mmu_pg_params {
	bool lossless;
	enum mmu_threshold threshold;
	uint64_t reserved_bytes; // own, before the shared pool
	uint64_t static_bytes; // MMU_STATIC: shared bytes at which XOFF (lossless) or drop (lossy)
	int dynamic_th; // MMU_DYNAMIC: limit = 2^n * free shared, n in -8..7 (SONiC dynamic_th)
	uint64_t headroom_bytes; // lossless: taken after XOFF
	uint64_t xon_bytes;      // resume at max(xon, limit - xon_offset)
	uint64_t xon_offset_bytes;
};

struct mmu_params {
	uint64_t buffer_bytes;
	unsigned n_ports;
	const struct mmu_pg_params *pg; // n_ports * MMU_PGS, by port, then group
	uint64_t headroom_pool_bytes;   // shared by all groups (mmu_pools); 0: each has its own
	uint64_t ingress_bytes; // reserved, shared and own headroom; 0: all but the headroom pool
};

struct mmu_pg_cfg {
	uint32_t reserved;
	uint32_t static_limit;
	uint16_t alpha; // of the free shared bytes, Q8: 2^n * 256 (dynamic), 0 (static)
	uint8_t lossless;
	uint8_t threshold;
	uint32_t headroom;
	uint32_t xon;
	uint32_t xon_offset;
};

struct mmu_cfg {
	uint64_t buffer;
	uint64_t shared_size; // buffer - all reserved - all headroom, or less (ingress_bytes)
	unsigned n_ports;
	struct mmu_pg_cfg *pg;
};

// State of a group, in one cache line: a frame touches no other line of its group. Fields that only
// a threshold needs are in mmu_cfg.pg.
struct mmu_pg {
	// copies
	uint32_t reserved;
	uint32_t static_limit;
	uint16_t alpha;
	uint8_t lossless;
	uint8_t xoff;
	uint32_t bytes;    // all that is held
	uint32_t shared;   // of these, in the shared pool
	uint32_t headroom; // of these, in headroom
	uint32_t max_bytes;
	uint32_t max_headroom;
	uint64_t own[4]; // counters of the owner, about the same frames
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct mmu_pg) == 64, "a group is one line");

struct mmu {
	const struct mmu_cfg *cfg;
	struct mmu_pg *pg; // n_ports * MMU_PGS
	uint64_t shared_used;
	uint64_t shared_size; // as in cfg
	uint64_t used;
	uint64_t max_used;
	void *mem; // memory of `pg`
};

enum mmu_verdict {
	MMU_ADMIT,
	MMU_ADMIT_XOFF,    // admitted, and the group has just reached XOFF
	MMU_DROP_SHARED,   // lossy: over its limit; or the shared pool is full
	MMU_DROP_HEADROOM, // lossless: headroom is full
	MMU_DROP_BUFFER,   // no byte left at all
	MMU_DROP_QUEUE,    // mmu_pools: over the limit of the egress queue, or its pool is full
};

// -EINVAL: XON above XOFF, n out of range, reserved and headroom over the buffer; -ENOMEM.
int mmu_cfg_init(struct mmu_cfg *cfg, const struct mmu_params *params);
void mmu_cfg_fini(struct mmu_cfg *cfg);
int mmu_init(struct mmu *m, const struct mmu_cfg *cfg);
void mmu_fini(struct mmu *m);

// The limit of shared bytes at this instant, for reports and `check`.
uint64_t mmu_limit(const struct mmu *m, unsigned port, unsigned pg);

// The steps below run for each frame: they are inline as far as a frame goes that nothing holds up.

// Static bytes, or alpha * free shared.
static inline uint64_t mmu_limit_at(const struct mmu_pg *g, uint64_t free_bytes)
{
	return g->static_limit + (free_bytes * g->alpha >> 8);
}

// Returns the shared bytes at which XON is sent: `xon`, or the limit less `xon_offset` if that is
// larger.
static inline uint64_t mmu_xon_at(uint64_t limit, uint64_t xon, uint64_t xon_offset)
{
	uint64_t below = limit > xon_offset ? limit - xon_offset : 0;

	return below > xon ? below : xon;
}

static inline const struct mmu_pg_cfg *mmu_pg_cfg(const struct mmu *m, const struct mmu_pg *g)
{
	return &m->cfg->pg[g - m->pg];
}

static inline void mmu_hold(struct mmu *m, struct mmu_pg *g, uint32_t bytes)
{
	g->bytes += bytes;
	g->max_bytes = g->bytes > g->max_bytes ? g->bytes : g->max_bytes;
	m->used += bytes;
	m->max_used = m->used > m->max_used ? m->used : m->max_used;
}

// A frame that reaches a threshold: the rest of mmu_admit.
enum mmu_verdict mmu_admit_near(struct mmu *m, struct mmu_pg *g, uint32_t bytes);

// The bytes of the shared pool that frames of `bytes` in all need.
struct mmu_want {
	uint64_t shared; // the group's with them
	uint64_t grow;   // the part that the group does not hold yet
	bool fits;       // without a threshold being reached
};

static inline struct mmu_want mmu_want(const struct mmu_pg *g, uint64_t free_bytes, uint32_t bytes)
{
	uint64_t own = (uint64_t)g->bytes - g->headroom + bytes; // in reserve and shared pool
	uint64_t shared = own > g->reserved ? own - g->reserved : 0;
	uint64_t grow = shared - g->shared;

	// If not even the limit after this frame is reached, no threshold is.
	return (struct mmu_want){shared, grow,
		grow <= free_bytes && own < g->reserved + mmu_limit_at(g, free_bytes - grow)};
}

// Several frames of `bytes` in all arrive for (port, pg). True: each of them is MMU_ADMIT, and all
// are taken. False: nothing changes; the caller admits them one by one. (With each frame limits
// fall and occupancies grow, so if the last frame passes, all have passed.)
static inline bool mmu_admit_burst(struct mmu *m, unsigned port, unsigned pg, uint32_t bytes)
{
	struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];
	struct mmu_want w = mmu_want(g, m->shared_size - m->shared_used, bytes);

	if (!w.fits)
		return false;
	g->shared = (uint32_t)w.shared;
	m->shared_used += w.grow;
	mmu_hold(m, g, bytes);
	return true;
}

// Frames of `most` bytes arrive for several groups. Returns how many of these bytes one group takes
// with no threshold reached, whatever the other groups take. The pool keeps at least what is free
// now less `most`, so limits stay above the limit at that length: the group takes its reserve, and
// of the shared pool less than this limit. If the pool is smaller, others may use it up.
static inline uint64_t mmu_room(const struct mmu *m, unsigned port, unsigned pg, uint32_t most)
{
	const struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];
	uint64_t own = (uint64_t)g->bytes - g->headroom, left = m->shared_size - m->shared_used;
	uint64_t room = own < g->reserved ? g->reserved - own : 0;
	uint64_t limit = mmu_limit_at(g, left > most ? left - most : 0);

	if (limit <= g->shared)
		room -= room > 0;
	else if (LIKELY(most <= left))
		room += limit - g->shared - 1;
	return room < most ? room : most;
}

// Whether a frame of `bytes` or more has no room but headroom.
static inline bool mmu_is_full(const struct mmu_pg *g, uint64_t free_bytes, uint32_t bytes)
{
	uint64_t own = (uint64_t)g->bytes - g->headroom + bytes;
	uint64_t shared = own > g->reserved ? own - g->reserved : 0;

	return shared > mmu_limit_at(g, free_bytes) || shared - g->shared > free_bytes;
}

// The same for frames of at least `least` bytes each. If a group in XOFF has used up its shared
// bytes, it takes the frames in its headroom.
static inline uint64_t mmu_burst_room(
	const struct mmu *m, unsigned port, unsigned pg, uint32_t least, uint32_t most)
{
	const struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];

	if (UNLIKELY(g->xoff) && mmu_is_full(g, m->shared_size - m->shared_used, least))
		return mmu_pg_cfg(m, g)->headroom - g->headroom;
	return mmu_room(m, port, pg, most);
}

// Takes frames for which there is room by mmu_burst_room.
static inline void mmu_take_burst(struct mmu *m, unsigned port, unsigned pg, uint32_t bytes)
{
	struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];

	if (LIKELY(mmu_admit_burst(m, port, pg, bytes)))
		return;
	assert(g->xoff && g->headroom + bytes <= mmu_pg_cfg(m, g)->headroom);
	g->headroom += bytes;
	g->max_headroom = g->headroom > g->max_headroom ? g->headroom : g->max_headroom;
	mmu_hold(m, g, bytes);
}

// A frame of `bytes` (len + FCS) arrives for (port, pg). On a drop nothing changes.
static inline enum mmu_verdict mmu_admit(struct mmu *m, unsigned port, unsigned pg, uint32_t bytes)
{
	if (mmu_admit_burst(m, port, pg, bytes))
		return MMU_ADMIT;
	return mmu_admit_near(m, &m->pg[port * MMU_PGS + pg], bytes);
}

// Returns whether a group in XOFF has come back to XON: the part of mmu_release() that is out of
// line.
bool mmu_resumes(struct mmu *m, struct mmu_pg *g);

// The thresholds of a group that may change while it holds frames: XOFF, or the limit of a lossy
// group, and XON. The group takes those of `to`; its bytes stay where they are.
void mmu_adopt(struct mmu *m, struct mmu_cfg *cfg, const struct mmu_cfg *to, unsigned i);
// The state of a group whose thresholds have changed: it stays, it has just reached XOFF because it
// holds as much, or it has come back to XON.
enum mmu_turn { MMU_STAYS, MMU_TO_XOFF, MMU_TO_XON };
enum mmu_turn mmu_look(struct mmu *m, unsigned i);

// How many bytes have to leave, of whatever groups, before a group in XOFF may come back to XON: no
// more than it takes.
uint64_t mmu_resumes_by(const struct mmu *m, unsigned port, unsigned pg);

// Releases frames of `bytes` in all of a group in XOFF. The caller knows that the group does not
// come back to XON by this.
static inline void mmu_leave_xoff(struct mmu *m, unsigned port, unsigned pg, uint32_t bytes)
{
	struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];
	uint32_t from_headroom = bytes < g->headroom ? bytes : g->headroom;

	assert(bytes <= g->bytes);
	g->bytes -= bytes;
	g->headroom -= from_headroom;
	m->used -= bytes;

	// Headroom first, then shared, then reserve.
	uint32_t own = g->bytes - g->headroom;
	uint32_t shared = own > g->reserved ? own - g->reserved : 0;

	m->shared_used -= g->shared - shared;
	g->shared = shared;
}

// A frame leaves, or several of `bytes` in all. True: the group has just come back to XON.
static inline bool mmu_release(struct mmu *m, unsigned port, unsigned pg, uint32_t bytes)
{
	struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];

	mmu_leave_xoff(m, port, pg, bytes);
	return g->xoff && mmu_resumes(m, g);
}
