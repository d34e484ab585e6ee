// SPDX-License-Identifier: BSD-3-Clause
// Clocks of other parts, given to the lcores that receive from them.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

static struct rt_clock_ahead *find_clock(
	const struct rt_ahead *a, const struct rt_lcore *lcore, unsigned node)
{
	for (unsigned i = a->n; i > 0; i--) // most sources have the sender of the one before
		if (a->clock[i - 1].node == node && a->clock[i - 1].lcore == lcore)
			return &a->clock[i - 1];
	return NULL;
}

static struct rt_lcore *lcore_of(const struct parts *t, unsigned node)
{
	const struct rt_world *w = t->run.world;

	return w->lcore[rt_world_lcore(w, node, 0)];
}

// Whether a source sends from another part to here.
static bool comes(const struct scene *s, const struct scene_source *src)
{
	return src->gen.stamped && scene_is_here(s, src->to);
}

static int add_clock(struct rt_ahead *a, const struct rt_lcore *lcore, unsigned node)
{
	struct rt_clock_ahead *more;

	if (find_clock(a, lcore, node))
		return 0;
	more = realloc(a->clock, (a->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	a->clock = more;
	a->clock[a->n++] = (struct rt_clock_ahead){.lcore = lcore,
		.node = (uint16_t)node,
		.ps = NIC_AHEAD_UNKNOWN,
		.told = NIC_AHEAD_UNKNOWN};
	return 0;
}

int parts_ahead_init(struct parts *t)
{
	const struct rt_world *w = t->run.world;
	const struct scene *s = w->scene;
	struct rt_ahead *a = &t->ahead;
	int rc = 0;

	for (unsigned i = 0; !rc && i < s->n_sources; i++)
		if (comes(s, s->source[i]))
			rc = add_clock(a, lcore_of(t, s->source[i]->to), s->source[i]->from);
	for (unsigned i = 0; !rc && i < s->n_sources; i++) { // once they have their places
		const struct scene_source *src = s->source[i];

		if (comes(s, src))
			nic_gen_lend_ahead(net_node(w->net, src->to)->u.nic, src->gen.source,
				&find_clock(a, lcore_of(t, src->to), src->from)->ps);
	}
	for (unsigned i = 0; !rc && i < w->n_lcores; i++)
		w->lcore[i]->ahead = a;
	return rc;
}

// Publishes the clock in whole ns, because a frame has whole ns, and so has the clock that it is
// compared with.
static void tell_clock(const struct parts *t, struct rt_clock_ahead *c, tstamp now, bool window)
{
	int64_t dilate = t->run.clock->dilate, ps = NIC_AHEAD_UNKNOWN;
	struct meet_range r;

	c->bound = 0;
	if (meet_node_ahead(&t->m, t->run.world->scene->node[c->node].number, now, &r)) {
		ps = meet_range_middle(r) * (int64_t)PS_PER_NS / dilate;
		c->bound = meet_range_bound(r) * PS_PER_NS / (uint64_t)dilate + 2 * PS_PER_NS;
	}
	c->most = window ? tstamp_max(c->most, c->bound) : c->bound;
	atomic_store_explicit(&c->told, ps, memory_order_relaxed);
}

void parts_ahead_tell(struct parts *t, tstamp now, tstamp holds, bool window)
{
	const struct rt_world *w = t->run.world;
	struct rt_ahead *a = &t->ahead;

	for (unsigned i = 0; i < a->n; i++)
		tell_clock(t, &a->clock[i], now + holds, a->window);
	for (unsigned i = 0; a->n && i < w->n_lcores; i++)
		atomic_store_explicit(&w->lcore[i]->hellos, 1, memory_order_release);
	a->window = window;
}

void parts_bounds(const struct parts *t, struct record *rec)
{
	const struct rt_ahead *a = &t->ahead;
	const struct scene *s = a->n ? t->run.world->scene : NULL;

	for (unsigned i = 0; a->n && i < s->n_sources; i++) {
		const struct scene_source *src = s->source[i];

		if (comes(s, src))
			record_source_bound(
				rec, i, find_clock(a, lcore_of(t, src->to), src->from)->most);
	}
}
