// SPDX-License-Identifier: BSD-3-Clause
// Bursts of foreign frames into descriptors by AVX2: IPv4 without options, with a VLAN tag or
// without one, eight frames at once; all others by frame_burst_to_pkt.
//
// A lane is a frame. Rows of 16 bytes of the frames are turned into columns, which have the same
// word of all lanes. There the form is checked and fields are found, and what comes of that is
// turned back into rows of descriptors and headers.
#include "frame/frame.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "frame/frame_walk.h"

#define LANES 8
#define EVERY 0xff // lane
#define FEW   3    // a lot with fewer frames is cheaper one by one
#define AHEAD 16   // frames whose memory is fetched before they are looked at

#define AVX2   __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) AVX2

typedef __m256i vec;

// Forms, and the bytes before their IP header.
enum { PLAIN, TAGGED, OTHER };
#define OFF_PLAIN  14
#define OFF_TAGGED 18

// Where rows and words begin, from the IP header on: the first row at the EtherType.
enum { ROW_TYPE = -2, ROW_SADDR = 14, ROW_BTH = 24, WORD_DADDR = 16, BYTE_OPCODE = 28 };

_Static_assert(OFF_TAGGED + ROW_BTH + 16 <= PKT_MIN_LEN, "what is read before lengths are known");
_Static_assert(offsetof(struct bth_op, ext_len) == 12 && offsetof(struct bth_op, kind) == 13 &&
		       offsetof(struct bth_op, own_off) == 14 &&
		       offsetof(struct bth_op, arg_off) == 15,
	"what is read as one word");
_Static_assert(offsetof(struct pkt, len) == 32 && offsetof(struct pkt, u) == 44 &&
		       offsetof(struct pkt_rc, psn) == 4 && offsetof(struct pkt_rc, kept) == 18,
	"the half of a descriptor that is written at once");
_Static_assert(offsetof(struct hdr, saddr) == 16 && offsetof(struct hdr, daddr) == 32 &&
		       offsetof(struct hdr, sport) == 48 && offsetof(struct hdr, flags) == 52 &&
		       offsetof(struct hdr, cntag) == 56 && offsetof(struct hdr, id) == 60,
	"the halves of a header");
_Static_assert(PKT_OTHER == 0 && PKT_UDP == 1, "kind_of");

// Words as little-endian machines read them.
#define TYPE_IPV4  0x450008u // EtherType, version and header length
#define TYPE_MASK  0xffffffu
#define TYPE_8021Q 0x0081u
#define FRAG_MASK  0x0000ff3fu // more fragments, fragment offset
#define PROTO_MASK 0xff000000u
#define VERSION    0x00000f00u // of the BTH
#define MARK_BIT   0x01000000u // GEN_MAGIC or GEN_MAGIC + 1
#define DPORT_MASK 0xffff0000u // these are not as on the wire, but numbers
#define ROCE_DPORT ((uint32_t)BTH_UDP_PORT << 16)
#define ROCE_FIXED (IP4_LEN + UDP_LEN + BTH_LEN + ICRC_LEN)
#define SUM_HALVES 12 // that are added: the header's, the EtherType and a zero

_Static_assert(OFF_PLAIN == 14 && !(GEN_MAGIC & 1), "MARK_BIT");

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
// The first half of a header: VLAN TCI and EtherType stand here in the frame's first row, the
// source address in the IP header.
#define FRONT_OF(tci, type)                                                                     \
	{                                                                                       \
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, (tci) + 1, tci, (type) + 1, type, 12, 13, \
			14, 15, [20 ... 31] = ZERO                                              \
	}

// Operands in memory.
static const struct constants {
	uint32_t byte[LANES], half[LANES], one[LANES], two[LANES], three[LANES], nibble[LANES];
	uint32_t least[LANES], ip4_len[LANES], udp_len[LANES], roce_fixed[LANES];
	uint32_t type_mask[LANES], type[LANES], tag[LANES], frag_mask[LANES];
	uint32_t proto_mask[LANES], udp[LANES], dport_mask[LANES], roce_dport[LANES], roce[LANES];
	uint32_t version[LANES], mark_bit[LANES], mark[LANES];
	// Halves are added as signed numbers: each is 32768 less.
	uint32_t sum_signs[LANES], sum_ones[LANES], sum_first[LANES];
	uint8_t total[32], swapped[32], low24[32], sport[32], ip_id[32], ttl_proto[32];
	uint8_t se_migreq[32], fecn_becn[32];
	struct form {
		uint32_t off[LANES], l3_off[LANES], flags[LANES];
		uint8_t front[32], ethertype[32];
	} plain, tagged;
} __attribute__((aligned(32))) constants = {
	.byte = EIGHT(0xff),
	.half = EIGHT(0xffff),
	.one = EIGHT(1),
	.two = EIGHT(2),
	.three = EIGHT(3),
	.nibble = EIGHT(15),
	.least = EIGHT(PKT_MIN_LEN),
	.ip4_len = EIGHT(IP4_LEN),
	.udp_len = EIGHT(UDP_LEN),
	.roce_fixed = EIGHT(ROCE_FIXED),
	.type_mask = EIGHT(TYPE_MASK),
	.type = EIGHT(TYPE_IPV4),
	.tag = EIGHT(TYPE_8021Q),
	.frag_mask = EIGHT(FRAG_MASK),
	.proto_mask = EIGHT(PROTO_MASK),
	.udp = EIGHT((uint32_t)IP_PROTO_UDP << 24),
	.dport_mask = EIGHT(DPORT_MASK),
	.roce_dport = EIGHT(ROCE_DPORT),
	.roce = EIGHT(ROCE_DPORT - IP4_LEN),
	.version = EIGHT(VERSION),
	.mark_bit = EIGHT(MARK_BIT),
	.mark = EIGHT(__builtin_bswap32(GEN_MAGIC) | MARK_BIT),
	.sum_signs = EIGHT(0x80008000),
	.sum_ones = EIGHT(0x00010001),
	.sum_first = EIGHT(SUM_HALVES * 32768 - (TYPE_IPV4 & 0xffff)),
	.total = WORDS_OF(1, 0, ZERO, ZERO),
	.swapped = WORDS_OF(3, 2, 1, 0),
	.low24 = WORDS_OF(3, 2, 1, ZERO),
	.sport = WORDS_OF(3, 2, ZERO, ZERO),
	.ip_id = WORDS_OF(ZERO, ZERO, 3, 2),
	.ttl_proto = WORDS_OF(ZERO, 3, 2, ZERO),
	.se_migreq = NIBBLES_BY(BTH_SE, BTH_MIGREQ),
	.fecn_becn = NIBBLES_BY(BTH_FECN, BTH_BECN),
	.plain = {.off = EIGHT(OFF_PLAIN),
		.l3_off = EIGHT(OFF_PLAIN << 16),
		.flags = EIGHT(HDR_IPV4),
		.front = FRONT_OF(ZERO, 12)},
	.tagged = {.off = EIGHT(OFF_TAGGED),
		.l3_off = EIGHT(OFF_TAGGED << 16),
		.flags = EIGHT(HDR_IPV4 | HDR_VLAN),
		.front = FRONT_OF(14, ZERO),
		.ethertype = {[14] = ETH_P_IPV4 & 0xff, [15] = ETH_P_IPV4 >> 8}},
};

// Frames of one form, until there are enough.
struct lot {
	struct pkt *p[LANES];
	struct frame_place at[LANES];
	unsigned n;
};

// What parses one burst.
struct taker {
	const struct constants *c;
	vec most, flags; // longest frame; PKT_F_*, where they stand in a word
	vec kinds;       // that have come by lanes, as bits
	struct lot lot[OTHER + 1];
	uint32_t other_kinds;
	uint16_t max_len;
	uint8_t pkt_flags;
};

// What of the frames' words counts.
struct columns {
	vec type, id, frag, sum; // from the EtherType on, each named for what it has
	vec saddr, daddr, ports; // from the other half of the source address on
	vec opcode, qpn, psn;    // the BTH
	vec op;                  // of struct bth_op, from ext_len on
	vec len, data_off;       // of the frame
	vec total;               // of the IP packet
	vec udp;                 // destination port in the high half, length in the low one
};

INLINE uint32_t load32(const uint8_t *o)
{
	uint32_t v;

	memcpy(&v, o, sizeof(v));
	return v;
}

INLINE vec v_of(const void *words)
{
	return _mm256_load_si256(words);
}

INLINE vec v_zero(void)
{
	return _mm256_setzero_si256();
}

INLINE vec v_and(vec a, vec b)
{
	return _mm256_and_si256(a, b);
}

INLINE vec v_or(vec a, vec b)
{
	return _mm256_or_si256(a, b);
}

INLINE vec v_add(vec a, vec b)
{
	return _mm256_add_epi32(a, b);
}

// Not zero where the words differ.
INLINE vec v_differ(vec a, vec b)
{
	return _mm256_xor_si256(a, b);
}

// All ones where they are equal, or where the first one is greater.
INLINE vec v_equal(vec a, vec b)
{
	return _mm256_cmpeq_epi32(a, b);
}

INLINE vec v_greater(vec a, vec b)
{
	return _mm256_cmpgt_epi32(a, b);
}

INLINE vec v_shuffle(vec a, const uint8_t *by)
{
	return _mm256_shuffle_epi8(a, v_of(by));
}

// The words that stand `at` so many bytes from there.
INLINE vec v_words(const uint8_t *const o[LANES], unsigned at)
{
	__m128i low = _mm_cvtsi32_si128((int)load32(o[0] + at)), high;

	low = _mm_insert_epi32(low, (int)load32(o[1] + at), 1);
	low = _mm_insert_epi32(low, (int)load32(o[2] + at), 2);
	low = _mm_insert_epi32(low, (int)load32(o[3] + at), 3);
	high = _mm_cvtsi32_si128((int)load32(o[4] + at));
	high = _mm_insert_epi32(high, (int)load32(o[5] + at), 1);
	high = _mm_insert_epi32(high, (int)load32(o[6] + at), 2);
	high = _mm_insert_epi32(high, (int)load32(o[7] + at), 3);
	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

INLINE unsigned lanes_in(vec mask)
{
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask));
}

INLINE vec row_pair(const uint8_t *low, const uint8_t *high)
{
	__m128i first = _mm_loadu_si128((const __m128i *)low);

	return _mm256_inserti128_si256(
		_mm256_castsi128_si256(first), _mm_loadu_si128((const __m128i *)high), 1);
}

// The low halves of two rows, or the high ones, as one.
INLINE vec join(vec a, vec b, bool high)
{
	return high ? _mm256_permute2x128_si256(a, b, 0x31)
		    : _mm256_inserti128_si256(a, _mm256_castsi256_si128(b), 1);
}

// Rows, the first of which has those of lanes 0 and 4, become columns, and columns such rows.
INLINE void turn(vec r[LANES / 2])
{
	vec a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpackhi_epi32(r[0], r[1]);
	vec c = _mm256_unpacklo_epi32(r[2], r[3]), d = _mm256_unpackhi_epi32(r[2], r[3]);

	r[0] = _mm256_unpacklo_epi64(a, c);
	r[1] = _mm256_unpackhi_epi64(a, c);
	r[2] = _mm256_unpacklo_epi64(b, d);
	r[3] = _mm256_unpackhi_epi64(b, d);
}

INLINE void load_columns(vec r[LANES / 2], const uint8_t *const o[LANES], int from)
{
	for (unsigned k = 0; k < LANES / 2; k++)
		r[k] = row_pair(o[k] + from, o[k + LANES / 2] + from);
	turn(r);
}

INLINE int op_of(const uint8_t *o, unsigned off)
{
	return (int)load32(&bth_ops[o[off + BYTE_OPCODE]].ext_len);
}

INLINE vec ops_of(const uint8_t *const o[LANES], unsigned off)
{
	__m128i low = _mm_cvtsi32_si128(op_of(o[0], off)), high;

	low = _mm_insert_epi32(low, op_of(o[1], off), 1);
	low = _mm_insert_epi32(low, op_of(o[2], off), 2);
	low = _mm_insert_epi32(low, op_of(o[3], off), 3);
	high = _mm_cvtsi32_si128(op_of(o[4], off));
	high = _mm_insert_epi32(high, op_of(o[5], off), 1);
	high = _mm_insert_epi32(high, op_of(o[6], off), 2);
	high = _mm_insert_epi32(high, op_of(o[7], off), 3);
	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

INLINE void read_columns(struct columns *x, const struct constants *c,
	const struct frame_place at[LANES], const uint8_t *const o[LANES], unsigned off)
{
	vec place = _mm256_loadu_si256((const vec *)at), r[LANES / 2];

	load_columns(r, o, (int)off + ROW_TYPE);
	x->type = r[0];
	x->id = r[1];
	x->frag = r[2];
	x->sum = r[3];
	load_columns(r, o, (int)off + ROW_SADDR);
	x->saddr = r[0];
	x->daddr = r[1];
	x->ports = r[2];
	load_columns(r, o, (int)off + ROW_BTH);
	x->opcode = r[1];
	x->qpn = r[2];
	x->psn = r[3];
	x->op = ops_of(o, off);
	x->len = v_and(place, v_of(c->half));
	x->data_off = _mm256_srli_epi32(place, 16);
	x->total = v_shuffle(x->id, c->total);
	x->udp = v_shuffle(x->ports, c->swapped);
}

INLINE vec halves_sum(const struct constants *c, vec a)
{
	return _mm256_madd_epi16(v_differ(a, v_of(c->sum_signs)), v_of(c->sum_ones));
}

// Not zero where the IPv4 header has a wrong checksum: its sum is no multiple of 0xffff (RFC 1071).
INLINE vec wrong_sum(const struct constants *c, const struct columns *x)
{
	vec sum = v_add(halves_sum(c, x->type), halves_sum(c, x->id));

	sum = v_add(sum, v_add(halves_sum(c, x->frag), halves_sum(c, x->sum)));
	sum = v_add(sum, halves_sum(c, x->saddr));
	sum = v_add(sum, halves_sum(c, v_and(x->daddr, v_of(c->half))));
	sum = v_add(sum, v_of(c->sum_first));
	sum = v_add(v_and(sum, v_of(c->half)), _mm256_srli_epi32(sum, 16));
	return v_differ(sum, v_of(c->half));
}

// Not zero where Ethernet and IPv4 are of another form, or have a fault.
INLINE vec bad_ip(const struct taker *t, const struct columns *x, const struct form *f)
{
	const struct constants *c = t->c;
	vec bad = v_greater(x->len, t->most);

	bad = v_or(bad, v_differ(v_and(x->type, v_of(c->type_mask)), v_of(c->type)));
	bad = v_or(bad, v_and(x->frag, v_of(c->frag_mask)));
	bad = v_or(bad, wrong_sum(c, x));
	bad = v_or(bad, v_greater(v_of(c->ip4_len), x->total));
	return v_or(bad, v_greater(v_add(x->total, v_of(f->off)), x->len));
}

// The same of RoCEv2, whose payload is less than 0 where headers and ICRC do not fit.
INLINE vec bad_roce(const struct constants *c, const struct columns *x, vec payload)
{
	vec bad = v_differ(x->udp, v_add(x->total, v_of(c->roce)));

	bad = v_or(bad, v_and(x->opcode, v_of(c->version)));
	bad = v_or(bad, v_greater(v_zero(), payload));
	return v_or(bad, v_equal(x->op, v_zero()));
}

// Of another UDP datagram. One that may have an open-loop source's mark is of another form.
INLINE vec bad_udp(const struct constants *c, const struct columns *x)
{
	vec len = v_and(x->udp, v_of(c->half));
	vec mark = v_equal(v_or(x->opcode, v_of(c->mark_bit)), v_of(c->mark));
	vec bad = v_or(mark, v_greater(v_of(c->udp_len), len));

	return v_or(bad, v_greater(v_add(len, v_of(c->ip4_len)), x->total));
}

// The BTH's bits, as struct pkt_rc has them.
INLINE vec bits_of(const struct constants *c, const struct columns *x)
{
	vec nibble = v_of(c->nibble);
	vec first = v_and(_mm256_srli_epi32(x->opcode, 12), nibble);
	vec fifth = v_and(_mm256_srli_epi32(x->qpn, 4), nibble);
	vec ackreq = v_and(_mm256_srli_epi32(x->psn, 6), v_of(c->two));

	return v_or(ackreq, v_or(_mm256_shuffle_epi8(v_of(c->se_migreq), first),
				    _mm256_shuffle_epi8(v_of(c->fecn_becn), fifth)));
}

// What is found of each frame.
struct found {
	vec good;         // all ones where it has this form and no fault
	vec udp, roce;    // all ones where it is that
	vec kind;         // enum pkt_kind
	vec payload, pad; // RoCEv2
};

// What is written of each frame, as rows.
struct rows {
	vec first[LANES / 2], second[LANES / 2]; // of the descriptor, from len to its end
	vec ports[LANES / 2];                    // the last one of the header
};

INLINE void make_descriptors(struct rows *w, const struct taker *t, const struct columns *x,
	const struct form *f, const struct found *y)
{
	const struct constants *c = t->c;
	vec bth = v_or(v_and(x->opcode, v_of(c->byte)), _mm256_slli_epi32(bits_of(c, x), 8));

	w->first[0] = v_or(v_or(x->len, t->flags), _mm256_slli_epi32(y->kind, 16));
	w->first[1] = _mm256_srli_epi32(x->type, 24); // TOS
	w->first[2] = v_or(x->data_off, v_of(f->l3_off));
	w->first[3] = v_or(bth, _mm256_slli_epi32(y->pad, 24));
	turn(w->first);
	w->second[0] = v_shuffle(x->psn, c->low24);
	w->second[1] = v_shuffle(x->qpn, c->low24);
	w->second[2] = v_zero();
	w->second[3] = y->payload;
	turn(w->second);
}

INLINE void make_ports(struct rows *w, const struct constants *c, const struct columns *x,
	const struct form *f, vec is_udp)
{
	vec dport = v_and(x->udp, v_of(c->dport_mask));

	w->ports[0] = v_and(v_or(v_shuffle(x->daddr, c->sport), dport), is_udp);
	w->ports[1] = v_or(v_shuffle(x->frag, c->ttl_proto), v_of(f->flags));
	w->ports[2] = v_shuffle(x->id, c->ip_id);
	w->ports[3] = v_zero();
	turn(w->ports);
}

INLINE void write_lanes(struct pkt *const p[LANES], const uint8_t *const o[LANES], unsigned off,
	const struct form *f, const struct rows *w)
{
	for (unsigned k = 0; k < LANES; k++) {
		const unsigned row = k % (LANES / 2);
		const bool high = k >= LANES / 2;
		vec front = v_shuffle(row_pair(o[k], o[k] + off), f->front);
		vec daddr = _mm256_castsi128_si256(
			_mm_cvtsi32_si128((int)load32(o[k] + off + WORD_DADDR)));
		uint8_t *h = (uint8_t *)pkt_own_hdr(p[k]);

		if (off == OFF_TAGGED)
			front = v_or(front, v_of(f->ethertype));
		p[k]->hdr = pkt_own_hdr(p[k]);
		_mm256_storeu_si256((vec *)&p[k]->len, join(w->first[row], w->second[row], high));
		_mm256_storeu_si256((vec *)h, front);
		_mm256_storeu_si256((vec *)(h + sizeof(vec)),
			high ? _mm256_blend_epi32(w->ports[row], daddr, 0x0f)
			     : join(daddr, w->ports[row], false));
	}
}

// The word that each packet of such an opcode has for itself.
static __attribute__((noinline)) void take_own_word(struct pkt *p, const uint8_t *bth)
{
	const struct bth_op *op = &bth_ops[bth[0]];
	uint32_t own = get_be32(bth + (op->own_off | op->arg_off));

	p->u.rc.syndrome = (uint8_t)(op->own_off ? own >> 24 : 0);
	p->u.rc.arg = op->own_off ? own & BTH_PSN_MASK : own;
}

// All ones in the lanes whose VLAN tag stands where it should.
INLINE vec tagged_lanes(const struct constants *c, const uint8_t *const o[LANES])
{
	return v_equal(v_and(v_words(o, 12), v_of(c->half)), v_of(c->tag));
}

// All are RoCEv2, or else have a fault.
INLINE void find_roce(struct found *y, const struct taker *t, const struct columns *x)
{
	const struct constants *c = t->c;
	vec proto = v_and(x->frag, v_of(c->proto_mask)), bad = bad_roce(c, x, y->payload);

	y->good = v_or(bad, v_differ(proto, v_of(c->udp)));
	y->kind = v_and(_mm256_srli_epi32(x->op, 8), v_of(c->byte));
}

// Some may be anything that IPv4 carries.
INLINE void find_any(struct found *y, const struct taker *t, const struct columns *x)
{
	const struct constants *c = t->c;
	vec dport = v_and(x->udp, v_of(c->dport_mask)), bad = bad_roce(c, x, y->payload), kind;

	y->udp = v_equal(v_and(x->frag, v_of(c->proto_mask)), v_of(c->udp));
	y->roce = v_and(v_equal(dport, v_of(c->roce_dport)), y->udp);
	y->payload = v_and(y->payload, y->roce);
	y->good = v_and(_mm256_blendv_epi8(bad_udp(c, x), bad, y->roce), y->udp);
	kind = _mm256_blendv_epi8(v_of(c->one), _mm256_srli_epi32(x->op, 8), y->roce);
	y->kind = v_and(v_and(kind, v_of(c->byte)), y->udp);
}

// Eight frames of at least PKT_MIN_LEN bytes: which of them have this form and no fault, as bits.
// What the others get means nothing.
INLINE unsigned take_form(struct taker *t, struct pkt *const p[LANES],
	const struct frame_place at[LANES], const struct form *f, const unsigned off,
	const bool any)
{
	const struct constants *c = t->c;
	struct found y = {.udp = _mm256_set1_epi32(-1), .roce = _mm256_set1_epi32(-1)};
	const uint8_t *o[LANES];
	struct columns x;
	struct rows w;
	unsigned own;

	for (unsigned k = 0; k < LANES; k++) {
		o[k] = (const uint8_t *)p[k] + at[k].data_off;
		__asm__("" : "+r"(o[k])); // by itself: together they cost more
	}
	read_columns(&x, c, at, o, off);
	y.pad = v_and(_mm256_srli_epi32(x.opcode, 12), v_of(c->three));
	y.payload = v_add(v_and(x.op, v_of(c->byte)), v_add(y.pad, v_of(c->roce_fixed)));
	y.payload = _mm256_sub_epi32(x.total, y.payload);
	if (any)
		find_any(&y, t, &x);
	else
		find_roce(&y, t, &x);
	y.good = v_equal(v_or(y.good, bad_ip(t, &x, f)), v_zero());
	if (off == OFF_TAGGED)
		y.good = v_and(y.good, tagged_lanes(c, o));
	t->kinds = v_or(t->kinds, v_and(y.good, _mm256_sllv_epi32(v_of(c->one), y.kind)));
	make_descriptors(&w, t, &x, f, &y);
	make_ports(&w, c, &x, f, y.udp);
	write_lanes(p, o, off, f, &w);
	own = lanes_in(v_and(v_and(y.good, y.roce), v_greater(x.op, v_of(c->half))));
	for (; __builtin_expect(own, 0); own &= own - 1) {
		unsigned k = (unsigned)__builtin_ctz(own);

		take_own_word(p[k], (const uint8_t *)p[k] + at[k].data_off + off + BYTE_OPCODE);
	}
	return lanes_in(y.good);
}

INLINE unsigned take_any_form(struct taker *t, struct pkt *const p[LANES],
	const struct frame_place at[LANES], unsigned form, const bool any)
{
	return form == PLAIN ? take_form(t, p, at, &t->c->plain, OFF_PLAIN, any)
			     : take_form(t, p, at, &t->c->tagged, OFF_TAGGED, any);
}

AVX2 static __attribute__((noinline)) unsigned take_mixed(struct taker *t,
	struct pkt *const p[LANES], const struct frame_place at[LANES], unsigned form)
{
	return take_any_form(t, p, at, form, true);
}

// Eight frames in a row, tried as those of one form: which of them have been taken, as bits. RoCEv2
// is tried first where the first one is that.
AVX2 static unsigned take_eight(struct taker *t, struct pkt *const p[LANES],
	const struct frame_place at[LANES], unsigned form)
{
	vec len = v_and(_mm256_loadu_si256((const vec *)at), v_of(t->c->half));
	const uint8_t *o = (const uint8_t *)p[0] + at[0].data_off;

	if (lanes_in(v_greater(v_of(t->c->least), len)))
		return 0; // not all may be read so far
	o += form == PLAIN ? OFF_PLAIN : OFF_TAGGED;
	if (get_be16(o + IP4_LEN + 2) == BTH_UDP_PORT &&
		take_any_form(t, p, at, form, false) == EVERY)
		return EVERY;
	return take_mixed(t, p, at, form);
}

// What form a frame seems to have.
INLINE unsigned form_of(const struct pkt *p, struct frame_place at)
{
	const uint8_t *o = (const uint8_t *)p + at.data_off;

	if (at.len < PKT_MIN_LEN)
		return OTHER;
	if ((load32(o + OFF_PLAIN + ROW_TYPE) & TYPE_MASK) == TYPE_IPV4)
		return PLAIN;
	return get_be16(o + 12) == ETH_P_8021Q &&
			       (load32(o + OFF_TAGGED + ROW_TYPE) & TYPE_MASK) == TYPE_IPV4
		       ? TAGGED
		       : OTHER;
}

static void take_others(struct taker *t)
{
	struct lot *l = &t->lot[OTHER];

	t->other_kinds |= frame_burst_to_pkt(l->p, l->at, l->n, t->max_len, t->pkt_flags);
	l->n = 0;
}

// Returns whether a lot is full now.
static inline bool lot_add(struct lot *l, struct pkt *p, struct frame_place at)
{
	l->p[l->n] = p;
	l->at[l->n++] = at;
	return l->n == LANES;
}

// Frames are of another form: those whose bit is set.
static __attribute__((noinline)) void add_others(
	struct taker *t, struct pkt *const *p, const struct frame_place *at, unsigned which)
{
	for (; which; which &= which - 1) {
		unsigned k = (unsigned)__builtin_ctz(which);

		if (lot_add(&t->lot[OTHER], p[k], at[k]))
			take_others(t);
	}
}

// Takes what a lot has. Its last frame has the lanes that are left, too.
AVX2 static void take_lot(struct taker *t, unsigned form)
{
	struct lot *l = &t->lot[form];
	unsigned n = l->n, taken = 0;

	if (n >= FEW) {
		while (l->n < LANES)
			lot_add(l, l->p[n - 1], l->at[n - 1]);
		taken = take_mixed(t, l->p, l->at, form);
	}
	add_others(t, l->p, l->at, ((1u << n) - 1) & ~taken);
	l->n = 0;
}

static inline void fetch(struct pkt *p, struct frame_place at)
{
	__builtin_prefetch((const uint8_t *)p + at.data_off);
	__builtin_prefetch(pkt_own_hdr(p), 1);
}

AVX2 static void sort_out(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];

		if (i + AHEAD < n)
			fetch(burst[i + AHEAD], at[i + AHEAD]);
		switch (form_of(p, at[i])) {
		case PLAIN:
			if (lot_add(&t->lot[PLAIN], p, at[i]))
				take_lot(t, PLAIN);
			break;
		case TAGGED:
			if (lot_add(&t->lot[TAGGED], p, at[i]))
				take_lot(t, TAGGED);
			break;
		default:
			if (lot_add(&t->lot[OTHER], p, at[i]))
				take_others(t);
		}
	}
	take_lot(t, PLAIN);
	take_lot(t, TAGGED);
	if (t->lot[OTHER].n)
		take_others(t);
}

AVX2 static uint32_t kinds_of(const struct taker *t)
{
	uint32_t word[LANES], kinds = t->other_kinds;

	_mm256_storeu_si256((vec *)word, t->kinds);
	for (unsigned k = 0; k < LANES; k++)
		kinds |= word[k];
	return kinds;
}

// Frames in a row, as long as eight at a time are of one form. The rest is sorted by form.
AVX2 uint32_t frame_burst_to_pkt_avx2(struct pkt *const *burst, const struct frame_place *at,
	unsigned n, uint16_t max_len, uint8_t flags)
{
	int most = max_len < PKT_MAX_LEN ? max_len : PKT_MAX_LEN;
	unsigned taken = EVERY, form, i = 0;
	struct taker t;

	t.c = &constants;
	t.max_len = max_len;
	t.pkt_flags = flags;
	t.most = _mm256_set1_epi32(most);
	t.flags = _mm256_set1_epi32((int)((uint32_t)(flags | PKT_F_FOREIGN) << 24));
	t.kinds = v_zero();
	t.lot[PLAIN].n = t.lot[TAGGED].n = t.lot[OTHER].n = t.other_kinds = 0;
	for (unsigned k = 0; k < n && k < AHEAD; k++)
		fetch(burst[k], at[k]);
	for (; n - i >= LANES && taken == EVERY; i += LANES) {
		for (unsigned k = i + AHEAD; k < n && k < i + AHEAD + LANES; k++)
			fetch(burst[k], at[k]);
		form = form_of(burst[i], at[i]);
		if (form == OTHER || form != form_of(burst[i + LANES - 1], at[i + LANES - 1]))
			break;
		taken = take_eight(&t, burst + i, at + i, form);
		add_others(&t, burst + i, at + i, EVERY & ~taken);
	}
	if (i < n || t.lot[OTHER].n)
		sort_out(&t, burst + i, at + i, n - i);
	return kinds_of(&t);
}

#endif
