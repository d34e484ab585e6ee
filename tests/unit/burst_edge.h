// SPDX-License-Identifier: BSD-3-Clause
// Puts a threshold of a pair of switches where one frame meets it, or is a byte above or below it:
// a frame of a burst that comes, or a frame of a queue that leaves. The threshold gets the value
// that was drawn back when the next one is moved.
#pragma once

#include "burst_draw.h"

// A frame of a burst.
struct edge_frame {
	uint32_t key;   // its queue: (port + 1) << 8 | class; 0: it goes to no single queue
	uint32_t held;  // bytes of the buffer
	uint16_t bytes; // of the queue
	uint8_t pg;
};

static unsigned edge_below(struct pair *t, unsigned n)
{
	return (unsigned)prng_below(&t->edge_rng, n);
}

// `to` missed by a byte, met, or passed by a byte; never below 0.
static uint32_t beside(struct pair *t, int64_t to)
{
	to += (int64_t)edge_below(t, 3) - 1;
	return to > 0 ? (uint32_t)to : 0;
}

static struct sw *edge_sw(const struct pair *t, unsigned i)
{
	return (i ? t->b : t->a)->sw;
}

static struct sw *edge_owner(struct sw *sw, unsigned port)
{
	return sw_shard(sw, port % sw_shards(sw));
}

// Compiles a class of a set as drawn, or with one threshold at `to`.
static void compile_class(
	struct sw_cls *k, struct sw_class_params p, enum edge_what what, uint32_t to)
{
	struct red_params *red =
		what == EDGE_DROP_KMIN || what == EDGE_DROP_KMAX ? &p.wred_drop : &p.red;

	if (what == EDGE_KMIN || what == EDGE_DROP_KMIN)
		*red = (struct red_params){
			to, to > red->kmax_bytes ? to : red->kmax_bytes, red->pmax};
	if (what == EDGE_KMAX || what == EDGE_DROP_KMAX)
		*red = (struct red_params){
			to < red->kmin_bytes ? to : red->kmin_bytes, to, red->pmax};
	k->tail_limit = p.tail_limit_bytes ? (uint32_t)p.tail_limit_bytes : UINT32_MAX;
	k->tail_limit = what == EDGE_TAIL ? to : k->tail_limit;
	k->heavy_bytes = what == EDGE_HEAVY ? to : (uint32_t)p.heavy_bytes;
	k->heavy_off_bytes = what == EDGE_HEAVY_OFF ? to : (uint32_t)p.heavy_off_bytes;
	if (k->heavy_off_bytes > k->heavy_bytes && what == EDGE_HEAVY)
		k->heavy_off_bytes = k->heavy_bytes;
	if (k->heavy_off_bytes > k->heavy_bytes && what == EDGE_HEAVY_OFF)
		k->heavy_bytes = k->heavy_off_bytes;
	if (k->mark != SW_MARK_NONE)
		assert_int_equal(red_cfg_init(&k->red, &p.red), 0);
	assert_int_equal(sw_wred_class(k, &p), 0);
}

// Sets a class of all sets to the drawn value, or with one threshold at `to`.
static void set_class(struct pair *t, enum edge_what what, unsigned cls, uint32_t to)
{
	for (unsigned i = 0; i < 2 * t->shards; i++) {
		struct sw *sw = sw_shard(edge_sw(t, i / t->shards), i % t->shards);

		for (unsigned s = 0; s < sw->n_sets; s++)
			compile_class(&sw->set[s].cls[cls],
				(i < t->shards ? t->a : t->b)->set[s].cls[cls], what, to);
	}
}

// Sets the shared bytes of the ingress pool or of an egress pool. They stay above the bytes in use.
static void set_pool(struct pair *t, unsigned pool, uint64_t to)
{
	struct sw_fabric *f = t->a->sw->fabric;
	const struct mmu_lease_pool *l = !f ? NULL : pool == MMU_INGRESS ? &f->pool : &f->lossy;

	if (l && l->taken > to)
		to = l->taken;
	for (unsigned k = 0; k < t->shards; k++) {
		const struct sw *sw = sw_shard(t->a->sw, k);
		uint64_t used = sw->pools.used[pool] + sw->pools.lease[pool].others;

		used = pool == MMU_INGRESS ? sw->mmu.shared_used : used;
		to = to > used ? to : used;
	}
	for (unsigned i = 0; i < 2 * t->shards; i++) {
		struct sw *sw = sw_shard(edge_sw(t, i / t->shards), i % t->shards);

		sw->pools_cfg.size[pool] = to;
		if (pool == MMU_INGRESS)
			sw->mmu.shared_size = sw->mmu_cfg.shared_size = to;
		if (f && pool == MMU_INGRESS)
			sw->fabric->pool.size = to;
		else if (f)
			sw->fabric->lossy.size = to;
	}
}

static struct mmu_pg *edge_pg(const struct pair *t, unsigned i, const struct edge *e)
{
	return &edge_owner(edge_sw(t, i), e->in)->mmu.pg[e->in * MMU_PGS + e->pg];
}

static struct mmu_pg_cfg *edge_pg_cfg(const struct pair *t, unsigned i, const struct edge *e)
{
	return &edge_owner(edge_sw(t, i), e->in)->mmu_cfg.pg[e->in * MMU_PGS + e->pg];
}

// Whether a group holds no more than a reserve of `reserve` bytes.
static bool in_reserve(const struct mmu_pg *g, uint32_t reserve)
{
	return !g->shared && g->bytes - g->headroom <= reserve;
}

// Sets the reserve of a group that holds nothing else, and its static limit.
static void set_reserve(struct pair *t, const struct edge *e, uint32_t to, uint32_t limit)
{
	if (!in_reserve(edge_pg(t, 0, e), to))
		return;
	for (unsigned i = 0; i < 2; i++) {
		edge_pg(t, i, e)->reserved = to;
		edge_pg(t, i, e)->static_limit = limit;
	}
}

static void set_limit(struct pair *t, const struct edge *e, uint32_t to)
{
	for (unsigned i = 0; i < 2; i++)
		edge_pg(t, i, e)->static_limit = to;
}

// Sets the headroom of a group. It stays above the bytes in use.
static void set_headroom(struct pair *t, const struct edge *e, uint32_t to)
{
	uint32_t held = edge_pg(t, 0, e)->headroom;

	for (unsigned i = 0; i < 2; i++)
		edge_pg_cfg(t, i, e)->headroom = to > held ? to : held;
}

static void set_xon(struct pair *t, const struct edge *e, uint32_t xon, uint32_t offset)
{
	for (unsigned i = 0; i < 2; i++) {
		edge_pg_cfg(t, i, e)->xon = xon;
		edge_pg_cfg(t, i, e)->xon_offset = offset;
	}
}

static void set_queue_limit(struct pair *t, const struct edge *e, uint32_t to)
{
	for (unsigned i = 0; i < 2; i++)
		edge_owner(edge_sw(t, i), e->out)
			->pools_cfg.queue[e->out * MMU_PGS + e->cls]
			.fixed = to;
}

static void set_headroom_pool(struct pair *t, const struct edge *e, uint64_t to)
{
	for (unsigned i = 0; i < 2; i++) {
		struct sw *sw = edge_owner(edge_sw(t, i), e->in);
		uint64_t used = sw->pools.used[MMU_HEADROOM];

		sw->pools_cfg.size[MMU_HEADROOM] = to > used ? to : used;
	}
}

// Gives the threshold that was moved last its drawn value back.
static void edge_back(struct pair *t)
{
	const struct edge *e = &t->edge;

	switch (e->what) {
	case EDGE_NONE:
		break;
	case EDGE_LIMIT:
		set_limit(t, e, e->was);
		break;
	case EDGE_RESERVE:
		set_reserve(t, e, (uint32_t)e->was, e->was_too);
		break;
	case EDGE_HEADROOM:
		set_headroom(t, e, (uint32_t)e->was);
		break;
	case EDGE_XON:
		set_xon(t, e, e->was, e->was_too);
		break;
	case EDGE_POOL:
		set_pool(t, e->pool, e->was);
		break;
	case EDGE_QUEUE_LIMIT:
		set_queue_limit(t, e, e->was);
		break;
	case EDGE_HEADROOM_POOL:
		set_headroom_pool(t, e, e->was);
		break;
	default:
		set_class(t, EDGE_NONE, e->cls, 0);
	}
	t->edge.what = EDGE_NONE;
}

// The group reaches its limit when it holds `bytes` more: by its own limit, or a dynamic one by the
// size of the pool.
static void group_edge(struct pair *t, struct edge *e, uint32_t bytes)
{
	const struct mmu *m = &edge_owner(t->a->sw, e->in)->mmu;
	const struct mmu_pg *g = edge_pg(t, 0, e);
	int64_t own = (int64_t)g->bytes - g->headroom + bytes - g->reserved, grow;

	if (!g->alpha) {
		e->was = g->static_limit;
		set_limit(t, e, beside(t, own));
		return;
	}
	grow = own > 0 ? own - g->shared : 0;
	e->what = EDGE_POOL;
	e->pool = MMU_INGRESS;
	e->was = m->shared_size;
	set_pool(t, MMU_INGRESS,
		m->shared_used + (uint64_t)grow + beside(t, own) * 256ull / g->alpha);
}

// The same of a queue of a buffer with two sides.
static void queue_edge(struct pair *t, struct edge *e, uint32_t bytes)
{
	const struct sw *sw = edge_owner(t->a->sw, e->out);
	const struct mmu_queue_cfg *c = &sw->pools_cfg.queue[e->out * MMU_PGS + e->cls];
	const struct mmu_queue *q = &sw->pools.queue[e->out * MMU_PGS + e->cls];
	int64_t own = (int64_t)q->bytes + bytes - c->reserved;

	if (!c->alpha) {
		e->what = EDGE_QUEUE_LIMIT;
		e->was = c->fixed;
		set_queue_limit(t, e, beside(t, own));
		return;
	}
	if (sw->fabric && c->pool != MMU_EGRESS_LOSSY)
		return;
	e->what = EDGE_POOL;
	e->pool = c->pool;
	e->was = sw->pools_cfg.size[c->pool];
	set_pool(t, c->pool,
		sw->pools.used[c->pool] + sw->pools.lease[c->pool].others +
			beside(t, own) * 256ull / c->alpha);
}

// A pool is full with `bytes` more.
static void pool_edge(struct pair *t, struct edge *e, uint32_t bytes)
{
	const struct sw *in = edge_owner(t->a->sw, e->in), *out = edge_owner(t->a->sw, e->out);
	unsigned pool = out->pools_cfg.queue && edge_below(t, 2)
				? out->pools_cfg.queue[e->out * MMU_PGS + e->cls].pool
				: (unsigned)MMU_INGRESS;
	uint64_t used = out->pools.used[pool] + out->pools.lease[pool].others;

	e->what = EDGE_NONE;
	if (out->fabric && pool == MMU_EGRESS_LOSSLESS)
		return;
	e->what = EDGE_POOL;
	e->pool = (uint8_t)pool;
	e->was = pool == MMU_INGRESS ? in->mmu.shared_size : out->pools_cfg.size[pool];
	set_pool(t, pool, (pool == MMU_INGRESS ? in->mmu.shared_used : used) + beside(t, bytes));
}

// Bytes of the frames up to the one that reaches the threshold.
struct edge_sums {
	uint32_t queue, queue_held, group, all;
};

// Moves a threshold of the queue, the group or a pool of the frames that come.
static void edge_at(struct pair *t, struct edge *e, const struct edge_sums *s)
{
	struct sw *in = edge_owner(t->a->sw, e->in), *out = edge_owner(t->a->sw, e->out);
	uint32_t has = out->port[e->out].e.q[e->cls].bytes;
	const struct mmu_pg *g = edge_pg(t, 0, e);

	switch (e->what) {
	case EDGE_LIMIT:
		group_edge(t, e, s->group);
		break;
	case EDGE_RESERVE:
		e->was = g->reserved;
		e->was_too = g->static_limit;
		set_reserve(t, e, beside(t, (int64_t)g->bytes - g->headroom + s->group),
			edge_below(t, 2) * g->static_limit);
		break;
	case EDGE_HEADROOM:
		e->was = edge_pg_cfg(t, 0, e)->headroom;
		set_headroom(t, e, beside(t, (int64_t)edge_pg(t, 0, e)->headroom + s->group));
		break;
	case EDGE_POOL:
		pool_edge(t, e, s->all);
		break;
	case EDGE_QUEUE_LIMIT:
		e->what = EDGE_NONE;
		queue_edge(t, e, s->queue_held);
		break;
	case EDGE_HEADROOM_POOL:
		e->was = in->pools_cfg.size[MMU_HEADROOM];
		e->what = e->was ? EDGE_HEADROOM_POOL : EDGE_NONE;
		if (e->was)
			set_headroom_pool(t, e, in->pools.used[MMU_HEADROOM] + beside(t, s->group));
		break;
	case EDGE_SAMPLE:
		for (unsigned i = 0, to = beside(t, s->queue); i < 2; i++)
			edge_owner(edge_sw(t, i), e->out)->port[e->out].out[e->cls].cp->cp.sample =
				to;
		break;
	default:
		set_class(t, e->what, e->cls, beside(t, (int64_t)has + s->queue));
	}
}

// Whether a threshold can have an effect on frames of this queue and group.
static bool matters(const struct pair *t, const struct edge *e)
{
	const struct sw *out = edge_owner(t->a->sw, e->out);
	const struct sw_cls *k = &out->port[e->out].set->cls[e->cls];

	switch (e->what) {
	case EDGE_KMIN:
	case EDGE_KMAX:
		return k->mark != SW_MARK_NONE;
	case EDGE_DROP_KMIN:
	case EDGE_DROP_KMAX:
		return k->wred != SW_WRED_OFF;
	case EDGE_HEAVY:
		return k->hooks & SW_HOOK_HEAVY;
	case EDGE_SAMPLE:
		return out->port[e->out].out[e->cls].cp;
	case EDGE_RESERVE:
		return in_reserve(edge_pg(t, 0, e), edge_pg(t, 0, e)->reserved);
	case EDGE_HEADROOM:
	case EDGE_HEADROOM_POOL:
		return edge_pg(t, 0, e)->xoff;
	case EDGE_QUEUE_LIMIT:
		return out->two_sided;
	default:
		return true;
	}
}

// A threshold for the frames of a burst that comes to port `in`.
static void edge_for_burst(struct pair *t, unsigned in, const struct edge_frame *frame, unsigned n)
{
	static const uint8_t kinds[] = {EDGE_TAIL, EDGE_KMIN, EDGE_KMAX, EDGE_DROP_KMIN,
		EDGE_DROP_KMAX, EDGE_HEAVY, EDGE_SAMPLE, EDGE_LIMIT, EDGE_RESERVE, EDGE_HEADROOM,
		EDGE_POOL, EDGE_POOL, EDGE_QUEUE_LIMIT, EDGE_HEADROOM_POOL};
	unsigned last = edge_below(t, n);
	uint32_t key = frame[last].key;
	struct edge_sums s = {0};

	if (!key)
		return;
	edge_back(t);
	t->edge = (struct edge){.in = (uint8_t)in,
		.out = (uint8_t)((key >> 8) - 1),
		.cls = key & 0xff,
		.pg = frame[last].pg};
	do
		t->edge.what = (enum edge_what)kinds[edge_below(t, sizeof(kinds))];
	while (!matters(t, &t->edge));
	for (unsigned i = 0; i <= last; i++) {
		bool same = frame[i].key == key;

		s.queue += same ? frame[i].bytes : 0;
		s.queue_held += same ? frame[i].held : 0;
		s.group += frame[i].key && frame[i].pg == frame[last].pg ? frame[i].held : 0;
		s.all += frame[i].key ? frame[i].held : 0;
	}
	edge_at(t, &t->edge, &s);
}

// XON of the group of frames that leave.
static void xon_edge(struct pair *t, struct edge *e, const struct edge_sums *s)
{
	const struct mmu *m = &edge_owner(t->a->sw, e->in)->mmu;
	const struct mmu_pg *g = edge_pg(t, 0, e);
	int64_t left = (int64_t)g->shared + g->headroom - s->group;
	int64_t limit =
		(int64_t)mmu_limit_at(g, m->shared_size - m->shared_used + s->all - g->headroom);

	if (!g->xoff)
		return;
	e->what = EDGE_XON;
	e->was = edge_pg_cfg(t, 0, e)->xon;
	e->was_too = edge_pg_cfg(t, 0, e)->xon_offset;
	if (edge_below(t, 2))
		set_xon(t, e, beside(t, left), e->was_too);
	else
		set_xon(t, e, 0, beside(t, limit - left));
}

// A bucket of the shapers is used up by frames that take `wire` bytes.
static void bucket_edge(struct pair *t, const struct edge *e, uint32_t wire)
{
	unsigned which = edge_below(t, 3), ps = edge_below(t, 3);

	for (unsigned i = 0; i < 2; i++) {
		struct sw *sw = edge_owner(edge_sw(t, i), e->out);
		struct sw_port *o = &sw->port[e->out];
		struct shaper *h = &o->shape->s;
		const struct shaper_bucket *b = which == 0   ? &o->shape->cfg.port
						: which == 1 ? &o->shape->cfg.max[e->cls]
							     : &o->shape->cfg.min[e->cls];
		tstamp *full = which == 0   ? &h->port_full
			       : which == 1 ? &h->max_full[e->cls]
					    : &h->min_full[e->cls];

		if (b->ps)
			*full = tstamp_since(t->now + b->burst_ps + ps, rate_time(b->ps, wire) + 1);
		sw_shape_look(sw, o, t->now);
		sw_port_changed(sw, o);
	}
}

// The watchdog of a port looks now.
static void watchdog_edge(struct pair *t, unsigned port)
{
	for (unsigned i = 0; i < 2; i++) {
		struct sw *sw = edge_owner(edge_sw(t, i), port);
		struct sw_port *o = &sw->port[port];

		if (!o->wd || o->wd->next == TSTAMP_NEVER)
			return;
		o->wd->next = t->now;
		sw_timer_changed(sw, o);
		sw_port_changed(sw, o);
	}
}

// A threshold for frames that leave port `out`.
static void edge_for_port(struct pair *t, unsigned out)
{
	struct sw *sw = edge_owner(t->a->sw, out);
	struct sw_port *o = &sw->port[out];
	unsigned cls = edge_below(t, PKT_CLASSES), n = 1 + edge_below(t, 8);
	const struct pkt *p = o->e.q[cls].head, *last = p;
	unsigned what = edge_below(t, 6);
	struct edge_sums s = {0};
	uint32_t wire = 0;

	if (!p)
		return;
	edge_back(t);
	for (unsigned i = 1; i < n && last->next; i++)
		last = last->next;
	t->edge = (struct edge){
		.out = (uint8_t)out, .in = (uint8_t)last->in_port, .cls = (uint8_t)cls};
	t->edge.pg = (uint8_t)sw_pg(sw, last);
	for (;; p = p->next) {
		const struct sw_left l = sw_left_one(sw, p);

		s.queue += l.bytes;
		s.all += l.held;
		s.group += l.in_port == last->in_port && l.pg == t->edge.pg ? l.held : 0;
		wire += p->len + o->e.cfg->framing.wire_extra;
		if (p == last)
			break;
	}
	if (what < 2) {
		xon_edge(t, &t->edge, &s);
	} else if (what == 2 && o->shape) {
		bucket_edge(t, &t->edge, wire);
	} else if (what == 3) {
		watchdog_edge(t, out);
	} else {
		t->edge.what = what == 4 ? EDGE_HEAVY_OFF : EDGE_KMIN + edge_below(t, 2);
		set_class(t, t->edge.what, cls, beside(t, (int64_t)o->e.q[cls].bytes - s.queue));
	}
}

// Draws maps that change nothing, and reserves of other sizes. It has a generator of its own, so
// that random_params draws the same with edges and without.
static void edge_params(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;
	bool identity = !sp->pause && !t->mixed && !edge_below(t, 3);
	bool two = sw_has_two_sides(sp);

	if (!t->edges)
		return;
	for (unsigned i = 0; identity && i < sp->n_sets * PKT_CLASSES; i++) {
		struct sw_set_params *set = &b->set[i / PKT_CLASSES];

		set->queue_map[i % PKT_CLASSES] = set->pg_map[i % PKT_CLASSES] =
			(uint8_t)(i % PKT_CLASSES);
	}
	for (unsigned i = 0; i < t->n_ports * PKT_CLASSES; i++) {
		unsigned pg = edge_below(t, 2) * edge_below(t, 1000);
		unsigned queue = edge_below(t, 2) * edge_below(t, 400);

		b->port[i / PKT_CLASSES].pg[i % PKT_CLASSES].reserved_bytes = pg;
		if (two)
			b->port[i / PKT_CLASSES].queue[i % PKT_CLASSES].reserved_bytes = queue;
	}
	if (two && t->shards > 1)
		make_it_divide(b, t->shards);
}
