// SPDX-License-Identifier: BSD-3-Clause
// Orders to all nodes: begin nothing, are you at rest, go on. An order is answered by all lcores at
// one instant, so its answers fit together.
#include "quiesce.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "run.h"

static uint64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

// Gives all nodes a command, or all hosts. Another order may be under way; then the next turn does
// it. Returns whether it is given.
static bool give(struct rt *rt, enum ctl_type type, bool goes_on)
{
	const struct scene *s = rt->scene;
	struct rt_quiesce *q = &rt->quiesce;
	struct rt_order_cmd *cmd = calloc(s->n_nodes + 1ul, sizeof(*cmd));

	q->n = 0;
	q->asks = type == CTL_IS_QUIET;
	for (unsigned i = 0; cmd && i < s->n_nodes; i++)
		if (q->asks || (s->node[i].kind != SCENE_SW &&
				       !s->node[i].lane)) // a host's lanes are told
			cmd[q->n++] =
				(struct rt_order_cmd){(uint16_t)i, {.type = type, .a = goes_on}};
	q->order = cmd ? rt_order_new(&rt->world, cmd, q->n) : NULL;
	free(cmd);
	if (q->order && rt_order_post(q->order, 0)) {
		rt_order_free(q->order);
		q->order = NULL;
	}
	return q->order;
}

// Whether an order that is under way is done; -EAGAIN: not yet.
static int look(struct rt_quiesce *q)
{
	return q->order ? rt_order_look(q->order) : 0;
}

static void forget(struct rt_quiesce *q)
{
	rt_order_free(q->order);
	q->order = NULL;
}

void rt_quiesce_begin(struct rt *rt, bool goes_on, tstamp within)
{
	struct rt_quiesce *q = &rt->quiesce;

	q->state = RT_QUIESCE_WANTED;
	q->goes_on = goes_on;
	q->passed_at = TSTAMP_NEVER;
	q->until_ns = wall_ns() + within / PS_PER_NS;
}

// Takes the quiesce that lcores have carried out since, for an event of the scenario or an order of
// its user. The interrupt's own goes before all others.
static void take_told(struct rt *rt)
{
	struct rt_quiesce *q = &rt->quiesce;
	uint64_t last = 0;
	uint32_t told = 0;

	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		const struct rt_lcore *lc = rt->world.lcore[i];
		uint32_t n = atomic_load_explicit(&lc->quiesces, memory_order_acquire);

		told += n;
		if (n)
			last = atomic_load_explicit(&lc->quiesce, memory_order_relaxed);
	}
	if (told == q->told)
		return;
	q->told = told;
	if (rt->interrupted)
		return;
	q->state = RT_QUIESCE_LOOKS;
	q->goes_on = last & 1;
	q->passed_at = TSTAMP_NEVER;
	q->until_ns = wall_ns() + (last >> 1) / PS_PER_NS;
}

// The longest that a frame is on a link of the scene's own, or in a ring.
static tstamp longest_link(const struct scene *s)
{
	tstamp most = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			most = tstamp_max(most, s->node[i].port[p].delay);
	return most + PS_PER_MS;
}

// Sums the answers of all nodes, and finds their earliest instant. False: one is not at rest.
static bool add_answers(const struct rt_quiesce *q, uint64_t *passed, tstamp *at)
{
	struct rt_order_result r;

	*passed = 0;
	*at = TSTAMP_NEVER;
	for (unsigned i = 0; i < q->n; i++)
		for (unsigned k = 0; rt_order_result(q->order, i, k, &r); k++) {
			if (r.rc < 0)
				return false;
			*passed += (uint64_t)r.rc;
			*at = tstamp_min(*at, r.at);
		}
	return true;
}

// All is quiet if no node has anything to do, and if no frame has passed one since an earlier look.
// By a device frames come that concern nobody here.
static bool is_quiet(struct rt *rt)
{
	struct rt_quiesce *q = &rt->quiesce;
	uint64_t passed;
	tstamp at;

	if (!add_answers(q, &passed, &at)) {
		q->passed_at = TSTAMP_NEVER;
		return false;
	}
	if (q->passed_at == TSTAMP_NEVER || (passed != q->passed && !rt->n_dev)) {
		q->passed = passed;
		q->passed_at = at;
		return false;
	}
	return tstamp_since(at, q->passed_at) >= longest_link(rt->scene);
}

// Asks the nodes, or takes their answers.
static bool ask(struct rt *rt)
{
	struct rt_quiesce *q = &rt->quiesce;
	bool quiet;

	if (!q->order) {
		give(rt, CTL_IS_QUIET, false);
		return false;
	}
	quiet = q->asks && is_quiet(rt);
	forget(q);
	return quiet;
}

// It is over: true where the run ends with it.
static bool finish(struct rt *rt)
{
	struct rt_quiesce *q = &rt->quiesce;

	if (!q->goes_on)
		return true;
	q->state = give(rt, CTL_GO_ON, false) ? RT_QUIESCE_GOES_ON : RT_QUIESCE_LOOKS;
	return false;
}

bool rt_quiesce_turn(struct rt *rt)
{
	struct rt_quiesce *q = &rt->quiesce;
	bool late;

	take_told(rt);
	if (q->state == RT_QUIESCE_NONE)
		return false;
	late = wall_ns() >= q->until_ns;
	if (q->order && look(q) == -EAGAIN) {
		// An lcore that does not answer cannot keep the user waiting.
		return late && !q->goes_on && q->state != RT_QUIESCE_GOES_ON;
	}
	if (q->state == RT_QUIESCE_LOOKS)
		return ask(rt) || late ? finish(rt) : false;
	forget(q);
	if (q->state == RT_QUIESCE_WANTED) {
		if (give(rt, CTL_QUIESCE, q->goes_on))
			q->state = RT_QUIESCE_TELLS;
		return late;
	}
	q->state = q->state == RT_QUIESCE_TELLS ? RT_QUIESCE_LOOKS : RT_QUIESCE_NONE;
	return false;
}

void rt_quiesce_end(struct rt *rt)
{
	struct rt_quiesce *q = &rt->quiesce;

	// An lcore that hangs keeps the order that it has.
	if (q->order && look(q) == -EAGAIN && !rt_order_cancel(q->order))
		q->order = NULL;
	forget(q);
}
