// SPDX-License-Identifier: BSD-3-Clause
// Watermarks of buffers with two sides: pools, egress queues, shared bytes of ingress groups.
#include <errno.h>
#include <stdlib.h>

#include "summary.h"

const char *summary_pool_name(enum mmu_pool pool)
{
	static const char *const name[MMU_POOLS] = {
		[MMU_INGRESS] = "ingress",
		[MMU_EGRESS_LOSSLESS] = "egress_lossless",
		[MMU_EGRESS_LOSSY] = "egress_lossy",
		[MMU_HEADROOM] = "headroom",
	};

	return name[pool];
}

static const struct mmu_pools *sides_of(const struct record *r, unsigned node)
{
	const struct net_node *n = &r->net->node[node];

	return n->kind == SCENE_SW ? sw_sides(n->u.sw) : NULL;
}

int summary_pools(struct summary *s, const struct record *r)
{
	s->pool = calloc(r->net->n_nodes * MMU_POOLS + 1ul, sizeof(*s->pool));
	if (!s->pool)
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct mmu_pools *sides = sides_of(r, i);

		for (unsigned k = 0; sides && k < MMU_POOLS; k++)
			s->pool[s->n_pools++] = (struct summary_pool){
				.node = r->net->node[i].scene,
				.pool = (enum mmu_pool)k,
				.size_bytes = sides->cfg->size[k],
				.max_bytes = sides->max_used[k],
			};
	}
	return 0;
}

void summary_pool_queue(struct summary_queue *q, const struct record *r)
{
	const struct rec_port *p = q->rec->port;
	const struct mmu_pools *sides = sides_of(r, p->node);

	if (!sides)
		return;

	const struct mmu_queue *m = &sides->queue[p->port * MMU_PGS + q->rec->cls];

	q->two_sided = true;
	q->buffer_max = m->max_bytes;
	q->shared_max = m->max_shared;
	q->limit = mmu_queue_limit(sides, p->port, q->rec->cls);
}

void summary_pool_pg(struct summary_pg *g, const struct record *r)
{
	const struct mmu_pools *sides = sides_of(r, g->port->node);

	if (!sides)
		return;
	g->two_sided = true;
	g->max_shared_bytes = sides->pg_max_shared[g->port->port * MMU_PGS + g->pg];
}
