// SPDX-License-Identifier: BSD-3-Clause
// ARP for IPv4 over Ethernet (RFC 826): whole frames that ask, answer and announce.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/eth.h"

#define ARP_FRAME_MAX 64 // bytes of the longest frame that arp_to_frame writes

enum { ARP_REQUEST = 1, ARP_REPLY = 2 };

// A frame. The builders below set all of its `eth` but the VLAN tags, which they copy from their
// argument; they never write a CN-TAG.
struct arp {
	struct eth eth;
	uint16_t op;            // ARP_REQUEST, ARP_REPLY, or another that is not ours to read
	uint8_t sha[6], tha[6]; // hardware addresses of sender and target
	uint8_t spa[4], tpa[4]; // their IPv4 addresses
};

// Reads a whole frame of `len` bytes without FCS, behind at most two VLAN tags and one CN-TAG.
// False: its EtherType is not ARP, it is cut off, it is not of IPv4 over Ethernet, or its sender's
// hardware address is not the frame's, or is a group's.
bool arp_from_frame(const uint8_t *frame, size_t len, struct arp *a);

// Writes the frame, and zeros up to PKT_MIN_LEN; `frame` has room for ARP_FRAME_MAX. Returns its
// length without FCS.
unsigned arp_to_frame(const struct arp *a, uint8_t *frame);

// The answer of a host with address `mac` to a request for its IPv4 address. Its VLAN tags are the
// request's. `reply` may be `request`.
void arp_reply(const struct arp *request, const uint8_t mac[6], struct arp *reply);

// Whether sender and target are one: who sends it tells its own address and asks for nothing
// (RFC 5227 cl. 3).
static inline bool arp_announces(const struct arp *a)
{
	return get_be32(a->spa) == get_be32(a->tpa);
}

// A request of `mac` with address `ip` for `target`: to `to`, NULL for everybody. In the VLAN
// `tci`, unless that is negative.
void arp_ask(struct arp *a, const uint8_t mac[6], const uint8_t ip[4], const uint8_t target[4],
	const uint8_t *to, int tci);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// An announcement to everybody of `ip` at `mac`: a request for itself (RFC 5227 cl. 2.3).
void arp_announce(struct arp *a, const uint8_t mac[6], const uint8_t ip[4], int tci);

#pragma GCC visibility pop
