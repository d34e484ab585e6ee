// SPDX-License-Identifier: BSD-3-Clause
// IPv4, IPv6 and UDP headers and their checksums.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hint.h"

#define IP4_LEN 20 // without options
#define IP6_LEN 40
#define UDP_LEN 8

#define IP_PROTO_ICMP   1
#define IP_PROTO_TCP    6
#define IP_PROTO_UDP    17
#define IP_PROTO_ICMPV6 58

#define IP4_DF          0x4000
#define IP4_MF          0x2000
#define IP4_OFFSET_MASK 0x1fff

// <netinet/ip.h>, which DPDK's headers include, has a struct ip.
struct ip_hdr {
	uint8_t version;   // 4, 6
	uint8_t tos;       // DSCP << 2 | ECN; IPv6: traffic class
	uint8_t ttl;       // IPv6: hop limit
	uint8_t proto;     // IPv6: next header; extension headers are left in the payload
	uint8_t saddr[16]; // IPv4 in the first four bytes
	uint8_t daddr[16];
	uint16_t id;         // IPv4
	uint16_t frag;       // IPv4: reserved, DF, MF, offset in units of 8 bytes
	uint16_t checksum;   // IPv4, as read
	uint8_t options_len; // IPv4: 0..40, a multiple of 4
	uint8_t options[40];
	uint32_t flow_label; // IPv6, 20 bits
};

struct udp {
	uint16_t sport, dport;
	uint16_t len;      // as read: header and payload; 0: to be computed
	uint16_t checksum; // written as it stands; RoCEv2 has 0 on both IP versions
};

// Bytes of the header that ip_render would write.
static inline unsigned ip_len(const struct ip_hdr *ip)
{
	return ip->version == 6 ? IP6_LEN : IP4_LEN + ip->options_len;
}

// Bytes of the IP header at `ip`, options included, by its first byte.
static inline unsigned ip_len_at(const uint8_t *ip)
{
	return ip[0] >> 4 == 6 ? IP6_LEN : (ip[0] & 15) * 4u;
}

// Whether two addresses are the same. Both are of IPv4, or both of IPv6.
static inline bool ip_is_same(const uint8_t *a, const uint8_t *b, bool ipv4)
{
	return ipv4 ? !memcmp(a, b, 4) : !memcmp(a, b, 16);
}

// A hash of an IPv6 address and of whatever `seed` is a hash of. The second multiplication is for
// what differs in the first half's highest bits, which one would leave among the highest.
static inline uint64_t ip6_hash(uint64_t seed, const uint8_t *addr)
{
	uint64_t half[2];

	memcpy(half, addr, 16);
	seed = (seed ^ half[0]) * 0x9e3779b97f4a7c15;
	seed = (seed ^ seed >> 32) * 0xbf58476d1ce4e5b9;
	return (seed ^ half[1]) * 0x94d049bb133111eb;
}

// A hash of two addresses in their order, and of the hash `seed`. With one seed, no two pairs of
// IPv4 addresses have the same hash. Each of two IPv6 addresses has a hash of its own, and the two
// are computed side by side. The halves of the second hash change places, so that bits of the same
// place do not cancel each other out.
static inline uint64_t ip_pair_hash(
	uint64_t seed, const uint8_t *from, const uint8_t *to, bool ipv4)
{
	uint32_t half[2];
	uint64_t second;

	if (ipv4) {
		memcpy(&half[0], from, 4);
		memcpy(&half[1], to, 4);
		return seed ^ ((uint64_t)half[1] << 32 | half[0]);
	}
	second = ip6_hash(0, to);
	return ip6_hash(seed, from) ^ (second << 32 | second >> 32);
}

// Sum of 16-bit words in the machine's own byte order, which one's complement allows (RFC 1071 cl.
// 2 B). `len` is a multiple of 4.
static inline uint64_t ip_sum(const uint8_t *bytes, unsigned len, uint64_t sum)
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < len; i += 4) {
		uint32_t word;
		memcpy(&word, bytes + i, 4);
		sum += word;
	}
	return sum;
}

// The sum folded to 16 bits, still in the machine's byte order.
static inline uint16_t ip_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

// Whether an IPv4 header of `len` bytes (20..60) has the right checksum.
static inline bool ip_checksum_ok(const uint8_t *bytes, unsigned len)
{
	uint64_t sum = ip_sum(bytes, IP4_LEN, 0);

	if (UNLIKELY(len != IP4_LEN))
		sum = ip_sum(bytes + IP4_LEN, len - IP4_LEN, sum);
	return ip_fold(sum) == 0xffff;
}

// Reads a header that is known to be whole (frame_walk has looked): 20 to 60 bytes, or 40.
void ip_parse(const uint8_t *bytes, struct ip_hdr *ip);

// Writes the header of a packet with `payload_len` bytes behind it, the IPv4 checksum computed.
// Returns its bytes.
unsigned ip_render(const struct ip_hdr *ip, unsigned payload_len, uint8_t *bytes);

// Reads and writes UDP_LEN bytes. Render takes the length from u->len unless that is 0.
void udp_parse(const uint8_t *bytes, struct udp *u);
unsigned udp_render(const struct udp *u, unsigned payload_len, uint8_t *bytes);

// Computes and writes the checksum of an IPv4 header of `len` bytes.
void ip_put_checksum(uint8_t *bytes, unsigned len);

// Writes CE into the ECN field of a header in place and mends the IPv4 checksum by what changed.
void ip_mark_ce(uint8_t *bytes);

// The folded sum of `len` bytes, in the machine's byte order; the other one goes over the
// pseudo-header of IPv6 too (RFC 8200 cl. 8.1), `proto` being the upper layer's. Where the checksum
// among the bytes is right, either is ffff.
uint16_t ip_sum_bytes(const uint8_t *bytes, unsigned len);
uint16_t ip_sum_upper6(const uint8_t *ip6, uint8_t proto, const uint8_t *bytes, unsigned len);

// Writes the checksum of a UDP datagram over IPv6 (RFC 8200 cl. 8.1), 0 sent as ffff. `len` is
// header and payload, `udp` starts them.
void udp_put_checksum6(const uint8_t *ip6, uint8_t *udp, unsigned len);
