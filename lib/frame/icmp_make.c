// SPDX-License-Identifier: BSD-3-Clause
// Messages of ICMP that a host sends: replies, requests, announcements.
#include <string.h>

#include "frame/icmp.h"

#define ECHO_HOP_LIMIT 64

static const uint8_t all_nodes[16] = {0xff, 0x02, [15] = 1};

// RFC 2464 cl. 7: the address of an IPv6 group on Ethernet.
static void group_mac(const uint8_t group[16], uint8_t mac[6])
{
	mac[0] = mac[1] = 0x33;
	memcpy(mac + 2, group + 12, 4);
}

static void solicited_node(const uint8_t ip[16], uint8_t group[16])
{
	static const uint8_t prefix[13] = {0xff, 0x02, [11] = 1, [12] = 0xff};

	memcpy(group, prefix, sizeof(prefix));
	memcpy(group + 13, ip + 13, 3);
}

bool icmp_is_group_of(const uint8_t group[16], const uint8_t ip[16])
{
	uint8_t of[16];

	solicited_node(ip, of);
	return !memcmp(group, of, sizeof(of));
}

void icmp_echo_reply(const struct icmp *request, const uint8_t mac[6], struct icmp *reply)
{
	const struct icmp r = *request;

	*reply = r;
	reply->kind = ICMP_ECHO_REPLY;
	memcpy(reply->eth.dst, r.eth.src, 6);
	memcpy(reply->eth.src, mac, 6);
	memcpy(reply->ip.saddr, r.ip.daddr, 16);
	memcpy(reply->ip.daddr, r.ip.saddr, 16);
	reply->ip.tos = r.ip.tos & 0xfc;
	reply->ip.ttl = ECHO_HOP_LIMIT;
	reply->ip.id = 0; // RFC 6864: no meaning with DF
	reply->ip.flow_label = 0;
}

// A message of discovery from `ip` at `mac`, which is also its link-layer address option.
static void begin_nd(
	struct icmp *m, enum icmp_kind kind, const uint8_t mac[6], const uint8_t ip[16])
{
	m->kind = kind;
	m->ip = (struct ip_hdr){.version = 6, .ttl = 255};
	memcpy(m->ip.saddr, ip, 16);
	memcpy(m->eth.src, mac, 6);
	memcpy(m->mac, mac, 6);
	m->has_mac = true;
}

static void to_group(struct icmp *m, const uint8_t group[16])
{
	memcpy(m->ip.daddr, group, 16);
	group_mac(group, m->eth.dst);
}

void icmp_advertise(const struct icmp *solicit, const uint8_t mac[6], struct icmp *advert)
{
	const struct icmp s = *solicit;

	*advert = (struct icmp){.eth = s.eth, .flags = ND_OVERRIDE};
	begin_nd(advert, ICMP_ND_ADVERT, mac, s.target);
	memcpy(advert->target, s.target, 16);
	if (!get_be64(s.ip.saddr) && !get_be64(s.ip.saddr + 8)) { // it looks for duplicates
		to_group(advert, all_nodes);
		return;
	}
	advert->flags |= ND_SOLICITED;
	memcpy(advert->ip.daddr, s.ip.saddr, 16);
	memcpy(advert->eth.dst, s.has_mac ? s.mac : s.eth.src, 6);
}

static void tag(struct icmp *m, int tci)
{
	*m = (struct icmp){0};
	if (tci < 0)
		return;
	m->eth.has_vlan = 1;
	m->eth.vlan_tci = (uint16_t)tci;
}

void icmp_solicit(struct icmp *m, const uint8_t mac[6], const uint8_t ip[16],
	const uint8_t target[16], const uint8_t *to, int tci)
{
	uint8_t group[16];

	tag(m, tci);
	begin_nd(m, ICMP_ND_SOLICIT, mac, ip);
	memcpy(m->target, target, 16);
	solicited_node(target, group);
	to_group(m, group);
	if (!to)
		return;
	memcpy(m->ip.daddr, target, 16);
	memcpy(m->eth.dst, to, 6);
}

void icmp_announce(struct icmp *m, const uint8_t mac[6], const uint8_t ip[16], int tci)
{
	tag(m, tci);
	begin_nd(m, ICMP_ND_ADVERT, mac, ip);
	memcpy(m->target, ip, 16);
	m->flags = ND_OVERRIDE;
	to_group(m, all_nodes);
}
