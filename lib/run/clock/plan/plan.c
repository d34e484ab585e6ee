// SPDX-License-Identifier: BSD-3-Clause
// Decisions before a run: the lcore of each node, the dilation, and the time that a late loop may
// take.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "plan.h"
#include "lcores/lcores.h"

#define LOAD_MAX   0.3 // share of a packet time that the work in it may take
#define DILATE_MAX (1u << 20)

// The lcore that the scenario wants for a node: the node's own, or its ports'; -1: none.
static int wanted(const struct scene_node *n, int *lcore, struct err *err)
{
	*lcore = n->lcore;
	for (unsigned p = 0; p < n->n_ports; p++) {
		if (n->port[p].lcore < 0)
			continue;
		if (*lcore >= 0 && *lcore != n->port[p].lcore)
			return err_set(err, -EINVAL,
				"port %s: lcore %d, but %s is on lcore %d; a node has one lcore",
				n->port[p].name, n->port[p].lcore, n->name, *lcore);
		*lcore = n->port[p].lcore;
	}
	return 0;
}

static int index_of(const unsigned *id, unsigned n, int lcore)
{
	for (unsigned i = 0; i < n; i++)
		if (id[i] == (unsigned)lcore)
			return (int)i;
	return -1;
}

// A node's work grows with what its ports can carry.
static uint64_t weight(const struct scene_node *n)
{
	uint64_t w = 1;

	for (unsigned p = 0; p < n->n_ports; p++)
		w += n->port[p].rate / RATE_MBPS;
	return w;
}

// Returns whether an lcore already has a lane of the same host.
static bool has_lane(const struct scene *s, const uint16_t *lcore_of, unsigned lcore, unsigned node)
{
	unsigned host = s->node[node].lane ? s->node[node].lane_of : node;

	for (unsigned i = s->n_nodes; i-- && (s->node[i].lane || i >= host);)
		if (lcore_of[i] == lcore &&
			(i == host || (s->node[i].lane && s->node[i].lane_of == host)))
			return true;
	return false;
}

// The lcore that has least to do and no lane of the node's host; -1: there is none.
static int least(const struct scene *s, const uint16_t *lcore_of, const uint64_t *load, unsigned n,
	unsigned node)
{
	bool lanes = s->node[node].lane || s->node[node].n_lanes;
	int best = -1;

	for (unsigned i = 0; i < n; i++)
		if ((best < 0 || load[i] < load[best]) &&
			!(lanes && has_lane(s, lcore_of, i, node)))
			best = (int)i;
	return best;
}

// The heaviest node that has no lcore yet; -1: none is left.
static int heaviest(const struct scene *s, const uint16_t *lcore_of)
{
	int best = -1;

	for (unsigned i = 0; i < s->n_nodes; i++)
		if (lcore_of[i] == RT_NONE &&
			(best < 0 || weight(&s->node[i]) > weight(&s->node[best])))
			best = (int)i;
	return best;
}

// Shards of a cut switch, else 1.
static unsigned shards_of(const struct scene_node *n)
{
	return n->kind == SCENE_SW && n->u.sw.shards > 1 ? n->u.sw.shards : 1;
}

// The host or switch whose lcores a node takes a share of.
static const struct scene_node *whole_of(const struct scene *s, unsigned node)
{
	return &s->node[s->node[node].lane ? s->node[node].lane_of : node];
}

static unsigned lcores_of(const struct scene_node *n)
{
	return n->kind == SCENE_SW ? shards_of(n) : n->n_lanes;
}

static int few_lcores(
	const struct scene *s, unsigned node, const struct rt_workers *w, struct err *err)
{
	const struct scene_node *n = whole_of(s, node);
	unsigned lcores = lcores_of(n);

	if (!w->most)
		return err_set(err, -EINVAL,
			"%s: lcores: %u needs as many workers, and EAL was given %u; "
			"give it more, or write lcores: %u",
			n->name, lcores, w->n, w->n);
	if (lcores > w->most)
		return err_set(err, -EINVAL,
			"%s: lcores: %u needs as many workers, and this process may use %u "
			"processor%s; write at most lcores: %u, and --workers %u",
			n->name, lcores, w->most, plural(w->most), w->most, w->most);
	return err_set(err, -EINVAL,
		"%s: lcores: %u needs as many workers, and this run has %u; write --workers %u",
		n->name, lcores, w->n, lcores);
}

// The error for a host whose `lcore` is worker number `at`, with too few workers from there on for
// its lanes.
static int few_from(const struct scene *s, unsigned node, unsigned at, const struct rt_workers *w,
	struct err *err)
{
	const struct scene_node *n = whole_of(s, node);

	return err_set(err, -EINVAL,
		"%s: lcores: %u from lcore %u on, from where %u worker%s there; "
		"write lcores: %u, or leave lcore out",
		n->name, lcores_of(n), w->id[at], w->n - at, w->n - at == 1 ? " is" : "s are",
		w->n - at);
}

// Shards go to the lcores from `at` on, around.
static void add_load(uint64_t *load, unsigned n_lcores, unsigned at, const struct scene_node *n)
{
	unsigned shards = shards_of(n);

	for (unsigned k = 0; k < shards; k++)
		load[(at + k) % n_lcores] += weight(n) / shards;
}

// The worker that the scenario gives a node, as an index; RT_NONE: it gives none.
static int place_wanted(const struct scene *s, unsigned node, const struct rt_workers *w,
	uint16_t *lcore_of, struct err *err)
{
	const struct scene_node *n = &s->node[node];
	int lcore, at, rc = wanted(n, &lcore, err);

	*lcore_of = RT_NONE;
	if (rc)
		return rc;
	if (lcores_of(whole_of(s, node)) > w->n)
		return few_lcores(s, node, w, err);
	if (lcore < 0)
		return 0;
	at = index_of(w->id, w->n, lcore);
	if (at < 0)
		return err_set(err, -EINVAL,
			"%s: lcore %d is no worker here: "
			"%u to %u are, as far as this process may use them",
			n->name, lcore, w->id[0], w->id[w->n - 1]);
	if (n->lane && at + n->lane >= (int)w->n)
		return few_from(s, node, (unsigned)at, w, err);
	*lcore_of = (uint16_t)(at + n->lane); // from the lcore of lane 0 on
	return 0;
}

int rt_plan_place(
	const struct scene *scene, const struct rt_workers *w, uint16_t *lcore_of, struct err *err)
{
	uint64_t load[RTE_MAX_LCORE] = {0};
	int node;

	for (unsigned i = 0; i < scene->n_nodes; i++) {
		int rc = place_wanted(scene, i, w, &lcore_of[i], err);

		if (rc)
			return rc;
		if (lcore_of[i] != RT_NONE)
			add_load(load, w->n, lcore_of[i], &scene->node[i]);
	}
	while ((node = heaviest(scene, lcore_of)) >= 0) {
		int at = least(scene, lcore_of, load, w->n, (unsigned)node);

		assert(at >= 0); // no host has more lanes than there are workers
		lcore_of[node] = (uint16_t)at;
		add_load(load, w->n, (unsigned)at, &scene->node[node]);
	}
	return 0;
}

tstamp rt_plan_packet_time(const struct scene *scene)
{
	rate_t fastest = RATE_MIN;

	for (unsigned i = 0; i < scene->n_nodes; i++)
		for (unsigned p = 0; p < scene->node[i].n_ports; p++)
			if (scene->node[i].port[p].rate > fastest)
				fastest = scene->node[i].port[p].rate;
	return rate_time(rate_byte_ps(fastest), scene->max_frame + PKT_WIRE);
}

tstamp rt_plan_tolerance(const struct scene *scene, tstamp gap_p99)
{
	tstamp t = tstamp_max(2 * rt_plan_packet_time(scene), 2 * gap_p99);

	return tstamp_min(t, SCENE_TX_AHEAD);
}

// 0 and TSTAMP_NEVER: there is no such timer.
static tstamp shorter(tstamp t, tstamp timer)
{
	return timer ? tstamp_min(t, timer) : t;
}

tstamp rt_plan_shortest_timer(const struct scene *scene)
{
	tstamp t = TSTAMP_NEVER;

	for (unsigned i = 0; i < scene->n_nodes; i++) {
		const struct scene_node *n = &scene->node[i];

		if (n->kind == SCENE_NIC)
			t = shorter(t, n->u.nic.np.interval_ps);
	}
	for (unsigned i = 0; i < scene->n_controls; i++)
		t = tstamp_min(t, rp_shortest_timer(&scene->control[i]->cfg));
	return t;
}

static unsigned dilate_next(unsigned d)
{
	bool power_of_2 = !(d & (d - 1));

	if (d == 1)
		return 2;
	return power_of_2 ? d + d / 2 : d / 3 * 4;
}

// Chooses the dilation. It is rounded up to 1, 2, 3, 4, 6, 8, 12, 16, 24 ..., so that the next run
// most likely has the same.
unsigned rt_plan_dilate(double load, unsigned n_lcores)
{
	double want = load / (LOAD_MAX * n_lcores);
	unsigned d = 1;

	while (d < want && d < DILATE_MAX)
		d = dilate_next(d);
	return d;
}
