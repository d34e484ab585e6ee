// SPDX-License-Identifier: BSD-3-Clause
// The ways of a burst. Frames that are looked up alike have one place, and are looked up once.
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "int.h"

#include "base/equal.h"
#include "base/hint.h"

#define FLOW_BYTES 36 // both addresses, both ports
_Static_assert(offsetof(struct hdr, flags) == offsetof(struct hdr, saddr) + FLOW_BYTES,
	"what tells flows apart is 36 bytes on end");

// Whether equal ways cannot part the two either: nothing differs that sw_ecmp_hash looks at.
static inline bool same_flow(const struct hdr *a, const struct hdr *b)
{
	return a == b || (a->proto == b->proto && !memcmp(a->saddr, b->saddr, FLOW_BYTES));
}

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

#define SRC_WORD 4 // where the eight bytes of a header begin that end with the source

static inline uint64_t src_key(const struct hdr *h, uint64_t vid)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)h + SRC_WORD, sizeof(word));
	return be64toh(word) << 16 >> 16 | vid << 48;
}

_Static_assert(SW_BURST <= EQUAL_MOST && SW_BURST % 16 == 0, "base/equal.h");

// Where the frames of a burst are looked up.
struct places {
	uint64_t src[SW_BURST], dst[SW_BURST]; // eth_key
	const struct table_set *src_set[SW_BURST], *dst_set[SW_BURST];
	uint8_t cls[SW_BURST];     // sw_header_class
	unsigned n, fixed;         // of which have a class that does not follow from DSCP
	uint64_t frames[SW_BURST]; // bitmap of those that a place has
	struct {
		_Alignas(16) uint8_t byte[16];
	} lead[SW_BURST + 1]; // of frames, their bytes in any order
};

// Stands in for a set of the FDB. Nothing is found in it, so the frame is looked up by itself.
static const struct table_set nowhere;

// Place k is that of a header; its sets are fetched.
INLINE void put_place(const struct table *t, struct places *x, unsigned k, const struct hdr *h)
{
	const struct lead l = lead_of(h);
	uint16_t vid = sw_fdb_vid(h);
	uint64_t src = src_key(h, vid), dst = dst_key(l, vid);
	const struct table_set *src_set = table_set_of(t, src), *dst_set = &nowhere;

	if (LIKELY(!(h->dst[0] & 1)))
		dst_set = table_set_of(t, dst);
	table_fetch(src_set);
	table_fetch(dst_set);
	x->src[k] = src;
	x->dst[k] = dst;
	x->src_set[k] = src_set;
	x->dst_set[k] = dst_set;
}

INLINE void put_place_at(const struct sw *sw, const struct sw_port *in, struct places *x,
	unsigned k, const struct hdr *h)
{
	put_place(&sw->fdb, x, k, h);
	x->cls[k] = sw_header_class(in, h);
	x->fixed += x->cls[k] != SW_CLS_BY_DSCP;
}

// Writes the leads of frames. Returns a word that is 0 if the ids of all of their headers are.
INLINE uint32_t write_leads(struct places *x, struct pkt *const *burst, unsigned from, unsigned n)
{
	uint32_t ids = 0;

	for (unsigned i = from; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		uint16_t flags = h->flags;

		memcpy(x->lead[i].byte, h, sizeof(x->lead->byte));
		memcpy(x->lead[i].byte + offsetof(struct hdr, ethertype), &flags, sizeof(flags));
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

// Each of the frames from `at` on gets a place of its own, those before have one. So the sets of a
// frame are fetched while the header of the next one is waited for. Returns what find_more does.
ASIDE uint32_t put_each(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	uint32_t ids = 0;
	unsigned k = 0;

	for (unsigned i = at - 1; i < n; i++, k++) {
		const struct hdr *h = burst[i]->hdr;

		ids |= h->id;
		x->frames[k] = 1ull << i;
		put_place_at(sw, in, x, k, h);
	}
	x->frames[0] = sw_frames_before(at);
	x->n = k;
	return ids;
}

// Frames in a row that are looked up alike get a place. Whether a frame begins a row makes no
// branch, for nobody could foresee it. Returns what find_more does.
ASIDE uint32_t put_rows(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	struct lead before = lead_of(burst[at - 1]->hdr);
	uint64_t begin = 0, from = 0;
	uint32_t ids = 0;
	unsigned k = 0;

	for (unsigned i = at - 1; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		struct lead l = lead_of(h);

		begin |= (uint64_t)differ(l, before) << i;
		ids |= h->id;
		before = l;
	}
	for (unsigned i = 0; begin; i = (unsigned)__builtin_ctzll(begin), begin &= begin - 1, k++) {
		uint64_t to = (begin & -begin) - 1;

		x->frames[k] = to & ~from;
		put_place_at(sw, in, x, k, burst[i]->hdr);
		from = to;
	}
	x->frames[k] = sw_frames_before(n) & ~from;
	put_place_at(sw, in, x, k, burst[__builtin_ctzll(x->frames[k])]->hdr);
	x->n = k + 1;
	return ids;
}

#define ALONE_MOST 2 // frames looked up like no other, until the rest are taken for such

// Finds the places of n frames, of which frame `at` is the first that is not looked up like those
// before it. Returns a word that is 0 if the ids of all headers from there on are. All leads are
// compared at once with one that has no place yet. When that has been in vain, frames in a row that
// are looked up alike get a place.
ASIDE uint32_t find_more(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	uint32_t ids = write_leads(x, burst, at - 1, n);
	uint64_t left = sw_frames_before(n), like = sw_frames_before(at), ends = 0;
	unsigned k = 0, i = at - 1, alone = 0;

	for (;; k++) {
		if (alone < ALONE_MOST) {
			like |= left & equal_rows(x->lead, n, &x->lead[i]);
			if (sw_in_a_row(like))
				alone += like & (like - 1) ? ALONE_MOST : 1;
			if (alone >= ALONE_MOST)
				ends = ~equal_to_next(x->lead, n);
		} else {
			uint64_t end = ends & ~sw_frames_before(i);

			like = left & (end ^ (end - 1));
		}
		left &= ~like;
		x->frames[k] = like;
		put_place_at(sw, in, x, k, burst[i]->hdr);
		if (!left)
			break;
		i = (unsigned)__builtin_ctzll(left);
		like = 0;
	}
	x->n = k + 1;
	return ids;
}

// Finds the places of n frames. False: a header has an id.
INLINE bool find_places(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned n)
{
	const struct lead first = lead_of(burst[0]->hdr);
	uint32_t ids = burst[0]->hdr->id;
	unsigned i = 1;

	x->fixed = 0;
	for (; i < n && !differ(first, lead_of(burst[i]->hdr)); i++)
		ids |= burst[i]->hdr->id;
	if (i < n) {
		enum order order = order_of(burst + i - 1, n - i + 1);

		if (order == IN_TRAINS)
			ids |= put_rows(sw, in, x, burst, i, n);
		else if (order == ALL_DIFFER)
			ids |= put_each(sw, in, x, burst, i, n);
		else
			ids |= find_more(sw, in, x, burst, i, n);
	} else {
		put_place_at(sw, in, x, 0, burst[0]->hdr);
		x->n = 1;
	}
	return !ids;
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

// The ways of frames (bitmap) that have one place, which leads to a set of equal ways.
static void spread_flows(const struct sw *sw, const struct sw_port *in, struct pkt *const *burst,
	uint64_t frames, unsigned set, struct sw_way *way)
{
	const struct sw_ecmp_set list = sw->ecmp_set[set];
	const struct hdr *first = burst[__builtin_ctzll(frames)]->hdr, *last = NULL;
	unsigned port = in->index;
	uint64_t of_place = sw_ecmp_of_place(sw->ecmp_salt, first);
	struct sw_way w = {0, sw_header_class(in, first), 0};

	for (; frames; frames &= frames - 1) {
		unsigned i = (unsigned)__builtin_ctzll(frames);
		const struct hdr *h = burst[i]->hdr;

		if (!last || !same_flow(h, last)) {
			unsigned out = sw_ecmp_in(sw, set, list, sw_ecmp_of_flow(of_place, h));

			w.out = out == port ? SW_OUT_SAME : (uint16_t)out;
			last = h;
		}
		way[i] = w;
	}
}

// The ways of n frames from `at` on that have one place, to whose destination the FDB leads by
// `value`.
INLINE void put_row(const struct sw *sw, const struct sw_port *in, unsigned cls,
	struct pkt *const *burst, unsigned at, unsigned n, uint32_t value, struct sw_way *way)
{
	if (UNLIKELY(value >= SW_ECMP && value < SW_OUT_ODD)) {
		spread_flows(sw, in, burst, sw_frames_before(n) << at, value - SW_ECMP, way);
		return;
	}
	value = value == in->index ? SW_OUT_SAME : value;
	sw_ways_spread(way + at, n, (struct sw_way){(uint16_t)value, (uint8_t)cls, 0});
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
	uint8_t of[SW_BURST];

	for (unsigned k = 0; k < x->n; k++)
		for (uint64_t left = x->frames[k]; left; left &= left - 1)
			of[__builtin_ctzll(left)] = (uint8_t)k;
	for (unsigned i = 0, to; i < n; i = to) {
		unsigned k = of[i];

		for (to = i + 1; to < n && of[to] == k;)
			to++;
		put_row(sw, in, x->cls[k], burst, i, to - i,
			look_up(sw, in, x, k, burst[i]->hdr, now), way);
	}
}

// Finds what the FDB has for places. False: some place is not settled. Else the FDB stays as it is,
// and that holds for the whole burst.
INLINE bool settle_places(const struct sw *sw, const struct sw_port *in, const struct places *x,
	uint32_t *value, tstamp now)
{
	const struct table *t = &sw->fdb;
	int32_t known = table_mark_since(t, sw->refresh_ps, now);
	int32_t live = table_mark_since(t, t->max_age, now);

	for (unsigned k = 0; k < x->n; k++)
		if (UNLIKELY(!is_settled(x, k, in->index, known, live, value + k)))
			return false;
	return true;
}

// The ways of frames that have several places.
ASIDE void put_ways(struct sw *sw, const struct sw_port *in, const struct places *x,
	struct pkt *const *burst, unsigned n, struct sw_way *way, tstamp now)
{
	uint32_t value[SW_BURST];

	if (UNLIKELY(!settle_places(sw, in, x, value, now))) {
		put_in_order(sw, in, x, burst, n, way, now);
		return;
	}
	for (unsigned k = 0; k < x->n; k++) {
		uint32_t out = value[k] == in->index ? SW_OUT_SAME : value[k];
		struct sw_way w = {(uint16_t)out, x->cls[k], 0};
		uint32_t word;

		if (UNLIKELY(out >= SW_ECMP && out < SW_OUT_ODD)) {
			spread_flows(sw, in, burst, x->frames[k], out - SW_ECMP, way);
			continue;
		}
		word = sw_way_word(w);
		for (uint64_t left = x->frames[k]; left; left &= left - 1)
			memcpy(&way[__builtin_ctzll(left)], &word, sizeof(word));
	}
}

// The ways of frames that have one place. Whether all have the same.
INLINE bool put_one(struct sw *sw, const struct sw_port *in, const struct places *x,
	struct pkt *const *burst, unsigned n, struct sw_way *way, tstamp now)
{
	uint32_t value = look_up(sw, in, x, 0, burst[0]->hdr, now);
	bool same = value < SW_ECMP || value >= SW_OUT_ODD;

	put_row(sw, in, x->cls[0], burst, 0, same ? 1 : n, value, way);
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
