// SPDX-License-Identifier: BSD-3-Clause
// The packet memory of the switch: groups of ingress alone, or pools of ingress and egress, and the
// slow path of admission: two sides, maps, queues that the watchdog has shut.
#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int init_pools(struct sw *sw, const struct sw_params *p, const struct mmu_params *m,
	const struct mmu_queue_params *queue)
{
	struct mmu_pools_params s = {.queue = queue,
		.cell_bytes = p->cell_bytes ? p->cell_bytes : 1,
		.egress_bytes = {p->egress_bytes[0], p->egress_bytes[1]},
		.cut = sw->fabric != NULL};
	int rc;

	if (sw->fabric) {
		struct sw_parts parts;

		sw_parts(&parts, p, sw->fabric->n);
		s.headroom_bytes = parts.headroom[sw->shard];
	}
	rc = mmu_pools_cfg_init(&sw->pools_cfg, &s, &sw->mmu_cfg, m);
	return rc ? rc : mmu_pools_init(&sw->pools, &sw->pools_cfg, &sw->mmu);
}

void sw_buffer_pools(struct sw *sw)
{
	struct sw_fabric *f = sw->fabric;

	if (!sw->shard) {
		mmu_lease_pool_init(&f->pool, sw->mmu_cfg.shared_size);
		if (sw->two_sided)
			mmu_lease_pool_init(&f->lossy, sw->pools_cfg.size[MMU_EGRESS_LOSSY]);
	}
	if (sw->two_sided) {
		sw->pools.lease[MMU_INGRESS].pool = &f->pool;
		sw->pools.lease[MMU_EGRESS_LOSSY].pool = &f->lossy;
	} else {
		sw->lease.pool = &f->pool;
	}
}

int sw_buffer_init(struct sw *sw, const struct sw_params *p)
{
	struct mmu_params m = {
		.buffer_bytes = p->buffer_bytes,
		.n_ports = p->n_ports,
		.headroom_pool_bytes = p->headroom_pool_bytes,
		.ingress_bytes = p->ingress_bytes,
	};
	struct mmu_pg_params *pg = calloc(p->n_ports, sizeof(p->port->pg));
	struct mmu_queue_params *queue = calloc(p->n_ports, sizeof(p->port->queue));
	int rc = pg && queue ? 0 : -ENOMEM;

	for (unsigned i = 0; !rc && i < p->n_ports; i++) {
		memcpy(pg + i * MMU_PGS, p->port[i].pg, sizeof(p->port[i].pg));
		memcpy(queue + i * MMU_PGS, p->port[i].queue, sizeof(p->port[i].queue));
	}
	m.pg = pg;
	if (!rc)
		rc = mmu_cfg_init(&sw->mmu_cfg, &m);
	if (!rc)
		rc = mmu_init(&sw->mmu, &sw->mmu_cfg);
	sw->two_sided = sw_has_two_sides(p);
	sw->mmu_alone = !sw->two_sided && !sw->mapped && !sw->fabric;
	sw->admit_slow = sw->mmu_alone ? 0 : 0xff;
	if (!rc && sw->two_sided)
		rc = init_pools(sw, p, &m, queue);
	free(pg);
	free(queue);
	return rc;
}

static enum mmu_turn look_at_group(struct sw *sw, unsigned i)
{
	if (sw->two_sided)
		return mmu_look_group(&sw->pools, i);
	if (sw->fabric)
		mmu_lease_look(&sw->lease, &sw->mmu);
	return mmu_look(&sw->mmu, i);
}

void sw_buffer_adopt(struct sw *sw, const struct sw *to, tstamp now)
{
	for (unsigned i = 0; i < sw->n_ports * MMU_PGS; i++) {
		struct sw_port *in = &sw->port[i / MMU_PGS];
		enum mmu_turn turn;

		mmu_adopt(&sw->mmu, &sw->mmu_cfg, &to->mmu_cfg, i);
		if (in->away)
			continue;
		turn = look_at_group(sw, i);
		if (turn == MMU_TO_XOFF)
			sw_xoff(sw, in, i % MMU_PGS, now);
		else if (turn == MMU_TO_XON)
			sw_xon(sw, in, i % MMU_PGS, now);
	}
}

// Cut switch: updates the view of the shared pool and leases the bytes that a frame will take of
// it, which may be none. Call it before mmu_admit().
static void lease(struct sw *sw, unsigned port, unsigned pg, uint32_t bytes)
{
	const struct mmu_pg *g = &sw->mmu.pg[port * MMU_PGS + pg];
	uint64_t free_bytes;

	mmu_lease_look(&sw->lease, &sw->mmu);
	free_bytes = sw->mmu.shared_size - sw->mmu.shared_used;
	if (!mmu_is_full(g, free_bytes, bytes))
		mmu_lease_take(&sw->lease, &sw->mmu, (uint32_t)mmu_want(g, free_bytes, bytes).grow);
}

void sw_buffer_settle(struct sw *sw)
{
	if (sw->two_sided)
		mmu_settle(&sw->pools);
	else if (sw->lease.ahead)
		mmu_lease_see(&sw->lease, &sw->mmu,
			mmu_lease_settle(&sw->lease, mmu_lease_own(&sw->lease, &sw->mmu)));
}

unsigned sw_buffer_admit(
	struct sw *sw, struct sw_port *in, struct sw_port *out, const struct pkt *p, uint32_t bytes)
{
	unsigned cls = p->cls, pg = sw_pg(sw, p);

	if (in->wd && in->wd->shut >> cls & 1) {
		in->wd->stats[cls].rx_dropped_frames++;
		return SW_REFUSED;
	}
	if (out->wd && out->wd->shut >> cls & 1) {
		out->wd->stats[cls].tx_dropped_frames++;
		return SW_REFUSED;
	}
	if (sw->two_sided)
		return out->away ? mmu_enter_group(&sw->pools, in->index, pg,
					   mmu_cells(&sw->pools_cfg, bytes))
				 : mmu_enter(&sw->pools, in->index, pg, out->index, cls, bytes);
	if (sw->fabric)
		lease(sw, in->index, pg, bytes);
	return mmu_admit(&sw->mmu, in->index, pg, bytes);
}

bool sw_buffer_has_room(struct sw *sw, const struct sw_port *in, const struct pkt *p)
{
	unsigned pg = sw_pg(sw, p);
	const struct mmu_pg *g = &sw->mmu.pg[in->index * MMU_PGS + pg];
	uint32_t bytes = p->len + sw->queue_extra;

	if (!g->lossless)
		return true;
	if (sw->two_sided)
		return mmu_group_has_room(&sw->pools, in->index, pg, bytes);
	if (sw->fabric)
		lease(sw, in->index, pg, bytes);
	return !mmu_is_full(g, sw->mmu.shared_size - sw->mmu.shared_used, bytes);
}

bool sw_buffer_takes_crossed(struct sw *sw, const struct sw_port *out, const struct pkt *p)
{
	return mmu_enter_queue(&sw->pools, out->index, p->cls,
		mmu_cells(&sw->pools_cfg, p->len + sw->queue_extra));
}

bool sw_buffer_credited(struct sw *sw, unsigned port, unsigned pg, uint32_t bytes)
{
	bool xon;

	if (sw->two_sided)
		return mmu_leave_group(&sw->pools, port, pg, bytes);
	mmu_lease_look(&sw->lease, &sw->mmu);
	xon = mmu_release(&sw->mmu, port, pg, bytes);
	mmu_lease_give(&sw->lease, &sw->mmu);
	return xon;
}

void sw_buffer_credit(struct sw *sw, const struct pkt *p, unsigned out, tstamp now)
{
	const struct sw_left l = sw_left_one(sw, p);

	sw_buffer_left(sw, out, &l, true, now);
}

void sw_buffer_left(struct sw *sw, unsigned out, const struct sw_left *l, bool asks, tstamp now)
{
	struct sw_port *in = &sw->port[l->in_port];
	bool xon = false;

	if (UNLIKELY(in->away)) {
		if (sw->two_sided)
			mmu_leave_queue(&sw->pools, out, l->cls, l->held);
		sw_fabric_credit(sw, l, SW_FORWARDED, now);
		return;
	}
	sw_in(sw, in, l->cls)[SW_IN_FORWARDED] += l->frames;
	if (UNLIKELY(sw->fabric && !sw->two_sided))
		mmu_lease_look(&sw->lease, &sw->mmu);
	if (UNLIKELY(sw->two_sided))
		xon = mmu_leave_burst(&sw->pools, l->in_port, l->pg, out, l->cls, l->held, asks);
	else if (asks)
		xon = mmu_release(&sw->mmu, l->in_port, l->pg, l->held);
	else
		mmu_leave_xoff(&sw->mmu, l->in_port, l->pg, l->held);
	if (UNLIKELY(sw->fabric && !sw->two_sided))
		mmu_lease_give(&sw->lease, &sw->mmu);
	if (UNLIKELY(xon))
		sw_xon(sw, in, l->pg, now);
}

bool sw_buffer_release(struct sw *sw, const struct pkt *p, unsigned out, uint32_t bytes)
{
	unsigned pg = sw_pg(sw, p);

	if (sw->two_sided)
		return mmu_leave(&sw->pools, p->in_port, pg, out, p->cls, bytes);
	if (sw->fabric)
		return sw_buffer_credited(sw, p->in_port, pg, bytes);
	return mmu_release(&sw->mmu, p->in_port, pg, bytes);
}
