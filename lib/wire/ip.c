// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing IPv4 (RFC 791), IPv6 (RFC 8200) and UDP (RFC 768), and the checksum
// arithmetic.
#include "wire/ip.h"

#include "wire/eth.h"

static void ip4_parse(const uint8_t *o, struct ip_hdr *ip)
{
	ip->tos = o[1];
	ip->id = get_be16(o + 4);
	ip->frag = get_be16(o + 6);
	ip->ttl = o[8];
	ip->proto = o[9];
	ip->checksum = get_be16(o + 10);
	memcpy(ip->saddr, o + 12, 4);
	memcpy(ip->daddr, o + 16, 4);
	ip->options_len = (uint8_t)((o[0] & 15) * 4 - IP4_LEN);
	memcpy(ip->options, o + IP4_LEN, ip->options_len);
}

static void ip6_parse(const uint8_t *o, struct ip_hdr *ip)
{
	uint32_t word = get_be32(o);

	ip->tos = (uint8_t)(word >> 20);
	ip->flow_label = word & 0xfffff;
	ip->proto = o[6];
	ip->ttl = o[7];
	memcpy(ip->saddr, o + 8, 16);
	memcpy(ip->daddr, o + 24, 16);
}

void ip_parse(const uint8_t *bytes, struct ip_hdr *ip)
{
	*ip = (struct ip_hdr){.version = bytes[0] >> 4};
	if (ip->version == 6)
		ip6_parse(bytes, ip);
	else
		ip4_parse(bytes, ip);
}

void ip_put_checksum(uint8_t *bytes, unsigned len)
{
	uint16_t sum;

	put_be16(bytes + 10, 0);
	sum = (uint16_t)~ip_fold(ip_sum(bytes, len, 0));
	memcpy(bytes + 10, &sum, 2);
}

static unsigned ip4_render(const struct ip_hdr *ip, unsigned payload_len, uint8_t *o)
{
	unsigned len = IP4_LEN + ip->options_len;

	o[0] = (uint8_t)(0x40 | len / 4);
	o[1] = ip->tos;
	put_be16(o + 2, (uint16_t)(len + payload_len));
	put_be16(o + 4, ip->id);
	put_be16(o + 6, ip->frag);
	o[8] = ip->ttl;
	o[9] = ip->proto;
	memcpy(o + 12, ip->saddr, 4);
	memcpy(o + 16, ip->daddr, 4);
	memcpy(o + IP4_LEN, ip->options, ip->options_len);
	ip_put_checksum(o, len);
	// ffff is another form of checksum 0 (RFC 1624 cl. 3): it is written as it was read.
	if (ip->checksum == 0xffff && get_be16(o + 10) == 0)
		put_be16(o + 10, 0xffff);
	return len;
}

static unsigned ip6_render(const struct ip_hdr *ip, unsigned payload_len, uint8_t *o)
{
	put_be32(o, 6u << 28 | (uint32_t)ip->tos << 20 | (ip->flow_label & 0xfffff));
	put_be16(o + 4, (uint16_t)payload_len);
	o[6] = ip->proto;
	o[7] = ip->ttl;
	memcpy(o + 8, ip->saddr, 16);
	memcpy(o + 24, ip->daddr, 16);
	return IP6_LEN;
}

unsigned ip_render(const struct ip_hdr *ip, unsigned payload_len, uint8_t *bytes)
{
	if (ip->version == 6)
		return ip6_render(ip, payload_len, bytes);
	return ip4_render(ip, payload_len, bytes);
}

void udp_parse(const uint8_t *bytes, struct udp *u)
{
	u->sport = get_be16(bytes);
	u->dport = get_be16(bytes + 2);
	u->len = get_be16(bytes + 4);
	u->checksum = get_be16(bytes + 6);
}

unsigned udp_render(const struct udp *u, unsigned payload_len, uint8_t *bytes)
{
	put_be16(bytes, u->sport);
	put_be16(bytes + 2, u->dport);
	put_be16(bytes + 4, u->len ? u->len : (uint16_t)(UDP_LEN + payload_len));
	put_be16(bytes + 6, u->checksum);
	return UDP_LEN;
}

void ip_mark_ce(uint8_t *bytes)
{
	if (bytes[0] >> 4 == 6) {
		bytes[1] |= 0x30; // the two low bits of the traffic class
		return;
	}
	// RFC 1624 eqn. 3: HC' = ~(~HC + ~m + m'), m being the word of version, IHL and ToS.
	uint16_t was = get_be16(bytes);
	uint16_t now = was | 3;
	uint32_t sum = (uint16_t)~get_be16(bytes + 10) + (uint32_t)(uint16_t)~was + now;

	if (now == was)
		return;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	bytes[1] = (uint8_t)now;
	put_be16(bytes + 10, (uint16_t)~sum);
}

// The sum of any number of bytes: zeros follow the last ones.
static uint64_t sum_any(const uint8_t *bytes, unsigned len, uint64_t sum)
{
	unsigned whole = len & ~3u;
	uint8_t rest[4] = {0};

	memcpy(rest, bytes + whole, len - whole);
	return ip_sum(rest, 4, ip_sum(bytes, whole, sum));
}

uint16_t ip_sum_bytes(const uint8_t *bytes, unsigned len)
{
	return ip_fold(sum_any(bytes, len, 0));
}

uint16_t ip_sum_upper6(const uint8_t *ip6, uint8_t proto, const uint8_t *bytes, unsigned len)
{
	uint8_t tail[8] = {0}; // upper-layer length and next header, as the pseudo-header has them

	put_be32(tail, len);
	tail[7] = proto;
	return ip_fold(sum_any(bytes, len, ip_sum(ip6 + 8, 32, ip_sum(tail, 8, 0))));
}

void udp_put_checksum6(const uint8_t *ip6, uint8_t *udp, unsigned len)
{
	uint16_t sum;

	put_be16(udp + 6, 0);
	sum = (uint16_t)~ip_sum_upper6(ip6, IP_PROTO_UDP, udp, len);
	if (!sum)
		sum = 0xffff;
	memcpy(udp + 6, &sum, 2);
}
