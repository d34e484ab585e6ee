// SPDX-License-Identifier: BSD-3-Clause
// Frames of a host on several lcores go to the lcore of their queue pair.
#include "lane.h"

// Returns the lane that gets a frame. Lane 0 gets the frames that belong to no queue pair.
static unsigned lane_of(const struct rt_end *e, const struct pkt *p)
{
	const struct scene_node *s = e->node->net->scene;
	uint32_t number;

	if (p->kind == PKT_CNM) // our flow IDs are numbers of queue pairs
		return p->u.cnm.flow_id % e->n_lanes;
	if (p->kind < PKT_DATA || p->kind > PKT_ROCE)
		return 0;
	number = p->u.rc.qpn - s->u.nic.qpn_base;
	return number - 1 < s->n_qps ? number % e->n_lanes : 0;
}

static void hand_to_lane(
	struct rt_lcore *lc, struct rt_end *e, unsigned lane, struct pkt **p, unsigned n)
{
	unsigned put = rt_ring_put(e->lane[lane]->in.ring, p, n);

	e->overrun += n - put;
	for (unsigned i = put; i < n; i++)
		pkt_put(&lc->stack, p[i]);
}

// The pause of a peer stops all lanes.
static void copy_to_all(struct rt_lcore *lc, struct rt_end *e, const struct pkt *p, tstamp now)
{
	for (unsigned k = 1; k < e->n_lanes; k++) {
		struct pkt *copy = pkt_get_ctl(&lc->stack);

		if (!copy) {
			e->overrun++;
			continue;
		}
		pkt_clone(copy, p, lc->stack.data_off);
		copy->flags |= PKT_F_COPY;
		copy->when = now;
		hand_to_lane(lc, e, k, &copy, 1);
	}
}

unsigned rt_lane_spread(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	struct pkt *of[SCENE_LANES][EAL_BURST];
	unsigned count[SCENE_LANES] = {0}, stay = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned lane = lane_of(e, burst[i]);

		if (burst[i]->kind == PKT_PFC || burst[i]->kind == PKT_PAUSE)
			copy_to_all(lc, e, burst[i], now);
		if (!lane) {
			burst[stay++] = burst[i];
			continue;
		}
		burst[i]->when = now;
		of[lane][count[lane]++] = burst[i];
	}
	for (unsigned k = 1; k < e->n_lanes; k++)
		if (count[k])
			hand_to_lane(lc, e, k, of[k], count[k]);
	return stay;
}
