// SPDX-License-Identifier: BSD-3-Clause
// Parses bursts of foreign frames into descriptors: the common forms in one straight line, from
// words of the frame. frame_to_pkt_there parses all others.
#include <endian.h>
#include <string.h>

#include "base/hint.h"
#include "frame/frame.h"
#include "frame/frame_walk.h"

#define AHEAD 6 // packets whose memory is fetched before they are parsed

// A frame of the least length that Ethernet has reaches this far behind the longest tags.
_Static_assert(26 + IP4_LEN + UDP_LEN + 4 <= PKT_MIN_LEN, "what is read before lengths are known");

static inline uint64_t load64(const uint8_t *o)
{
	uint64_t v;

	memcpy(&v, o, sizeof(v));
	return v;
}

static inline uint32_t load32(const uint8_t *o)
{
	uint32_t v;

	memcpy(&v, o, sizeof(v));
	return v;
}

static inline uint16_t load16(const uint8_t *o)
{
	uint16_t v;

	memcpy(&v, o, sizeof(v));
	return v;
}

static inline void store16(void *to, uint16_t v)
{
	memcpy(to, &v, sizeof(v));
}

static inline void store32(void *to, uint32_t v)
{
	memcpy(to, &v, sizeof(v));
}

static inline void store64(void *to, uint64_t v)
{
	memcpy(to, &v, sizeof(v));
}

// Fields of a descriptor or header that stand side by side, as one word (little endian).
static inline uint64_t words(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

static inline uint32_t halves(uint16_t first, uint16_t second)
{
	return first | (uint32_t)second << 16;
}

static inline uint32_t quarters(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	return (uint32_t)a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24;
}

// Whether the IPv4 header of 20 bytes, read as three words, has the right checksum: one's
// complement in the machine's byte order, the carry of each sum added at its end (RFC 1071).
static inline bool sum_is_right(uint64_t a, uint64_t b, uint32_t c)
{
	uint64_t sum = a + b;
	uint32_t half;

	sum += sum < b;
	sum += c;
	sum += sum < c;
	sum += sum >> 32 | sum << 32;
	half = (uint32_t)(sum >> 32);
	half += half >> 16 | half << 16;
	return half >> 16 == 0xffff;
}

// Words of struct hdr, by what begins there.
enum {
	HDR_WORD_SADDR = 2,
	HDR_WORD_DADDR = 4,
	HDR_WORD_SPORT = 6,
	HDR_WORD_CNTAG = 7,
};

_Static_assert(offsetof(struct hdr, vlan_tci) == 12 && offsetof(struct hdr, ethertype) == 14 &&
		       offsetof(struct hdr, saddr) == 8 * HDR_WORD_SADDR &&
		       offsetof(struct hdr, daddr) == 8 * HDR_WORD_DADDR &&
		       offsetof(struct hdr, sport) == 8 * HDR_WORD_SPORT &&
		       offsetof(struct hdr, cntag) == 8 * HDR_WORD_CNTAG &&
		       offsetof(struct hdr, flags) == 52 && offsetof(struct hdr, proto) == 53 &&
		       offsetof(struct hdr, ttl) == 54 && offsetof(struct hdr, ip_id) == 58 &&
		       offsetof(struct hdr, inner_tci) == 58,
	"what is written as words");

// BTH_* but for BTH_ACKREQ, by FECN, BECN, SE and MigReq, from the highest bit to the lowest.
static const uint8_t bits_of[16] = {
	0,
	BTH_MIGREQ,
	BTH_SE,
	BTH_SE | BTH_MIGREQ,
	BTH_BECN,
	BTH_BECN | BTH_MIGREQ,
	BTH_BECN | BTH_SE,
	BTH_BECN | BTH_SE | BTH_MIGREQ,
	BTH_FECN,
	BTH_FECN | BTH_MIGREQ,
	BTH_FECN | BTH_SE,
	BTH_FECN | BTH_SE | BTH_MIGREQ,
	BTH_FECN | BTH_BECN,
	BTH_FECN | BTH_BECN | BTH_MIGREQ,
	BTH_FECN | BTH_BECN | BTH_SE,
	BTH_FECN | BTH_BECN | BTH_SE | BTH_MIGREQ,
};

// The functions below write what they find at once, and return PKT_BAD where another has to look:
// it writes all of that again.

// Parses RoCEv2; `size` bytes follow the UDP header.
INLINE unsigned take_bth(struct pkt *p, const uint8_t *bth, int size)
{
	const struct bth_op *op;
	uint32_t ackreq_psn, own;
	uint64_t head;
	uint8_t bits, pad;

	if (size < BTH_LEN + ICRC_LEN)
		return PKT_BAD;
	op = &bth_ops[bth[0]];
	head = be64toh(load64(bth));
	ackreq_psn = be32toh(load32(bth + 8));
	pad = head >> 52 & 3;
	size -= BTH_LEN + ICRC_LEN + op->ext_len + pad;
	if (!op->ext || head >> 48 & 15 || size < 0)
		return PKT_BAD;
	bits = bits_of[(head >> 54 & 3) | (head >> 28 & 12)] | (uint8_t)(ackreq_psn >> 31 << 1);
	store32(p->u.byte, quarters(bth[0], bits, 0, pad));
	store64(p->u.byte + 4, words(ackreq_psn & BTH_PSN_MASK, head & BTH_PSN_MASK));
	store64(p->u.byte + 12, words(0, halves((uint16_t)size, 0)));
	own = op->own_off | op->arg_off;
	if (own) {
		own = be32toh(load32(bth + own));
		p->u.rc.syndrome = (uint8_t)(op->own_off ? own >> 24 : 0);
		p->u.rc.arg = op->own_off ? own & BTH_PSN_MASK : own;
	}
	return op->kind;
}

static inline void put_ip4(uint8_t *h, const uint8_t *ip, uint8_t tags)
{
	store64(h + 8ul * HDR_WORD_SADDR, load32(ip + 12));
	store64(h + 8ul * HDR_WORD_SADDR + 8, 0);
	store64(h + 8ul * HDR_WORD_DADDR, load32(ip + 16));
	store64(h + 8ul * HDR_WORD_DADDR + 8, 0);
	store32(h + offsetof(struct hdr, flags), quarters(tags | HDR_IPV4, ip[9], ip[8], 0));
	store64(h + 8ul * HDR_WORD_CNTAG, halves(0, be16toh(load16(ip + 4))));
}

static inline void put_ip6(uint8_t *h, const uint8_t *ip, uint8_t tags)
{
	for (unsigned i = 0; i < 32; i += 8)
		store64(h + 8ul * HDR_WORD_SADDR + i, load64(ip + 8 + i));
	store32(h + offsetof(struct hdr, flags), quarters(tags | HDR_IPV6, ip[6], ip[7], 0));
	store64(h + 8ul * HDR_WORD_CNTAG, 0);
}

// Whether this is a UDP datagram of RoCEv2 that fills its packet, by destination port and length.
static inline bool is_roce(const uint8_t *udp, unsigned size)
{
	return be32toh(load32(udp + 2)) == ((uint32_t)BTH_UDP_PORT << 16) + size;
}

static inline void put_udp_ports(uint8_t *h, const uint8_t *udp)
{
	uint32_t ports = be32toh(load32(udp));

	store32(h + 8ul * HDR_WORD_SPORT, ports << 16 | ports >> 16);
}

// Parses RoCEv2 over IPv4 without options, and below over IPv6; `left` bytes of the frame begin
// with the IP header.
INLINE unsigned take_roce4(
	struct pkt *p, uint8_t *h, const uint8_t *ip, unsigned left, uint8_t tags)
{
	unsigned total = be16toh(load16(ip + 2));

	if (ip[0] != (4 << 4 | IP4_LEN / 4) ||
		(load32(ip + 6) & htobe32((uint32_t)(IP4_MF | IP4_OFFSET_MASK) << 16 | 0xff)) !=
			htobe32(IP_PROTO_UDP) ||
		total > left || !is_roce(ip + IP4_LEN, total - IP4_LEN) ||
		!sum_is_right(load64(ip), load64(ip + 8), load32(ip + 16)))
		return PKT_BAD;
	put_ip4(h, ip, tags);
	put_udp_ports(h, ip + IP4_LEN);
	return take_bth(p, ip + IP4_LEN + UDP_LEN, (int)(total - IP4_LEN - UDP_LEN));
}

INLINE unsigned take_roce6(
	struct pkt *p, uint8_t *h, const uint8_t *ip, unsigned left, uint8_t tags)
{
	unsigned payload = be16toh(load16(ip + 4));

	if (ip[0] >> 4 != 6 || ip[6] != IP_PROTO_UDP || payload + IP6_LEN > left ||
		payload < UDP_LEN || !is_roce(ip + IP6_LEN, payload))
		return PKT_BAD;
	put_ip6(h, ip, tags);
	put_udp_ports(h, ip + IP6_LEN);
	return take_bth(p, ip + IP6_LEN + UDP_LEN, (int)(payload - UDP_LEN));
}

// Parses UDP that is not RoCEv2, where IP carries `size` bytes.
static inline unsigned take_udp(struct pkt *p, uint8_t *h, const uint8_t *udp, unsigned size)
{
	unsigned len;
	uint32_t mark;

	if (size < UDP_LEN)
		return PKT_BAD;
	len = be16toh(load16(udp + 4));
	if (len - UDP_LEN > size - UDP_LEN || load16(udp + 2) == htobe16(BTH_UDP_PORT))
		return PKT_BAD;
	put_udp_ports(h, udp);
	p->u.rc.kept = 0;
	if (len < UDP_LEN + FRAME_GEN_LEN)
		return PKT_UDP;
	mark = load32(udp + UDP_LEN);
	if (mark == htobe32(GEN_MAGIC))
		p->u.gen = (struct pkt_gen){.seq = be32toh(load32(udp + UDP_LEN + 8)),
			.source = be32toh(load32(udp + UDP_LEN + 4))};
	else if (mark == htobe32(GEN_MAGIC + 1) && len >= UDP_LEN + FRAME_GEN_LEN + FRAME_GEN_STAMP)
		gen_parse(udp + UDP_LEN, &p->u.gen);
	else
		return PKT_UDP;
	return PKT_GEN;
}

// Parses the payload of IP, `size` bytes, if it is not RoCEv2.
static inline unsigned take_upper(
	struct pkt *p, uint8_t *h, const uint8_t *o, unsigned size, unsigned proto)
{
	if (LIKELY(proto == IP_PROTO_UDP))
		return take_udp(p, h, o, size);
	store32(h + 8ul * HDR_WORD_SPORT, 0);
	p->u.rc.kept = 0;
	return PKT_OTHER;
}

static inline unsigned take_ip4(
	struct pkt *p, uint8_t *h, const uint8_t *ip, unsigned left, uint8_t tags)
{
	uint64_t a = load64(ip), b = load64(ip + 8);
	uint32_t c = load32(ip + 16);
	unsigned total = be16toh(load16(ip + 2));

	if (ip[0] != (4 << 4 | IP4_LEN / 4) || total - IP4_LEN > left - IP4_LEN ||
		load16(ip + 6) & htobe16(IP4_MF | IP4_OFFSET_MASK) || !sum_is_right(a, b, c))
		return PKT_BAD;
	put_ip4(h, ip, tags);
	return take_upper(p, h, ip + IP4_LEN, total - IP4_LEN, ip[9]);
}

static inline unsigned take_ip6(
	struct pkt *p, uint8_t *h, const uint8_t *ip, unsigned left, uint8_t tags)
{
	unsigned payload = be16toh(load16(ip + 4));

	if (ip[0] >> 4 != 6 || payload + IP6_LEN > left)
		return PKT_BAD;
	put_ip6(h, ip, tags);
	return take_upper(p, h, ip + IP6_LEN, payload, ip[6]);
}

// Parses a frame of neither IPv4 nor IPv6; `o`: the bytes after the EtherType.
static inline unsigned take_other(
	struct pkt *p, uint8_t *h, const uint8_t *o, unsigned ethertype, uint8_t tags)
{
	if (ethertype == ETH_P_MAC_CONTROL || ethertype == ETH_P_CNM || ethertype == ETH_P_CNTAG ||
		(load32(o) | htobe32(1)) == htobe32(GEN_MAGIC + 1))
		return PKT_BAD;
	for (unsigned i = 8 * HDR_WORD_SADDR; i < 8 * HDR_WORD_CNTAG; i += 8)
		store64(h + i, 0);
	h[offsetof(struct hdr, flags)] = tags;
	store64(h + 8ul * HDR_WORD_CNTAG, 0);
	p->u.rc.kept = 0;
	return PKT_OTHER;
}

ASIDE unsigned take_tagged(struct pkt *p, const uint8_t *o, unsigned len, uint8_t flags);

// Parses the bytes from `off` on, after the tags. `all`: all VLAN tags have been read.
INLINE unsigned take_l3(struct pkt *p, uint8_t *h, const uint8_t *o, unsigned len, unsigned off,
	uint8_t tags, const bool all, uint8_t flags)
{
	const uint8_t *l3 = o + off;
	unsigned kind, tos;
	uint16_t ethertype = load16(l3 - 2);

	if (LIKELY(ethertype == htobe16(ETH_P_IPV4))) {
		tos = l3[1];
		kind = take_roce4(p, h, l3, len - off, tags);
		if (!LIKELY(kind != PKT_BAD))
			kind = take_ip4(p, h, l3, len - off, tags);
	} else if (ethertype == htobe16(ETH_P_IPV6)) {
		tos = be16toh(load16(l3)) >> 4 & 0xff;
		kind = take_roce6(p, h, l3, len - off, tags);
		if (!LIKELY(kind != PKT_BAD))
			kind = take_ip6(p, h, l3, len - off, tags);
	} else if (!all && eth_is_vlan(be16toh(ethertype))) {
		return take_tagged(p, o, len, flags);
	} else {
		kind = take_other(p, h, l3, be16toh(ethertype), tags);
		tos = off = 0;
	}
	if (!LIKELY(kind != PKT_BAD))
		return PKT_BAD;
	p->l3_off = (uint8_t)off;
	pkt_word_set(p, words(len | quarters(0, 0, (uint8_t)kind, flags), tos));
	return kind;
}

// Parses one frame of at least PKT_MIN_LEN bytes, with or without an 802.1Q tag.
INLINE unsigned take_frame(struct pkt *p, const uint8_t *o, unsigned len, uint8_t flags)
{
	uint8_t *h = (uint8_t *)pkt_hdr_place(p);

	store64(h, load64(o));
	if (LIKELY(load16(o + 12) != htobe16(ETH_P_8021Q))) {
		store64(h + 8, words(load32(o + 8), halves(0, be16toh(load16(o + 12)))));
		return take_l3(p, h, o, len, 14, 0, false, flags);
	}
	store64(h + 8,
		words(load32(o + 8), halves(be16toh(load16(o + 14)), be16toh(load16(o + 16)))));
	return take_l3(p, h, o, len, 18, HDR_VLAN, false, flags);
}

// Parses one with an S-TAG, or with two VLAN tags.
ASIDE unsigned take_tagged(struct pkt *p, const uint8_t *o, unsigned len, uint8_t flags)
{
	uint8_t *h = (uint8_t *)pkt_hdr_place(p);
	bool inner = load16(o + 16) == htobe16(ETH_P_8021Q);
	unsigned off = inner ? 22 : 18, kind;
	uint8_t tags = inner ? HDR_VLAN | HDR_INNER : HDR_VLAN;

	if (load16(o + 12) == htobe16(ETH_P_8021AD))
		tags |= HDR_STAG;
	store64(h, load64(o));
	store64(h + 8, words(load32(o + 8),
			       halves(be16toh(load16(o + 14)), be16toh(load16(o + off - 2)))));
	kind = take_l3(p, h, o, len, off, tags, true, flags);
	if (inner)
		store16(h + offsetof(struct hdr, inner_tci), be16toh(load16(o + 18)));
	return kind;
}

// Parses one frame: with take_frame() if it has `least` to `most` bytes and a common form, else
// step by step.
INLINE unsigned take_one(struct pkt *p, struct frame_place at, unsigned least, unsigned most,
	uint16_t max_len, uint8_t flags)
{
	unsigned kind = PKT_BAD;

	p->len = at.len;
	p->data_off = at.data_off;
	if (LIKELY(at.len >= least && at.len <= most))
		kind = take_frame(p, (const uint8_t *)p + at.data_off, at.len, flags);
	if (!LIKELY(kind != PKT_BAD)) {
		kind = frame_to_pkt_there(p, max_len);
		p->flags = flags;
	}
	return kind;
}

static inline unsigned least_len(void)
{
	return __BYTE_ORDER == __LITTLE_ENDIAN ? PKT_MIN_LEN : UINT16_MAX;
}

static inline unsigned most_len(uint16_t max_len)
{
	return max_len < PKT_MAX_LEN ? max_len : PKT_MAX_LEN;
}

// Fetches what a packet's frame is parsed from and into.
static inline void ahead(struct pkt *p, struct frame_place at)
{
	__builtin_prefetch((const uint8_t *)p + at.data_off);
	__builtin_prefetch(p->hdr, 1);
}

uint32_t frame_burst_to_pkt(struct pkt *const *burst, const struct frame_place *at, unsigned n,
	uint16_t max_len, uint8_t flags)
{
	unsigned most = most_len(max_len);
	uint32_t kinds = 0;

	flags |= PKT_F_FOREIGN;
	for (unsigned i = 0; i < n && i < AHEAD; i++)
		ahead(burst[i], at[i]);
	for (unsigned i = 0; i < n; i++) {
		if (i + AHEAD < n)
			ahead(burst[i + AHEAD], at[i + AHEAD]);
		kinds |= 1u << take_one(burst[i], at[i], least_len(), most, max_len, flags);
	}
	return kinds;
}
