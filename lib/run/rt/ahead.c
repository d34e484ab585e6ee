// SPDX-License-Identifier: BSD-3-Clause
// Clocks of other parts, told to the lcores that receive from them.
#include "ahead.h"

#include <errno.h>
#include <stdlib.h>

#include "run.h"

static struct rt_clock_ahead *find_clock(
	const struct rt_ahead *a, const struct rt_lcore *lcore, unsigned node)
{
	for (unsigned i = a->n; i > 0; i--) // most sources have the sender of the one before
		if (a->clock[i - 1].node == node && a->clock[i - 1].lcore == lcore)
			return &a->clock[i - 1];
	return NULL;
}

static struct rt_lcore *lcore_of(const struct rt *rt, unsigned node)
{
	return rt->world.lcore[rt->world.lcore_of[node]];
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

int rt_ahead_init(struct rt *rt)
{
	const struct scene *s = rt->scene;
	struct rt_ahead *a = &rt->meet.ahead;
	int rc = 0;

	for (unsigned i = 0; !rc && i < s->n_sources; i++)
		if (comes(s, s->source[i]))
			rc = add_clock(a, lcore_of(rt, s->source[i]->to), s->source[i]->from);
	for (unsigned i = 0; !rc && i < s->n_sources; i++) { // once they have their places
		const struct scene_source *src = s->source[i];

		if (comes(s, src))
			nic_gen_lend_ahead(rt->world.net->node[src->to].u.nic, src->gen.source,
				&find_clock(a, lcore_of(rt, src->to), src->from)->ps);
	}
	for (unsigned i = 0; !rc && i < rt->world.n_lcores; i++)
		rt->world.lcore[i]->ahead = a;
	return rc;
}

// For a frame says whole ns, and so does the clock that it is held against.
static void tell_clock(const struct rt *rt, struct rt_clock_ahead *c, tstamp now, bool window)
{
	int64_t dilate = rt->clock.dilate, ps = NIC_AHEAD_UNKNOWN;
	struct meet_range r;

	c->bound = 0;
	if (meet_node_ahead(&rt->meet.m, rt->scene->node[c->node].number, now, &r)) {
		ps = meet_range_middle(r) * (int64_t)PS_PER_NS / dilate;
		c->bound = meet_range_bound(r) * PS_PER_NS / (uint64_t)dilate + 2 * PS_PER_NS;
	}
	c->most = window ? tstamp_max(c->most, c->bound) : c->bound;
	atomic_store_explicit(&c->told, ps, memory_order_relaxed);
}

void rt_ahead_tell(struct rt *rt, tstamp now, tstamp holds)
{
	struct rt_ahead *a = &rt->meet.ahead;

	for (unsigned i = 0; i < a->n; i++)
		tell_clock(rt, &a->clock[i], now + holds, a->window);
	for (unsigned i = 0; a->n && i < rt->world.n_lcores; i++)
		atomic_store_explicit(&rt->world.lcore[i]->hellos, 1, memory_order_release);
	a->window = rt->recorder.warm;
}

void rt_ahead_bounds(const struct rt *rt)
{
	const struct scene *s = rt->scene;
	const struct rt_ahead *a = &rt->meet.ahead;

	for (unsigned i = 0; a->n && i < s->n_sources; i++) {
		const struct scene_source *src = s->source[i];

		if (comes(s, src))
			record_source_bound(rt->recorder.rec, i,
				find_clock(a, lcore_of(rt, src->to), src->from)->most);
	}
}
