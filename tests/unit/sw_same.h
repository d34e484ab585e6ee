// SPDX-License-Identifier: BSD-3-Clause
// Whether two switches are in the same state: ports, queues, buffer, shapers, and the tables of
// iQCN and Fast CNP.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sw/int.h"

static inline void same_eport(const struct eport *e, const struct eport *f)
{
	assert_int_equal(e->nonempty, f->nonempty);
	assert_int_equal(e->turn, f->turn);
	assert_int_equal(e->tat, f->tat);
	assert_int_equal(e->lost_ps, f->lost_ps);
	assert_int_equal(e->idle_ps, f->idle_ps);
	assert_int_equal(e->starved, f->starved);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct eport_q *q = &e->q[c], *r = &f->q[c];

		assert_int_equal(q->bytes, r->bytes);
		assert_int_equal(q->frames, r->frames);
		assert_int_equal(q->deficit, r->deficit);
		assert_int_equal(q->max_bytes, r->max_bytes);
		assert_int_equal(q->max_at, r->max_at);
		assert_int_equal(q->tx_frames, r->tx_frames);
		assert_int_equal(q->tx_bytes, r->tx_bytes);
		if (e->hist)
			assert_true(
				e->hist[c].n == f->hist[c].n && e->hist[c].sum == f->hist[c].sum);
	}
}

static inline void same_buffer(const struct sw *a, const struct sw *b)
{
	const struct mmu *m = &a->mmu, *n = &b->mmu;
	const struct mmu_pools *s = a->two_sided ? &a->pools : NULL, *u = &b->pools;
	unsigned all = a->n_ports * MMU_PGS;

	assert_int_equal(m->used, n->used);
	if (!s) // what others have leased counts as used as far as it has been looked at
		assert_int_equal(mmu_lease_own(&a->lease, m), mmu_lease_own(&b->lease, n));
	assert_int_equal(m->max_used, n->max_used);
	for (unsigned i = 0; i < all; i++) {
		assert_int_equal(m->pg[i].bytes, n->pg[i].bytes);
		assert_int_equal(m->pg[i].shared, n->pg[i].shared);
		assert_int_equal(m->pg[i].headroom, n->pg[i].headroom);
		assert_int_equal(m->pg[i].max_bytes, n->pg[i].max_bytes);
		assert_int_equal(m->pg[i].max_headroom, n->pg[i].max_headroom);
		assert_int_equal(m->pg[i].xoff, n->pg[i].xoff);
	}
	assert_int_equal(a->lease.bytes, b->lease.bytes);
	if (!s)
		return;
	for (unsigned i = 0; i < MMU_POOLS; i++) {
		assert_int_equal(s->lease[i].bytes, u->lease[i].bytes);
	}
	assert_memory_equal(s->used, u->used, sizeof(s->used));
	assert_memory_equal(s->max_used, u->max_used, sizeof(s->max_used));
	assert_memory_equal(s->queue, u->queue, all * sizeof(*s->queue));
	assert_memory_equal(s->pg_max_shared, u->pg_max_shared, all * sizeof(*s->pg_max_shared));
}

static inline void same_queue(const struct sw_out *o, const struct sw_out *p)
{
	assert_memory_equal(o->seen_frames, p->seen_frames, sizeof(o->seen_frames));
	assert_int_equal(o->ecn_marked_frames, p->ecn_marked_frames);
	if (o->curve)
		assert_memory_equal(o->curve, p->curve, sizeof(*o->curve));
	if (o->avg)
		assert_memory_equal(o->avg, p->avg, sizeof(*o->avg));
	if (!o->cp)
		return;
	assert_int_equal(o->cp->cp.sample, p->cp->cp.sample);
	assert_int_equal(o->cp->cp.qlen_old, p->cp->cp.qlen_old);
	assert_memory_equal(&o->cp->rng, &p->cp->rng, sizeof(o->cp->rng));
}

static inline void same_shape(const struct sw_shape *a, const struct sw_shape *b)
{
	const struct shaper *s = &a->s, *u = &b->s;

	assert_int_equal(s->port_full, u->port_full);
	assert_memory_equal(s->max_full, u->max_full, sizeof(s->max_full));
	assert_memory_equal(s->min_full, u->min_full, sizeof(s->min_full));
	assert_int_equal(s->held, u->held);
	assert_int_equal(s->own, u->own);
	assert_int_equal(s->all, u->all);
	assert_int_equal(s->first, u->first);
	assert_int_equal(s->next, u->next);
	assert_int_equal(s->wait_for_port, u->wait_for_port);
	assert_int_equal(s->wait_for_own, u->wait_for_own);
	assert_int_equal(s->lost_ps, u->lost_ps);
	assert_int_equal(a->turn, b->turn);
	assert_memory_equal(a->deficit, b->deficit, sizeof(a->deficit));
	assert_false(a->out_of_turn || b->out_of_turn);
}

static inline void same_port(const struct sw_port *o, const struct sw_port *p)
{
	assert_int_equal(o->deadline, p->deadline);
	assert_int_equal(o->ctl_at, p->ctl_at);
	assert_int_equal(o->timer, p->timer);
	assert_int_equal(o->blocked, p->blocked);
	assert_int_equal(o->heavy, p->heavy);
	assert_int_equal(o->max_len, p->max_len);
	assert_int_equal(o->rare->storm, p->rare->storm);
	assert_int_equal(o->rare->ptx.xoff, p->rare->ptx.xoff);
	assert_int_equal(o->rare->prx.paused, p->rare->prx.paused);
	assert_memory_equal(&o->rng, &p->rng, sizeof(o->rng));
	assert_memory_equal(&o->rare->stats, &p->rare->stats, sizeof(o->rare->stats));
	assert_memory_equal(o->rare->cls, p->rare->cls, sizeof(o->rare->cls));
	assert_int_equal(o->rare->consumed_bytes, p->rare->consumed_bytes);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		same_queue(&o->out[c], &p->out[c]);
	if (o->wd)
		assert_memory_equal(o->wd->stats, p->wd->stats, sizeof(o->wd->stats));
	if (o->shape && p->shape) // one that has adopted may have one without buckets
		same_shape(o->shape, p->shape);
	same_eport(&o->e, &p->e);
}

static inline void same_iqcn(const struct iqcn *q, const struct iqcn *r)
{
	assert_memory_equal(&q->stats, &r->stats, sizeof(q->stats));
	assert_int_equal(q->flows, r->flows);
	assert_memory_equal(q->data, r->data, sizeof(*q->data) << (64 - q->data_shift));
	assert_memory_equal(q->entry, r->entry, iqcn_slots(q) * sizeof(*q->entry));
	assert_memory_equal(q->port, r->port, q->cfg->p.n_ports * sizeof(*q->port));
}

static inline void same_fast_cnp(const struct fast_cnp *q, const struct fast_cnp *r)
{
	assert_memory_equal(&q->stats, &r->stats, sizeof(q->stats));
	assert_int_equal(q->n_elsewhere, r->n_elsewhere);
	assert_memory_equal(q->entry, r->entry, table_slots(&q->table) * sizeof(*q->entry));
}

// One switch, or one shard, and the same of the other one.
static inline void same_switch(const struct sw *a, const struct sw *b)
{
	unsigned shards = a->fabric ? a->fabric->n : 1;

	assert_int_equal(a->n_ports, b->n_ports);
	same_buffer(a, b);
	for (unsigned i = a->shard; i < a->n_ports; i += shards) {
		same_port(&a->port[i], &b->port[i]);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			assert_memory_equal(sw_in((struct sw *)a, &a->port[i], c),
				sw_in((struct sw *)b, &b->port[i], c), sizeof(a->mmu.pg->own));
	}
	if (a->iqcn)
		same_iqcn(a->iqcn, b->iqcn);
	if (a->fast_cnp)
		same_fast_cnp(a->fast_cnp, b->fast_cnp);
	assert_memory_equal(&a->touched, &b->touched, sizeof(a->touched));
}
