// SPDX-License-Identifier: BSD-3-Clause
// Rewriting: which values a frame's rules choose, then the bytes, then the checksums over them.
#include "frame/rewrite.h"

#include <string.h>

#include "wire/bth.h"
#include "wire/eth.h"
#include "wire/icrc.h"
#include "wire/ip.h"

#define MAC_BYTES 12 // both addresses: a tag stands behind them
#define TAG_LEN   4

// The places of the fields that a rule may change; offsets from the frame's start, 0: not there.
struct place {
	unsigned ip, ip_len; // header, with options
	unsigned addr, addr_len;
	unsigned l4;    // what a checksum covers, from here to `end`
	unsigned check; // that checksum
	unsigned bth, icrc;
	unsigned end; // of the IP packet
	bool v6, udp;
};

// The values that a rule chose; NULL and REWRITE_KEEP: the field stays.
#define REWRITE_KEEP (UINT32_MAX - 1)
struct choice {
	const uint8_t *mac[2], *ip[2]; // destination and source MAC; source and destination IP
	uint32_t vlan, dscp, qpn;
};

static void place_l4(struct place *w, const uint8_t *o, unsigned proto, bool fragment)
{
	unsigned l4 = w->ip + w->ip_len, left = w->end - l4;

	w->l4 = l4;
	w->udp = proto == IP_PROTO_UDP;
	if (w->udp && left >= UDP_LEN)
		w->check = l4 + 6;
	else if (proto == IP_PROTO_TCP && left >= 18)
		w->check = l4 + 16;
	else if (proto == IP_PROTO_ICMPV6 && w->v6 && left >= 4)
		w->check = l4 + 2;
	if (w->udp && !fragment && left >= UDP_LEN + BTH_LEN + ICRC_LEN &&
		get_be16(o + l4 + 2) == BTH_UDP_PORT && get_be16(o + l4 + 4) == left) {
		w->bth = l4 + UDP_LEN;
		w->icrc = w->end - ICRC_LEN;
	}
	if (w->udp && w->check && !get_be16(o + w->check))
		w->check = 0; // there is none
}

// Finds the fields of an IPv4 header. A complete header has addresses; its payload is known only if
// its length is right.
static void place_ip4(struct place *w, const uint8_t *o, unsigned l3, unsigned len)
{
	unsigned header = (o[l3] & 15u) * 4, total = get_be16(o + l3 + 2);
	unsigned frag = get_be16(o + l3 + 6);

	if (o[l3] >> 4 != 4 || header < IP4_LEN || header > len - l3)
		return;
	w->ip = l3;
	w->ip_len = header;
	w->addr = l3 + 12;
	w->addr_len = 4;
	if (total < header || total > len - l3)
		return;
	w->end = l3 + total;
	if (!(frag & IP4_OFFSET_MASK))
		place_l4(w, o, o[l3 + 9], frag & IP4_MF);
}

static void place_ip6(struct place *w, const uint8_t *o, unsigned l3, unsigned len)
{
	unsigned payload = get_be16(o + l3 + 4);

	if (o[l3] >> 4 != 6)
		return;
	w->v6 = true;
	w->ip = l3;
	w->ip_len = IP6_LEN;
	w->addr = l3 + 8;
	w->addr_len = 16;
	if (payload > len - l3 - IP6_LEN)
		return;
	w->end = l3 + IP6_LEN + payload;
	place_l4(w, o, o[l3 + 6], false);
}

static void place_find(struct place *w, const uint8_t *o, unsigned len)
{
	struct eth eth;
	int l3 = eth_parse(o, len, &eth);
	unsigned off = (unsigned)l3;

	*w = (struct place){0};
	if (l3 < 0)
		return;
	if (eth.ethertype == ETH_P_IPV4 && len >= off + IP4_LEN)
		place_ip4(w, o, off, len);
	else if (eth.ethertype == ETH_P_IPV6 && len >= off + IP6_LEN)
		place_ip6(w, o, off, len);
}

// Finds the first rule for one of two fields (an end of its own, or either end) whose bytes fit.
static const uint8_t *choose_bytes(struct rewrite_rule *rule, unsigned n, enum rewrite_field either,
	enum rewrite_field own, const uint8_t *is, const struct place *w, unsigned len)
{
	for (unsigned i = 0; i < n; i++) {
		struct rewrite_rule *r = &rule[i];

		if (r->field != either && r->field != own)
			continue;
		if (either == REWRITE_IP && r->v6 != w->v6)
			continue;
		if (!r->any && memcmp(r->from.bytes, is, len) != 0)
			continue;
		r->hits++;
		return r->to.bytes;
	}
	return NULL;
}

static uint32_t choose_number(
	struct rewrite_rule *rule, unsigned n, enum rewrite_field field, uint32_t is)
{
	for (unsigned i = 0; i < n; i++)
		if (rule[i].field == field && (rule[i].any || rule[i].from.number == is)) {
			rule[i].hits++;
			return rule[i].to.number;
		}
	return REWRITE_KEEP;
}

static bool is_tagged(const uint8_t *o, unsigned len)
{
	return len >= MAC_BYTES + TAG_LEN + 2 && eth_is_vlan(get_be16(o + MAC_BYTES));
}

static unsigned dscp_of(const struct place *w, const uint8_t *o)
{
	return w->v6 ? get_be16(o + w->ip) >> 6 & 63 : o[w->ip + 1] >> 2;
}

static void choose_values(struct choice *c, struct rewrite_rule *rule, unsigned n, const uint8_t *o,
	unsigned len, const struct place *w)
{
	*c = (struct choice){.vlan = REWRITE_KEEP, .dscp = REWRITE_KEEP, .qpn = REWRITE_KEEP};
	if (len < MAC_BYTES + 2)
		return;
	c->mac[0] = choose_bytes(rule, n, REWRITE_MAC, REWRITE_DST_MAC, o, w, 6);
	c->mac[1] = choose_bytes(rule, n, REWRITE_MAC, REWRITE_SRC_MAC, o + 6, w, 6);
	c->vlan = choose_number(rule, n, REWRITE_VLAN,
		is_tagged(o, len) ? get_be16(o + MAC_BYTES + 2) & 0xfff : REWRITE_UNTAGGED);
	if (w->ip) {
		const uint8_t *saddr = o + w->addr, *daddr = saddr + w->addr_len;

		c->ip[0] = choose_bytes(rule, n, REWRITE_IP, REWRITE_SRC_IP, saddr, w, w->addr_len);
		c->ip[1] = choose_bytes(rule, n, REWRITE_IP, REWRITE_DST_IP, daddr, w, w->addr_len);
		c->dscp = choose_number(rule, n, REWRITE_DSCP, dscp_of(w, o));
	}
	if (w->bth)
		c->qpn = choose_number(rule, n, REWRITE_DST_QPN, get_be24(o + w->bth + 5));
}

// Returns the sum of the 16-bit words that contain the bytes from..to-1. Words begin at an even
// distance from `base`; the last word of a datagram of odd length is filled up with a zero.
static uint32_t words(const uint8_t *o, unsigned base, unsigned from, unsigned to, unsigned end)
{
	uint32_t sum = 0;

	for (unsigned i = from - ((from - base) & 1); i < to; i += 2)
		sum += (uint32_t)o[i] << 8 | (i + 1 < end ? o[i + 1] : 0);
	return sum;
}

// HC' = ~(~HC + ~m + m'), RFC 1624 eqn. 3; `was` and `is` are sums of words.
static uint16_t mend(uint16_t check, uint32_t was, uint32_t is)
{
	uint64_t sum = (uint16_t)~check + (uint64_t)(UINT32_C(0xffff) * 0x8000 - was) + is;

	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

// A checksum that covers what was written, mended by how that changed it.
static void mend_at(uint8_t *check, uint32_t was, uint32_t is, bool udp)
{
	uint16_t sum = mend(get_be16(check), was, is);

	put_be16(check, udp && !sum ? 0xffff : sum);
}

static void write_dscp(uint8_t *ip, bool v6, uint32_t dscp)
{
	if (v6)
		put_be16(ip, (uint16_t)((get_be16(ip) & ~(63u << 6)) | dscp << 6));
	else
		ip[1] = (uint8_t)(dscp << 2 | (ip[1] & 3));
}

// Addresses and DSCP, and the IPv4 checksum.
static void write_ip(uint8_t *o, const struct place *w, const struct choice *c)
{
	unsigned to = w->addr + 2 * w->addr_len;
	uint32_t was = words(o, w->ip, w->ip, to, to);

	for (unsigned end = 0; end < 2; end++)
		if (c->ip[end])
			memcpy(o + w->addr + end * w->addr_len, c->ip[end], w->addr_len);
	if (c->dscp != REWRITE_KEEP)
		write_dscp(o + w->ip, w->v6, c->dscp);
	// Both sums, `was` and the new one, contain the old checksum, so it cancels out.
	if (!w->v6)
		mend_at(o + w->ip + 10, was, words(o, w->ip, w->ip, to, to), false);
}

// The part of layer 4's checksum and of the ICRC that comes from fields that rules change.
static uint32_t covered(const uint8_t *o, const struct place *w)
{
	unsigned addr_end = w->addr + 2 * w->addr_len;
	uint32_t sum = words(o, w->addr, w->addr, addr_end, addr_end);

	if (w->bth)
		sum += words(o, w->l4, w->bth + 4, w->bth + 8, w->end) +
		       words(o, w->l4, w->icrc, w->end, w->end);
	return sum;
}

static uint32_t icrc_of(const uint8_t *o, const struct place *w)
{
	return icrc_compute(o + w->ip, w->ip_len, w->icrc - w->ip);
}

static void write_l3(uint8_t *o, const struct place *w, const struct choice *c)
{
	bool deep = c->ip[0] || c->ip[1] || c->qpn != REWRITE_KEEP;
	uint32_t was = covered(o, w), icrc = 0;

	if (deep && w->bth)
		icrc = icrc_get(o + w->icrc) ^ icrc_of(o, w);
	write_ip(o, w, c);
	if (c->qpn != REWRITE_KEEP)
		put_be24(o + w->bth + 5, c->qpn);
	if (deep && w->bth)
		icrc_put(o + w->icrc, icrc ^ icrc_of(o, w));
	if (deep && w->check)
		mend_at(o + w->check, was, covered(o, w), w->udp);
}

static unsigned write_vlan(uint8_t *o, unsigned len, unsigned room, uint32_t vid)
{
	uint8_t *tag = o + MAC_BYTES;

	if (!is_tagged(o, len)) {
		if (vid == REWRITE_UNTAGGED || len + TAG_LEN > room)
			return len;
		memmove(tag + TAG_LEN, tag, len - MAC_BYTES);
		put_be16(tag, ETH_P_8021Q);
		put_be16(tag + 2, (uint16_t)vid);
		return len + TAG_LEN;
	}
	if (vid == REWRITE_UNTAGGED) {
		memmove(tag, tag + TAG_LEN, len - MAC_BYTES - TAG_LEN);
		return len - TAG_LEN;
	}
	put_be16(tag + 2, (uint16_t)((get_be16(tag + 2) & 0xf000) | vid));
	return len;
}

unsigned rewrite_frame(
	struct rewrite_rule *rule, unsigned n_rules, uint8_t *bytes, unsigned len, unsigned room)
{
	struct choice c;
	struct place w;

	place_find(&w, bytes, len);
	choose_values(&c, rule, n_rules, bytes, len, &w);
	if (w.ip && (c.ip[0] || c.ip[1] || c.dscp != REWRITE_KEEP || c.qpn != REWRITE_KEEP))
		write_l3(bytes, &w, &c);
	for (unsigned end = 0; end < 2; end++)
		if (c.mac[end])
			memcpy(bytes + 6 * end, c.mac[end], 6);
	return c.vlan == REWRITE_KEEP ? len : write_vlan(bytes, len, room, c.vlan);
}

void rewrite_seal(uint8_t *bytes, unsigned len, unsigned had)
{
	struct place w;

	place_find(&w, bytes, len);
	if (w.bth && w.end > had)
		icrc_put(bytes + w.icrc, icrc_of(bytes, &w));
}
