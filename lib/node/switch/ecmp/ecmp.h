// SPDX-License-Identifier: BSD-3-Clause
// Ways of equal cost (ECMP): the port that a flow takes.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "contract/contract.h"
#include "wire/pkt.h"

// Ports of equal cost.
struct sw_ecmp_group {
	uint64_t port[NODE_PORT_WORDS]; // bitmap
};

// Equal ways: all frames of a flow take the port that a hash of the header selects. The salt
// differs by switch, so that consecutive switches choose independently. If the link of that port is
// down, the flow takes another port of `up` (bitmap; NULL: all are up). Flows on other ports stay
// there.
uint64_t sw_ecmp_salt(uint64_t seed, const char *name);
uint64_t sw_ecmp_hash(uint64_t salt, const struct hdr *h);
unsigned sw_ecmp_port(const struct sw_ecmp_group *ecmp, const uint64_t *up, uint64_t hash);

static inline uint64_t sw_ecmp_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

// What routers hash: addresses, VLAN, protocol, UDP ports; nothing that differs between the frames
// of a flow. First what is looked up (eth_key), then addresses of IP, then what tells the flows of
// two hosts apart.
static inline uint64_t sw_ecmp_of_place(uint64_t salt, uint64_t dst_key, uint64_t src_key)
{
	return sw_ecmp_mix(sw_ecmp_mix(salt, dst_key), src_key);
}

static inline uint64_t sw_ecmp_of_addresses(uint64_t of_place, const struct hdr *h)
{
	uint64_t ip[4];

	if (!(h->flags & HDR_IP))
		return of_place;
	memcpy(ip, h->saddr, 16);
	memcpy(ip + 2, h->daddr, 16);
	for (unsigned i = 0; i < 4; i++)
		of_place = sw_ecmp_mix(of_place, ip[i]);
	return of_place;
}

// Protocol and UDP ports.
static inline uint64_t sw_ecmp_ports(const struct hdr *h)
{
	return (uint64_t)h->proto << 32 | (uint32_t)h->sport << 16 | h->dport;
}

// Returns the hash of a flow. `ports`: from sw_ecmp_ports(), used only for IP.
static inline uint64_t sw_ecmp_of_flow(uint64_t of_addresses, bool ip, uint64_t ports)
{
	return sw_ecmp_mix(ip ? sw_ecmp_mix(of_addresses, ports) : of_addresses, 0);
}
