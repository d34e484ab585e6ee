// SPDX-License-Identifier: BSD-3-Clause
// The part of ICMP that a host needs: echo over IPv4 and IPv6 (RFC 792, RFC 4443 cl. 4), and
// neighbour discovery (RFC 4861): solicitation and advertisement. Whole frames, read and made.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/eth.h"
#include "wire/ip.h"

#define ICMP_HEAD_MAX 96 // bytes of a frame that icmp_to_frame makes, without the data of an echo

enum icmp_kind { ICMP_ECHO_REQUEST, ICMP_ECHO_REPLY, ICMP_ND_SOLICIT, ICMP_ND_ADVERT };

// The result of icmp_from_frame().
enum icmp_verdict {
	ICMP_OK,
	ICMP_UNKNOWN, // not ICMP, another type of it, or a fragment: nothing that is wrong
	ICMP_SHORT,   // cut off
	ICMP_BAD_CHECKSUM,
	ICMP_BAD_CODE,      // other than 0
	ICMP_BAD_HOP_LIMIT, // discovery that a router has forwarded: hop limit other than 255
	ICMP_BAD_TARGET,    // discovery of a multicast address
	ICMP_BAD_OPTION,    // of length 0, cut off, or with a link-layer address of a group
	ICMP_BAD_ADDRESS,   // from a group, or a combination that RFC 4861 cl. 7.1 forbids
};

// Flags of an advertisement.
enum { ND_ROUTER = 0x80, ND_SOLICITED = 0x40, ND_OVERRIDE = 0x20 };

struct icmp {
	struct eth eth;
	struct ip_hdr ip; // version 4 or 6
	enum icmp_kind kind;
	uint16_t id, seq;            // echo
	uint16_t data_off, data_len; // echo: from the frame's first byte; what was sent with it
	uint8_t target[16];          // discovery
	uint8_t mac[6];              // link-layer address option, with has_mac
	bool has_mac;
	uint8_t flags; // ND_*, of an advertisement
};

// Reads a whole frame of `len` bytes without FCS. Only with ICMP_OK everything in *m is set.
enum icmp_verdict icmp_from_frame(const uint8_t *frame, size_t len, struct icmp *m);

// Writes the frame, checksums computed, and zeros up to PKT_MIN_LEN. An echo has m->data_len bytes
// of `data`, which may lie in `frame` no further ahead than they will. IPv4 has no options and DF
// set; a CN-TAG is never written. `frame` has room for ICMP_HEAD_MAX bytes and the data. Returns
// its length without FCS.
unsigned icmp_to_frame(const struct icmp *m, const uint8_t *data, uint8_t *frame);

// Makes the answer of host `mac` to an echo request for one of its addresses: the same identifier,
// sequence number, data, DSCP and tag; hop limit 64; Not-ECT. `reply` may be `request`.
void icmp_echo_reply(const struct icmp *request, const uint8_t mac[6], struct icmp *reply);

// The answer of host `mac` to a solicitation of one of its addresses (RFC 4861 cl. 7.2.4): to the
// asker, or to all nodes if the asker has no address yet. `advert` may be `solicit`.
void icmp_advertise(const struct icmp *solicit, const uint8_t mac[6], struct icmp *advert);

// A solicitation of `target` by the host `mac` with address `ip`: to `to`, where the target was
// last, or NULL for its solicited-node group. In the VLAN `tci`, unless that is negative.
void icmp_solicit(struct icmp *m, const uint8_t mac[6], const uint8_t ip[16],
	const uint8_t target[16], const uint8_t *to, int tci);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Whether an IPv6 address is the solicited-node group of another (RFC 4291 cl. 2.7.1).
bool icmp_is_group_of(const uint8_t group[16], const uint8_t ip[16]);

// An advertisement to all nodes of `ip` at `mac`, which nobody asked for (RFC 4861 cl. 7.2.6).
void icmp_announce(struct icmp *m, const uint8_t mac[6], const uint8_t ip[16], int tci);

#pragma GCC visibility pop
