// SPDX-License-Identifier: BSD-3-Clause
// The buffer's two sides: what a frame takes from group, queue and pools, whole cells at a time.
#include "algo/mmu_pools.h"

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
		.pool = p->lossless ? MMU_EGRESS_LOSSLESS : MMU_EGRESS_LOSSY,
	};
	return 0;
}

static int compile(struct mmu_pools_cfg *cfg, const struct mmu_pools_params *params, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct mmu_queue_cfg *q = &cfg->queue[i];

		if (queue_compile(q, &params->queue[i]) || q->reserved > cfg->size[q->pool])
			return -EINVAL;
		cfg->size[q->pool] -= q->reserved;
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
	c.size[MMU_HEADROOM] = mp->headroom_pool_bytes;
	for (unsigned i = 0; i < 2; i++)
		c.size[MMU_EGRESS_LOSSLESS + i] =
			params->egress_bytes[i] ? params->egress_bytes[i] : mmu->buffer;
	c.queue = calloc(n, sizeof(*c.queue));

	int rc = c.queue ? compile(&c, params, n) : -ENOMEM;

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

static uint64_t free_of(const struct mmu_pools *s, unsigned pool)
{
	return s->cfg->size[pool] - s->used[pool];
}

// Shared bytes of one who holds `own` besides headroom.
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

// Headroom of the group's own, or of the pool that all share, each up to its own limit.
static bool has_headroom(const struct mmu_pools *s, const struct mmu_pg *g, uint32_t bytes)
{
	if ((uint64_t)g->headroom + bytes > mmu_pg_cfg(s->m, g)->headroom)
		return false;
	return !s->cfg->size[MMU_HEADROOM] || bytes <= free_of(s, MMU_HEADROOM);
}

// The group's side; `i` is its index. As mmu_admit, bytes being those of whole cells.
static enum mmu_verdict enter_group(struct mmu_pools *s, unsigned i, uint32_t bytes)
{
	struct mmu_pg *g = &s->m->pg[i];
	uint64_t own = (uint64_t)g->bytes - g->headroom + bytes;
	uint64_t shared = shared_of(g->reserved, own), left = free_of(s, MMU_INGRESS);

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
		s->m->shared_used = s->used[MMU_INGRESS];
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

enum mmu_verdict mmu_enter(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out,
	unsigned queue, uint32_t bytes)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[out * MMU_PGS + queue];
	struct mmu_queue *q = &s->queue[out * MMU_PGS + queue];
	uint64_t shared, left = free_of(s, c->pool);
	enum mmu_verdict v;

	bytes = mmu_cells(s->cfg, bytes);
	shared = shared_of(c->reserved, (uint64_t)q->bytes + bytes);
	if (shared > queue_limit(c, left) || shared - q->shared > left)
		return MMU_DROP_QUEUE;
	v = enter_group(s, port * MMU_PGS + pg, bytes);
	if (v > MMU_ADMIT_XOFF)
		return v;
	take_pool(s, c->pool, shared - q->shared);
	q->bytes += bytes;
	q->shared = (uint32_t)shared;
	keep_max(&q->max_bytes, q->bytes);
	keep_max(&q->max_shared, q->shared);
	return v;
}

// As mmu_admit_headroom.
static bool enter_headroom(struct mmu_pools *s, struct mmu_pg *g, uint32_t bytes, uint32_t least)
{
	if (!g->xoff || !has_headroom(s, g, bytes) ||
		!mmu_is_full(g, free_of(s, MMU_INGRESS), least))
		return false;
	g->headroom += bytes;
	keep_max(&g->max_headroom, g->headroom);
	take_pool(s, MMU_HEADROOM, bytes);
	mmu_hold(s->m, g, bytes);
	return true;
}

// Limits fall and what is held grows with each frame: what the last one passes at the limits that
// it leaves behind, all have passed.
bool mmu_enter_burst(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes, uint32_t least)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[out * MMU_PGS + queue];
	struct mmu_queue *q = &s->queue[out * MMU_PGS + queue];
	uint64_t shared = shared_of(c->reserved, (uint64_t)q->bytes + bytes);
	uint64_t grow = shared - q->shared, left = free_of(s, c->pool);
	unsigned i = port * MMU_PGS + pg;
	struct mmu_pg *g = &s->m->pg[i];

	if (grow > left || shared > queue_limit(c, left - grow))
		return false;
	if (!mmu_admit_burst(s->m, port, pg, bytes) && !enter_headroom(s, g, bytes, least))
		return false;
	take_pool(s, MMU_INGRESS, s->m->shared_used - s->used[MMU_INGRESS]);
	keep_max(&s->pg_max_shared[i], g->shared);
	take_pool(s, c->pool, grow);
	q->bytes += bytes;
	q->shared = (uint32_t)shared;
	keep_max(&q->max_bytes, q->bytes);
	keep_max(&q->max_shared, q->shared);
	return true;
}

static void leave_queue(struct mmu_pools *s, unsigned i, uint32_t bytes)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[i];
	struct mmu_queue *q = &s->queue[i];
	uint32_t shared;

	assert(bytes <= q->bytes);
	q->bytes -= bytes;
	shared = (uint32_t)shared_of(c->reserved, q->bytes);
	s->used[c->pool] -= q->shared - shared;
	q->shared = shared;
}

bool mmu_leave(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes)
{
	return mmu_leave_burst(s, port, pg, out, queue, bytes, 1);
}

bool mmu_leave_burst(struct mmu_pools *s, unsigned port, unsigned pg, unsigned out, unsigned queue,
	uint32_t bytes, unsigned n)
{
	unsigned i = port * MMU_PGS + pg;
	struct mmu_pg *g = &s->m->pg[i];
	const struct mmu_pg_cfg *c;
	uint32_t from_headroom, shared;

	bytes = n * mmu_cells(s->cfg, bytes);
	leave_queue(s, out * MMU_PGS + queue, bytes);
	assert(bytes <= g->bytes);
	// Headroom first, then shared, then reserve.
	from_headroom = bytes < g->headroom ? bytes : g->headroom;
	g->bytes -= bytes;
	g->headroom -= from_headroom;
	s->used[MMU_HEADROOM] -= from_headroom;
	s->m->used -= bytes;
	shared = (uint32_t)shared_of(g->reserved, g->bytes - g->headroom);
	s->used[MMU_INGRESS] -= g->shared - shared;
	s->m->shared_used = s->used[MMU_INGRESS];
	g->shared = shared;
	if (!g->xoff || g->headroom)
		return false;
	// XON at max(xon, limit - xon_offset).
	c = mmu_pg_cfg(s->m, g);
	if (shared > c->xon &&
		(uint64_t)shared + c->xon_offset > mmu_limit_at(g, free_of(s, MMU_INGRESS)))
		return false;
	g->xoff = 0;
	return true;
}

uint64_t mmu_queue_limit(const struct mmu_pools *s, unsigned port, unsigned queue)
{
	const struct mmu_queue_cfg *c = &s->cfg->queue[port * MMU_PGS + queue];

	return queue_limit(c, free_of(s, c->pool));
}
