// SPDX-License-Identifier: BSD-3-Clause
// What the files of room peer call of each other: finding a host (peer.c), its address (neigh.c),
// connecting to it (connect.c).
#pragma once

#include "peer.h"
#include "transport/cm_table.h"
#include "transport/neigh.h"

#pragma GCC visibility push(hidden)

#define NIC_NEIGHBOURS 256 // that a NIC remembers, at least

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

// peer.c
const struct rc_params *nic_peer_transport(const struct nic *nic, const struct nic_qp *qp);
// The header of what is sent to a peer.
const struct hdr *nic_peer_hdr(const struct nic_peer *r);
void nic_peer_set_mac(struct nic_peer *r, const uint8_t mac[6]);
void nic_peer_up(struct nic *nic, struct nic_peer *r, tstamp now);
// Who asks fails. Who is asked waits for another peer.
void nic_peer_give_up(struct nic *nic, struct nic_peer *r, enum rc_failure why, tstamp now);
void nic_peer_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now);
void nic_peer_silent(struct nic *nic, const struct neigh_ip *ip, tstamp now);
// Frames to peers with this address go there from now on. Whether there are any.
bool nic_peer_moved(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6]);
void nic_peer_reckon(struct nic *nic); // the next timer of all that is here

// neigh.c
// Whether one more answer to a stranger may wait. False: the request of the host with this IP
// address is dropped, and the packet is gone.
bool nic_neigh_may_answer(struct nic *nic, struct pkt *p, const uint8_t *ip, tstamp now);
// A frame of our own that has bytes, into the queue of cnp_class.
void nic_neigh_send(struct nic *nic, struct pkt *p, tstamp now);
// Whether the hardware address is known; else it is asked for, and nic_peer_heard or
// nic_peer_silent tells the end of that.
bool nic_neigh_find(struct nic *nic, const struct neigh_ip *ip, uint8_t mac[6], tstamp now);
void nic_neigh_timer(struct nic *nic, tstamp now);
tstamp nic_neigh_due(const struct nic *nic);
// Writes a hardware address into a header that others may be reading.
void nic_readdress(struct hdr *h, const uint8_t mac[6]);

// target.c
// The address has this hardware address, for the first time or from now on. Whether one of them
// sends there.
bool nic_target_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now);
void nic_target_silent(struct nic *nic, const struct neigh_ip *ip);

// connect.c
void nic_connect_init(struct nic *nic);
void nic_connect_fini(struct nic *nic);
// Makes room for the connection of one more peer. This is before the first connection.
int nic_connect_room(struct nic *nic);
void nic_connect_to(struct nic *nic, struct nic_peer *r, tstamp now);
void nic_connect_timer(struct nic *nic, tstamp now);
// As struct nic_peer_ops has them.
void nic_connect_end(struct nic *nic, struct nic_peer *r, tstamp now);
void nic_connect_traffic(struct nic *nic, struct nic_peer *r, tstamp now);

#pragma GCC visibility pop
