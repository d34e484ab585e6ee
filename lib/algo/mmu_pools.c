// SPDX-License-Identifier: BSD-3-Clause
// The buffer's two sides: takes the bytes of a frame, in whole cells, from group, queue and pools.
#include "algo/mmu_pools.h"

#include "base/hint.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELL_MAX 16384

static int queue_compile(struct mmu_queue_cfg *to, const struct mmu_queue_params *p)
{
	bool dynamic = p->limited && p->threshold == MMU_DYNAMIC;
	uint64_t fixed = p->limited ? p->static_bytes : UINT32_MAX;

	if (p->reserved_bytes > UINT32_MAX ||
		(dynamic ? p->dynamic_th < -8 || p->dynamic_th > 7 : fixed > UINT32_MAX))
		return -EINVAL;
	*to = (struct mmu_queue_cfg){
		.reserved = (uint32_t)p->reserved_bytes,
		.fixed = dynamic ? 0 : (uint32_t)fixed,
		.alpha = dynamic ? (uint16_t)(1u << (8 + p->dynamic_th)) : 0, // 2^n
		.pool = (uint8_t)(MMU_EGRESS_LOSSLESS + mmu_queue_pool(p)),
	};
	return 0;
}

static int queues_compile(
	struct mmu_pools_cfg *cfg, const struct mmu_pools_params *params, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct mmu_queue_cfg *q = &cfg->queue[i];

		if (queue_compile(q, &params->queue[i]) || q->reserved > cfg->size[q->pool])
			return -EINVAL;
		cfg->size[q->pool] -= q->reserved;
		q->takes_all =
			params->cut && params->queue[i].lossless && !params->queue[i].one_pool;
	}
	return 0;
}

int mmu_pools_cfg_init(struct mmu_pools_cfg *cfg, const struct mmu_pools_params *params,
	const struct mmu_cfg *mmu, const struct mmu_params *mp)
{
	struct mmu_pools_cfg c = {.mmu = mmu, .cell = params->cell_bytes};
	unsigned n = mp->n_ports * MMU_PGS;

	if (!c.cell || c.cell > CELL_MAX)
		return -EINVAL;
	c.cell_inverse = ((1ull << 32) + c.cell - 1) / c.cell;
	c.size[MMU_INGRESS] = mmu->shared_size;
	c.size[MMU_HEADROOM] = params->cut ? params->headroom_bytes : mp->headroom_pool_bytes;
	for (unsigned i = 0; i < 2; i++)
		c.size[MMU_EGRESS_LOSSLESS + i] =
			params->egress_bytes[i] ? params->egress_bytes[i] : mmu->buffer;
	c.queue = calloc(n, sizeof(*c.queue));

	int rc = c.queue ? queues_compile(&c, params, n) : -ENOMEM;

	if (rc)
		mmu_pools_cfg_fini(&c);
	else
		*cfg = c;
	return rc;
}

void mmu_pools_cfg_fini(struct mmu_pools_cfg *cfg)
{
	free(cfg->queue);
	cfg->queue = NULL;
}

int mmu_pools_init(struct mmu_pools *s, const struct mmu_pools_cfg *cfg, struct mmu *m)
{
	unsigned n = cfg->mmu->n_ports * MMU_PGS;

	*s = (struct mmu_pools){.cfg = cfg, .m = m};
	s->queue = calloc(n, sizeof(*s->queue));
	s->pg_max_shared = calloc(n, sizeof(*s->pg_max_shared));
	if (s->queue && s->pg_max_shared)
		return 0;
	mmu_pools_fini(s);
	return -ENOMEM;
}

void mmu_pools_fini(struct mmu_pools *s)
{
	free(s->queue);
	free(s->pg_max_shared);
	s->queue = NULL;
	s->pg_max_shared = NULL;
}

// The free bytes of a pool. Bytes that others have leased count as used.
static uint64_t free_of(const struct mmu_pools *s, unsigned pool)
{
	return s->cfg->size[pool] - s->used[pool] - s->lease[pool].others;
}

// The bytes in the pool of a group or queue that holds `own` besides headroom.
static uint64_t shared_of(uint32_t reserved, uint64_t own)
{
	return own > reserved ? own - reserved : 0;
}

static uint64_t queue_limit(const struct mmu_queue_cfg *c, uint64_t free_bytes)
{
	return c->fixed + (free_bytes * c->alpha >> 8);
}

static void take_pool(struct mmu_pools *s, unsigned pool, uint64_t bytes)
{
	s->used[pool] += bytes;
	if (s->used[pool] > s->max_used[pool])
		s->max_used[pool] = s->used[pool];
}

static void keep_max(uint32_t *max, uint32_t to)
{
	*max = to > *max ? to : *max;
}

// Returns whether a pool is leased; only a shard of a cut switch leases. The code of leases is out
// of line, behind this one branch.
INLINE bool is_leased(const struct mmu_pools *s, unsigned pool)
{
	return UNLIKELY(s->lease[pool].pool != NULL);
}

// Notes the bytes that all shards together have leased of a pool. The part of the other shards
// counts as used. Groups read this from the mmu's own sum.
static void see_lease(struct mmu_pools *s, unsigned pool, uint64_t taken)
{
	s->lease[pool].others = taken - s->lease[pool].bytes;
	if (pool == MMU_INGRESS)
		s->m->shared_used = s->used[pool] + s->lease[pool].others;
}

// Reads how much of a pool all shards have leased by now.
ASIDE void look_at(struct mmu_pools *s, unsigned pool)
{
	see_lease(s, pool, atomic_load_explicit(&s->lease[pool].pool->taken, memory_order_relaxed));
}

INLINE void look(struct mmu_pools *s, unsigned pool)
{
	if (is_leased(s, pool))
		look_at(s, pool);
}

// Leases room for `bytes` more. Then the free bytes are leased, or more is leased than they need.
ASIDE void lease(struct mmu_pools *s, unsigned pool, uint64_t bytes)
{
	struct mmu_lease *l = &s->lease[pool];
	uint64_t need = s->used[pool] + bytes;

	if (need > l->bytes)
		see_lease(s, pool, mmu_lease_more(l, need - l->bytes));
}

// Frames have left, or were not taken: gives back unused bytes, but for a chunk.
ASIDE void lease_less(struct mmu_pools *s, unsigned pool)
{
	see_lease(s, pool, mmu_lease_less(&s->lease[pool], s->used[pool]));
}

INLINE void give_back(struct mmu_pools *s, unsigned pool)
{
	if (is_leased(s, pool))
		lease_less(s, pool);
}

// Returns whether there is headroom for `bytes`: within the group's own limit and, if groups share
// a headroom pool, within the pool.
static bool has_headroom(const struct mmu_pools *s, const struct mmu_pg *g, uint32_t bytes)
{
	if ((uint64_t)g->headroom + bytes > mmu_pg_cfg(s->m, g)->headroom)
		return false;
	return !s->cfg->size[MMU_HEADROOM] || bytes <= free_of(s, MMU_HEADROOM);
}

// The group's side; `i` is its index. Like mmu_admit(); `bytes` are of whole cells.
static enum mmu_verdict enter_group(struct mmu_pools *s, unsigned i, uint32_t bytes)
{
	struct mmu_pg *g = &s->m->pg[i];
	uint64_t own = (uint64_t)g->bytes - g->headroom + bytes;
	uint64_t shared = shared_of(g->reserved, own), left = free_of(s, MMU_INGRESS);

	if (is_leased(s, MMU_INGRESS)) {
		look(s, MMU_INGRESS);
		if (!mmu_is_full(g, free_of(s, MMU_INGRESS), bytes))
			lease(s, MMU_INGRESS, shared - g->shared);
		left = free_of(s, MMU_INGRESS);
	}
	if (shared > mmu_limit_at(g, left) || shared - g->shared > left) {
		if (!g->lossless || !has_headroom(s, g, bytes)) {
			if (s->m->used + bytes > s->m->cfg->buffer)
				return MMU_DROP_BUFFER;
			return g->lossless ? MMU_DROP_HEADROOM : MMU_DROP_SHARED;
		}
		g->headroom += bytes;
		keep_max(&g->max_headroom, g->headroom);
		take_pool(s, MMU_HEADROOM, bytes);
	} else {
		take_pool(s, MMU_INGRESS, shared - g->shared);
		s->m->shared_used += shared - g->shared;
		g->shared = (uint32_t)shared;
		keep_max(&s->pg_max_shared[i], g->shared);
	}
	mmu_hold(s->m, g, bytes);
	// XOFF in headroom, or once reserve and limit are reached; the limit is that after this
	// frame.
	if (!g->lossless || g->xoff ||
		(!g->headroom && own < g->reserved + mmu_limit_at(g, free_of(s, MMU_INGRESS))))
		return MMU_ADMIT;
	g->xoff = 1;
	return MMU_ADMIT_XOFF;
}

// The bytes of its pool that a queue holds with `bytes` more.
INLINE uint64_t queue_shared(
	const struct mmu_queue_cfg *c, const struct mmu_queue *q, uint32_t bytes)
{
	return shared_of(c->reserved, (uint64_t)q->bytes + bytes);
}

// Whether a queue takes a frame.
INLINE bool queue_has_room(const struct mmu_pools *s, const struct mmu_queue_cfg *c,
	const struct mmu_queue *q, uint32_t bytes)
{
	uint64_t shared = queue_shared(c, q, bytes), grow = shared - q->shared;
	uint64_t left = free_of(s, c->pool);

	return grow <= left && shared <= queue_limit(c, left);
}

// Returns whether a queue takes a frame where shards lease from its pool. If there seems to be
// room, it leases the bytes and looks again, because other shards lease at the same time.
ASIDE bool leased_queue_takes(struct mmu_pools *s, const struct mmu_queue_cfg *c,
	const struct mmu_queue *q, uint32_t bytes)
{
	look(s, c->pool);
	if (!queue_has_room(s, c, q, bytes))
		return false;
	lease(s, c->pool, queue_shared(c, q, bytes) - q->shared);
	return queue_has_room(s, c, q, bytes);
}

INLINE bool queue_takes(struct mmu_pools *s, const struct mmu_queue_cfg *c,
	const struct mmu_queue *q, uint32_t bytes)
{
	if (UNLIKELY(c->takes_all))
		return true;
	if (is_leased(s, c->pool))
		return leased_queue_takes(s, c, q, bytes);
	return queue_has_room(s, c, q, bytes);
}

INLINE void join_queue(
	struct mmu_pools *s, const struct mmu_queue_cfg *c, struct mmu_queue *q, uint32_t bytes)
{
	uint64_t shared = queue_shared(c, q, bytes);

	take_pool(s, c->pool, shared - q->shared);
	q->bytes += bytes;
	q->shared = (uint32_t)shared;
	keep_max(&q->max_bytes, q->bytes);
	keep_max(&q->max_shared, q->shared);
}

// Gives the lease for a frame that its group has refused back, to the byte.
INLINE void unlease(struct mmu_pools *s, unsigned pool, uint64_t to)
{
	if (is_leased(s, pool))
		see_lease(s, pool, mmu_lease_back(&s->lease[pool], to));
}

enum mmu_verdict mmu_enter(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out,
	unsigned queue, uint32_t bytes)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[out * MMU_PGS + queue];
	struct mmu_queue *q = &s->queue[out * MMU_PGS + queue];
	uint64_t leased = s->lease[c->pool].bytes;
	enum mmu_verdict v;

	bytes = mmu_cells(s->cfg, bytes);
	if (!queue_takes(s, c, q, bytes)) {
		unlease(s, c->pool, leased);
		return MMU_DROP_QUEUE;
	}
	v = enter_group(s, port * MMU_PGS + pg, bytes);
	if (v > MMU_ADMIT_XOFF)
		unlease(s, c->pool, leased);
	else
		join_queue(s, c, q, bytes);
	return v;
}

bool mmu_group_has_room(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes)
{
	const struct mmu_pg *g = &s->m->pg[port * MMU_PGS + pg];

	look(s, MMU_INGRESS);
	return !mmu_is_full(g, free_of(s, MMU_INGRESS), mmu_cells(s->cfg, bytes));
}

enum mmu_verdict mmu_enter_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes)
{
	return enter_group(s, port * MMU_PGS + pg, bytes);
}

bool mmu_enter_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[out * MMU_PGS + queue];
	struct mmu_queue *q = &s->queue[out * MMU_PGS + queue];
	uint64_t leased = s->lease[c->pool].bytes;
	bool takes = queue_takes(s, c, q, bytes);

	if (takes)
		join_queue(s, c, q, bytes);
	else
		unlease(s, c->pool, leased);
	return takes;
}

// As mmu_lease_ahead.
static void ahead(struct mmu_pools *s, unsigned pool, uint32_t most)
{
	struct mmu_lease *l = &s->lease[pool];

	if (l->ahead)
		return;
	l->had = l->bytes;
	l->ahead = true;
	look(s, pool);
	lease(s, pool, most);
}

uint64_t mmu_group_room(
	struct mmu_pools *s, unsigned port, unsigned pg, uint32_t least, uint32_t most)
{
	const struct mmu_pg *g = &s->m->pg[port * MMU_PGS + pg];

	if (is_leased(s, MMU_INGRESS))
		ahead(s, MMU_INGRESS, most);
	if (UNLIKELY(g->xoff) && s->cfg->size[MMU_HEADROOM] && free_of(s, MMU_HEADROOM) < most)
		return 0;
	return mmu_burst_room(s->m, port, pg, least, most);
}

void mmu_take_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes)
{
	struct mmu_pg *g = &s->m->pg[port * MMU_PGS + pg];
	uint32_t shared = g->shared, headroom = g->headroom;

	mmu_take_burst(s->m, port, pg, bytes);
	take_pool(s, MMU_INGRESS, g->shared - shared);
	take_pool(s, MMU_HEADROOM, g->headroom - headroom);
	keep_max(&s->pg_max_shared[port * MMU_PGS + pg], g->shared);
}

// As mmu_room: the queue takes its reserve, and of the pool as much as the limit allows that the
// whole burst would leave.
uint64_t mmu_queue_room(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t most)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[out * MMU_PGS + queue];
	const struct mmu_queue *q = &s->queue[out * MMU_PGS + queue];
	uint64_t left, limit, room;

	if (UNLIKELY(c->takes_all))
		return most;
	if (is_leased(s, c->pool))
		ahead(s, c->pool, most);
	left = free_of(s, c->pool);
	room = q->bytes < c->reserved ? c->reserved - q->bytes : 0;
	if (LIKELY(most <= left)) {
		limit = queue_limit(c, left - most);
		room += limit > q->shared ? limit - q->shared : 0;
	}
	return room < most ? room : most;
}

void mmu_take_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes)
{
	unsigned i = out * MMU_PGS + queue;

	join_queue(s, &s->cfg->queue[i], &s->queue[i], bytes);
}

void mmu_settle(struct mmu_pools *s)
{
	for (unsigned i = 0; i < MMU_POOLS; i++)
		if (s->lease[i].ahead)
			see_lease(s, i, mmu_lease_settle(&s->lease[i], s->used[i]));
}

INLINE void leave_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[out * MMU_PGS + queue];
	struct mmu_queue *q = &s->queue[out * MMU_PGS + queue];
	uint32_t shared;

	assert(bytes <= q->bytes);
	q->bytes -= bytes;
	shared = (uint32_t)shared_of(c->reserved, q->bytes);
	s->used[c->pool] -= q->shared - shared;
	q->shared = shared;
	give_back(s, c->pool);
}

void mmu_leave_queue(struct mmu_pools *s, unsigned out, unsigned queue, uint32_t bytes)
{
	leave_queue(s, out, queue, bytes);
}

INLINE bool leave_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes, bool asks)
{
	struct mmu_pg *g = &s->m->pg[port * MMU_PGS + pg];
	uint32_t shared = g->shared, headroom = g->headroom;
	bool xon;

	look(s, MMU_INGRESS);
	mmu_leave_xoff(s->m, port, pg, bytes);
	s->used[MMU_HEADROOM] -= headroom - g->headroom;
	s->used[MMU_INGRESS] -= shared - g->shared;
	xon = asks && g->xoff && mmu_resumes(s->m, g);
	give_back(s, MMU_INGRESS);
	return xon;
}

bool mmu_leave_group(struct mmu_pools *s, unsigned port, unsigned pg, uint32_t bytes)
{
	return leave_group(s, port, pg, bytes, true);
}

bool mmu_leave(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes)
{
	return mmu_leave_burst(s, port, pg, out, queue, mmu_cells(s->cfg, bytes), true);
}

bool mmu_leave_burst(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes, bool asks)
{
	leave_queue(s, out, queue, bytes);
	return leave_group(s, port, pg, bytes, asks);
}

uint64_t mmu_queue_limit(const struct mmu_pools *s, unsigned port, unsigned queue)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[port * MMU_PGS + queue];
	uint64_t taken = s->used[c->pool] + s->lease[c->pool].others, size = s->cfg->size[c->pool];

	// Another thread may ask, and see one of the two sooner than the other.
	return queue_limit(c, taken < size ? size - taken : 0);
}

enum mmu_turn mmu_look_group(struct mmu_pools *s, unsigned i)
{
	look(s, MMU_INGRESS);
	return mmu_look(s->m, i);
}
