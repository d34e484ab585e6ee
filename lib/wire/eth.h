// SPDX-License-Identifier: BSD-3-Clause
// Ethernet II with at most two VLAN tags and one 802.1Qau CN-TAG: addresses, tags, EtherType.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ETH_P_IPV4 = 0x0800,
	ETH_P_ARP = 0x0806,
	ETH_P_8021Q = 0x8100,
	ETH_P_IPV6 = 0x86dd,
	ETH_P_8021AD = 0x88a8,
	ETH_P_MAC_CONTROL = 0x8808,
	ETH_P_ROCEV1 = 0x8915,
	ETH_P_CNM = 0x22e7,
	ETH_P_CNTAG = 0x22e9,
	ETH_P_EXPERIMENTAL =
		0x88b5,     // 802 cl. 9.2.4 local experimental: raw frames of the open-loop source
	ETH_P_MIN = 0x0600, // below: an 802.3 length
};

// The tags stand in this order: an outer VLAN tag, an inner one, a CN-TAG. The outer one is of
// 802.1Q (0x8100) or of 802.1ad (0x88a8, an S-TAG), the inner one of 802.1Q. Another tag, or one in
// another order, is an EtherType like any other.
struct eth {
	uint8_t dst[6];
	uint8_t src[6];
	uint8_t has_vlan;
	uint8_t is_stag;   // with has_vlan: the outer tag is an S-TAG
	uint8_t has_inner; // with has_vlan
	uint8_t has_cntag;
	uint16_t vlan_tci;  // of the outer tag: PCP 3, DEI 1, VID 12
	uint16_t inner_tci; // with has_inner
	uint16_t cntag;     // flow ID (RPID)
	uint16_t ethertype; // after the tags
};

// Returns whether this EtherType begins a VLAN tag.
static inline bool eth_is_vlan(unsigned type)
{
	return type == ETH_P_8021Q || type == ETH_P_8021AD;
}

// Big-endian bytes in and out.
static inline uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | get_be24(p + 1);
}

static inline uint64_t get_be64(const uint8_t *p)
{
	return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}

static inline void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void put_be24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	put_be16(p + 1, (uint16_t)v);
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	put_be16(p, (uint16_t)(v >> 16));
	put_be16(p + 2, (uint16_t)v);
}

static inline void put_be64(uint8_t *p, uint64_t v)
{
	put_be32(p, (uint32_t)(v >> 32));
	put_be32(p + 4, (uint32_t)v);
}

// Key of an address for tables: 48 bits of MAC under 12 bits of VID.
static inline uint64_t eth_key(const uint8_t mac[6], uint16_t vid)
{
	return (uint64_t)(vid & 0xfff) << 48 | (uint64_t)get_be16(mac) << 32 | get_be32(mac + 2);
}

// Bytes of header read (14..26), or -1 where `len` ends first; e->ethertype is then the last one
// seen.
int eth_parse(const uint8_t *bytes, size_t len, struct eth *e);

// Bytes written (14..26); `bytes` has room for 26.
unsigned eth_render(const struct eth *e, uint8_t *bytes);
