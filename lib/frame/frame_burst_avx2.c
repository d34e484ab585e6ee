// SPDX-License-Identifier: BSD-3-Clause
// Bursts of foreign frames into descriptors by AVX2, eight at once, of whatever forms: with VLAN
// tag and CN-TAG or without; IPv4 without options, IPv6, or a protocol that is not read; RoCEv2 or
// other UDP. The rest, such as control frames and malformed ones, goes by frame_burst_to_pkt.
//
// A lane is a frame. Rows of 16 bytes of the frames are turned into columns, which have the same
// word of all lanes. The tags say where the IP header of each lane begins, and that where what IP
// carries does; rows are read from there on, so that a column means the same in all forms. What
// comes of the columns is turned back into rows of descriptors and headers.
#include "base/hint.h"
#include "frame/frame.h"

#if defined(__x86_64__)

#include <string.h>

#include "frame/lane_words.h"
#include "frame/lanes.h"
#define NOT_ALIKE (EVERY + 1)
#define FEW       3 // so few frames are cheaper one by one

// Eight frames: RoCEv2, all over IPv4 or all over IPv6, all with a VLAN tag or all without one; or
// any frames. The functions below are compiled for each form, in which it is a constant.
enum lot_form { ALL_IP4, ALL_IP6, ALL_IP4_TAGGED, ALL_IP6_TAGGED, MIXED };

AVX2_INLINE bool is_tagged(const enum lot_form form)
{
	return form == ALL_IP4_TAGGED || form == ALL_IP6_TAGGED;
}

AVX2_INLINE bool is_ip4(const enum lot_form form)
{
	return form == ALL_IP4 || form == ALL_IP4_TAGGED;
}

AVX2_INLINE bool is_ip6(const enum lot_form form)
{
	return form == ALL_IP6 || form == ALL_IP6_TAGGED;
}

// Frames that go one by one, until there are enough.
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
	struct lot others;
	uint32_t other_kinds;
	uint16_t max_len;
	uint8_t pkt_flags;
	bool far; // headers reach into a second cache line
};

// Bytes of the lanes: `off` behind o[lane].
struct spots {
	const uint8_t *const *o;
	size_t off;
};

// What they point at, for itself: vectors make pointers, too.
struct pointers {
	const uint8_t *o[LANES];
} __attribute__((aligned(32)));

// What of the frames' words counts.
struct columns {
	vec len, data_off;       // of the frame
	vec off, udp_off;        // bytes before the IP header, and before what IP carries
	vec tci, cntag, tags;    // of the tags; HDR_*
	vec ip, v6;              // all ones where there is IP, and IPv6
	vec type, id, frag, sum; // from the EtherType on, each named for what it has of IPv4
	vec saddr, daddr, ports; // from the other half of an IPv4 source address on
	vec opcode, qpn, psn;    // the BTH
	vec op;                  // of struct bth_op, from ext_len on
	vec size;                // of what IP carries
	vec ttl_proto;           // as a header has them, in the word of its flags
	vec udp;                 // destination port in the high half, length in the low one
};

// What is found of each frame.
struct found {
	vec bad;          // not zero where what IP carries has a fault
	vec udp, roce;    // all ones where it is that
	vec kind;         // enum pkt_kind
	vec payload, pad; // RoCEv2
};

// What is written of each frame, as rows.
struct rows {
	vec first[LANES / 2], second[LANES / 2]; // of the descriptor, from len to its end
	vec ports[LANES / 2];                    // the last one of the header
	vec tags[LANES / 2]; // TCI and EtherType, the last word of the header's first row
	uint32_t addresses[LANES] __attribute__((aligned(32))); // of struct addresses
};

AVX2_INLINE const uint8_t *spot(struct spots s, unsigned lane)
{
	return s.o[lane] + s.off;
}

AVX2_INLINE void load_columns(vec r[LANES / 2], struct spots s, int from)
{
	for (unsigned k = 0; k < LANES / 2; k++)
		r[k] = v_pair(row_at(spot(s, k) + from), row_at(spot(s, k + LANES / 2) + from));
	turn(r);
}

// So many bytes behind each of these.
AVX2_INLINE struct spots spots_behind(struct pointers *to, const uint8_t *const o[LANES], vec by)
{
	vec low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(by));
	vec high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(by, 1));

	low = _mm256_add_epi64(_mm256_loadu_si256((const vec *)o), low);
	high = _mm256_add_epi64(_mm256_loadu_si256((const vec *)(o + LANES / 2)), high);
	v_put(to->o, low);
	v_put(to->o + LANES / 2, high);
	return (struct spots){to->o, 0};
}

// Words of four lanes.
AVX2_INLINE __m128i types_of(const uint8_t *const o[LANES / 2])
{
	__m128i w = _mm_cvtsi32_si128((int)load32(o[0] + WORD_TYPE));

	w = _mm_insert_epi32(w, (int)load32(o[1] + WORD_TYPE), 1);
	w = _mm_insert_epi32(w, (int)load32(o[2] + WORD_TYPE), 2);
	return _mm_insert_epi32(w, (int)load32(o[3] + WORD_TYPE), 3);
}

AVX2_INLINE int op_of(const uint8_t *o)
{
	return (int)load32(&bth_ops[o[BYTE_OPCODE]].ext_len);
}

AVX2_INLINE __m128i ops_of(struct spots s, unsigned from)
{
	__m128i w = _mm_cvtsi32_si128(op_of(spot(s, from)));

	w = _mm_insert_epi32(w, op_of(spot(s, from + 1)), 1);
	w = _mm_insert_epi32(w, op_of(spot(s, from + 2)), 2);
	return _mm_insert_epi32(w, op_of(spot(s, from + 3)), 3);
}

AVX2_INLINE void put_type_row(struct columns *x, const vec r[LANES / 2])
{
	x->type = r[0];
	x->id = r[1];
	x->frag = r[2];
	x->sum = r[3];
}

AVX2_INLINE void read_udp(struct columns *x, struct spots udp)
{
	vec r[LANES / 2];

	load_columns(r, udp, ROW_PORTS);
	x->saddr = r[0];
	x->daddr = r[1];
	x->ports = r[2];
	load_columns(r, udp, ROW_BTH);
	x->opcode = r[1];
	x->qpn = r[2];
	x->psn = r[3];
	x->op = v_pair(ops_of(udp, 0), ops_of(udp, LANES / 2));
}

// Where frames and headers of the lanes begin, and the pointers that they stand for. Each has
// pointers of its own where lanes differ; else those of the frames are enough.
struct places {
	struct spots frame, ip, udp;
};

struct memory {
	struct pointers frame, ip, udp;
};

// Reads frames that all have the form of the first one: a VLAN tag or none, and this IP. Returns
// whether they do, and reach as far as is read.
AVX2_INLINE bool read_alike(
	struct taker *t, struct columns *x, struct places *s, const enum lot_form form)
{
	const struct constants *c = t->c;
	const bool tagged = is_tagged(form);
	const size_t off = OFF_LEAST + 4u * tagged;
	const size_t udp_off = off + (is_ip6(form) ? IP6_LEN : IP4_LEN);
	vec r[LANES / 2], alike, word;

	s->ip = (struct spots){s->frame.o, off};
	s->udp = (struct spots){s->frame.o, udp_off};
	load_columns(r, s->ip, ROW_TYPE);
	put_type_row(x, r);
	alike = v_equal(
		v_and(x->type, v_of(c->form[is_ip6(form)].mask)), v_of(c->form[is_ip6(form)].type));
	x->udp_off = _mm256_set1_epi32((int)udp_off);
	alike = v_unless(v_greater(v_add(x->udp_off, v_of(c->udp_read)), x->len), alike);
	x->tci = x->cntag = x->tags = v_zero();
	if (tagged) {
		word = v_pair(types_of(s->frame.o), types_of(s->frame.o + LANES / 2));
		alike = v_and(alike, v_equal(v_and(word, v_of(c->half)), v_of(c->tag)));
		x->tci = v_shuffle(word, c->second);
		x->tags = v_of(c->has_vlan);
	}
	if (lanes_in(alike) != EVERY)
		return false;
	x->off = _mm256_set1_epi32((int)off);
	x->v6 = x->ip = alike;
	t->far = udp_off + UDP_READ > LINE;
	read_udp(x, s->udp);
	return true;
}

// A VLAN tag, a CN-TAG, one behind the other, or none.
AVX2_INLINE void read_tags(struct columns *x, const struct constants *c, struct spots frame)
{
	vec half = v_of(c->half), vlan, cn, r[LANES / 2], word;

	load_columns(r, frame, WORD_TYPE);
	vlan = v_equal(v_and(r[0], half), v_of(c->tag));
	word = v_choose(vlan, r[1], r[0]);
	cn = v_equal(v_and(word, half), v_of(c->cntag));
	x->tci = v_and(vlan, v_shuffle(r[0], c->second));
	x->cntag = v_and(cn, v_shuffle(word, c->second));
	x->tags = v_or(v_and(vlan, v_of(c->has_vlan)), v_and(cn, v_of(c->has_cntag)));
	x->off = v_add(v_of(c->off_least), v_and(vlan, v_of(c->tag_len)));
	x->off = v_add(x->off, v_and(cn, v_of(c->tag_len)));
}

// Frames that end among the bytes that are read are read from copies, with zeros behind their ends.
ASIDE AVX2 void read_copies(
	struct columns *x, struct spots frame, const struct pointers *udps, unsigned which)
{
	uint8_t copy[LANES][2 * TAIL];
	uint32_t len[LANES], off[LANES];
	struct pointers from = *udps;

	_mm256_storeu_si256((vec *)len, x->len);
	_mm256_storeu_si256((vec *)off, x->udp_off);
	for (; which; which &= which - 1) {
		unsigned k = (unsigned)__builtin_ctz(which), tail = len[k] - TAIL;

		memcpy(copy[k], spot(frame, k) + tail, TAIL);
		memset(copy[k] + TAIL, 0, TAIL);
		from.o[k] = copy[k] + (off[k] - tail);
	}
	read_udp(x, (struct spots){from.o, 0});
}

// Reads frames of any forms.
AVX2_INLINE void read_mixed(struct taker *t, struct columns *x, struct places *s, struct memory *m)
{
	const struct constants *c = t->c;
	vec r[LANES / 2], v4, end, cut;
	unsigned copied;

	read_tags(x, c, s->frame);
	s->ip = spots_behind(&m->ip, s->frame.o, x->off);
	load_columns(r, s->ip, ROW_TYPE);
	put_type_row(x, r);
	v4 = v_equal(v_and(x->type, v_of(c->form[0].mask)), v_of(c->form[0].type));
	x->v6 = v_equal(v_and(x->type, v_of(c->form[1].mask)), v_of(c->form[1].type));
	end = v_add(x->off, v_add(v_of(c->ip4_len), v_of(c->ip6_more)));
	x->v6 = v_unless(v_greater(end, x->len), x->v6); // a header that is not whole is not read
	x->ip = v_or(v4, x->v6);
	x->udp_off = v_add(x->off, v_of(c->ip4_len));
	x->udp_off = v_add(x->udp_off, v_and(x->v6, v_of(c->ip6_more)));
	s->udp = spots_behind(&m->udp, s->frame.o, x->udp_off);
	end = v_add(x->udp_off, v_of(c->udp_read));
	t->far = lanes_in(v_greater(end, v_of(c->line)));
	cut = v_unless(v_greater(v_of(c->least), x->len), v_greater(end, x->len));
	copied = lanes_in(cut);
	if (UNLIKELY(copied))
		read_copies(x, s->frame, &m->udp, copied);
	else
		read_udp(x, s->udp);
}

// `a` in lanes with IPv6, else `b`.
AVX2_INLINE vec if_ip6(const enum lot_form form, const struct columns *x, vec a, vec b)
{
	return is_ip4(form) ? b : is_ip6(form) ? a : v_choose(x->v6, a, b);
}

// `a` in lanes with IP; 0 in others.
AVX2_INLINE vec if_ip(const enum lot_form form, const struct columns *x, vec a)
{
	return form == MIXED ? v_and(x->ip, a) : a;
}

// `a` in lanes with IPv4; 0 in others.
AVX2_INLINE vec if_ip4(const enum lot_form form, const struct columns *x, vec a)
{
	return is_ip4(form) ? a : is_ip6(form) ? v_zero() : v_unless(x->v6, if_ip(form, x, a));
}

// What of it stands elsewhere in IPv4 than in IPv6.
AVX2_INLINE void read_ip(struct columns *x, const struct constants *c, const enum lot_form form)
{
	vec size4 = v_sub(v_shuffle(x->id, c->first), v_of(c->ip4_len));
	vec ttl_proto4 = v_shuffle(x->frag, c->ttl_proto4);
	vec ttl_proto6 = v_shuffle(x->frag, c->ttl_proto6);

	x->size = if_ip6(form, x, v_shuffle(x->id, c->second), size4);
	x->ttl_proto = if_ip(form, x, if_ip6(form, x, ttl_proto6, ttl_proto4));
	x->udp = v_shuffle(x->ports, c->swapped);
}

// Where frames begin, and their lengths. One that is too short has nothing in its place.
AVX2_INLINE struct spots find_frames(struct pointers *to, struct columns *x,
	const struct constants *c, struct pkt *const p[LANES], const struct frame_place at[LANES])
{
	vec place = _mm256_loadu_si256((const vec *)at);
	unsigned brief;

	x->len = v_and(place, v_of(c->half));
	x->data_off = v_right(place, 16);
	for (unsigned k = 0; k < LANES; k++) {
		to->o[k] = (const uint8_t *)p[k] + at[k].data_off;
		__asm__("" : "+r"(to->o[k])); // by itself: together they cost more
	}
	brief = lanes_in(v_greater(v_of(c->least), x->len));
	for (; UNLIKELY(brief); brief &= brief - 1)
		to->o[__builtin_ctz(brief)] = c->nothing;
	return (struct spots){to->o, 0};
}

AVX2_INLINE vec halves_sum(const struct constants *c, vec a)
{
	return _mm256_madd_epi16(v_differ(a, v_of(c->sum_signs)), v_of(c->sum_ones));
}

// Not zero where the IPv4 header has a wrong checksum: its sum is no multiple of 0xffff (RFC 1071).
AVX2_INLINE vec wrong_sum(const struct constants *c, const struct columns *x)
{
	vec sum = v_add(halves_sum(c, x->type), halves_sum(c, x->id));

	sum = v_add(sum, v_add(halves_sum(c, x->frag), halves_sum(c, x->sum)));
	sum = v_add(sum, halves_sum(c, x->saddr));
	sum = v_add(sum, halves_sum(c, v_and(x->daddr, v_of(c->half))));
	sum = v_add(sum, v_of(c->sum_first));
	sum = v_add(v_and(sum, v_of(c->half)), v_right(sum, 16));
	return v_differ(sum, v_of(c->half));
}

// Not zero where an IP header has a fault, or says that this is a fragment.
AVX2_INLINE vec bad_ip(const struct constants *c, const struct columns *x, const enum lot_form form)
{
	vec bad4 = v_or(v_and(x->frag, v_of(c->frag_mask)), wrong_sum(c, x));
	vec bad = v_or(if_ip4(form, x, bad4), v_greater(v_zero(), x->size));

	return v_or(bad, v_greater(v_add(x->udp_off, x->size), x->len));
}

// The same of RoCEv2, whose payload is less than 0 where headers and ICRC do not fit.
AVX2_INLINE vec bad_roce(const struct constants *c, const struct columns *x, vec payload)
{
	vec bad = v_differ(x->udp, v_add(x->size, v_of(c->roce_dport)));

	bad = v_or(bad, v_and(x->opcode, v_of(c->version)));
	bad = v_or(bad, v_greater(v_zero(), payload));
	return v_or(bad, v_equal(x->op, v_zero()));
}

// Of another UDP datagram. One that may have an open-loop source's mark goes by itself.
AVX2_INLINE vec bad_udp(const struct constants *c, const struct columns *x)
{
	vec len = v_and(x->udp, v_of(c->half));
	vec mark = v_equal(v_or(x->opcode, v_of(c->mark_bit)), v_of(c->mark));
	vec bad = v_or(mark, v_greater(v_of(c->udp_len), len));

	return v_or(bad, v_greater(len, x->size));
}

// Not zero where what is no IP has to be read by others. What stands behind the EtherType may be
// an open-loop source's mark.
AVX2_INLINE vec bad_other(const struct constants *c, const struct columns *x)
{
	vec type = v_and(x->type, v_of(c->half));
	vec word = v_or(v_right(x->type, 16), v_left(x->id, 16));
	vec bad = v_equal(v_or(word, v_of(c->mark_bit)), v_of(c->mark));

	bad = v_or(bad, v_or(v_equal(type, v_of(c->bare4)), v_equal(type, v_of(c->bare6))));
	bad = v_or(bad, v_or(v_equal(type, v_of(c->macctl)), v_equal(type, v_of(c->cnm))));
	return v_or(bad, v_equal(type, v_of(c->cntag)));
}

// Finds what IP carries, if there is IP. Frames of one form are alike only if all are RoCEv2.
AVX2_INLINE bool find_upper(struct found *y, const struct constants *c, const struct columns *x,
	const enum lot_form form)
{
	vec bad, kind;

	y->udp = v_equal(v_and(x->ttl_proto, v_of(c->proto_mask)), v_of(c->udp));
	y->roce = v_equal(v_and(x->udp, v_of(c->dport_mask)), v_of(c->roce_dport));
	y->roce = v_and(y->udp, y->roce);
	if (form != MIXED && lanes_in(y->roce) != EVERY)
		return false;
	y->pad = v_and(v_right(x->opcode, 12), v_of(c->three));
	y->payload = v_add(v_and(x->op, v_of(c->byte)), v_add(y->pad, v_of(c->roce_fixed)));
	y->payload = v_sub(x->size, y->payload);
	y->bad = bad_roce(c, x, y->payload);
	y->kind = v_and(v_right(x->op, 8), v_of(c->byte));
	if (form != MIXED)
		return true;
	y->payload = v_and(y->payload, y->roce);
	bad = v_choose(y->roce, y->bad, bad_udp(c, x));
	y->bad = v_and(bad, y->udp);
	kind = v_choose(y->roce, y->kind, v_of(c->one));
	y->kind = v_and(kind, y->udp);
	return true;
}

// All ones in the lanes that are taken.
AVX2_INLINE vec good_lanes(const struct taker *t, const struct columns *x, const struct found *y,
	const enum lot_form form)
{
	vec bad = v_or(bad_ip(t->c, x, form), y->bad);

	if (form == MIXED)
		bad = v_choose(x->ip, bad, bad_other(t->c, x));
	bad = v_or(bad, v_greater(x->len, t->most));
	bad = v_or(bad, v_greater(v_of(t->c->least), x->len));
	return v_equal(bad, v_zero());
}

// The BTH's bits, as struct pkt_rc has them.
AVX2_INLINE vec bits_of(const struct constants *c, const struct columns *x)
{
	vec nibble = v_of(c->nibble);
	vec first = v_and(v_right(x->opcode, 12), nibble);
	vec fifth = v_and(v_right(x->qpn, 4), nibble);
	vec ackreq = v_and(v_right(x->psn, 6), v_of(c->two));

	return v_or(ackreq, v_or(_mm256_shuffle_epi8(v_of(c->se_migreq), first),
				    _mm256_shuffle_epi8(v_of(c->fecn_becn), fifth)));
}

AVX2_INLINE vec tos_of(const struct constants *c, const struct columns *x, const enum lot_form form)
{
	vec tos6 = v_or(v_and(v_right(x->type, 12), v_of(c->tos6_high)), v_right(x->type, 28));

	return if_ip(form, x, if_ip6(form, x, tos6, v_right(x->type, 24)));
}

AVX2_INLINE void make_descriptors(struct rows *w, const struct taker *t, const struct columns *x,
	const struct found *y, const enum lot_form form)
{
	const struct constants *c = t->c;
	vec bth = v_or(v_and(x->opcode, v_of(c->byte)), v_left(bits_of(c, x), 8));

	w->first[0] = v_or(v_or(x->len, t->flags), v_left(y->kind, 16));
	w->first[1] = tos_of(c, x, form);
	w->first[2] = v_or(x->data_off, v_left(if_ip(form, x, x->off), 16));
	w->first[3] = v_or(bth, v_left(y->pad, 24));
	turn(w->first);
	w->second[0] = v_shuffle(x->psn, c->low24);
	w->second[1] = v_shuffle(x->qpn, c->low24);
	w->second[2] = v_zero();
	w->second[3] = y->payload;
	turn(w->second);
}

AVX2_INLINE void make_headers(struct rows *w, const struct constants *c, const struct columns *x,
	vec is_udp, const enum lot_form form)
{
	vec dport = v_and(x->udp, v_of(c->dport_mask));
	vec flags = if_ip(form, x, if_ip6(form, x, v_of(c->has_ip6), v_of(c->has_ip4)));

	w->ports[0] = v_or(v_shuffle(x->daddr, c->second), dport);
	if (form == MIXED)
		w->ports[0] = v_and(w->ports[0], is_udp);
	w->ports[1] = v_or(x->ttl_proto, v_or(flags, x->tags));
	w->ports[2] = v_or(x->cntag, if_ip4(form, x, v_shuffle(x->id, c->id_high)));
	w->ports[3] = v_zero();
	turn(w->ports);
	w->tags[0] = w->tags[1] = w->tags[2] = v_zero();
	w->tags[3] = v_or(x->tci, v_shuffle(x->type, c->type_high));
	turn(w->tags);
	if (form == MIXED)
		v_put(w->addresses, v_or(v_and(x->v6, v_of(c->addresses_at6)),
					    v_unless(x->ip, v_of(c->addresses_none))));
}

AVX2_INLINE void write_lane(struct pkt *p, const struct constants *c, const struct places *s,
	const struct rows *w, const enum lot_form form, const unsigned k)
{
	const unsigned row = k % (LANES / 2);
	const bool high = k >= LANES / 2;
	const uint8_t *by = is_ip4(form) ? c->addresses.of4 : c->addresses.of6;
	__m128i saddr = row_at(spot(s->ip, k) + ROW_SADDR);
	vec addresses = v_pair(saddr, row_at(spot(s->udp, k) + ROW_DADDR));
	__m128i start = row_at(spot(s->frame, k));
	uint8_t *h = (uint8_t *)pkt_own_hdr(p);

	if (form == MIXED)
		by = (const uint8_t *)&c->addresses + w->addresses[k];
	p->hdr = pkt_own_hdr(p);
	_mm256_storeu_si256((vec *)&p->len, join(w->first[row], w->second[row], high));
	_mm_storeu_si128((__m128i *)h, _mm_blend_epi32(start, half_of(w->tags[row], high), 8));
	_mm256_storeu_si256((vec *)(h + 16), v_shuffle(addresses, by));
	_mm_storeu_si128((__m128i *)(h + 48), half_of(w->ports[row], high));
}

// One by one, since a loop so long is not unrolled.
AVX2_INLINE void write_lanes(struct pkt *const p[LANES], const struct constants *c,
	const struct places *s, const struct rows *w, const enum lot_form form)
{
	write_lane(p[0], c, s, w, form, 0);
	write_lane(p[1], c, s, w, form, 1);
	write_lane(p[2], c, s, w, form, 2);
	write_lane(p[3], c, s, w, form, 3);
	write_lane(p[4], c, s, w, form, 4);
	write_lane(p[5], c, s, w, form, 5);
	write_lane(p[6], c, s, w, form, 6);
	write_lane(p[7], c, s, w, form, 7);
}

// The word that each packet of such an opcode has for itself.
ASIDE void take_own_word(struct pkt *p, const uint8_t *bth)
{
	const struct bth_op *op = &bth_ops[bth[0]];
	uint32_t own = get_be32(bth + (op->own_off | op->arg_off));

	p->u.rc.syndrome = (uint8_t)(op->own_off ? own >> 24 : 0);
	p->u.rc.arg = op->own_off ? own & BTH_PSN_MASK : own;
}

// Which of eight frames have been taken, as bits; what the others get means nothing. NOT_ALIKE if
// they are not all of this form.
AVX2_INLINE unsigned take_lot(struct taker *t, struct pkt *const p[LANES],
	const struct frame_place at[LANES], const enum lot_form form)
{
	const struct constants *c = t->c;
	struct places s;
	struct memory m;
	struct columns x;
	struct found y;
	struct rows w;
	unsigned own;
	vec good;

	s.frame = find_frames(&m.frame, &x, c, p, at);
	if (form == MIXED)
		read_mixed(t, &x, &s, &m);
	else if (!read_alike(t, &x, &s, form))
		return NOT_ALIKE;
	read_ip(&x, c, form);
	if (!find_upper(&y, c, &x, form))
		return NOT_ALIKE;
	good = good_lanes(t, &x, &y, form);
	t->kinds = v_or(t->kinds, v_and(good, _mm256_sllv_epi32(v_of(c->one), y.kind)));
	make_descriptors(&w, t, &x, &y, form);
	make_headers(&w, c, &x, y.udp, form);
	write_lanes(p, c, &s, &w, form);
	own = lanes_in(
		v_and(form == MIXED ? v_and(good, y.roce) : good, v_greater(x.op, v_of(c->half))));
	for (; UNLIKELY(own); own &= own - 1) {
		unsigned k = (unsigned)__builtin_ctz(own);

		take_own_word(p[k], spot(s.udp, k) + BYTE_OPCODE);
	}
	return lanes_in(good);
}

AVX2 ASIDE unsigned take_mixed(
	struct taker *t, struct pkt *const p[LANES], const struct frame_place at[LANES])
{
	return take_lot(t, p, at, MIXED);
}

static void take_others(struct taker *t)
{
	struct lot *l = &t->others;

	t->other_kinds |= frame_burst_to_pkt(l->p, l->at, l->n, t->max_len, t->pkt_flags);
	l->n = 0;
}

// Those whose bit is set go one by one.
ASIDE void add_others(
	struct taker *t, struct pkt *const *p, const struct frame_place *at, unsigned which)
{
	struct lot *l = &t->others;

	for (; which; which &= which - 1) {
		unsigned k = (unsigned)__builtin_ctz(which);

		l->p[l->n] = p[k];
		l->at[l->n++] = at[k];
		if (l->n == LANES)
			take_others(t);
	}
}

// Fewer than eight. The last one has the lanes that are left, too.
AVX2 ASIDE void take_rest(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	struct frame_place place[LANES];
	struct pkt *p[LANES];
	unsigned taken = 0;

	for (unsigned k = 0; k < LANES; k++) {
		p[k] = burst[k < n ? k : n - 1];
		place[k] = at[k < n ? k : n - 1];
	}
	if (n >= FEW)
		taken = take_mixed(t, p, place);
	add_others(t, p, place, ((1u << n) - 1) & ~taken);
}

// Fetches the second line of the eight frames behind these. Who calls has fetched the first ones.
static inline void fetch_next(
	const struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	for (unsigned k = LANES; t->far && k < n && k < 2 * LANES; k++)
		__builtin_prefetch((const uint8_t *)burst[k] + at[k].data_off + LINE);
}

// Takes frames in a row, eight at a time, as long as all have this form. Returns how many.
AVX2_INLINE unsigned take_run(struct taker *t, struct pkt *const *burst,
	const struct frame_place *at, unsigned n, const enum lot_form form)
{
	unsigned i, taken;

	for (i = 0; n - i >= LANES; i += LANES) {
		fetch_next(t, burst + i, at + i, n - i);
		taken = form == MIXED ? take_mixed(t, burst + i, at + i)
				      : take_lot(t, burst + i, at + i, form);
		if (taken == NOT_ALIKE)
			break;
		if (taken != EVERY)
			add_others(t, burst + i, at + i, EVERY & ~taken);
	}
	return i;
}

typedef unsigned run_fn(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n);

AVX2 ASIDE unsigned run_ip4(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	return take_run(t, burst, at, n, ALL_IP4);
}

AVX2 ASIDE unsigned run_ip6(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	return take_run(t, burst, at, n, ALL_IP6);
}

AVX2 ASIDE unsigned run_ip4_tagged(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	return take_run(t, burst, at, n, ALL_IP4_TAGGED);
}

AVX2 ASIDE unsigned run_ip6_tagged(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	return take_run(t, burst, at, n, ALL_IP6_TAGGED);
}

// What takes frames that have the form that this one seems to have.
static run_fn *run_of(const struct pkt *p, struct frame_place at)
{
	const uint8_t *type = (const uint8_t *)p + at.data_off + WORD_TYPE;
	bool tagged = get_be16(type) == ETH_P_8021Q;
	bool v6 = get_be16(type + 4u * tagged) == ETH_P_IPV6;

	return tagged ? v6 ? run_ip6_tagged : run_ip4_tagged : v6 ? run_ip6 : run_ip4;
}

AVX2 static uint32_t kinds_of(const struct taker *t)
{
	uint32_t word[LANES], kinds = t->other_kinds;

	_mm256_storeu_si256((vec *)word, t->kinds);
	for (unsigned k = 0; k < LANES; k++)
		kinds |= word[k];
	return kinds;
}

AVX2 uint32_t frame_burst_to_pkt_avx2(struct pkt *const *burst, const struct frame_place *at,
	unsigned n, uint16_t max_len, uint8_t flags)
{
	int most = max_len < PKT_MAX_LEN ? max_len : PKT_MAX_LEN;
	struct taker t;
	unsigned i = 0;

	t.c = &constants;
	t.max_len = max_len;
	t.pkt_flags = flags;
	t.far = false;
	t.most = _mm256_set1_epi32(most);
	t.flags = _mm256_set1_epi32((int)((uint32_t)(flags | PKT_F_FOREIGN) << 24));
	t.kinds = v_zero();
	t.others.n = t.other_kinds = 0;
	if (n >= LANES && at[0].len >= PKT_MIN_LEN)
		i = run_of(burst[0], at[0])(&t, burst, at, n);
	i += take_run(&t, burst + i, at + i, n - i, MIXED);
	if (i < n)
		take_rest(&t, burst + i, at + i, n - i);
	if (t.others.n)
		take_others(&t);
	return kinds_of(&t);
}

#endif
