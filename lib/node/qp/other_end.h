// SPDX-License-Identifier: BSD-3-Clause
// The other end of a queue pair, where that is no NIC of ours: what is known of it, and what a
// queue pair asks of room peer, which is above.
#pragma once

#include "qp.h"

struct cm;

struct nic_peer {
	struct nic_peer_params p;
	struct nic_qp *qp;
	struct cm *cm;   // NULL: none yet, or no more
	struct cm *heir; // that waits until it is known whether the peer still has `cm`; NULL: none
	uint8_t heir_mac[6];
	enum nic_peer_state state;
	uint16_t reason;       // enum cm_reason
	bool wanted;           // told to start
	uint32_t unanswered;   // connections that it was asked for, and whose REP found no answer
	uint32_t lost;         // connections that its peer had forgotten
	struct rc_guard guard; // with p.guards
	// Of requests to a queue pair that only asks: the PSN that is expected, RC_NO_PSN: that of
	// the first that comes; and whether one was missing, or one was refused.
	uint32_t epsn;
	bool nak_sent, refused;
};

// Room peer gives these calls with the first peer. They are made for a queue pair that has one.
struct nic_peer_ops {
	// One that asks is told to start and is not up. True: it cannot yet, and is told again when
	// its peer is ready.
	bool (*hold)(struct nic *nic, struct nic_peer *r, tstamp now);
	// One that asks is done with its last message, or has failed.
	void (*end)(struct nic *nic, struct nic_peer *r, tstamp now);
	// A request has come from the peer of one that is asked: it stands for an RTU that was
	// lost.
	void (*traffic)(struct nic *nic, struct nic_peer *r, tstamp now);
};

// Whether it asks: requests are ours, and so it connects. Else it is asked, and waits for who
// connects.
static inline bool nic_peer_asks(const struct nic_peer *r)
{
	return r->p.data;
}

// The peer of a queue pair; NULL: it is a NIC of ours.
static inline struct nic_peer *nic_peer_of(const struct nic_qp *qp)
{
	if (qp->requester)
		return qp->special ? qp->req.more->peer : NULL;
	return qp->rsp.read ? qp->rsp.read->peer : NULL;
}

// Whether one that asks is told to start and cannot yet: it does when its peer is ready.
static inline bool nic_peer_holds(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	struct nic_peer *r = nic_peer_of(qp);

	return r && nic_peer_asks(r) && r->state != NIC_PEER_UP && nic->peer_ops->hold(nic, r, now);
}

// It is told to stop meanwhile.
static inline void nic_peer_unwant(const struct nic_qp *qp)
{
	struct nic_peer *r = nic_peer_of(qp);

	if (r)
		r->wanted = false;
}

// One that asks is done with its last message, or has failed.
static inline void nic_peer_end(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	struct nic_peer *r = nic_peer_of(qp);

	if (r)
		nic->peer_ops->end(nic, r, now);
}
