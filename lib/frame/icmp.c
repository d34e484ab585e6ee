// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing frames of ICMP and ICMPv6.
#include "frame/icmp.h"

#include <string.h>

#include "frame/frame.h"

#define ECHO_LEN 8
#define ND_LEN   24 // solicitation and advertisement without options

#define OPTION_SOURCE_MAC 1
#define OPTION_TARGET_MAC 2

static const struct icmp_type {
	uint8_t version, type, head_len;
} types[2][4] = {
	{[ICMP_ECHO_REQUEST] = {4, 8, ECHO_LEN}, [ICMP_ECHO_REPLY] = {4, 0, ECHO_LEN}},
	{[ICMP_ECHO_REQUEST] = {6, 128, ECHO_LEN},
		[ICMP_ECHO_REPLY] = {6, 129, ECHO_LEN},
		[ICMP_ND_SOLICIT] = {6, 135, ND_LEN},
		[ICMP_ND_ADVERT] = {6, 136, ND_LEN}},
};

static const struct icmp_type *type_of(const struct icmp *m)
{
	return &types[m->ip.version == 6][m->kind];
}

static bool is_nd(const struct icmp *m)
{
	return m->kind == ICMP_ND_SOLICIT || m->kind == ICMP_ND_ADVERT;
}

// Whether the sender has an address yet.
static bool has_source(const struct icmp *m)
{
	return get_be64(m->ip.saddr) || get_be64(m->ip.saddr + 8);
}

// Whether a group or a broadcast is said to have sent it, to which nobody may answer (RFC 1122 cl.
// 3.2.2, RFC 4291 cl. 2.7).
static bool from_group(const struct icmp *m)
{
	return m->eth.src[0] & 1 || m->ip.saddr[0] >= (m->ip.version == 6 ? 0xff : 224);
}

// The option that the message may have; others are passed by (RFC 4861 cl. 4.6).
static enum icmp_verdict read_options(struct icmp *m, const uint8_t *o, unsigned len)
{
	uint8_t wanted = m->kind == ICMP_ND_SOLICIT ? OPTION_SOURCE_MAC : OPTION_TARGET_MAC;

	for (unsigned at = 0, each; at < len; at += each) {
		each = len - at < 2 ? 0 : o[at + 1] * 8u;
		if (!each || each > len - at)
			return ICMP_BAD_OPTION;
		if (o[at] != wanted || m->has_mac)
			continue;
		m->has_mac = true;
		memcpy(m->mac, o + at + 2, sizeof(m->mac));
		if (m->mac[0] & 1)
			return ICMP_BAD_OPTION;
	}
	return ICMP_OK;
}

// RFC 4861 cl. 7.1.1 and 7.1.2, in their order.
static enum icmp_verdict read_nd(struct icmp *m, const uint8_t *o, unsigned len)
{
	enum icmp_verdict v;

	if (m->ip.ttl != 255)
		return ICMP_BAD_HOP_LIMIT;
	if (o[1])
		return ICMP_BAD_CODE;
	m->flags = m->kind == ICMP_ND_ADVERT ? o[4] & (ND_ROUTER | ND_SOLICITED | ND_OVERRIDE) : 0;
	memcpy(m->target, o + 8, sizeof(m->target));
	if (m->target[0] == 0xff)
		return ICMP_BAD_TARGET;
	v = read_options(m, o + ND_LEN, len - ND_LEN);
	if (v)
		return v;
	if (m->kind == ICMP_ND_ADVERT)
		return m->ip.daddr[0] == 0xff && m->flags & ND_SOLICITED ? ICMP_BAD_ADDRESS
									 : ICMP_OK;
	if (has_source(m))
		return ICMP_OK;
	return icmp_is_group_of(m->ip.daddr, m->target) && !m->has_mac ? ICMP_OK : ICMP_BAD_ADDRESS;
}

// Reads the message of ICMP, `len` bytes at `o`.
static enum icmp_verdict read_icmp(
	struct icmp *m, const uint8_t *ip, const uint8_t *o, unsigned len)
{
	unsigned kind;
	uint16_t sum;

	if (len < ECHO_LEN)
		return ICMP_SHORT;
	for (kind = 0; kind < 4; kind++)
		if (types[m->ip.version == 6][kind].version &&
			types[m->ip.version == 6][kind].type == o[0])
			break;
	if (kind == 4)
		return ICMP_UNKNOWN;
	m->kind = (enum icmp_kind)kind;
	if (len < type_of(m)->head_len)
		return ICMP_SHORT;
	sum = m->ip.version == 6 ? ip_sum_upper6(ip, IP_PROTO_ICMPV6, o, len)
				 : ip_sum_bytes(o, len);
	if (sum != 0xffff)
		return ICMP_BAD_CHECKSUM;
	if (from_group(m) || (!is_nd(m) && !has_source(m)))
		return ICMP_BAD_ADDRESS;
	if (is_nd(m))
		return read_nd(m, o, len);
	m->id = get_be16(o + 4);
	m->seq = get_be16(o + 6);
	return o[1] ? ICMP_BAD_CODE : ICMP_OK;
}

enum icmp_verdict icmp_from_frame(const uint8_t *frame, size_t len, struct icmp *m)
{
	struct frame f;
	enum icmp_verdict v;

	*m = (struct icmp){0};
	frame_parse(frame, len, &f);
	if (f.kind != PKT_OTHER || !f.ip.version)
		return ICMP_UNKNOWN;
	m->eth = f.eth;
	m->ip = f.ip;
	if (f.ip.proto != (f.ip.version == 6 ? IP_PROTO_ICMPV6 : IP_PROTO_ICMP) ||
		f.ip.frag & (IP4_MF | IP4_OFFSET_MASK))
		return ICMP_UNKNOWN;
	v = read_icmp(m, frame + f.l3_off, frame + f.payload_off, f.payload_len);
	if (!v && !is_nd(m)) {
		m->data_off = (uint16_t)(f.payload_off + ECHO_LEN);
		m->data_len = (uint16_t)(f.payload_len - ECHO_LEN);
	}
	return v;
}

// Writes the bytes behind the IP header; returns how many, without the data.
static unsigned put_icmp(const struct icmp *m, uint8_t *o)
{
	const struct icmp_type *t = type_of(m);

	memset(o, 0, t->head_len);
	o[0] = t->type;
	if (!is_nd(m)) {
		put_be16(o + 4, m->id);
		put_be16(o + 6, m->seq);
		return ECHO_LEN;
	}
	o[4] = m->flags;
	memcpy(o + 8, m->target, sizeof(m->target));
	if (!m->has_mac)
		return ND_LEN;
	o[ND_LEN] = m->kind == ICMP_ND_SOLICIT ? OPTION_SOURCE_MAC : OPTION_TARGET_MAC;
	o[ND_LEN + 1] = 1;
	memcpy(o + ND_LEN + 2, m->mac, sizeof(m->mac));
	return ND_LEN + 8;
}

unsigned icmp_to_frame(const struct icmp *m, const uint8_t *data, uint8_t *frame)
{
	bool is_v6 = m->ip.version == 6;
	struct eth eth = m->eth;
	struct ip_hdr ip = m->ip;
	unsigned data_len = is_nd(m) ? 0 : m->data_len;
	uint8_t head[22]; // the data may stand where it goes
	unsigned l3, l4, body, len;
	uint16_t sum;

	eth.has_cntag = 0;
	eth.ethertype = is_v6 ? ETH_P_IPV6 : ETH_P_IPV4;
	ip.proto = is_v6 ? IP_PROTO_ICMPV6 : IP_PROTO_ICMP;
	ip.options_len = 0;
	ip.frag = IP4_DF;
	ip.checksum = 0;
	l3 = eth_render(&eth, head);
	l4 = l3 + ip_len(&ip);
	body = type_of(m)->head_len + (is_nd(m) && m->has_mac ? 8u : 0);
	if (data_len) // first, since the headers may be written where it stood
		memmove(frame + l4 + body, data, data_len);
	len = l4 + body + data_len;
	memcpy(frame, head, l3);
	ip_render(&ip, len - l4, frame + l3);
	put_icmp(m, frame + l4);
	sum = (uint16_t) ~(is_v6 ? ip_sum_upper6(frame + l3, IP_PROTO_ICMPV6, frame + l4, len - l4)
				 : ip_sum_bytes(frame + l4, len - l4));
	memcpy(frame + l4 + 2, &sum, sizeof(sum));
	if (len < PKT_MIN_LEN) {
		memset(frame + len, 0, PKT_MIN_LEN - len);
		len = PKT_MIN_LEN;
	}
	return len;
}
