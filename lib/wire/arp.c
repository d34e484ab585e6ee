// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes ARP frames: requests, answers and announcements.
#include "wire/arp.h"

#include <string.h>

#include "wire/pkt.h"

#define ARP_LEN      28
#define ARP_ETHERNET 1

bool arp_from_frame(const uint8_t *frame, size_t len, struct arp *a)
{
	int off = eth_parse(frame, len, &a->eth);
	const uint8_t *o = frame + off;

	if (off < 0 || a->eth.ethertype != ETH_P_ARP || len - (size_t)off < ARP_LEN)
		return false;
	if (get_be16(o) != ARP_ETHERNET || get_be16(o + 2) != ETH_P_IPV4 || o[4] != 6 || o[5] != 4)
		return false;
	a->op = get_be16(o + 6);
	memcpy(a->sha, o + 8, 6);
	memcpy(a->spa, o + 14, 4);
	memcpy(a->tha, o + 18, 6);
	memcpy(a->tpa, o + 24, 4);
	return !(a->sha[0] & 1) && !memcmp(a->sha, a->eth.src, 6);
}

unsigned arp_to_frame(const struct arp *a, uint8_t *frame)
{
	struct eth eth = a->eth;
	unsigned len;
	uint8_t *o;

	eth.has_cntag = 0;
	eth.ethertype = ETH_P_ARP;
	len = eth_render(&eth, frame);
	o = frame + len;
	put_be16(o, ARP_ETHERNET);
	put_be16(o + 2, ETH_P_IPV4);
	o[4] = 6;
	o[5] = 4;
	put_be16(o + 6, a->op);
	memcpy(o + 8, a->sha, 6);
	memcpy(o + 14, a->spa, 4);
	memcpy(o + 18, a->tha, 6);
	memcpy(o + 24, a->tpa, 4);
	len += ARP_LEN;
	if (len < PKT_MIN_LEN) {
		memset(frame + len, 0, PKT_MIN_LEN - len);
		len = PKT_MIN_LEN;
	}
	return len;
}

void arp_reply(const struct arp *request, const uint8_t mac[6], struct arp *reply)
{
	const struct arp r = *request;

	*reply = (struct arp){.eth = r.eth, .op = ARP_REPLY};
	memcpy(reply->eth.dst, r.sha, 6);
	memcpy(reply->eth.src, mac, 6);
	memcpy(reply->sha, mac, 6);
	memcpy(reply->spa, r.tpa, 4);
	memcpy(reply->tha, r.sha, 6);
	memcpy(reply->tpa, r.spa, 4);
}

void arp_ask(struct arp *a, const uint8_t mac[6], const uint8_t ip[4], const uint8_t target[4],
	const uint8_t *to, int tci)
{
	static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	*a = (struct arp){.op = ARP_REQUEST};
	if (tci >= 0) {
		a->eth.has_vlan = 1;
		a->eth.vlan_tci = (uint16_t)tci;
	}
	memcpy(a->eth.dst, to ? to : all, 6);
	memcpy(a->eth.src, mac, 6);
	memcpy(a->sha, mac, 6);
	memcpy(a->spa, ip, 4);
	memcpy(a->tpa, target, 4);
}

void arp_announce(struct arp *a, const uint8_t mac[6], const uint8_t ip[4], int tci)
{
	arp_ask(a, mac, ip, ip, NULL, tci);
}
