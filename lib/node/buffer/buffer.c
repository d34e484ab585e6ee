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

void sw_buffer_lease(struct sw *sw, unsigned port, unsigned pg, uint32_t bytes, bool burst)
{
	const struct mmu_pg *g = &sw->mmu.pg[port * MMU_PGS + pg];
	struct mmu_want want;
	uint64_t free_bytes;

	mmu_lease_look(&sw->lease, &sw->mmu);
	free_bytes = sw->mmu.shared_size - sw->mmu.shared_used;
	want = mmu_want(g, free_bytes, bytes);
	if (burst ? want.fits : !mmu_is_full(g, free_bytes, bytes))
		mmu_lease_take(&sw->lease, &sw->mmu, (uint32_t)want.grow);
}

bool sw_buffer_takes_groups(struct sw *sw, const struct sw_port *in, const uint32_t bytes[MMU_PGS],
	const struct sw_port *out, unsigned cls)
{
	uint64_t grow;

	if (sw->two_sided)
		return out->away ? mmu_enter_groups(&sw->pools, in->index, bytes)
				 : mmu_enter_burst_of_groups(
					   &sw->pools, in->index, bytes, out->index, cls);
	if (sw->fabric) {
		mmu_lease_look(&sw->lease, &sw->mmu);
		if (mmu_groups_fit(&sw->mmu, in->index, bytes, &grow))
			mmu_lease_take(&sw->lease, &sw->mmu, (uint32_t)grow);
	}
	return mmu_admit_groups(&sw->mmu, in->index, bytes);
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
		sw_buffer_lease(sw, in->index, pg, bytes, false);
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
		sw_buffer_lease(sw, in->index, pg, bytes, false);
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

bool sw_buffer_release(struct sw *sw, const struct pkt *p, unsigned out, uint32_t bytes)
{
	unsigned pg = sw_pg(sw, p);

	if (sw->two_sided)
		return mmu_leave(&sw->pools, p->in_port, pg, out, p->cls, bytes);
	if (sw->fabric)
		return sw_buffer_credited(sw, p->in_port, pg, bytes);
	return mmu_release(&sw->mmu, p->in_port, pg, bytes);
}
