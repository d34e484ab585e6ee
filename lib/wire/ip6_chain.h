// SPDX-License-Identifier: BSD-3-Clause
// The extension headers of IPv6 (RFC 8200 cl. 4): which ones a packet has, and the header after
// them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Next Header values of extension headers (IANA protocol-numbers, RFC 7045).
enum {
	IP6_HOP_BY_HOP = 0,
	IP6_ROUTING = 43,
	IP6_FRAGMENT = 44,
	IP6_ESP = 50,
	IP6_AH = 51,
	IP6_NO_NEXT = 59,
	IP6_DEST_OPTIONS = 60,
	IP6_MOBILITY = 135,
	IP6_HIP = 139,
	IP6_SHIM6 = 140,
};

#define IP6_CHAIN_MOST 16 // extension headers that are kept of one packet

struct ip6_chain {
	uint8_t n;                    // extension headers
	uint8_t kind[IP6_CHAIN_MOST]; // their Next Header values, in order
	uint8_t proto;                // the Next Header value of what follows them
	bool cut;        // the packet ends within the last one, or it has more than IP6_CHAIN_MOST
	bool fragmented; // has a fragment header
	uint16_t frag_off; // of its data in the whole packet, bytes
	uint16_t off;      // bytes of all headers that were read
};

// Walks over the extension headers in the `len` bytes behind an IPv6 header, whose Next Header
// field is `next`. The walk ends at ESP, because the rest is encrypted, and at a fragment that is
// not the first, because the rest is data.
void ip6_chain_walk(struct ip6_chain *x, uint8_t next, const uint8_t *bytes, unsigned len);

// "hop-by-hop", "routing" ...; NULL: it is no extension header.
const char *ip6_chain_name(uint8_t next);
