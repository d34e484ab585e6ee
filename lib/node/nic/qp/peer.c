// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs whose other end is no NIC of the scene: they find its hardware address, and connect,
// before they send. None of this is on the path of data.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct rc_params *nic_peer_transport(const struct nic *nic, const struct nic_qp *qp)
{
	return &nic_kind(nic, qp->requester ? qp->req.kind : qp->rsp.kind)->p.rc->p;
}

const struct hdr *nic_peer_hdr(const struct nic_peer *r)
{
	return r->p.data ? &r->p.data->hdr : r->p.ack;
}

// The address whose owner gets the frames for a peer.
static void peer_hop(const struct nic *nic, const struct nic_peer *r, struct neigh_ip *ip)
{
	nic_next_hop(nic, nic_peer_hdr(r), ip);
}

void nic_peer_set_mac(struct nic_peer *r, const uint8_t mac[6])
{
	if (r->p.data)
		nic_readdress(&r->p.data->hdr, mac);
	if (r->p.ack)
		nic_readdress(r->p.ack, mac);
	if (r->p.cnp)
		nic_readdress(r->p.cnp, mac);
}

void nic_peer_give_up(struct nic *nic, struct nic_peer *r, enum rc_failure why, tstamp now)
{
	r->state = NIC_PEER_FAILED;
	if (nic_peer_asks(r) && r->qp->requester)
		nic_req_abandon(nic, r->qp, why, now);
	else if (nic_peer_asks(r))
		nic_read_abandon(nic, r->qp, why, now);
}

void nic_peer_up(struct nic *nic, struct nic_peer *r, tstamp now)
{
	r->state = NIC_PEER_UP;
	if (r->wanted && r->qp->requester)
		nic_req_run(nic, r->qp, true, now);
	else if (r->wanted)
		nic_read_run(nic, r->qp, true, now);
}

// The peer's hardware address is known now.
static void resolved(struct nic *nic, struct nic_peer *r, const uint8_t mac[6], tstamp now)
{
	nic_peer_set_mac(r, mac);
	nic->peers->unresolved--;
	if (r->p.port)
		nic_connect_to(nic, r, now);
	else
		nic_peer_up(nic, r, now);
}

// Begins to reach a peer: finds its hardware address, or connects to it.
static void begin(struct nic *nic, struct nic_peer *r, tstamp now)
{
	struct neigh_ip ip;
	uint8_t mac[6];

	if (!r->p.resolve) {
		if (r->p.port)
			nic_connect_to(nic, r, now);
		return;
	}
	peer_hop(nic, r, &ip);
	r->state = NIC_PEER_RESOLVES;
	nic->peers->unresolved++;
	if (nic_neigh_find(nic, &ip, mac, now))
		resolved(nic, r, mac, now);
}

bool nic_peer_hold(struct nic *nic, struct nic_peer *r, tstamp now)
{
	r->wanted = true;
	if (r->state == NIC_PEER_IDLE)
		begin(nic, r, now);
	nic_peer_reckon(nic);
	return r->state != NIC_PEER_UP;
}

int nic_peer_add(struct nic *nic, struct nic_qp *qp, const struct nic_peer_params *p)
{
	struct nic_peers *g = nic->peers;
	struct nic_peer *r;

	if (!g) {
		g = nic->peers = calloc(1, sizeof(*g));
		if (!g)
			return -ENOMEM;
		nic_connect_init(nic);
	}
	if (!nic->neigh || !nic_room(&g->peer, g->n))
		return nic->neigh ? -ENOMEM : -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	g->peer[g->n++] = r;
	r->p = *p;
	r->qp = qp;
	r->epsn = RC_NO_PSN;
	if (p->guards) {
		rc_guard_init(
			&r->guard, p->va, p->rkey, p->length, nic_peer_transport(nic, qp)->mtu);
		nic->looks = true;
	}
	nic->looks |= !qp->requester && qp->rsp.read;
	if (!p->resolve && !p->port)
		r->state = NIC_PEER_UP;
	else if (p->port && !nic_peer_asks(r))
		r->state = NIC_PEER_LISTENS;
	else if (!nic_peer_asks(r))
		nic->slow_at = 0; // it resolves at once, so that its first answer finds the way
	if (qp->requester)
		qp->req.more->peer = r;
	else if (qp->rsp.read)
		qp->rsp.read->peer = r;
	else if (p->guards)
		nic_rsp_use(&qp->rsp)->guarded = r;
	return p->port ? nic_connect_room(nic) : 0;
}

void nic_peer_fini(struct nic *nic)
{
	struct nic_peers *g = nic->peers;

	if (!g)
		return;
	for (unsigned i = 0; i < g->n; i++)
		free(g->peer[i]);
	free(g->peer);
	nic_connect_fini(nic);
	free(g);
}

void nic_peer_reach(const struct nic *nic, struct nic_reach *r)
{
	const struct nic_peers *g = nic->peers;

	for (unsigned i = 0; g && i < g->n; i++) {
		enum nic_peer_state state = g->peer[i]->state;

		if (!nic_peer_asks(g->peer[i]))
			continue;
		r->sought++;
		r->found += state == NIC_PEER_UP || state == NIC_PEER_PARTED;
		r->failed += state == NIC_PEER_FAILED;
	}
}

void nic_peer_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now)
{
	struct nic_peers *g = nic->peers;

	for (unsigned i = 0; g && g->unresolved && i < g->n; i++) {
		struct neigh_ip its;

		peer_hop(nic, g->peer[i], &its);
		if (g->peer[i]->state == NIC_PEER_RESOLVES && its.v6 == ip->v6 &&
			!memcmp(its.bytes, ip->bytes, sizeof(its.bytes)))
			resolved(nic, g->peer[i], mac, now);
	}
}

// Whether a peer's announced address is followed. Frames to a peer whose address the scenario gives
// go there, whatever it announces.
static bool follows(const struct nic_peer *r)
{
	bool found = r->p.resolve || (r->p.port && !r->qp->requester);

	return found && (r->state == NIC_PEER_UP || r->state == NIC_PEER_ASKED ||
				r->state == NIC_PEER_PARTED);
}

bool nic_peer_moved(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6])
{
	struct nic_peers *g = nic->peers;
	bool any = false;

	for (unsigned i = 0; g && i < g->n; i++) {
		struct neigh_ip its;

		peer_hop(nic, g->peer[i], &its);
		if (!follows(g->peer[i]) || its.v6 != ip->v6 ||
			memcmp(its.bytes, ip->bytes, sizeof(its.bytes)) != 0)
			continue;
		nic_peer_set_mac(g->peer[i], mac);
		any = true;
	}
	if (any && nic->p.readdressed)
		__atomic_add_fetch(nic->p.readdressed, 1, __ATOMIC_RELEASE);
	return any;
}

void nic_peer_silent(struct nic *nic, const struct neigh_ip *ip, tstamp now)
{
	struct nic_peers *g = nic->peers;

	for (unsigned i = 0; g && g->unresolved && i < g->n; i++) {
		struct neigh_ip its;

		peer_hop(nic, g->peer[i], &its);
		if (g->peer[i]->state != NIC_PEER_RESOLVES || its.v6 != ip->v6 ||
			memcmp(its.bytes, ip->bytes, sizeof(its.bytes)) != 0)
			continue;
		g->unresolved--;
		nic_peer_give_up(nic, g->peer[i], RC_PEER_UNKNOWN, now);
	}
}

void nic_peer_timer(struct nic *nic, tstamp now)
{
	struct nic_peers *g = nic->peers;

	if (!g)
		return;
	for (unsigned i = 0; !g->begun && i < g->n; i++)
		if (g->peer[i]->state == NIC_PEER_IDLE && !nic_peer_asks(g->peer[i]))
			begin(nic, g->peer[i], now);
	g->begun = true;
	nic_neigh_timer(nic, now);
	nic_connect_timer(nic, now);
	nic_peer_reckon(nic);
}

void nic_peer_reckon(struct nic *nic)
{
	struct nic_peers *g = nic->peers;

	if (!g)
		return;
	nic->slow_at = tstamp_min(nic->slow_at, tstamp_min(nic_neigh_due(nic), g->connector.at));
}

const struct nic_peer *nic_peer_find(const struct nic *nic, unsigned i)
{
	const struct nic_peers *g = nic->peers;
	unsigned low = 0, high = g ? g->n : 0;

	while (low < high) { // they came in the order of their queue pairs
		unsigned k = low + (high - low) / 2;
		uint32_t index = g->peer[k]->qp->index;

		if (index == i)
			return g->peer[k];
		if (index < i)
			low = k + 1;
		else
			high = k;
	}
	return NULL;
}
