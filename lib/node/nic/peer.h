// SPDX-License-Identifier: BSD-3-Clause
// What finding a host (peer.c) and connecting to it (connect.c) share.
#pragma once

#include "int.h"
#include "transport/cm_table.h"
#include "transport/rc_guard.h"

#pragma GCC visibility push(hidden)

struct nic_peer {
	struct nic_peer_params p;
	struct nic_qp *qp;
	struct cm *cm; // NULL: none yet, or no more
	enum nic_peer_state state;
	uint16_t reason;       // enum cm_reason
	bool wanted;           // told to start
	uint32_t unanswered;   // connections that it was asked for, and whose REP found no answer
	struct rc_guard guard; // with p.guards
	// Of requests to a queue pair that only asks: the PSN that is expected, RC_NO_PSN: that of
	// the first that comes; and whether one was missing, or one was refused.
	uint32_t epsn;
	bool nak_sent, refused;
};

// Connections of all peers, by RDMA-CM.
struct nic_connector {
	unsigned places, room; // of connections, and how many there is memory for
	tstamp at;             // no timer of a connection is due sooner
	struct cm_cfg cfg;
	struct cm_table table;
	struct cm *cm;
	struct nic_peer **of; // whose connection stands in a place of the table
	struct prng rng;
	uint32_t mad_psn;
};

struct nic_peers {
	struct nic_peer **peer; // of all queue pairs that have one
	unsigned n;
	bool begun;
	unsigned unresolved; // that wait for a hardware address
	struct nic_connector connector;
};

// Whether it asks: requests are ours, and so it connects. Else it is asked, and waits for who
// connects.
static inline bool nic_peer_asks(const struct nic_peer *r)
{
	return r->p.data;
}

// peer.c
// That of a queue pair which asks; NULL: it has none.
struct nic_peer *nic_peer_of(const struct nic_qp *qp);
const struct rc_params *nic_peer_transport(const struct nic *nic, const struct nic_qp *qp);
// The header of what is sent to a peer.
const struct hdr *nic_peer_hdr(const struct nic_peer *r);
void nic_peer_set_mac(struct nic_peer *r, const uint8_t mac[6]);
void nic_peer_up(struct nic *nic, struct nic_peer *r, tstamp now);
// Who asks fails. Who is asked waits for another peer.
void nic_peer_give_up(struct nic *nic, struct nic_peer *r, enum rc_failure why, tstamp now);

// connect.c
void nic_connect_init(struct nic *nic);
void nic_connect_fini(struct nic *nic);
// Makes room for the connection of one more peer. This is before the first connection.
int nic_connect_room(struct nic *nic);
void nic_connect_to(struct nic *nic, struct nic_peer *r, tstamp now);
void nic_connect_timer(struct nic *nic, tstamp now);
// A request has come from the peer of one that is asked: it stands for an RTU that was lost.
void nic_connect_traffic(struct nic *nic, struct nic_peer *r, tstamp now);

#pragma GCC visibility pop
