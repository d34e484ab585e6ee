// SPDX-License-Identifier: BSD-3-Clause
// The other end of a queue pair, if that is no NIC of the scene: its hardware address, its
// connection, and sources that send to it. None of this is on the path of data.
#pragma once

#include "qp.h"

struct cm;

struct nic_peer {
	struct nic_peer_params p;
	struct nic_qp *qp;
	struct cm *cm;   // NULL: none yet, or no more
	struct cm *heir; // that waits until it is known whether the peer still has `cm`; NULL: none
	uint8_t heir_mac[6];
	_Atomic enum nic_peer_state state; // other threads read it
	uint16_t reason;                   // enum cm_reason
	bool wanted;                       // told to start
	uint32_t unanswered;   // connections that peers asked for and whose REP they did not answer
	uint32_t lost;         // connections that its peer had forgotten
	struct rc_guard guard; // with p.guards
	// For requests to a queue pair that takes none: the expected PSN (RC_NO_PSN: that of the
	// first request), whether a NAK was sent for a missing one, and whether a request was
	// refused.
	uint32_t epsn;
	bool nak_sent, refused;
};

// peer.c: queue pairs whose other end is no NIC of ours
int nic_peer_add(struct nic *nic, struct nic_qp *qp, const struct nic_peer_params *p);
void nic_peer_fini(struct nic *nic);
void nic_peer_timer(struct nic *nic, tstamp now);
// Adds the NIC's queue pairs to nic_reach().
void nic_peer_reach(const struct nic *nic, struct nic_reach *r);
// The peer of the queue pair with this index; NULL: it has none.
const struct nic_peer *nic_peer_find(const struct nic *nic, unsigned i);

// connect.c: peers that connect by RDMA-CM
bool nic_connect_rx(struct nic *nic, struct pkt *p, tstamp now); // false: it is for nobody here

// neigh.c: ARP, neighbour discovery and ping
int nic_neigh_init(struct nic *nic);
void nic_neigh_fini(struct nic *nic);
bool nic_neigh_rx(struct nic *nic, struct pkt *p, tstamp now); // false: it is another protocol
void nic_neigh_unqueued(struct nic *nic);                      // an answer has left the class queue
const struct nic_neigh_notes *nic_neigh_told(const struct nic *nic); // of nic.neigh

// Whether a packet that waits has bytes that were made here: an answer, or a question.
static inline bool nic_is_answer(const struct pkt *p)
{
	return p->in_port != PKT_NO_PORT;
}

// target.c: open-loop sources that ask for the hardware address of who they send to
int nic_target_add(struct nic *nic, struct nic_gen *g, struct hdr *hdr);
void nic_target_fini(struct nic *nic);
// Starts or stops a source that has to find its target's hardware address. False: the address is
// known, or the source does not ask for it.
bool nic_target_run(struct nic *nic, struct nic_gen *g, bool on, tstamp now);
void nic_target_timer(struct nic *nic, tstamp now);
enum nic_peer_state nic_target_state(const struct nic *nic, uint32_t source);
// Adds the NIC's sources to nic_reach().
void nic_target_reach(const struct nic *nic, struct nic_reach *r);
