// SPDX-License-Identifier: BSD-3-Clause
// Frames with which a stranger floods a host: one kind each. All that a stranger can choose differs
// from frame to frame.
#pragma once

#include <string.h>

#include "base/prng.h"
#include "frame/cm_msg.h"
#include "frame/frame.h"
#include "frame/icmp.h"
#include "wire/arp.h"
#include "wire/hello.h"

#define FLOOD_MAX 1514

enum flood {
	FLOOD_CNP,        // CNPs of a stranger for all queue pairs
	FLOOD_FORGED_CNP, // in the peer's name, with a wrong ICRC
	FLOOD_NAK,        // NAKs of a stranger
	FLOOD_DATA,       // SENDs of a stranger, with any PSN
	FLOOD_PFC,        // PFC frames with any vector and any quanta
	FLOOD_MALFORMED,  // RoCE frames with bits turned over, or cut off
	FLOOD_MAC,        // each from another hardware address
	FLOOD_ARP,        // requests of many hosts for the host's address
	FLOOD_ND,         // the same of IPv6: neighbour solicitations
	FLOOD_PING,
	FLOOD_MAD,   // requests for a connection (REQ), each of another host
	FLOOD_HELLO, // hellos of parts of a scenario
	FLOOD_TCP,   // SYNs
	FLOODS,
};

static const char *const flood_name[FLOODS] = {
	[FLOOD_CNP] = "cnp",
	[FLOOD_FORGED_CNP] = "forged_cnp",
	[FLOOD_NAK] = "nak",
	[FLOOD_DATA] = "data",
	[FLOOD_PFC] = "pfc",
	[FLOOD_MALFORMED] = "malformed",
	[FLOOD_MAC] = "mac",
	[FLOOD_ARP] = "arp",
	[FLOOD_ND] = "nd",
	[FLOOD_PING] = "ping",
	[FLOOD_MAD] = "mad",
	[FLOOD_HELLO] = "hello",
	[FLOOD_TCP] = "tcp",
};

// Whom a flood is for. IPv4 addresses are in the first four bytes.
struct flood_target {
	uint8_t mac[6];
	uint8_t ip[16], peer_ip[16]; // of the host, and of the other end of its queue pairs
	bool ipv6;
	uint32_t qpn; // the first of its queue pairs
};

// An address as a stranger makes them, of the host's network.
static inline void flood_stranger(const struct flood_target *t, struct prng *g, uint8_t ip[16])
{
	memcpy(ip, t->ip, 16);
	put_be16(ip + (t->ipv6 ? 14 : 2), (uint16_t)(4096 + prng_below(g, 60000)));
}

static inline struct eth flood_eth(const struct flood_target *t, struct prng *g, uint16_t ethertype)
{
	struct eth e = {.src = {2, 0xf}, .ethertype = ethertype};

	memcpy(e.dst, t->mac, 6);
	put_be32(e.src + 2, (uint32_t)prng_u32(g));
	return e;
}

static inline struct ip_hdr flood_ip(const struct flood_target *t, struct prng *g, uint8_t proto)
{
	struct ip_hdr ip = {.version = t->ipv6 ? 6 : 4,
		.ttl = 64,
		.proto = proto,
		.id = (uint16_t)prng_u32(g),
		.frag = IP4_DF};

	memcpy(ip.daddr, t->ip, 16);
	flood_stranger(t, g, ip.saddr);
	return ip;
}

static inline unsigned flood_roce(
	enum flood kind, const struct flood_target *t, struct prng *g, uint8_t *o)
{
	uint8_t payload[256];
	struct frame f = {.eth = flood_eth(t, g, t->ipv6 ? ETH_P_IPV6 : ETH_P_IPV4),
		.ip = flood_ip(t, g, IP_PROTO_UDP),
		.udp = {.sport = (uint16_t)(0xc000 | prng_below(g, 0x4000)), .dport = BTH_UDP_PORT},
		.bth = {.pkey = BTH_PKEY,
			.qpn = t->qpn + (uint32_t)prng_below(g, 4),
			.psn = (uint32_t)prng_u32(g) & BTH_PSN_MASK}};
	int n;

	memset(payload, 0x5a, sizeof(payload));
	if (kind == FLOOD_CNP || kind == FLOOD_FORGED_CNP) {
		f.kind = PKT_CNP;
		f.bth.opcode = BTH_CNP;
		f.bth.bits = BTH_BECN;
		f.bth.psn = 0;
		f.ip.tos = 0xc0;
	} else if (kind == FLOOD_NAK) {
		f.kind = PKT_ACK;
		f.bth.opcode = BTH_RC_ACK;
		f.ext.aeth.syndrome = (uint8_t)(AETH_NAK_PSN + prng_below(g, 4));
	} else {
		f.kind = PKT_DATA;
		f.bth.opcode = BTH_RC_SEND_ONLY;
		f.bth.bits = BTH_ACKREQ;
		f.payload_len = 64;
	}
	if (kind == FLOOD_FORGED_CNP)
		memcpy(f.ip.saddr, t->peer_ip, 16);
	n = frame_render(&f, payload, o, FLOOD_MAX, PKT_MIN_LEN);
	if (n < 0)
		return 0;
	if (kind == FLOOD_FORGED_CNP)
		o[n - 1] ^= 0x80;
	for (unsigned i = 0; kind == FLOOD_MALFORMED && i < 4; i++)
		o[14 + prng_below(g, (unsigned)n - 14)] ^= (uint8_t)(1u << prng_below(g, 8));
	if (kind == FLOOD_MALFORMED && prng_below(g, 2))
		n = (int)(PKT_MIN_LEN + prng_below(g, (unsigned)n - PKT_MIN_LEN + 1));
	return (unsigned)n;
}

static inline unsigned flood_pfc(const struct flood_target *t, struct prng *g, uint8_t *o)
{
	struct pfc p = {.opcode = MACCTL_PFC, .time.enable = (uint8_t)prng_u32(g)};
	struct eth e = flood_eth(t, g, ETH_P_MAC_CONTROL);
	unsigned n;

	memcpy(e.dst, pfc_dst, 6);
	for (unsigned c = 0; c < 8; c++)
		p.time.quanta[c] = prng_below(g, 3) ? (uint16_t)prng_u32(g) : 0;
	memset(o, 0, PKT_MIN_LEN);
	n = eth_render(&e, o);
	pfc_render(&p, o + n);
	return PKT_MIN_LEN;
}

static inline unsigned flood_nd(
	enum flood kind, const struct flood_target *t, struct prng *g, uint8_t *o)
{
	struct eth e = flood_eth(t, g, 0);
	uint8_t from[16], data[32] = {0};
	struct arp a;
	struct icmp m;

	flood_stranger(t, g, from);
	if (kind == FLOOD_PING) {
		m = (struct icmp){.eth = flood_eth(t, g, t->ipv6 ? ETH_P_IPV6 : ETH_P_IPV4),
			.ip = flood_ip(t, g, t->ipv6 ? IP_PROTO_ICMPV6 : IP_PROTO_ICMP),
			.kind = ICMP_ECHO_REQUEST,
			.seq = (uint16_t)prng_u32(g),
			.data_len = sizeof(data)};
		return icmp_to_frame(&m, data, o);
	}
	if (t->ipv6) {
		icmp_solicit(&m, e.src, from, t->ip, t->mac, -1);
		return icmp_to_frame(&m, NULL, o);
	}
	arp_ask(&a, e.src, from, t->ip, t->mac, -1);
	return arp_to_frame(&a, o);
}

static inline unsigned flood_mad(const struct flood_target *t, struct prng *g, uint8_t *o)
{
	struct eth e = flood_eth(t, g, 0);
	struct ip_hdr ip = flood_ip(t, g, IP_PROTO_UDP);
	struct hdr h = {.flags = t->ipv6 ? HDR_IPV6 : HDR_IPV4,
		.ethertype = t->ipv6 ? ETH_P_IPV6 : ETH_P_IPV4,
		.ttl = 64,
		.sport = 0xc123};
	struct cm_ip who = {.version = ip.version, .port = 4000};
	struct cm_msg m = {.tid = prng_u32(g),
		.kind = CM_REQ,
		.local_id = (uint32_t)prng_u32(g),
		.u.req = {.service_id = CM_SERVICE_TCP | prng_below(g, 65536),
			.qpn = 17,
			.responder_resources = 1,
			.initiator_depth = 1,
			.remote_response_timeout = 20,
			.local_response_timeout = 20,
			.retry_count = 7,
			.rnr_retry_count = 7,
			.pkey = BTH_PKEY,
			.mtu = 3,
			.max_cm_retries = 15}};
	uint8_t mad[MAD_LEN];

	memcpy(h.dst, e.dst, 6);
	memcpy(h.src, e.src, 6);
	memcpy(h.saddr, ip.saddr, 16);
	memcpy(h.daddr, ip.daddr, 16);
	memcpy(who.saddr, ip.saddr, 16);
	memcpy(who.daddr, ip.daddr, 16);
	cm_ip_render(&who, m.data);
	cm_gid(ip.version, ip.saddr, m.u.req.primary.local_gid);
	cm_gid(ip.version, ip.daddr, m.u.req.primary.remote_gid);
	cm_msg_render(&m, mad);
	return mad_frame(&h, 0, (uint32_t)prng_u32(g) & BTH_PSN_MASK, mad, o);
}

static inline unsigned flood_hello(const struct flood_target *t, struct prng *g, uint8_t *o)
{
	struct eth e = flood_eth(t, g, ETH_P_EXPERIMENTAL);
	struct hello h = {.sections = 1,
		.turn = (uint8_t)prng_below(g, HELLO_TURNS),
		.level = (uint16_t)prng_u32(g),
		.nonce = 1 + (uint32_t)prng_u32(g) % UINT32_MAX,
		.number = (uint32_t)prng_u32(g),
		.dilate = 1,
		.port = "x:s1"};

	memcpy(h.dst, e.dst, 6);
	memcpy(h.src, e.src, 6);
	return (unsigned)hello_render(&h, o);
}

static inline unsigned flood_syn(const struct flood_target *t, struct prng *g, uint8_t *o)
{
	struct eth e = flood_eth(t, g, t->ipv6 ? ETH_P_IPV6 : ETH_P_IPV4);
	struct ip_hdr ip = flood_ip(t, g, 6);
	unsigned n;

	memset(o, 0, 96);
	n = eth_render(&e, o);
	n += ip_render(&ip, 20, o + n);
	put_be16(o + n, (uint16_t)(1024 + prng_below(g, 60000)));
	put_be16(o + n + 2, (uint16_t)prng_u32(g));
	put_be32(o + n + 4, (uint32_t)prng_u32(g));
	o[n + 12] = 5 << 4;
	o[n + 13] = 2; // SYN
	put_be16(o + n + 14, 65535);
	return n + 20 < PKT_MIN_LEN ? PKT_MIN_LEN : n + 20;
}

// Writes one frame of this kind; `o` has room for FLOOD_MAX bytes. Returns its length without FCS.
static inline unsigned flood_frame(
	enum flood kind, const struct flood_target *t, struct prng *g, uint8_t *o)
{
	struct eth e;

	switch (kind) {
	case FLOOD_PFC:
		return flood_pfc(t, g, o);
	case FLOOD_MAC:
		e = flood_eth(t, g, 0x9000);
		memset(o, 0, PKT_MIN_LEN);
		eth_render(&e, o);
		return PKT_MIN_LEN;
	case FLOOD_ARP:
	case FLOOD_ND:
	case FLOOD_PING:
		return flood_nd(kind, t, g, o);
	case FLOOD_MAD:
		return flood_mad(t, g, o);
	case FLOOD_HELLO:
		return flood_hello(t, g, o);
	case FLOOD_TCP:
		return flood_syn(t, g, o);
	default:
		return flood_roce(kind, t, g, o);
	}
}
