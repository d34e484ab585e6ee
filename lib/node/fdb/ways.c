// SPDX-License-Identifier: BSD-3-Clause
// The ways of a burst. Frames that are looked up alike have one place, and are looked up once.
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "int.h"

#include "base/equal.h"
#include "base/hint.h"

// What decides how a frame of one port is looked up, in words (little endian): both addresses, the
// TCI, and in place of the EtherType, which decides nothing, the flags.
struct lead {
	uint64_t word[2];
};

_Static_assert(offsetof(struct hdr, dst) == 0 && offsetof(struct hdr, src) == 6 &&
		       offsetof(struct hdr, vlan_tci) == 12 &&
		       offsetof(struct hdr, ethertype) == 14,
	"they are two words");

static inline struct lead lead_of(const struct hdr *h)
{
	struct lead l;

	memcpy(&l, h, sizeof(l));
	l.word[0] = le64toh(l.word[0]);
	l.word[1] = le64toh(l.word[1]) << 16 | h->flags;
	return l;
}

static inline bool differ(struct lead a, struct lead b)
{
	return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1])) != 0;
}

// eth_key of both addresses, by fewer loads.
static inline uint64_t dst_key(struct lead l, uint64_t vid)
{
	return __builtin_bswap64(l.word[0]) >> 16 | vid << 48;
}

static inline uint64_t src_key(const struct hdr *h, uint64_t vid)
{
	uint64_t word; // the source and the TCI

	memcpy(&word, (const uint8_t *)h + offsetof(struct hdr, src), sizeof(word));
	return be64toh(word) >> 16 | vid << 48;
}

_Static_assert(SW_BURST <= EQUAL_MOST && SW_BURST % 16 == 0, "base/equal.h");

// Where the frames of a burst are looked up.
struct places {
	uint64_t src[SW_BURST], dst[SW_BURST]; // eth_key
	const struct table_set *src_set[SW_BURST], *dst_set[SW_BURST];
	uint8_t cls[SW_BURST]; // sw_header_class
	unsigned n;
	// Of the frames of the burst, that many have the first place, and each one behind them has
	// a place of its own, in their order; 0: `of` has the place of each.
	unsigned n_first;
	// With room for 15 that are compared beyond the last one, in whole vectors of 32.
	uint8_t of[SW_BURST + 32];
	uint32_t fixed; // 0 if all classes follow from DSCP
	uint32_t ids;   // 0 if the ids of all headers are
};

static inline unsigned place_of(const struct places *x, unsigned i)
{
	if (!x->n_first)
		return x->of[i];
	return i < x->n_first ? 0 : i - x->n_first + 1;
}

// Bitmap of those of n frames that have place k.
static inline uint64_t frames_at(const struct places *x, unsigned k, unsigned n)
{
	if (!x->n_first)
		return sw_frames_before(n) & equal_bytes(x->of, n, (uint8_t)k);
	return k ? 1ull << (x->n_first + k - 1) : sw_frames_before(x->n_first);
}

// Stands in for a set of the FDB. Nothing is found in it, so the frame is looked up by itself.
static const struct table_set nowhere;

// Place k is looked up by the addresses of a header in this VLAN; its sets are fetched. `group`:
// the destination is a group's address, and the frame is looked up by itself.
INLINE void put_keys(const struct table *t, struct places *x, size_t k, const struct hdr *h,
	uint16_t vid, bool group)
{
	uint64_t src = src_key(h, vid), dst = dst_key(lead_of(h), vid);
	const struct table_set *src_set = table_set_of(t, src), *dst_set = &nowhere;

	if (LIKELY(!group))
		dst_set = table_set_of(t, dst);
	table_fetch(src_set);
	table_fetch(dst_set);
	x->src[k] = src;
	x->dst[k] = dst;
	x->src_set[k] = src_set;
	x->dst_set[k] = dst_set;
}

// Place k is that of a header.
INLINE void put_place(const struct table *t, struct places *x, unsigned k, const struct hdr *h)
{
	put_keys(t, x, k, h, sw_fdb_vid(h), h->dst[0] & 1);
}

// Returns a word that is 0 if the class follows from DSCP.
INLINE uint32_t put_place_at(const struct sw *sw, const struct sw_port *in, struct places *x,
	unsigned k, const struct hdr *h)
{
	uint8_t cls = sw_header_class(in, h);

	put_place(&sw->fdb, x, k, h);
	x->cls[k] = cls;
	return cls ^ SW_CLS_BY_DSCP;
}

// The lead of a frame, its bytes in any order.
struct lead_bytes {
	_Alignas(16) uint8_t byte[16];
};

// Writes the leads of frames. Returns a word that is 0 if the ids of all of their headers are.
INLINE uint32_t write_leads(struct lead_bytes *lead, struct pkt *const *burst, unsigned n)
{
	uint32_t ids = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		uint16_t flags = h->flags;

		memcpy(lead[i].byte, h, sizeof(lead->byte));
		memcpy(lead[i].byte + offsetof(struct hdr, ethertype), &flags, sizeof(flags));
		ids |= h->id;
	}
	return ids;
}

#define SAMPLE 8 // that many frames say what is to be expected of the others

enum order { IN_TURN, IN_TRAINS, ALL_DIFFER };

// How frames from burst[0] on, whose second one differs from it, seem to be ordered: the first is
// looked up like a later one that does not follow it, or some are like the one before them, or
// neither. n: how many there are at least.
INLINE enum order order_of(struct pkt *const *burst, unsigned n)
{
	const struct lead first = lead_of(burst[0]->hdr);
	struct lead before = first;
	unsigned most = n <= SAMPLE ? n - 1 : SAMPLE;
	bool trains = false;

	for (unsigned i = 1; i <= most; i++) {
		struct lead l = lead_of(burst[i]->hdr);

		if (!differ(l, first))
			return IN_TURN;
		trains |= !differ(l, before);
		before = l;
	}
	return trains ? IN_TRAINS : ALL_DIFFER;
}

// Frames that have no tag and go to single addresses, and whose headers give them the class of the
// first one, get a place each, up to one that is none of these. Returns how many.
INLINE unsigned put_plain(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *from, unsigned places)
{
	const struct table t = sw->fdb; // a copy, which no store below can change
	const uint8_t flags = from[0]->hdr->flags;
	const uint8_t cls = sw_header_class(in, from[0]->hdr);
	size_t k = 0;

	memset(x->cls, cls, sizeof(x->cls));
	for (; k < places; k++) {
		const struct hdr *h = from[k]->hdr;

		if (UNLIKELY(((h->flags ^ flags) & (HDR_IP | HDR_VLAN)) | h->id | (h->dst[0] & 1u)))
			break;
		put_keys(&t, x, k, h, 0, false);
	}
	return (unsigned)k;
}

// Each of the frames from `at` on gets a place of its own, those before have one. So the sets of a
// frame are fetched while the header of the next one is waited for.
ASIDE void put_each(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	struct pkt *const *from = burst + at - 1;
	unsigned places = n - at + 1, k = 0;
	uint32_t fixed = 0;

	if (LIKELY(!(from[0]->hdr->flags & HDR_VLAN)))
		k = put_plain(sw, in, x, from, places);
	if (k)
		fixed = x->cls[0] ^ SW_CLS_BY_DSCP;
	for (; k < places; k++) {
		x->ids |= from[k]->hdr->id;
		fixed |= put_place_at(sw, in, x, k, from[k]->hdr);
	}
	x->n = places;
	x->n_first = at;
	x->fixed = fixed;
}

// Frames in a row that are looked up alike get a place. Whether a frame begins a row makes no
// branch, for nobody could foresee it.
ASIDE void put_rows(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	const struct hdr *row[SW_BURST]; // the last header of each
	struct lead before = lead_of(burst[at - 1]->hdr);
	uint32_t ids = 0, fixed = 0;
	unsigned k = 0;

	clear_small(x->of, sizeof(x->of));
#pragma GCC unroll 4
	for (unsigned i = at - 1; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		struct lead l = lead_of(h);

		k += differ(l, before);
		x->of[i] = (uint8_t)k;
		row[k] = h;
		ids |= h->id;
		before = l;
	}
	x->n = k + 1;
	for (k = 0; k < x->n; k++)
		fixed |= put_place_at(sw, in, x, k, row[k]);
	x->n_first = 0;
	x->ids |= ids;
	x->fixed = fixed;
}

#define ALONE_MOST 2 // frames looked up like no other, until the rest are taken for such

// Finds the places of n frames, of which frame `at` is the first that is not looked up like those
// before it. All leads are compared at once with one that has no place yet. When that has been in
// vain, frames in a row that are looked up alike get a place.
ASIDE void find_more(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	struct pkt *const *from = burst + at - 1;
	uint8_t *of = x->of + at - 1;
	unsigned most = n - at + 1, k = 0, i = 0, alone = 0;
	uint64_t left = sw_frames_before(most), ends = 0;
	struct lead_bytes lead[SW_BURST + 1];
	uint32_t fixed = 0;

	x->ids |= write_leads(lead, from, most);
	clear_small(x->of, sizeof(x->of));
	for (;; k++) {
		uint64_t like;

		if (alone < ALONE_MOST) {
			like = left & equal_rows(lead, most, &lead[i], of, (uint8_t)k);
			if (sw_in_a_row(like))
				alone += like & (like - 1) ? ALONE_MOST : 1;
			if (alone >= ALONE_MOST)
				ends = ~equal_to_next(lead, most);
		} else {
			uint64_t end = ends & ~sw_frames_before(i);

			like = left & (end ^ (end - 1));
			for (uint64_t frames = like; frames; frames &= frames - 1)
				of[__builtin_ctzll(frames)] = (uint8_t)k;
		}
		left &= ~like;
		fixed |= put_place_at(sw, in, x, k, from[i]->hdr);
		if (!left)
			break;
		i = (unsigned)__builtin_ctzll(left);
	}
	x->n = k + 1;
	x->n_first = 0;
	x->fixed = fixed;
}

// Sixteen bytes, which are compared at once.
typedef uint64_t half_line __attribute__((vector_size(16)));

#define END_OF_HDR 48 // where the last sixteen bytes of a header begin

INLINE half_line half_line_of(const struct hdr *h, unsigned from)
{
	half_line bytes;

	memcpy(&bytes, (const uint8_t *)h + from, sizeof(bytes));
	return bytes;
}

// The bits of a header that its lead has, and those of its id. They stand in its first sixteen
// bytes and in its last sixteen.
static const struct hdr lead_and_id = {
	.dst = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	.src = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	.vlan_tci = 0xffff,
	.flags = 0xff,
	.id = UINT32_MAX,
};

_Static_assert(sizeof(struct hdr) == END_OF_HDR + sizeof(half_line) &&
		       offsetof(struct hdr, flags) > END_OF_HDR,
	"flags and id are in the last sixteen bytes");

#define TOGETHER 8 // frames that are compared with one header at once

// Whether the headers of so many frames agree with this one in lead and id.
INLINE bool all_like(struct pkt *const *burst, const struct hdr *like)
{
	const half_line begin = half_line_of(like, 0), end = half_line_of(like, END_OF_HDR);
	half_line in_begin = {0}, in_end = {0}; // what differs

	for (unsigned i = 0; i < TOGETHER; i++) {
		const struct hdr *h = burst[i]->hdr;

		in_begin |= half_line_of(h, 0) ^ begin;
		in_end |= half_line_of(h, END_OF_HDR) ^ end;
	}
	in_begin &= half_line_of(&lead_and_id, 0);
	in_begin |= in_end & half_line_of(&lead_and_id, END_OF_HDR);
	return !(in_begin[0] | in_begin[1]);
}

// Of frames from `at` to n: the first one that is not looked up like burst[0]. *ids gets the ids of
// the others.
INLINE unsigned first_other(struct pkt *const *burst, unsigned at, unsigned n, uint32_t *ids)
{
	const struct lead first = lead_of(burst[0]->hdr);

	for (; at < n && !differ(first, lead_of(burst[at]->hdr)); at++)
		*ids |= burst[at]->hdr->id;
	return at;
}

// Finds the places of n frames. False: a header has an id.
INLINE bool find_places(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned n)
{
	uint32_t ids = burst[0]->hdr->id;
	unsigned i = first_other(burst, 1, n < TOGETHER ? n : TOGETHER, &ids);

	if (i == TOGETHER) { // more of them are likely
		while (i + TOGETHER <= n && all_like(burst + i, burst[0]->hdr))
			i += TOGETHER;
		i = first_other(burst, i, n, &ids);
	}
	x->ids = ids;
	if (i < n) {
		enum order order = order_of(burst + i - 1, n - i + 1);

		if (order == IN_TRAINS)
			put_rows(sw, in, x, burst, i, n);
		else if (order == ALL_DIFFER)
			put_each(sw, in, x, burst, i, n);
		else
			find_more(sw, in, x, burst, i, n);
	} else {
		x->fixed = put_place_at(sw, in, x, 0, burst[0]->hdr);
		x->n = 1;
	}
	return !x->ids;
}

// Whether the lines of its two sets settle a place: the source is known at this port and need not
// be written again, and the destination has not aged. *value: what the FDB has for the destination.
INLINE bool is_settled(const struct places *x, unsigned k, uint32_t port, int32_t known,
	int32_t live, uint32_t *value)
{
	const struct table_set *src_set = x->src_set[k], *dst_set = x->dst_set[k];
	unsigned src = table_match(src_set, x->src[k], known);
	unsigned dst = table_match(dst_set, x->dst[k], live);

	if (UNLIKELY(!src || !dst))
		return false;
	*value = dst_set->value[__builtin_ctz(dst)];
	return LIKELY(src_set->value[__builtin_ctz(src)] == port) ||
	       src_set->mark[__builtin_ctz(src)] >= TABLE_FIXED;
}

struct sw_way sw_way(struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now)
{
	const struct table *t = &sw->fdb;
	struct places x; // one
	uint32_t value;

	if (h->id - 1 < sw->n_ids) {
		const struct sw_fwd *f = sw_fwd_fresh(sw, &sw->fwd[h->id], h, in->index, now);

		return (struct sw_way){f->out, f->cls, 0};
	}
	put_place(t, &x, 0, h);
	if (UNLIKELY(!is_settled(&x, 0, in->index, table_mark_since(t, sw->refresh_ps, now),
		    table_mark_since(t, t->max_age, now), &value)))
		value = sw_fdb_look_up(sw, in, h, now);
	return (struct sw_way){sw_fdb_out(sw, value, h, in->index), sw_header_class(in, h), 0};
}

// The ways of frames of which some have headers that are remembered.
ASIDE void ways_by_header(struct sw *sw, const struct sw_port *in, struct pkt *const *burst,
	unsigned n, struct sw_way *way, tstamp now)
{
	for (unsigned i = 0; i < n; i++)
		way[i] = i && burst[i]->hdr == burst[i - 1]->hdr
				 ? way[i - 1]
				 : sw_way(sw, in, burst[i]->hdr, now);
}

// The way of a frame from a port, for whose destination the FDB has `value`. A set of equal ways
// stands in it as in the FDB.
INLINE struct sw_way way_to(uint32_t port, uint32_t value, uint8_t cls)
{
	return (struct sw_way){value == port ? SW_OUT_SAME : (uint16_t)value, cls, 0};
}

static inline bool is_ecmp(uint32_t value)
{
	return value >= SW_ECMP && value < SW_OUT_ODD;
}

_Static_assert(offsetof(struct hdr, daddr) == offsetof(struct hdr, saddr) + 16, "one comparison");

// Whether both addresses of IP agree.
INLINE bool same_pair(const struct hdr *a, const struct hdr *b)
{
	return !memcmp(a->saddr, b->saddr, sizeof(a->saddr) + sizeof(a->daddr));
}

// The ways of frames (bitmap) that have one place, which leads to a set of equal ways. What comes
// of a frame's addresses, and of its flow, holds for the next one, too, where these agree.
ASIDE void spread_flows(const struct sw *sw, const struct sw_port *in, const struct places *x,
	unsigned k, struct pkt *const *burst, uint64_t frames, unsigned set, struct sw_way *way)
{
	const struct sw_ecmp_set list = sw->ecmp_set[set];
	const uint64_t of_place = sw_ecmp_of_place(sw->ecmp_salt, x->dst[k], x->src[k]);
	const struct hdr *pair = burst[__builtin_ctzll(frames)]->hdr;
	const bool ip = pair->flags & HDR_IP;
	uint64_t of_pair = sw_ecmp_of_addresses(of_place, pair), ports = UINT64_MAX; // none has it
	unsigned port = in->index;
	struct sw_way w = {0, x->cls[k], 0};

	for (; frames; frames &= frames - 1) {
		unsigned i = (unsigned)__builtin_ctzll(frames);
		const struct hdr *h = burst[i]->hdr;
		uint64_t own = sw_ecmp_ports(h);

		if (!same_pair(h, pair)) {
			pair = h;
			of_pair = sw_ecmp_of_addresses(of_place, h);
			ports = UINT64_MAX;
		}
		if (own != ports) {
			unsigned out = sw_ecmp_in(sw, set, list, sw_ecmp_of_flow(of_pair, ip, own));

			w.out = out == port ? SW_OUT_SAME : (uint16_t)out;
			ports = own;
		}
		sw_way_put(&way[i], w);
	}
}

// The ways of n frames from `at` on that have one place, for whose destination the FDB has `value`.
INLINE void put_row(const struct sw *sw, const struct sw_port *in, const struct places *x,
	unsigned k, struct pkt *const *burst, unsigned at, unsigned n, uint32_t value,
	struct sw_way *way)
{
	if (UNLIKELY(is_ecmp(value)))
		spread_flows(sw, in, x, k, burst, sw_frames_before(n) << at, value - SW_ECMP, way);
	else
		sw_ways_spread(way + at, n, way_to(in->index, value, x->cls[k]));
}

// What the FDB has for the destination of a place that a frame has. It may change the FDB.
INLINE uint32_t look_up(struct sw *sw, const struct sw_port *in, const struct places *x, unsigned k,
	const struct hdr *h, tstamp now)
{
	const struct table *t = &sw->fdb;
	uint32_t value;

	if (LIKELY(is_settled(x, k, in->index, table_mark_since(t, sw->refresh_ps, now),
		    table_mark_since(t, t->max_age, now), &value)))
		return value;
	return sw_fdb_look_up(sw, in, h, now);
}

// The ways of frames that have several places, in their order: each look-up may change the FDB.
ASIDE void put_in_order(struct sw *sw, const struct sw_port *in, const struct places *x,
	struct pkt *const *burst, unsigned n, struct sw_way *way, tstamp now)
{
	for (unsigned i = 0, to; i < n; i = to) {
		unsigned k = place_of(x, i);

		for (to = i + 1; to < n && place_of(x, to) == k;)
			to++;
		put_row(sw, in, x, k, burst, i, to - i, look_up(sw, in, x, k, burst[i]->hdr, now),
			way);
	}
}

_Static_assert(!(SW_ECMP & (SW_ECMP - 1)), "it is one bit, which no port has");

// Finds the ways of places. False: some place is not settled. Else the FDB stays as it is, and that
// holds for the whole burst. *values: what the FDB has for all of them, by OR; SW_ECMP at least if
// some way is a set of equal ways.
INLINE bool settle_places(const struct sw *sw, const struct sw_port *in, const struct places *x,
	struct sw_way *way, uint32_t *values, tstamp now)
{
	const struct table *t = &sw->fdb;
	int32_t known = table_mark_since(t, sw->refresh_ps, now);
	int32_t live = table_mark_since(t, t->max_age, now);
	uint32_t all = 0, port = in->index;
	unsigned n = x->n;

	for (unsigned k = 0; k < n; k++) {
		uint32_t value;

		if (UNLIKELY(!is_settled(x, k, port, known, live, &value)))
			return false;
		all |= value;
		sw_way_put(&way[k], way_to(port, value, x->cls[k]));
	}
	*values = all;
	return true;
}

// The ways of frames by their places.
INLINE void put_ways_of(
	const struct sw_way *at, const uint8_t *place, unsigned n, struct sw_way *way)
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i++)
		sw_way_put(&way[i], at[place[i]]);
}

// The ways of frames at places whose way is a set of equal ways.
ASIDE void spread_places(const struct sw *sw, const struct sw_port *in, const struct places *x,
	const struct sw_way *at, struct pkt *const *burst, unsigned n, struct sw_way *way)
{
	for (unsigned k = 0, places = x->n; k < places; k++)
		if (is_ecmp(at[k].out))
			spread_flows(
				sw, in, x, k, burst, frames_at(x, k, n), at[k].out - SW_ECMP, way);
}

// The ways of frames that have several places.
ASIDE void put_ways(struct sw *sw, const struct sw_port *in, const struct places *x,
	struct pkt *const *burst, unsigned n, struct sw_way *way, tstamp now)
{
	struct sw_way room[SW_BURST], *at = x->n_first ? way + x->n_first - 1 : room;
	uint32_t values;

	if (UNLIKELY(!settle_places(sw, in, x, at, &values, now))) {
		put_in_order(sw, in, x, burst, n, way, now);
		return;
	}
	if (x->n_first)
		sw_ways_spread(way, x->n_first, at[0]);
	else
		put_ways_of(at, x->of, n, way);
	if (UNLIKELY(values >= SW_ECMP))
		spread_places(sw, in, x, at, burst, n, way);
}

// The ways of frames that have one place. Whether all have the same.
INLINE bool put_one(struct sw *sw, const struct sw_port *in, const struct places *x,
	struct pkt *const *burst, unsigned n, struct sw_way *way, tstamp now)
{
	uint32_t value = look_up(sw, in, x, 0, burst[0]->hdr, now);
	bool same = !is_ecmp(value);

	put_row(sw, in, x, 0, burst, 0, same ? 1 : n, value, way);
	return same;
}

unsigned sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now)
{
	struct places x;
	bool same = false;

	if (UNLIKELY(!n))
		return 0;
	if (UNLIKELY(!find_places(sw, in, &x, burst, n))) {
		ways_by_header(sw, in, burst, n, way, now);
		return 0;
	}
	if (x.n == 1)
		same = put_one(sw, in, &x, burst, n, way, now);
	else
		put_ways(sw, in, &x, burst, n, way, now);
	return (same ? SW_WAYS_SAME : 0) | (x.fixed ? 0 : SW_WAYS_BY_DSCP);
}
