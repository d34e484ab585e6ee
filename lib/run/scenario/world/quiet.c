// SPDX-License-Identifier: BSD-3-Clause
// Asks nodes whether they are at rest.
#include "quiet.h"

static void see(void *arg, const struct pkt *p)
{
	(void)p;
	*(bool *)arg = true;
}

static bool port_is_empty(const struct eport *e)
{
	for (unsigned c = 0; c <= EPORT_CTL; c++)
		if (e->q[c].head)
			return false;
	return true;
}

static bool switch_is_empty(const struct net_node *n)
{
	bool crosses = false;

	// Another thread has the ports of another shard.
	for (unsigned p = 0; p < n->scene->n_ports; p++)
		if ((n->is_whole || sw_owner(n->u.sw, p) == n->u.sw) &&
			!port_is_empty(sw_eport(n->u.sw, p)))
			return false;
	if (n->is_whole)
		sw_each_crossing(n->u.sw, see, &crosses);
	return !crosses;
}

bool net_node_is_quiet(const struct net_node *n, unsigned *at)
{
	if (n->kind == SCENE_SW)
		return switch_is_empty(n);
	if (n->kind == SCENE_NIC)
		return nic_is_quiet(n->u.nic, at);
	return player_deadline(replay_player(n->u.replay)) == TSTAMP_NEVER;
}

bool net_is_quiet(const struct net *net, struct net_quiet *q)
{
	for (; q->node < net->n_nodes; q->node++, q->at = 0)
		if (!net_node_is_quiet(net_node(net, q->node), &q->at))
			return false;
	// A frame may have come to a node that was asked before.
	for (unsigned i = 0; i < net->n_nodes; i++) {
		unsigned at = UINT32_MAX;

		if (!net_node_is_quiet(net_node(net, i), &at))
			return false;
	}
	return true;
}
