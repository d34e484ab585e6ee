// SPDX-License-Identifier: BSD-3-Clause
// Asks nodes whether they are at rest.
#include "quiet.h"

#include <errno.h>
#include <limits.h>

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

// Another thread has the ports of another shard.
static bool has_port(const struct net_node *n, unsigned port)
{
	return n->is_whole || sw_owner(n->u.sw, port) == n->u.sw;
}

static bool switch_is_empty(const struct net_node *n)
{
	bool crosses = false;

	for (unsigned p = 0; p < n->scene->n_ports; p++)
		if (has_port(n, p) && !port_is_empty(sw_eport(n->u.sw, p)))
			return false;
	if (n->is_whole)
		sw_each_crossing(n->u.sw, see, &crosses);
	return !crosses;
}

static bool faults_hold(const struct net_node *n)
{
	for (unsigned p = 0; n->fault && p < n->scene->n_ports; p++)
		if (n->fault[p] && (n->kind != SCENE_SW || has_port(n, p)) &&
			fault_held(n->fault[p]))
			return true;
	return false;
}

static bool is_quiet(const struct net_node *n)
{
	if (faults_hold(n))
		return false;
	if (n->kind == SCENE_SW)
		return switch_is_empty(n);
	if (n->kind == SCENE_NIC)
		return nic_is_quiet(n->u.nic);
	if (n->kind == SCENE_TESTER)
		return tester_is_quiet(n->u.tester);
	return player_deadline(replay_player(n->u.replay)) == TSTAMP_NEVER;
}

bool net_is_quiet(const struct net *net)
{
	for (unsigned i = 0; i < net->n_nodes; i++)
		if (!is_quiet(net_node(net, i)))
			return false;
	return true;
}

static uint64_t frames_passed(const struct net_node *n)
{
	uint64_t frames = 0;

	if (n->kind == SCENE_NIC)
		return nic_stats(n->u.nic)->rx_frames + nic_stats(n->u.nic)->tx_frames;
	if (n->kind == SCENE_REPLAY)
		return replay_stats(n->u.replay)->rx_frames + replay_stats(n->u.replay)->tx_frames;
	if (n->kind == SCENE_TESTER)
		return tester_stats(n->u.tester)->rx_frames + tester_stats(n->u.tester)->tx_frames;
	for (unsigned p = 0; p < n->scene->n_ports; p++) {
		struct sw_port_stats s = {0};

		if (has_port(n, p))
			s = sw_port_stats(n->u.sw, p);
		frames += s.rx_frames + s.tx_frames;
	}
	return frames;
}

int net_ask_quiet(const struct net_node *n)
{
	return is_quiet(n) ? (int)(frames_passed(n) & INT_MAX) : -EBUSY;
}
