// SPDX-License-Identifier: BSD-3-Clause
// Orders: each lcore takes an order into its hands at a sweep. When all have it, its instant is
// announced, and each carries out its commands at its first turn at or after that instant. So
// nobody is late who was told in time, and a run that ends in between does all of an order or none.
#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <rte_cycles.h>

#include "carrier.h"

#define AHEAD     (100 * PS_PER_US)  // wall time from the announcement to the instant
#define LOOK_NS   50000              // between two looks of a thread that waits
#define LET_GO_NS 1000000000u        // that an lcore may take to see that an order is gone
#define NEVER     TSTAMP_NEVER       // not announced
#define GONE      (TSTAMP_NEVER - 1) // taken back

enum { GIVEN, TAKEN, DONE };

// An lcore's part.
struct part {
	_Atomic unsigned state;
	struct rt_order_result *result; // of each command
};

struct rt_order {
	struct rt_world *world;
	struct rt_order_cmd *cmd;
	unsigned n;
	tstamp wanted;
	_Atomic tstamp due;
	struct rt_order_result *result; // of all lcores
	struct part part[];             // by lcore
};

// Copies commands, and adds those of lanes; returns how many there are. `to` NULL: it only counts.
static unsigned copy(struct rt_order_cmd *to, const struct rt_world *w,
	const struct rt_order_cmd *cmd, unsigned n)
{
	const struct scene *s = w->scene;
	unsigned all = n;

	for (unsigned i = 0; to && i < n; i++)
		to[i] = cmd[i];
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; rt_world_is_for_lanes(&cmd[i].ctl) && k < s->n_nodes; k++) {
			if (!s->node[k].lane || s->node[k].lane_of != cmd[i].node)
				continue;
			if (to)
				to[all] = (struct rt_order_cmd){(uint16_t)k, cmd[i].ctl};
			all++;
		}
	return all;
}

struct rt_order *rt_order_new(struct rt_world *w, const struct rt_order_cmd *cmd, unsigned n)
{
	struct rt_order *o = calloc(1, sizeof(*o) + w->n_lcores * sizeof(*o->part));

	if (!o)
		return NULL;
	o->world = w;
	o->n = copy(NULL, w, cmd, n);
	atomic_init(&o->due, NEVER);
	o->cmd = calloc(o->n + 1, sizeof(*o->cmd));
	o->result = calloc((size_t)w->n_lcores * o->n + 1, sizeof(*o->result));
	if (!o->cmd || !o->result) {
		rt_order_free(o);
		return NULL;
	}
	copy(o->cmd, w, cmd, n);
	for (unsigned i = 0; i < w->n_lcores; i++)
		o->part[i].result = o->result + (size_t)i * o->n;
	for (size_t i = 0; i < (size_t)w->n_lcores * o->n; i++)
		o->result[i].at = TSTAMP_NEVER;
	return o;
}

void rt_order_free(struct rt_order *o)
{
	if (!o)
		return;
	free(o->cmd);
	free(o->result);
	free(o);
}

int rt_order_post(struct rt_order *o, tstamp due)
{
	struct rt_world *w = o->world;
	struct rt_order *none = NULL;

	o->wanted = due;
	if (!atomic_compare_exchange_strong(&w->order, &none, o))
		return -EBUSY;
	for (unsigned i = 0; i < w->n_lcores; i++)
		atomic_store_explicit(&w->lcore[i]->order, o, memory_order_release);
	return 0;
}

// The order has left the lcores' hands.
static void leave(struct rt_order *o)
{
	for (unsigned i = 0; i < o->world->n_lcores; i++)
		atomic_store(&o->world->lcore[i]->order, NULL);
	atomic_store(&o->world->order, NULL);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

static bool all_are(const struct rt_order *o, unsigned state)
{
	for (unsigned i = 0; i < o->world->n_lcores; i++)
		if (atomic_load(&o->part[i].state) < state)
			return false;
	return true;
}

// Whether each lcore has carried the order out, or has ended.
static bool none_is_left(const struct rt_order *o)
{
	for (unsigned i = 0; i < o->world->n_lcores; i++)
		if (atomic_load(&o->part[i].state) != DONE &&
			!atomic_load(&o->world->lcore[i]->done))
			return false;
	return true;
}

// All lcores have the order. One lcore alone carries it out at once; its clock may stand still.
static void announce(struct rt_order *o)
{
	const struct rt_clock *c = o->world->lcore[0]->clock;
	tstamp soon = o->world->n_lcores == 1 ? 0 : rt_clock_ps(c, rte_rdtsc()) + AHEAD / c->dilate;

	atomic_store(&o->due, tstamp_max(o->wanted, soon));
}

int rt_order_look(struct rt_order *o)
{
	if (all_are(o, DONE)) {
		leave(o);
		return 0;
	}
	if (none_is_left(o)) {
		leave(o);
		return -ESHUTDOWN;
	}
	if (atomic_load(&o->due) == NEVER && all_are(o, TAKEN))
		announce(o);
	return -EAGAIN;
}

// Whether an lcore has let go of an order that is gone, or soon does.
static bool lets_go(const struct rt_order *o, unsigned i)
{
	const struct rt_lcore *lc = o->world->lcore[i];

	for (unsigned looks = LET_GO_NS / LOOK_NS; looks; looks--) {
		if (atomic_load(&o->part[i].state) == DONE || atomic_load(&lc->done))
			return true;
		nap();
	}
	return false;
}

bool rt_order_cancel(struct rt_order *o)
{
	tstamp never = NEVER;
	bool all = true;

	if (!atomic_compare_exchange_strong(&o->due, &never, GONE))
		return false;
	for (unsigned i = 0; i < o->world->n_lcores; i++) {
		struct rt_order *mine = o;

		if (!atomic_compare_exchange_strong(&o->world->lcore[i]->order, &mine, NULL))
			all &= lets_go(o, i);
	}
	leave(o);
	return all;
}

int rt_order_give(struct rt_order *o, tstamp due, unsigned timeout_ms)
{
	uint64_t looks = timeout_ms * 1000000ull / LOOK_NS;
	int rc = rt_order_post(o, due);

	if (rc)
		return rc;
	while ((rc = rt_order_look(o)) == -EAGAIN && looks) {
		tstamp at = atomic_load(&o->due);

		// The wait for an instant to come is no delay.
		looks -= at == NEVER || at <= atomic_load(&o->world->lcore[0]->now);
		nap();
	}
	if (rc != -EAGAIN)
		return rc;
	return rt_order_cancel(o) ? -ETIMEDOUT : -EINPROGRESS;
}

tstamp rt_order_due(const struct rt_order *o)
{
	tstamp due = atomic_load(&o->due);

	return due == GONE ? TSTAMP_NEVER : due;
}

bool rt_order_result(
	const struct rt_order *o, unsigned i, unsigned k, struct rt_order_result *result)
{
	const struct rt_node *n = rt_world_node(o->world, o->cmd[i].node, 0);

	if (k >= n->shards)
		return false;
	n = rt_world_node(o->world, o->cmd[i].node, k);
	*result = o->part[n->lcore].result[i];
	return result->at != TSTAMP_NEVER;
}

void rt_order_take(struct rt_lcore *lc)
{
	struct rt_order *o = atomic_exchange(&lc->order, NULL);

	if (!o)
		return;
	lc->holds = o;
	lc->next_ctl = 0; // each turn looks whether its instant has come
	atomic_store(&o->part[lc->index].state, TAKEN);
}

void rt_order_run(struct rt_lcore *lc, tstamp now)
{
	struct rt_order *o = lc->holds;
	tstamp due = atomic_load_explicit(&o->due, memory_order_acquire);
	struct part *mine = &o->part[lc->index];

	if (due != GONE && due > now)
		return;
	for (unsigned i = 0; due != GONE && i < o->n; i++)
		for (unsigned k = 0; k < lc->n_nodes; k++) {
			struct rt_node *n = &lc->node[k];
			const struct rt_cmd c = {now, n, &o->cmd[i].ctl};

			if (n->index == o->cmd[i].node)
				mine->result[i] =
					(struct rt_order_result){now, rt_carrier_ctl(lc, &c, now)};
		}
	lc->holds = NULL;
	atomic_store(&mine->state, DONE);
}
