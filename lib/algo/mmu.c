// SPDX-License-Identifier: BSD-3-Clause
// Buffer admission: takes the bytes of a frame from reserve, shared pool and headroom, and decides
// about XOFF and XON.
#include "algo/mmu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/have.h"

// -EINVAL where the parameters of a group contradict themselves.
static int pg_compile(struct mmu_pg_cfg *c, const struct mmu_pg_params *p)
{
	bool dynamic = p->threshold == MMU_DYNAMIC;

	if (dynamic ? p->dynamic_th < -8 || p->dynamic_th > 7 : p->static_bytes > UINT32_MAX)
		return -EINVAL;
	if (p->reserved_bytes > UINT32_MAX || p->headroom_bytes > UINT32_MAX ||
		p->xon_bytes > UINT32_MAX || p->xon_offset_bytes > UINT32_MAX)
		return -EINVAL;
	if (p->lossless && !dynamic && p->xon_bytes > p->static_bytes)
		return -EINVAL;
	*c = (struct mmu_pg_cfg){
		.reserved = (uint32_t)p->reserved_bytes,
		.static_limit = dynamic ? 0 : (uint32_t)p->static_bytes,
		.headroom = p->lossless ? (uint32_t)p->headroom_bytes : 0,
		.xon = (uint32_t)p->xon_bytes,
		.xon_offset = (uint32_t)p->xon_offset_bytes,
		.alpha = dynamic ? (uint16_t)(1u << (8 + p->dynamic_th)) : 0,
		.lossless = p->lossless,
		.threshold = (uint8_t)p->threshold,
	};
	return 0;
}

int mmu_cfg_init(struct mmu_cfg *cfg, const struct mmu_params *params)
{
	unsigned n = params->n_ports * MMU_PGS;
	uint64_t pool = params->headroom_pool_bytes, own = 0;
	uint64_t ingress =
		params->ingress_bytes ? params->ingress_bytes : params->buffer_bytes - pool;

	if (!n || params->buffer_bytes > UINT32_MAX || pool > params->buffer_bytes ||
		ingress > params->buffer_bytes - pool)
		return -EINVAL;

	struct mmu_pg_cfg *pg = calloc(n, sizeof(*pg));

	if (!pg)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		if (pg_compile(&pg[i], &params->pg[i]))
			goto invalid;
		own += (uint64_t)pg[i].reserved + (pool ? 0 : pg[i].headroom);
	}
	if (own > ingress)
		goto invalid;
	*cfg = (struct mmu_cfg){
		.buffer = params->buffer_bytes,
		.shared_size = ingress - own,
		.n_ports = params->n_ports,
		.pg = pg,
	};
	return 0;
invalid:
	free(pg);
	return -EINVAL;
}

void mmu_cfg_fini(struct mmu_cfg *cfg)
{
	free(cfg->pg);
	cfg->pg = NULL;
}

int mmu_init(struct mmu *m, const struct mmu_cfg *cfg)
{
	size_t n = (size_t)cfg->n_ports * MMU_PGS;
	void *mem;
	struct mmu_pg *pg = have_zeroed(n * sizeof(*pg), &mem);

	if (!pg)
		return -ENOMEM;
	*m = (struct mmu){
		.cfg = cfg,
		.pg = pg,
		.shared_size = cfg->shared_size,
		.mem = mem,
	};
	for (size_t i = 0; i < n; i++)
		m->pg[i] = (struct mmu_pg){
			.reserved = cfg->pg[i].reserved,
			.static_limit = cfg->pg[i].static_limit,
			.alpha = cfg->pg[i].alpha,
			.lossless = cfg->pg[i].lossless,
		};
	return 0;
}

void mmu_fini(struct mmu *m)
{
	free(m->mem);
	m->mem = NULL;
	m->pg = NULL;
}

// The frame does not fit under the shared limit: headroom for a lossless group, else a drop.
static enum mmu_verdict admit_above(struct mmu *m, struct mmu_pg *g, uint32_t bytes)
{
	if (!g->lossless || (uint64_t)g->headroom + bytes > mmu_pg_cfg(m, g)->headroom) {
		if (m->used + bytes > m->cfg->buffer)
			return MMU_DROP_BUFFER;
		return g->lossless ? MMU_DROP_HEADROOM : MMU_DROP_SHARED;
	}
	g->headroom += bytes;
	g->max_headroom = g->headroom > g->max_headroom ? g->headroom : g->max_headroom;
	mmu_hold(m, g, bytes);
	if (g->xoff)
		return MMU_ADMIT;
	g->xoff = 1;
	return MMU_ADMIT_XOFF;
}

enum mmu_verdict mmu_admit_near(struct mmu *m, struct mmu_pg *g, uint32_t bytes)
{
	uint64_t free_bytes = m->shared_size - m->shared_used;
	uint64_t own = (uint64_t)g->bytes - g->headroom + bytes;
	uint64_t shared = own > g->reserved ? own - g->reserved : 0;
	uint64_t grow = shared - g->shared;

	if (shared > mmu_limit_at(g, free_bytes) || grow > free_bytes)
		return admit_above(m, g, bytes);
	g->shared = (uint32_t)shared;
	m->shared_used += grow;
	mmu_hold(m, g, bytes);
	// XOFF once reserve and limit are reached; the limit is that after this frame.
	if (!g->lossless || g->xoff || own < g->reserved + mmu_limit_at(g, free_bytes - grow))
		return MMU_ADMIT;
	g->xoff = 1;
	return MMU_ADMIT_XOFF;
}

bool mmu_resumes(struct mmu *m, struct mmu_pg *g)
{
	const struct mmu_pg_cfg *c = mmu_pg_cfg(m, g);
	uint64_t free_bytes = m->shared_size - m->shared_used;

	if (g->headroom)
		return false;
	if (g->shared > c->xon && (uint64_t)g->shared + c->xon_offset > mmu_limit_at(g, free_bytes))
		return false;
	g->xoff = 0;
	return true;
}

void mmu_adopt(struct mmu *m, struct mmu_cfg *cfg, const struct mmu_cfg *to, unsigned i)
{
	struct mmu_pg_cfg *own = &cfg->pg[i];
	const struct mmu_pg_cfg *p = &to->pg[i];

	own->static_limit = m->pg[i].static_limit = p->static_limit;
	own->alpha = m->pg[i].alpha = p->alpha;
	own->threshold = p->threshold;
	own->xon = p->xon;
	own->xon_offset = p->xon_offset;
}

enum mmu_turn mmu_look(struct mmu *m, unsigned i)
{
	struct mmu_pg *g = &m->pg[i];
	uint64_t own = g->bytes - g->headroom;

	if (!g->lossless)
		return MMU_STAYS;
	if (g->xoff)
		return mmu_resumes(m, g) ? MMU_TO_XON : MMU_STAYS;
	if (!own || own < g->reserved + mmu_limit_at(g, m->shared_size - m->shared_used))
		return MMU_STAYS;
	g->xoff = 1;
	return MMU_TO_XOFF;
}

uint64_t mmu_resumes_by(const struct mmu *m, unsigned port, unsigned pg)
{
	const struct mmu_pg *g = &m->pg[port * MMU_PGS + pg];
	const struct mmu_pg_cfg *c = mmu_pg_cfg(m, g);
	uint64_t limit = mmu_limit_at(g, m->shared_size - m->shared_used);
	uint64_t over = (uint64_t)g->shared + c->xon_offset, by_xon, by_limit;

	// shared - x <= xon, or shared - x + offset <= limit + (x alpha >> 8)
	by_xon = g->shared > c->xon ? g->shared - c->xon : 0;
	by_limit = over > limit ? (over - limit) * 256 / (256 + g->alpha) : 0;
	by_limit -= by_limit > 0;
	by_xon = by_limit < by_xon ? by_limit : by_xon;
	return by_xon > g->headroom ? by_xon : g->headroom;
}

uint64_t mmu_limit(const struct mmu *m, unsigned port, unsigned pg)
{
	return mmu_limit_at(&m->pg[port * MMU_PGS + pg], m->shared_size - m->shared_used);
}
