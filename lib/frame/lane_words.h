// SPDX-License-Identifier: BSD-3-Clause
// The constants with which AVX2 parses bursts of frames: places, words, masks and shuffles, each
// word for all lanes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame/frame_walk.h"
#include "frame/lanes.h"

#define LINE 64 // bytes of a cache line

// Offsets of rows and words: from the frame's start; from the IP header; from the UDP header.
enum { WORD_TYPE = 12, WORD_INNER = 16, ROW_TYPE = -2, ROW_SADDR = 8 };
enum { ROW_DADDR = -16, ROW_PORTS = -6, ROW_BTH = 4, BYTE_OPCODE = 8, UDP_READ = 20 };

#define OFF_LEAST 14 // bytes before the IP header
#define OFF_MOST  26
#define TAIL      32 // last bytes of a frame that ends among those that are read

_Static_assert(OFF_MOST + IP4_LEN + UDP_READ - PKT_MIN_LEN <= UDP_READ + ROW_PORTS + TAIL &&
		       OFF_MOST + ROW_SADDR + 16 <= PKT_MIN_LEN &&
		       OFF_MOST + IP6_LEN + UDP_READ - (PKT_MIN_LEN - TAIL) <= 2 * TAIL,
	"what is read of a short frame");
_Static_assert(offsetof(struct bth_op, ext_len) == 12 && offsetof(struct bth_op, kind) == 13 &&
		       offsetof(struct bth_op, own_off) == 14 &&
		       offsetof(struct bth_op, arg_off) == 15,
	"what is read as one word");
_Static_assert(offsetof(struct pkt, len) == 32 && offsetof(struct pkt, u) == 44 &&
		       offsetof(struct pkt_rc, psn) == 4 && offsetof(struct pkt_rc, kept) == 18,
	"the half of a descriptor that is written at once");
_Static_assert(offsetof(struct hdr, vlan_tci) == 12 && offsetof(struct hdr, saddr) == 16 &&
		       offsetof(struct hdr, daddr) == 32 && offsetof(struct hdr, sport) == 48 &&
		       offsetof(struct hdr, flags) == 52 && offsetof(struct hdr, cntag) == 56 &&
		       offsetof(struct hdr, inner_tci) == 58 && offsetof(struct hdr, id) == 60,
	"the rows of a header");
_Static_assert(PKT_OTHER == 0 && PKT_UDP == 1, "kinds that masks make");

// Words as little-endian machines read them.
#define TYPE_IPV4   0x450008u // EtherType, version and header length
#define MASK_IPV4   0xffffffu
#define TYPE_IPV6   0x60dd86u // EtherType and version
#define MASK_IPV6   0xf0ffffu
#define TYPE_8021Q  0x0081u
#define TYPE_8021AD 0xa888u
#define TYPE_CNTAG  0xe922u
#define TYPE_CNM    0xe722u
#define TYPE_MACCTL 0x0888u
#define TYPE_BARE4  0x0008u // EtherTypes alone
#define TYPE_BARE6  0xdd86u
#define FRAG_MASK   0x0000ff3fu // more fragments, fragment offset
#define PROTO_MASK  0x0000ff00u // in a header's word of flags, protocol and TTL
#define VERSION     0x00000f00u // of the BTH
#define MARK_BIT    0x01000000u // GEN_MAGIC or GEN_MAGIC + 1
#define DPORT_MASK  0xffff0000u // these are not as on the wire, but numbers
#define ROCE_DPORT  ((uint32_t)BTH_UDP_PORT << 16)
#define ROCE_FIXED  (UDP_LEN + BTH_LEN + ICRC_LEN)
#define SUM_HALVES  12 // that are added: the header's, the EtherType and a zero

_Static_assert(!(GEN_MAGIC & 1), "MARK_BIT");

#define EIGHT(x)                      \
	{                             \
		[0 ... LANES - 1] = x \
	}
#define ZERO 0x80 // in a shuffle: no byte
// A shuffle that makes of each word these bytes of it.
#define ROW_OF(a, b, c, d)                                                                  \
	a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4, (a) + 8, (b) + 8, (c) + 8, (d) + 8, \
		(a) + 12, (b) + 12, (c) + 12, (d) + 12
#define WORDS_OF(a, b, c, d)                           \
	{                                              \
		ROW_OF(a, b, c, d), ROW_OF(a, b, c, d) \
	}
// A table by nibbles, of which bit 3 and bit 2 mean this.
#define ROW_BY(hi, lo)                                                                     \
	0, 0, 0, 0, lo, lo, lo, lo, hi, hi, hi, hi, (hi) | (lo), (hi) | (lo), (hi) | (lo), \
		(hi) | (lo)
#define NIBBLES_BY(hi, lo)                     \
	{                                      \
		ROW_BY(hi, lo), ROW_BY(hi, lo) \
	}

// Shuffles that make the addresses of a header of ROW_SADDR and ROW_DADDR: an IPv4 header has its
// own at 4 and 12 in these.
struct addresses {
	uint8_t of4[32], of6[32], none[32];
};

// Operands in memory.
static const struct constants {
	uint32_t byte[LANES], half[LANES], one[LANES], two[LANES], three[LANES], nibble[LANES];
	uint32_t least[LANES], udp_len[LANES], roce_fixed[LANES], udp_read[LANES], line[LANES];
	uint32_t off_least[LANES], ip4_len[LANES], ip6_more[LANES];
	uint32_t tag[LANES], stag[LANES], cntag[LANES], cnm[LANES], macctl[LANES], bare4[LANES],
		bare6[LANES];
	struct {
		uint32_t mask[LANES], type[LANES];
	} form[2]; // IPv4, IPv6
	uint32_t frag_mask[LANES], proto_mask[LANES], udp[LANES];
	uint32_t dport_mask[LANES], roce_dport[LANES], version[LANES], mark_bit[LANES];
	uint32_t mark[LANES], tos6_high[LANES];
	uint32_t has_vlan[LANES], has_stag[LANES], has_inner[LANES], has_cntag[LANES];
	uint32_t has_ip4[LANES], has_ip6[LANES];
	uint32_t addresses_at6[LANES], addresses_none[LANES];
	// Halves are added as signed numbers: each is 32768 less.
	uint32_t sum_signs[LANES], sum_ones[LANES], sum_first[LANES];
	uint8_t first[32], second[32], type_high[32], id_high[32]; // halves of words
	uint8_t swapped[32], low24[32], ttl_proto4[32], ttl_proto6[32];
	uint8_t se_migreq[32], fecn_becn[32];
	struct addresses addresses;
	uint8_t addresses_ip4[32]; // of ROW_SADDR alone, twice
	struct {
		uint8_t ip4[16], ip6[16]; // EtherType, where the first row of a header has it
		uint8_t vlan[16];         // a shuffle that puts a TCI before it
	} starts;
	uint8_t nothing[2 * LINE]; // stands for a frame that is too short to be read
} __attribute__((aligned(32))) constants = {
	.byte = EIGHT(0xff),
	.half = EIGHT(0xffff),
	.one = EIGHT(1),
	.two = EIGHT(2),
	.three = EIGHT(3),
	.nibble = EIGHT(15),
	.least = EIGHT(PKT_MIN_LEN),
	.udp_len = EIGHT(UDP_LEN),
	.roce_fixed = EIGHT(ROCE_FIXED),
	.udp_read = EIGHT(UDP_READ),
	.line = EIGHT(LINE),
	.off_least = EIGHT(OFF_LEAST),
	.ip4_len = EIGHT(IP4_LEN),
	.ip6_more = EIGHT(IP6_LEN - IP4_LEN),
	.tag = EIGHT(TYPE_8021Q),
	.stag = EIGHT(TYPE_8021AD),
	.cntag = EIGHT(TYPE_CNTAG),
	.cnm = EIGHT(TYPE_CNM),
	.macctl = EIGHT(TYPE_MACCTL),
	.bare4 = EIGHT(TYPE_BARE4),
	.bare6 = EIGHT(TYPE_BARE6),
	.form = {{EIGHT(MASK_IPV4), EIGHT(TYPE_IPV4)}, {EIGHT(MASK_IPV6), EIGHT(TYPE_IPV6)}},
	.frag_mask = EIGHT(FRAG_MASK),
	.proto_mask = EIGHT(PROTO_MASK),
	.udp = EIGHT((uint32_t)IP_PROTO_UDP << 8),
	.dport_mask = EIGHT(DPORT_MASK),
	.roce_dport = EIGHT(ROCE_DPORT),
	.version = EIGHT(VERSION),
	.mark_bit = EIGHT(MARK_BIT),
	.mark = EIGHT(__builtin_bswap32(GEN_MAGIC) | MARK_BIT),
	.tos6_high = EIGHT(0xf0),
	.has_vlan = EIGHT(HDR_VLAN),
	.has_stag = EIGHT(HDR_STAG),
	.has_inner = EIGHT(HDR_INNER),
	.has_cntag = EIGHT(HDR_CNTAG),
	.has_ip4 = EIGHT(HDR_IPV4),
	.has_ip6 = EIGHT(HDR_IPV6),
	.addresses_at6 = EIGHT(offsetof(struct addresses, of6)),
	.addresses_none = EIGHT(offsetof(struct addresses, none)),
	.sum_signs = EIGHT(0x80008000),
	.sum_ones = EIGHT(0x00010001),
	.sum_first = EIGHT(SUM_HALVES * 32768 - TYPE_BARE4),
	.first = WORDS_OF(1, 0, ZERO, ZERO),
	.second = WORDS_OF(3, 2, ZERO, ZERO),
	.type_high = WORDS_OF(ZERO, ZERO, 1, 0),
	.id_high = WORDS_OF(ZERO, ZERO, 3, 2),
	.swapped = WORDS_OF(3, 2, 1, 0),
	.low24 = WORDS_OF(3, 2, 1, ZERO),
	.ttl_proto4 = WORDS_OF(ZERO, 3, 2, ZERO),
	.ttl_proto6 = WORDS_OF(ZERO, 0, 1, ZERO),
	.se_migreq = NIBBLES_BY(BTH_SE, BTH_MIGREQ),
	.fecn_becn = NIBBLES_BY(BTH_FECN, BTH_BECN),
	.addresses = {.of4 = {4, 5, 6, 7, [4 ... 15] = ZERO, 12, 13, 14, 15, [20 ... 31] = ZERO},
		.of6 = {ROW_OF(0, 1, 2, 3), ROW_OF(0, 1, 2, 3)},
		.none = {[0 ... 31] = ZERO}},
	.addresses_ip4 = {4, 5, 6, 7, [4 ... 15] = ZERO, 8, 9, 10, 11, [20 ... 31] = ZERO},
	.starts = {.ip4 = {[14] = ETH_P_IPV4 & 0xff, ETH_P_IPV4 >> 8},
		.ip6 = {[14] = ETH_P_IPV6 & 0xff, ETH_P_IPV6 >> 8},
		.vlan = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, ZERO, ZERO}},
};
