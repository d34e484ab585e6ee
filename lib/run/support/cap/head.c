// SPDX-License-Identifier: BSD-3-Clause
// Addresses, ports and role of a frame, by TCP's flags, RoCEv2's opcode, ICMP's type and ports.
#include "head.h"

#include <string.h>

#include "wire/bth.h"
#include "wire/eth.h"
#include "wire/ip.h"
#include "wire/ip6_chain.h"

enum { TCP_SYN = 2, TCP_ACK = 16, WELL_KNOWN = 1024, ARP_LEN = 28 };

// ACKs, READ responses and CNPs come from the queue pair that takes requests.
static enum head_role roce_role(uint8_t opcode)
{
	unsigned operation = opcode & 0x1f;

	if (opcode == BTH_CNP)
		return HEAD_ANSWERS;
	if (!bth_ops[opcode].ext)
		return HEAD_UNKNOWN;
	return operation >= BTH_RC_READ_FIRST && operation <= BTH_RC_ATOMIC_ACK ? HEAD_ANSWERS
										: HEAD_ASKS;
}

// A port below 1024 is a server's (tcpprep has the same rule).
static enum head_role port_role(const struct head *h)
{
	bool from = h->sport < WELL_KNOWN, to = h->dport < WELL_KNOWN;

	if (from == to)
		return HEAD_UNKNOWN;
	return to ? HEAD_ASKS : HEAD_ANSWERS;
}

static enum head_role icmp_role(uint8_t type, bool v6)
{
	uint8_t request = v6 ? 128 : 8, reply = v6 ? 129 : 0;

	if (type == request)
		return HEAD_ASKS;
	return type == reply ? HEAD_ANSWERS : HEAD_UNKNOWN;
}

static void read_l4(struct head *h, uint8_t proto, const uint8_t *l4, unsigned len)
{
	if ((proto == IP_PROTO_TCP || proto == IP_PROTO_UDP) && len >= 4) {
		h->has_ports = true;
		h->sport = get_be16(l4);
		h->dport = get_be16(l4 + 2);
		h->role = port_role(h);
	}
	if (proto == IP_PROTO_TCP && len >= 14 && l4[13] & TCP_SYN)
		h->role = l4[13] & TCP_ACK ? HEAD_ANSWERS : HEAD_ASKS;
	if (proto == IP_PROTO_UDP && len > UDP_LEN && h->dport == BTH_UDP_PORT)
		h->role = roce_role(l4[UDP_LEN]);
	if ((proto == IP_PROTO_ICMP || proto == IP_PROTO_ICMPV6) && len)
		h->role = icmp_role(l4[0], h->v6);
}

static void read_ip4(struct head *h, const uint8_t *ip, unsigned len)
{
	unsigned header = (ip[0] & 15u) * 4;

	if (ip[0] >> 4 != 4)
		return;
	h->saddr = ip + 12;
	h->daddr = ip + 16;
	if (header >= IP4_LEN && header <= len && !(get_be16(ip + 6) & IP4_OFFSET_MASK))
		read_l4(h, ip[9], ip + header, len - header);
}

static void read_ip6(struct head *h, const uint8_t *ip, unsigned len)
{
	struct ip6_chain x;

	if (ip[0] >> 4 != 6)
		return;
	h->v6 = true;
	h->saddr = ip + 8;
	h->daddr = ip + 24;
	ip6_chain_walk(&x, ip[6], ip + IP6_LEN, len - IP6_LEN);
	if (!x.cut && !x.frag_off)
		read_l4(h, x.proto, ip + IP6_LEN + x.off, len - IP6_LEN - x.off);
}

void head_read(struct head *h, const uint8_t *bytes, unsigned len)
{
	struct eth eth;
	int l3 = eth_parse(bytes, len, &eth);
	unsigned off = (unsigned)l3, left = len - off;

	*h = (struct head){0};
	if (len < 12)
		return;
	h->dst = bytes;
	h->src = bytes + 6;
	if (l3 < 0)
		return;
	h->vid = eth.has_vlan ? eth.vlan_tci & 0xfff : 0;
	if (eth.ethertype == ETH_P_IPV4 && left >= IP4_LEN)
		read_ip4(h, bytes + off, left);
	else if (eth.ethertype == ETH_P_IPV6 && left >= IP6_LEN)
		read_ip6(h, bytes + off, left);
	if (eth.ethertype == ETH_P_ARP && left >= ARP_LEN &&
		get_be16(bytes + off + 2) == ETH_P_IPV4) {
		h->saddr = bytes + off + 14;
		h->daddr = bytes + off + 24;
	}
}

bool head_is_host(const uint8_t *addr, bool v6)
{
	static const uint8_t none[16], all[] = {255, 255, 255, 255};

	if (memcmp(addr, none, v6 ? 16 : 4) == 0)
		return false;
	return v6 ? addr[0] != 0xff : addr[0] >> 4 != 14 && memcmp(addr, all, 4) != 0;
}
