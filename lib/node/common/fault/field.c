// SPDX-License-Identifier: BSD-3-Clause
// Fields: their places in a frame, their values, and the checksums over them.
#include "field.h"

#include <string.h>

#include "frame/frame.h"
#include "frame/rewrite.h"
#include "wire/bth.h"
#include "wire/eth.h"
#include "wire/icrc.h"
#include "wire/ip.h"

#define MAC_BYTES 12 // both addresses: a tag stands behind them

// `bytes` from `at` on are a number, and the field is `width` of its bits, `shift` above the
// lowest. `bytes` 0: the frame does not have it.
struct span {
	unsigned at, bytes, shift, width;
};

static bool has_udp(const struct pkt *p)
{
	return p->l3_off && (p->kind == PKT_UDP || p->kind == PKT_GEN || pkt_is_roce(p->kind));
}

struct field_place field_layout(const struct pkt *p)
{
	const uint8_t *o = (const uint8_t *)p + p->data_off, *ip = o + p->l3_off;
	struct field_place at = {0};

	if (!p->l3_off || p->kind == PKT_BAD)
		return at;
	at.ip = p->l3_off;
	at.is_ipv6 = ip[0] >> 4 == 6;
	at.end = at.ip + (at.is_ipv6 ? IP6_LEN + get_be16(ip + 4) : get_be16(ip + 2));
	if (has_udp(p))
		at.udp = at.ip + ip_len_at(ip);
	if (pkt_is_roce(p->kind)) {
		const struct bth_op *op = &bth_ops[p->u.rc.opcode];

		at.bth = at.udp + UDP_LEN;
		at.icrc = at.end - ICRC_LEN;
		at.aeth = op->ext & BTH_EXT_AETH ? at.bth + op->own_off : 0;
	}
	return at;
}

static struct span eth_span(const struct pkt *p, enum fault_field field)
{
	unsigned flags = p->hdr->flags;

	switch (field) {
	case FAULT_DST_MAC:
		return (struct span){0, 6, 0, 48};
	case FAULT_SRC_MAC:
		return (struct span){6, 6, 0, 48};
	case FAULT_ETHERTYPE:
		return (struct span){hdr_eth_len(flags) - 2, 2, 0, 16};
	case FAULT_VLAN:
		return (struct span){MAC_BYTES + 2, flags & HDR_VLAN ? 2 : 0, 0, 12};
	case FAULT_PCP:
		return (struct span){MAC_BYTES + 2, flags & HDR_VLAN ? 2 : 0, 13, 3};
	default:
		return (struct span){0};
	}
}

// The first two bytes of an IPv6 header have the traffic class in the middle (RFC 8200 cl. 3).
static struct span ip_span(const struct field_place *at, enum fault_field field)
{
	unsigned ip = at->ip;

	switch (field) {
	case FAULT_DSCP:
		return at->is_ipv6 ? (struct span){ip, 2, 6, 6} : (struct span){ip + 1, 1, 2, 6};
	case FAULT_IP_ECN:
		return at->is_ipv6 ? (struct span){ip, 2, 4, 2} : (struct span){ip + 1, 1, 0, 2};
	case FAULT_TTL:
		return (struct span){at->is_ipv6 ? ip + 7 : ip + 8, 1, 0, 8};
	case FAULT_IP_ID:
		return (struct span){ip + 4, at->is_ipv6 ? 0 : 2, 0, 16};
	default:
		return (struct span){0};
	}
}

static struct span udp_span(const struct field_place *at, enum fault_field field)
{
	switch (field) {
	case FAULT_UDP_SPORT:
		return (struct span){at->udp, 2, 0, 16};
	case FAULT_UDP_DPORT:
		return (struct span){at->udp + 2, 2, 0, 16};
	default:
		return (struct span){0};
	}
}

// IBA vol. 1 cl. 9.2 and 9.3.5.
static struct span bth_span(const struct field_place *at, enum fault_field field)
{
	unsigned bth = at->bth, aeth = at->aeth;

	switch (field) {
	case FAULT_OPCODE:
		return (struct span){bth, 1, 0, 8};
	case FAULT_SE:
		return (struct span){bth + 1, 1, 7, 1};
	case FAULT_MIGREQ:
		return (struct span){bth + 1, 1, 6, 1};
	case FAULT_PKEY:
		return (struct span){bth + 2, 2, 0, 16};
	case FAULT_QPN:
		return (struct span){bth + 4, 4, 0, 24};
	case FAULT_ACKREQ:
		return (struct span){bth + 8, 1, 7, 1};
	case FAULT_PSN:
		return (struct span){bth + 8, 4, 0, 24};
	case FAULT_SYNDROME:
		return (struct span){aeth, aeth ? 1 : 0, 0, 8};
	case FAULT_MSN:
		return (struct span){aeth, aeth ? 4 : 0, 0, 24};
	default:
		return (struct span){0};
	}
}

static struct span span_of(
	const struct pkt *p, const struct field_place *at, enum fault_field field)
{
	if (field <= FAULT_PCP)
		return eth_span(p, field);
	if (field <= FAULT_IP_ID)
		return at->ip ? ip_span(at, field) : (struct span){0};
	if (field <= FAULT_UDP_DPORT)
		return at->udp ? udp_span(at, field) : (struct span){0};
	return at->bth ? bth_span(at, field) : (struct span){0};
}

static void span_write(uint8_t *o, struct span s, const struct fault_record *r)
{
	uint64_t mask = ((1ull << s.width) - 1) << s.shift, was = 0, is;

	for (unsigned i = 0; i < s.bytes; i++)
		was = was << 8 | o[s.at + i];
	is = r->rewrite.value << s.shift;
	if (r->rewrite.adds)
		is += was;
	is = (was & ~mask) | (is & mask);
	for (unsigned i = s.bytes; i-- > 0; is >>= 8)
		o[s.at + i] = (uint8_t)is;
}

// Sum of the 16-bit words from..to-1, RFC 1071; the last one is filled up with a zero.
static uint64_t words(const uint8_t *o, unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (unsigned i = from; i < to; i += 2)
		sum += (uint32_t)o[i] << 8 | (i + 1 < to ? o[i + 1] : 0);
	return sum;
}

// HC' = ~(~HC + ~m + m'), RFC 1624 eqn. 3, m and m' being the sums over all that the checksum
// covers. Both contain the old checksum.
static uint16_t mended(uint16_t check, uint64_t was, uint64_t is)
{
	uint64_t sum = (uint16_t)~check + is;

	while (was >> 16)
		was = (was & 0xffff) + (was >> 16);
	sum += (uint16_t)~was;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

// The sums over a frame's IPv4 header and UDP datagram, and its ICRC, before or after a change.
struct sums {
	uint64_t ip, udp;
	uint32_t icrc;
};

static struct sums sums_of(const uint8_t *o, const struct field_place *at)
{
	struct sums s = {0};
	unsigned ip_bytes;

	if (!at->ip)
		return s;
	ip_bytes = ip_len_at(o + at->ip);
	if (!at->is_ipv6)
		s.ip = words(o, at->ip, at->ip + ip_bytes);
	if (at->udp)
		s.udp = words(o, at->udp, at->end);
	if (at->bth)
		s.icrc = icrc_compute(o + at->ip, ip_bytes, at->icrc - at->ip);
	return s;
}

static void mend_ip(uint8_t *o, const struct field_place *at, const struct sums *was)
{
	uint8_t *check = o + at->ip + 10;

	if (!at->is_ipv6)
		put_be16(check, mended(get_be16(check), was->ip, sums_of(o, at).ip));
}

// The ICRC is inside the datagram, so it is first. A UDP checksum of 0 is none.
static void mend_udp(
	uint8_t *o, const struct field_place *at, const struct sums *was, bool keeps_icrc)
{
	uint8_t *check = o + at->udp + 6;
	uint16_t sum;

	if (at->bth && !keeps_icrc)
		icrc_put(o + at->icrc, icrc_get(o + at->icrc) ^ was->icrc ^ sums_of(o, at).icrc);
	if (!get_be16(check))
		return;
	sum = mended(get_be16(check), was->udp, sums_of(o, at).udp);
	put_be16(check, sum ? sum : 0xffff);
}

// Room rewrite has the rules of addresses: the checksums of TCP and ICMPv6 cover them, too.
static bool write_address(struct pkt *p, const struct field_place *at, const struct fault_record *r)
{
	struct rewrite_rule rule = {
		.field = r->rewrite.field == FAULT_SRC_IP ? REWRITE_SRC_IP : REWRITE_DST_IP,
		.any = true,
		.v6 = at->is_ipv6};
	uint8_t *o = pkt_bytes(p);
	uint32_t icrc = at->bth ? icrc_get(o + at->icrc) : 0;

	if (!at->ip)
		return false;
	memcpy(rule.to.bytes, r->rewrite.ip, sizeof(rule.to.bytes));
	rewrite_frame(&rule, 1, o, p->len, p->len);
	if (at->bth && r->rewrite.keeps_icrc)
		icrc_put(o + at->icrc, icrc);
	return true;
}

bool field_write(struct pkt *p, const struct fault_record *r)
{
	enum fault_field field = r->rewrite.field;
	struct field_place at = field_layout(p);
	uint8_t *o = pkt_bytes(p);
	struct span s;
	struct sums was;

	if (field == FAULT_SRC_IP || field == FAULT_DST_IP)
		return write_address(p, &at, r);
	s = span_of(p, &at, field);
	if (!s.bytes)
		return false;
	was = sums_of(o, &at);
	span_write(o, s, r);
	if (at.ip)
		mend_ip(o, &at, &was);
	if (at.udp)
		mend_udp(o, &at, &was, r->rewrite.keeps_icrc);
	return true;
}
