// SPDX-License-Identifier: BSD-3-Clause
// Reading eight frames at once: rows of 16 bytes of each frame are turned into columns, which have
// the same word of all lanes. A lane is a frame. A file that includes this must have asked whether
// the machine is an x86.
#pragma once

#include <string.h>

#include "frame/frame.h"
#include "frame/lane_words.h"
#include "frame/lanes.h"

// The form of eight frames: RoCEv2 frames of one form, whose bits say which headers all of them
// have besides IPv4 or in its place; or frames of any forms. The functions below are compiled for
// each form, in which it is a constant.
enum lot_form {
	ALL_IP4 = 0,
	ALL_IP6 = 1 << 0,   // in place of IPv4
	ALL_VLAN = 1 << 1,  // a VLAN tag, which is of 802.1Q where it is the only one
	ALL_INNER = 1 << 2, // with ALL_VLAN: an inner one behind it
	ALL_CNTAG = 1 << 3,
	MIXED = 1 << 4, // alone: any forms
};

AVX2_INLINE bool has_vlan(const enum lot_form form)
{
	return form & ALL_VLAN;
}

AVX2_INLINE bool has_inner(const enum lot_form form)
{
	return form & ALL_INNER;
}

AVX2_INLINE bool has_cntag(const enum lot_form form)
{
	return form & ALL_CNTAG;
}

AVX2_INLINE bool is_ip4(const enum lot_form form)
{
	return !(form & (ALL_IP6 | MIXED));
}

AVX2_INLINE bool is_ip6(const enum lot_form form)
{
	return form & ALL_IP6;
}

// Bytes of the lanes: `off` behind o[lane].
struct spots {
	const uint8_t *const *o;
	size_t off;
};

// Pointers of the lanes that vectors have computed.
struct pointers {
	const uint8_t *o[LANES];
} __attribute__((aligned(32)));

// The words of the frames that matter, as columns.
struct columns {
	vec len, data_off;       // of the frame
	vec off, udp_off;        // bytes before the IP header, and before what IP carries
	vec tci, cntag, tags;    // of the tags; HDR_*
	vec inner, second;       // all ones where there is an inner VLAN tag; its word, if so
	vec other;               // not zero where the frame has not the form that all should have
	vec ip, v6;              // all ones where there is IP, and IPv6; of frames of any form
	vec type, id, frag, sum; // from the EtherType on, each named after its field of IPv4
	vec saddr, daddr, ports; // from the other half of an IPv4 source address on
	vec opcode, qpn, psn;    // the BTH
	vec op;                  // of struct bth_op, from ext_len on
	vec size;                // of what IP carries
	vec ttl_proto;           // as a header has them, in the word of its flags
	vec udp;                 // destination port in the high half, length in the low one
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

// Returns the addresses `by` bytes after each of `o`; they are stored in `to`.
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

// The words of four lanes that begin with their EtherTypes.
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

// The places of the lanes' frames and headers. Headers have pointers of their own if lanes differ;
// else they are all at the same distance from their frames.
struct places {
	struct spots frame, ip, udp;
};

struct memory {
	struct pointers frame, ip, udp;
	struct pointers read; // IP's payload, or a copy of it
	uint8_t copy[LANES][2 * TAIL];
};

// Writes down what is known before frames are read.
AVX2_INLINE void put_places(
	struct columns *x, const struct constants *c, const struct frame_place at[LANES])
{
	vec place = _mm256_loadu_si256((const vec *)at);

	x->len = v_and(place, v_of(c->half));
	x->data_off = v_right(place, 16);
}

AVX2_INLINE void point_at_frames(
	struct pointers *to, struct pkt *const p[LANES], const struct frame_place at[LANES])
{
	for (unsigned k = 0; k < LANES; k++) {
		to->o[k] = (const uint8_t *)p[k] + at[k].data_off;
		__asm__("" : "+r"(to->o[k])); // by itself: together they cost more
	}
}

// Bytes before the IP header.
AVX2_INLINE size_t off_of(const enum lot_form form)
{
	return OFF_LEAST + 4ul * has_vlan(form) + 4ul * has_inner(form) + 4ul * has_cntag(form);
}

AVX2_INLINE size_t udp_off_of(const enum lot_form form)
{
	return off_of(form) + (is_ip6(form) ? IP6_LEN : IP4_LEN);
}

// Bytes that are read of a frame of this form.
AVX2_INLINE size_t end_of(const enum lot_form form)
{
	return udp_off_of(form) + UDP_READ;
}

// Reads the tags of frames that should all have the tags of this form.
AVX2_INLINE void read_alike_tags(
	struct columns *x, const struct constants *c, struct spots frame, const enum lot_form form)
{
	vec half = v_of(c->half), r[LANES / 2], type, wrong;

	x->cntag = x->tags = v_zero();
	if (has_inner(form)) {
		load_columns(r, frame, WORD_TYPE);
		x->second = r[1];
		type = v_and(r[0], half);
		wrong = v_unless(v_equal(type, v_of(c->stag)), v_differ(type, v_of(c->tag)));
		wrong = v_or(wrong, v_differ(v_and(r[1], half), v_of(c->tag)));
		x->tags = v_and(v_equal(type, v_of(c->stag)), v_of(c->has_stag));
		x->tags = v_or(x->tags, v_or(v_of(c->has_vlan), v_of(c->has_inner)));
	} else if (has_vlan(form) || has_cntag(form)) {
		r[0] = v_pair(types_of(frame.o), types_of(frame.o + LANES / 2));
		wrong = v_differ(v_and(r[0], half), v_of(has_vlan(form) ? c->tag : c->cntag));
		x->tags = v_of(has_vlan(form) ? c->has_vlan : c->has_cntag);
		x->cntag = has_cntag(form) ? v_shuffle(r[0], c->second) : v_zero();
	} else {
		return;
	}
	x->other = v_or(x->other, wrong);
}

// Reads frames that should all have this form; x->other says which do not. Returns false, and reads
// nothing, if a frame is too short for the form or has more than `most` bytes.
AVX2_INLINE bool read_alike(struct columns *x, struct places *s, struct memory *m,
	const struct constants *c, struct pkt *const p[LANES], const struct frame_place at[LANES],
	vec most, const enum lot_form form)
{
	const size_t udp_off = udp_off_of(form), end = end_of(form);
	vec least = _mm256_set1_epi32(end > PKT_MIN_LEN ? (int)end : PKT_MIN_LEN);
	vec r[LANES / 2], word;

	put_places(x, c, at);
	if (lanes_in(v_or(v_greater(least, x->len), v_greater(x->len, most))))
		return false;
	point_at_frames(&m->frame, p, at);
	s->frame = (struct spots){m->frame.o, 0};
	s->ip = (struct spots){m->frame.o, off_of(form)};
	s->udp = (struct spots){m->frame.o, udp_off};
	load_columns(r, s->ip, ROW_TYPE);
	put_type_row(x, r);
	word = v_and(x->type, v_of(c->form[is_ip6(form)].mask));
	x->other = v_differ(word, v_of(c->form[is_ip6(form)].type));
	read_alike_tags(x, c, s->frame, form);
	x->off = _mm256_set1_epi32((int)off_of(form));
	x->udp_off = _mm256_set1_epi32((int)udp_off);
	read_udp(x, s->udp);
	return true;
}

// Reads the tags of frames of any forms: an outer and an inner VLAN tag, the outer one alone, or
// none; behind them a CN-TAG or none.
AVX2_INLINE void read_tags(struct columns *x, const struct constants *c, struct spots frame)
{
	vec half = v_of(c->half), stag, vlan, cn, r[LANES / 2], word;

	load_columns(r, frame, WORD_TYPE);
	word = v_and(r[0], half);
	stag = v_equal(word, v_of(c->stag));
	vlan = v_or(v_equal(word, v_of(c->tag)), stag);
	x->inner = v_and(vlan, v_equal(v_and(r[1], half), v_of(c->tag)));
	x->second = r[1];
	word = v_choose(x->inner, r[2], v_choose(vlan, r[1], r[0]));
	cn = v_equal(v_and(word, half), v_of(c->cntag));
	x->tci = v_and(vlan, v_shuffle(r[0], c->second));
	x->cntag = v_and(cn, v_shuffle(word, c->second));
	x->tags = v_or(v_and(vlan, v_of(c->has_vlan)), v_and(stag, v_of(c->has_stag)));
	x->tags = v_or(x->tags, v_and(x->inner, v_of(c->has_inner)));
	x->tags = v_or(x->tags, v_and(cn, v_of(c->has_cntag)));
	x->off = v_left(v_add(v_add(vlan, x->inner), cn), 2); // less than 0: a mask is -1
	x->off = v_sub(v_of(c->off_least), x->off);
}

// Copies frames that end within the bytes that are read, so that zeros follow their ends. `off`:
// where the payload of IP begins.
ASIDE void copy_ends(
	struct memory *m, const uint32_t len[LANES], const uint32_t off[LANES], unsigned which)
{
	for (; which; which &= which - 1) {
		unsigned k = (unsigned)__builtin_ctz(which), tail = len[k] - TAIL;

		memcpy(m->copy[k], m->frame.o[k] + tail, TAIL);
		memset(m->copy[k] + TAIL, 0, TAIL);
		m->read.o[k] = m->copy[k] + (off[k] - tail);
	}
}

// Reads frames of any forms. One that is too short has nothing in its place. Returns whether a
// frame is read beyond its first cache line.
AVX2_INLINE bool read_mixed(struct columns *x, struct places *s, struct memory *m,
	const struct constants *c, struct pkt *const p[LANES], const struct frame_place at[LANES])
{
	uint32_t len[LANES] __attribute__((aligned(32))), off[LANES] __attribute__((aligned(32)));
	vec r[LANES / 2], v4, end, cut;
	unsigned brief, copied;

	put_places(x, c, at);
	point_at_frames(&m->frame, p, at);
	s->frame = (struct spots){m->frame.o, 0};
	brief = lanes_in(v_greater(v_of(c->least), x->len));
	for (; UNLIKELY(brief); brief &= brief - 1)
		m->frame.o[__builtin_ctz(brief)] = c->nothing;
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
	cut = v_unless(v_greater(v_of(c->least), x->len), v_greater(end, x->len));
	copied = lanes_in(cut);
	spots_behind(&m->read, s->frame.o, x->udp_off);
	if (UNLIKELY(copied)) {
		v_put(len, x->len);
		v_put(off, x->udp_off);
		copy_ends(m, len, off, copied);
	}
	read_udp(x, (struct spots){m->read.o, 0});
	return lanes_in(v_greater(end, v_of(c->line)));
}

// Returns `a` in the lanes (vector elements) of frames with IPv6, else `b`.
AVX2_INLINE vec if_ip6(const enum lot_form form, const struct columns *x, vec a, vec b)
{
	return is_ip4(form) ? b : is_ip6(form) ? a : v_choose(x->v6, a, b);
}

// Returns `a` in the lanes of frames with IP, else 0.
AVX2_INLINE vec if_ip(const enum lot_form form, const struct columns *x, vec a)
{
	return form == MIXED ? v_and(x->ip, a) : a;
}

// Returns `a` in the lanes of frames with IPv4, else 0.
AVX2_INLINE vec if_ip4(const enum lot_form form, const struct columns *x, vec a)
{
	return is_ip4(form) ? a : is_ip6(form) ? v_zero() : v_unless(x->v6, if_ip(form, x, a));
}

// Reads the fields that stand elsewhere in IPv4 than in IPv6.
AVX2_INLINE void read_ip(struct columns *x, const struct constants *c, const enum lot_form form)
{
	vec size4 = v_sub(v_shuffle(x->id, c->first), v_of(c->ip4_len));
	vec ttl_proto4 = v_shuffle(x->frag, c->ttl_proto4);
	vec ttl_proto6 = v_shuffle(x->frag, c->ttl_proto6);

	x->size = if_ip6(form, x, v_shuffle(x->id, c->second), size4);
	x->ttl_proto = if_ip(form, x, if_ip6(form, x, ttl_proto6, ttl_proto4));
	x->udp = v_shuffle(x->ports, c->swapped);
}
