// SPDX-License-Identifier: BSD-3-Clause
// Ways of equal cost (ECMP): the port that a flow takes.
#pragma once

#include <stdint.h>
#include <string.h>

#include "contract/contract.h"
#include "wire/eth.h"
#include "wire/pkt.h"

// Ports of equal cost.
struct sw_ecmp_group {
	uint64_t port[NODE_PORT_WORDS]; // bitmap
};

// Equal ways: a flow's frames all take the port on which a hash of the header falls. The salt
// differs by switch, so that one behind another does not choose alike. Where the port's link is
// down the flow takes another of those that are `up` (bitmap; NULL: all are); flows on the others
// stay where they are.
uint64_t sw_ecmp_salt(uint64_t seed, const char *name);
uint64_t sw_ecmp_hash(uint64_t salt, const struct hdr *h);
unsigned sw_ecmp_port(const struct sw_ecmp_group *ecmp, const uint64_t *up, uint64_t hash);

static inline uint64_t sw_ecmp_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

// What routers hash: addresses, VLAN, protocol, UDP ports; nothing that differs between the frames
// of a flow. First what is looked up, then the rest.
static inline uint64_t sw_ecmp_of_place(uint64_t salt, const struct hdr *h)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;

	return sw_ecmp_mix(sw_ecmp_mix(salt, eth_key(h->dst, vid)), eth_key(h->src, vid));
}

static inline uint64_t sw_ecmp_of_flow(uint64_t of_place, const struct hdr *h)
{
	uint64_t ip[4];

	if (h->flags & HDR_IP) {
		memcpy(ip, h->saddr, 16);
		memcpy(ip + 2, h->daddr, 16);
		for (unsigned i = 0; i < 4; i++)
			of_place = sw_ecmp_mix(of_place, ip[i]);
		of_place = sw_ecmp_mix(
			of_place, (uint64_t)h->proto << 32 | (uint32_t)h->sport << 16 | h->dport);
	}
	return sw_ecmp_mix(of_place, 0);
}
