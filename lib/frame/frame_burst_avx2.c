// SPDX-License-Identifier: BSD-3-Clause
// Parses bursts of foreign frames into descriptors by AVX2, eight at once, of whatever forms: with
// one VLAN tag, two or none; with a CN-TAG or without; IPv4 without options, IPv6, or a protocol
// that is not read; RoCEv2 or other UDP. frame_burst_to_pkt parses the rest, such as control frames
// and malformed ones.
//
// A lane is a frame. Rows of 16 bytes of the frames are turned into columns, which have the same
// word of all lanes. The tags say where the IP header of each lane begins, and that where what IP
// carries does; rows are read from there on, so that a column means the same in all forms. What
// comes of the columns is turned back into rows of descriptors and headers.
#include "base/hint.h"
#include "frame/frame.h"

#if defined(__x86_64__)

#include "frame/lane_read.h"

#define FEW 3 // fewer frames than these are cheaper one by one

// Frames that go one by one, until there are enough.
struct lot {
	struct pkt *p[LANES];
	struct frame_place at[LANES];
	unsigned n;
};

// The state of parsing one burst.
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

// The findings in each frame.
struct found {
	vec bad;          // not zero where what IP carries has a fault
	vec udp, roce;    // all ones where it is that
	vec kind;         // enum pkt_kind
	vec payload, pad; // RoCEv2
};

// The words written for each frame, as rows.
struct rows {
	vec first[LANES / 2], second[LANES / 2]; // of the descriptor, from len to its end
	vec ports[LANES / 2];                    // the last one of the header
	// For frames of any form: TCI and EtherType, which are the last word of the header's first
	// row, and the offset in struct addresses of the shuffle that makes the following rows.
	uint32_t tags[LANES] __attribute__((aligned(32)));
	uint32_t addresses[LANES] __attribute__((aligned(32)));
};

AVX2_INLINE vec halves_sum(const struct constants *c, vec a)
{
	return _mm256_madd_epi16(v_differ(a, v_of(c->sum_signs)), v_of(c->sum_ones));
}

// Not zero if the IPv4 header has a wrong checksum: its sum is no multiple of 0xffff (RFC 1071).
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

// Not zero if an IP header has a fault, or belongs to a fragment.
AVX2_INLINE vec bad_ip(const struct constants *c, const struct columns *x, const enum lot_form form)
{
	vec bad4 = v_or(v_and(x->frag, v_of(c->frag_mask)), wrong_sum(c, x));
	vec bad = v_greater(v_add(x->udp_off, x->size), x->len);

	if (form == MIXED)
		bad = v_or(bad, v_greater(v_zero(), x->size));
	return v_or(bad, if_ip4(form, x, bad4));
}

// Not zero if RoCEv2 has a fault. Its payload is less than 0 if headers and ICRC do not fit.
AVX2_INLINE vec bad_roce(const struct constants *c, const struct columns *x, vec payload)
{
	vec bad = v_differ(x->udp, v_add(x->size, v_of(c->roce_dport)));

	bad = v_or(bad, v_and(x->opcode, v_of(c->version)));
	bad = v_or(bad, v_greater(v_zero(), payload));
	return v_or(bad, v_equal(x->op, v_zero()));
}

// Returns, lane by lane, not zero if another UDP datagram has a fault or may have an open-loop
// source's mark. Such a frame is then parsed alone.
AVX2_INLINE vec bad_udp(const struct constants *c, const struct columns *x)
{
	vec len = v_and(x->udp, v_of(c->half));
	vec mark = v_equal(v_or(x->opcode, v_of(c->mark_bit)), v_of(c->mark));
	vec bad = v_or(mark, v_greater(v_of(c->udp_len), len));

	return v_or(bad, v_greater(len, x->size));
}

// Returns, lane by lane, not zero if a frame without IP must be parsed alone, because the bytes
// after the EtherType may be an open-loop source's mark.
AVX2_INLINE vec bad_other(const struct constants *c, const struct columns *x)
{
	vec type = v_and(x->type, v_of(c->half));
	vec word = v_or(v_right(x->type, 16), v_left(x->id, 16));
	vec bad = v_equal(v_or(word, v_of(c->mark_bit)), v_of(c->mark));

	bad = v_or(bad, v_or(v_equal(type, v_of(c->bare4)), v_equal(type, v_of(c->bare6))));
	bad = v_or(bad, v_or(v_equal(type, v_of(c->macctl)), v_equal(type, v_of(c->cnm))));
	return v_or(bad, v_equal(type, v_of(c->cntag)));
}

// Finds what RoCEv2 frames carry.
AVX2_INLINE void find_roce(struct found *y, const struct constants *c, const struct columns *x)
{
	y->pad = v_and(v_right(x->opcode, 12), v_of(c->three));
	y->payload = v_add(v_and(x->op, v_of(c->byte)), v_add(y->pad, v_of(c->roce_fixed)));
	y->payload = v_sub(x->size, y->payload);
	y->kind = v_and(v_right(x->op, 8), v_of(c->byte));
	y->bad = bad_roce(c, x, y->payload);
}

// Whether all of these frames have the form, are RoCEv2 and have no fault. No length of IP is too
// little then: UDP has a greater one, and the payload is not less than 0.
AVX2_INLINE bool find_alike(struct found *y, const struct constants *c, const struct columns *x,
	const enum lot_form form)
{
	vec bad = v_differ(v_and(x->ttl_proto, v_of(c->proto_mask)), v_of(c->udp));

	find_roce(y, c, x);
	bad = v_or(v_or(bad, x->other), v_or(y->bad, bad_ip(c, x, form)));
	return _mm256_testz_si256(bad, bad);
}

// Finds what IP carries, if there is IP.
AVX2_INLINE void find_mixed(struct found *y, const struct constants *c, const struct columns *x)
{
	vec bad, kind;

	y->udp = v_equal(v_and(x->ttl_proto, v_of(c->proto_mask)), v_of(c->udp));
	y->roce = v_equal(v_and(x->udp, v_of(c->dport_mask)), v_of(c->roce_dport));
	y->roce = v_and(y->udp, y->roce);
	find_roce(y, c, x);
	y->payload = v_and(y->payload, y->roce);
	bad = v_choose(y->roce, y->bad, bad_udp(c, x));
	y->bad = v_and(bad, y->udp);
	kind = v_choose(y->roce, y->kind, v_of(c->one));
	y->kind = v_and(kind, y->udp);
}

// All ones in the lanes that are taken, of frames of any form.
AVX2_INLINE vec good_lanes(const struct taker *t, const struct columns *x, const struct found *y)
{
	vec bad = v_choose(x->ip, v_or(bad_ip(t->c, x, MIXED), y->bad), bad_other(t->c, x));

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
	vec id = if_ip4(form, x, x->id);

	w->ports[0] = v_or(v_shuffle(x->daddr, c->second), dport);
	if (form == MIXED)
		w->ports[0] = v_and(w->ports[0], is_udp);
	w->ports[1] = v_or(x->ttl_proto, v_or(flags, x->tags));
	if (form == MIXED)
		id = v_choose(x->inner, x->second, id); // both stand in the same half
	else if (has_inner(form))
		id = x->second;
	w->ports[2] = v_or(x->cntag, v_shuffle(id, c->id_high));
	w->ports[3] = v_zero();
	turn(w->ports);
	if (form != MIXED)
		return;
	v_put(w->tags, v_or(x->tci, v_shuffle(x->type, c->type_high)));
	v_put(w->addresses, v_or(v_and(x->v6, v_of(c->addresses_at6)),
				    v_unless(x->ip, v_of(c->addresses_none))));
}

// The first row of a header, of frames of one form: addresses, TCI and EtherType. Without a VLAN
// tag the TCI is 0.
AVX2_INLINE __m128i start_of(const struct constants *c, const uint8_t *o, const enum lot_form form)
{
	__m128i type = row_at(is_ip6(form) ? c->starts.ip6 : c->starts.ip4);

	if (!has_vlan(form))
		return _mm_blend_epi32(row_at(o), type, 8);
	return _mm_blend_epi16(_mm_shuffle_epi8(row_at(o), row_at(c->starts.vlan)), type, 0x80);
}

// The addresses of IP.
AVX2_INLINE vec addresses_of(const struct constants *c, const uint8_t *ip, const enum lot_form form)
{
	if (is_ip6(form))
		return _mm256_loadu_si256((const vec *)(ip + ROW_SADDR));
	return v_shuffle(_mm256_broadcastsi128_si256(row_at(ip + ROW_SADDR)), c->addresses_ip4);
}

AVX2_INLINE void write_lane(struct pkt *p, const struct constants *c, const struct places *s,
	const struct rows *w, const enum lot_form form, const unsigned k)
{
	const unsigned row = k % (LANES / 2);
	const bool high = k >= LANES / 2;
	const uint8_t *frame = spot(s->frame, k), *ip = spot(s->ip, k);
	uint8_t *h = (uint8_t *)pkt_hdr_place(p);
	__m128i start;
	vec addresses;

	if (form == MIXED) {
		start = _mm_insert_epi32(row_at(frame), (int)w->tags[k], 3);
		addresses = v_pair(row_at(ip + ROW_SADDR), row_at(spot(s->udp, k) + ROW_DADDR));
		addresses = v_shuffle(addresses, (const uint8_t *)&c->addresses + w->addresses[k]);
	} else {
		start = start_of(c, frame, form);
		addresses = addresses_of(c, ip, form);
	}
	_mm256_storeu_si256((vec *)&p->len, join(w->first[row], w->second[row], high));
	_mm_storeu_si128((__m128i *)h, start);
	_mm256_storeu_si256((vec *)(h + 16), addresses);
	_mm_storeu_si128((__m128i *)(h + 48), half_of(w->ports[row], high));
}

// Written out without a loop, since compilers do not unroll a loop with so long a body.
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

// The word of its own that a frame in each of these lanes has.
AVX2_INLINE void take_own_words(
	struct pkt *const p[LANES], const struct frame_place at[LANES], vec bth_off, unsigned lanes)
{
	uint32_t off[LANES];

	_mm256_storeu_si256((vec *)off, bth_off);
	for (; lanes; lanes &= lanes - 1) {
		unsigned k = (unsigned)__builtin_ctz(lanes);

		take_own_word(p[k], (const uint8_t *)p[k] + at[k].data_off + off[k]);
	}
}

// Parses eight frames that should all have this form. Returns whether it has: all have the form,
// and none has a fault.
AVX2_INLINE bool take_alike(struct taker *t, struct pkt *const p[LANES],
	const struct frame_place at[LANES], const enum lot_form form)
{
	const struct constants *c = t->c;
	struct places s;
	struct memory m;
	struct columns x;
	struct found y;
	struct rows w;
	unsigned own;

	if (!read_alike(&x, &s, &m, c, p, at, t->most, form))
		return false;
	t->far = end_of(form) > LINE;
	read_ip(&x, c, form);
	if (!find_alike(&y, c, &x, form))
		return false;
	t->kinds = v_or(t->kinds, _mm256_sllv_epi32(v_of(c->one), y.kind));
	make_descriptors(&w, t, &x, &y, form);
	make_headers(&w, c, &x, v_zero(), form);
	write_lanes(p, c, &s, &w, form);
	own = lanes_in(v_greater(x.op, v_of(c->half)));
	if (UNLIKELY(own))
		take_own_words(p, at, _mm256_set1_epi32((int)udp_off_of(form) + UDP_LEN), own);
	return true;
}

// Parses eight frames of any forms. Returns a bitmap of the frames that it has parsed; the fields
// of all others are undefined.
AVX2 ASIDE unsigned take_mixed(
	struct taker *t, struct pkt *const p[LANES], const struct frame_place at[LANES])
{
	const struct constants *c = t->c;
	struct places s;
	struct memory m;
	struct columns x;
	struct found y;
	struct rows w;
	unsigned own;
	vec good;

	t->far = read_mixed(&x, &s, &m, c, p, at);
	read_ip(&x, c, MIXED);
	find_mixed(&y, c, &x);
	good = good_lanes(t, &x, &y);
	t->kinds = v_or(t->kinds, v_and(good, _mm256_sllv_epi32(v_of(c->one), y.kind)));
	make_descriptors(&w, t, &x, &y, MIXED);
	make_headers(&w, c, &x, y.udp, MIXED);
	write_lanes(p, c, &s, &w, MIXED);
	own = lanes_in(v_and(v_and(good, y.roce), v_greater(x.op, v_of(c->half))));
	if (UNLIKELY(own))
		take_own_words(p, at, v_add(x.udp_off, v_of(c->udp_len)), own);
	return lanes_in(good);
}

static void take_others(struct taker *t)
{
	struct lot *l = &t->others;

	t->other_kinds |= frame_burst_to_pkt(l->p, l->at, l->n, t->max_len, t->pkt_flags);
	l->n = 0;
}

// Adds the frames whose bit is set to the frames that are parsed one by one.
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

// Takes the last frames of a burst, fewer than eight. The last one fills the lanes that are left.
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

// Prefetches the second cache line of the next eight frames. The caller of
// frame_burst_to_pkt_avx2() has fetched the first one.
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
	unsigned i;

	for (i = 0; n - i >= LANES; i += LANES) {
		fetch_next(t, burst + i, at + i, n - i);
		if (!take_alike(t, burst + i, at + i, form))
			break;
	}
	return i;
}

typedef unsigned run_fn(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n);

// take_run for one form.
#define RUN(name, form)                                                     \
	AVX2 ASIDE unsigned name(struct taker *t, struct pkt *const *burst, \
		const struct frame_place *at, unsigned n)                   \
	{                                                                   \
		return take_run(t, burst, at, n, form);                     \
	}

RUN(run_ip4, ALL_IP4)
RUN(run_ip6, ALL_IP6)
RUN(run_ip4_vlan, ALL_VLAN)
RUN(run_ip6_vlan, ALL_VLAN | ALL_IP6)
RUN(run_ip4_inner, ALL_VLAN | ALL_INNER)
RUN(run_ip6_inner, ALL_VLAN | ALL_INNER | ALL_IP6)
RUN(run_ip4_cntag, ALL_CNTAG)
RUN(run_ip6_cntag, ALL_CNTAG | ALL_IP6)

// Like take_run(), for frames of any forms.
AVX2 ASIDE unsigned run_mixed(
	struct taker *t, struct pkt *const *burst, const struct frame_place *at, unsigned n)
{
	unsigned i, taken;

	for (i = 0; n - i >= LANES; i += LANES) {
		fetch_next(t, burst + i, at + i, n - i);
		taken = take_mixed(t, burst + i, at + i);
		if (taken != EVERY)
			add_others(t, burst + i, at + i, EVERY & ~taken);
	}
	return i;
}

// The function that takes frames of each form.
static run_fn *const run_of[] = {
	[ALL_IP4] = run_ip4,
	[ALL_IP6] = run_ip6,
	[ALL_VLAN] = run_ip4_vlan,
	[ALL_VLAN | ALL_IP6] = run_ip6_vlan,
	[ALL_VLAN | ALL_INNER] = run_ip4_inner,
	[ALL_VLAN | ALL_INNER | ALL_IP6] = run_ip6_inner,
	[ALL_CNTAG] = run_ip4_cntag,
	[ALL_CNTAG | ALL_IP6] = run_ip6_cntag,
	[MIXED] = run_mixed,
};

// Returns the form of a frame if it is RoCEv2. MIXED: a form without code of its own.
AVX2_INLINE enum lot_form form_of(const struct pkt *p, struct frame_place at)
{
	const uint8_t *o = (const uint8_t *)p + at.data_off;
	enum lot_form form = ALL_IP4;
	unsigned type;

	if (at.len < PKT_MIN_LEN)
		return MIXED;
	type = get_be16(o + WORD_TYPE);
	if (type == ETH_P_CNTAG)
		form = ALL_CNTAG;
	else if (eth_is_vlan(type) && get_be16(o + WORD_INNER) == ETH_P_8021Q)
		form = ALL_VLAN | ALL_INNER;
	else if (type == ETH_P_8021Q)
		form = ALL_VLAN;
	type = get_be16(o + off_of(form) + ROW_TYPE);
	return type == ETH_P_IPV4 ? form : type == ETH_P_IPV6 ? form | ALL_IP6 : MIXED;
}

// The form that two frames of a burst of at least LANES have.
AVX2_INLINE enum lot_form form_of_burst(struct pkt *const *burst, const struct frame_place *at)
{
	enum lot_form form = form_of(burst[0], at[0]);

	return form == form_of(burst[LANES - 1], at[LANES - 1]) ? form : MIXED;
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
	if (n >= LANES)
		i = run_of[form_of_burst(burst, at)](&t, burst, at, n);
	if (i < n)
		i += run_mixed(&t, burst + i, at + i, n - i);
	if (i < n)
		take_rest(&t, burst + i, at + i, n - i);
	if (t.others.n)
		take_others(&t);
	return kinds_of(&t);
}

#endif
