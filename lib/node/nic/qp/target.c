// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources that send to a host that is no NIC of the scene: each finds the hardware
// address before its first frame, and follows a host whose address changes. None of this is on the
// path of data.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

struct nic_target {
	struct nic_gen *g;
	struct hdr *hdr;
	struct neigh_ip ip;                // of the next hop
	_Atomic enum nic_peer_state state; // other threads read it
	tstamp start;                      // when to send; TSTAMP_NEVER: when a command says so
};

struct nic_targets {
	struct nic_target **target;
	unsigned n;
};

int nic_target_add(struct nic *nic, struct nic_gen *g, struct hdr *hdr)
{
	struct nic_targets *all = nic->targets;
	struct nic_target *t;

	if (!nic->neigh || !(hdr->flags & HDR_IP))
		return -EINVAL;
	if (!all)
		all = nic->targets = calloc(1, sizeof(*all));
	if (!all || !nic_room(&all->target, all->n))
		return -ENOMEM;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	all->target[all->n++] = t;
	t->g = g;
	t->hdr = hdr;
	nic_next_hop(nic, hdr, &t->ip);
	t->start = gen_deadline(&t->g->g);
	gen_stop(&t->g->g);
	wheel_set(&nic->gap, t->g->id, TSTAMP_NEVER);
	nic->slow_at = tstamp_min(nic->slow_at, t->start);
	nic_reckon(nic);
	return 0;
}

void nic_target_fini(struct nic *nic)
{
	struct nic_targets *all = nic->targets;

	for (unsigned i = 0; all && i < all->n; i++)
		free(all->target[i]);
	if (all)
		free(all->target);
	free(all);
}

static bool is_for(const struct nic_target *t, const struct neigh_ip *ip)
{
	return t->ip.v6 == ip->v6 && !memcmp(t->ip.bytes, ip->bytes, sizeof(ip->bytes));
}

static void run(struct nic *nic, struct nic_target *t, tstamp now)
{
	t->state = NIC_PEER_UP;
	if (t->start == TSTAMP_NEVER)
		return;
	gen_start(&t->g->g, now);
	wheel_set(&nic->gap, t->g->id, gen_deadline(&t->g->g));
	node_touch(&nic->touched, 0);
}

static void ask(struct nic *nic, struct nic_target *t, tstamp now)
{
	uint8_t mac[6];

	t->state = NIC_PEER_RESOLVES;
	if (!nic_neigh_find(nic, &t->ip, mac, now))
		return;
	nic_readdress(t->hdr, mac);
	run(nic, t, now);
}

bool nic_target_run(struct nic *nic, struct nic_gen *g, bool on, tstamp now)
{
	struct nic_targets *all = nic->targets;
	struct nic_target *t = NULL;

	for (unsigned i = 0; all && i < all->n && !t; i++)
		t = all->target[i]->g == g ? all->target[i] : NULL;
	if (!t || t->state == NIC_PEER_UP)
		return false;
	t->start = on ? now : TSTAMP_NEVER;
	if (on && t->state == NIC_PEER_IDLE)
		ask(nic, t, now);
	nic->slow_at = tstamp_min(nic->slow_at, nic_neigh_due(nic));
	return true;
}

void nic_target_timer(struct nic *nic, tstamp now)
{
	struct nic_targets *all = nic->targets;

	if (!all)
		return;
	for (unsigned i = 0; i < all->n; i++) {
		struct nic_target *t = all->target[i];

		if (t->state == NIC_PEER_IDLE && now >= t->start)
			ask(nic, t, now);
		if (t->state == NIC_PEER_IDLE)
			nic->slow_at = tstamp_min(nic->slow_at, t->start);
	}
	nic_neigh_timer(nic, now);
	nic->slow_at = tstamp_min(nic->slow_at, nic_neigh_due(nic));
}

bool nic_target_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now)
{
	struct nic_targets *all = nic->targets;
	bool any = false;

	for (unsigned i = 0; all && i < all->n; i++) {
		struct nic_target *t = all->target[i];

		if (!is_for(t, ip) || t->state == NIC_PEER_IDLE)
			continue;
		any = true;
		nic_readdress(t->hdr, mac);
		if (t->state != NIC_PEER_UP)
			run(nic, t, now);
	}
	return any;
}

void nic_target_silent(struct nic *nic, const struct neigh_ip *ip)
{
	struct nic_targets *all = nic->targets;

	for (unsigned i = 0; all && i < all->n; i++)
		if (is_for(all->target[i], ip) && all->target[i]->state == NIC_PEER_RESOLVES)
			all->target[i]->state = NIC_PEER_FAILED;
}

enum nic_peer_state nic_target_state(const struct nic *nic, uint32_t source)
{
	const struct nic_targets *all = nic->targets;

	for (unsigned i = 0; all && i < all->n; i++)
		if (all->target[i]->g->g.p.source == source)
			return all->target[i]->state;
	return NIC_PEER_NONE;
}

void nic_target_reach(const struct nic *nic, struct nic_reach *r)
{
	const struct nic_targets *all = nic->targets;

	for (unsigned i = 0; all && i < all->n; i++) {
		r->found += all->target[i]->state == NIC_PEER_UP;
		r->failed += all->target[i]->state == NIC_PEER_FAILED;
	}
	r->sought += all ? all->n : 0;
}
