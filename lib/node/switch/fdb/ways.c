// SPDX-License-Identifier: BSD-3-Clause
// The ways of a burst. Frames with the same look-up share one place, and are looked up once.
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "int.h"

#include "base/hint.h"

// The fields that decide the look-up of a frame from one port, in words (little endian): both
// addresses, the TCI, and the flags in place of the EtherType, which does not matter.
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

// The keys and sets of a frame's source and destination, with which it is looked up.
struct place {
	uint64_t src, dst; // eth_key
	const struct table_set *src_set, *dst_set;
	const struct hdr *hdr;
};

// Takes the place of a set of the FDB. It is empty, so that the frame is looked up by itself.
static const struct table_set nowhere;

// Writes the place of a header, and has its sets fetched. A frame to a group is looked up by
// itself. Callers in a loop give a copy of the table, which no store can change.
INLINE void put_place(const struct table *t, struct place *at, const struct hdr *h)
{
	uint16_t vid = sw_fdb_vid(h);

	at->src = src_key(h, vid);
	at->dst = dst_key(lead_of(h), vid);
	at->src_set = table_set_of(t, at->src);
	at->dst_set = UNLIKELY(h->dst[0] & 1) ? &nowhere : table_set_of(t, at->dst);
	table_fetch(at->src_set);
	table_fetch(at->dst_set);
	at->hdr = h;
}

// Returns whether the two table sets are enough to forward a frame. The source must be known at
// this port with a mark above `known`, so that it need not be written again. The destination must
// have a mark above `live`, so that it has not aged. *value: the FDB's value for the destination.
INLINE bool is_settled(
	const struct place *at, uint32_t port, int32_t known, int32_t live, uint32_t *value)
{
	unsigned src = table_match(at->src_set, at->src, known);
	unsigned dst = table_match(at->dst_set, at->dst, live);

	if (UNLIKELY(!src || !dst))
		return false;
	*value = at->dst_set->value[__builtin_ctz(dst)];
	return LIKELY(at->src_set->value[__builtin_ctz(src)] == port) ||
	       at->src_set->mark[__builtin_ctz(src)] >= TABLE_FIXED;
}

struct sw_way sw_way_by_fdb(
	struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now)
{
	const struct table *t = &sw->fdb;
	struct place at;
	uint32_t value;

	put_place(t, &at, h);
	if (UNLIKELY(!is_settled(&at, in->index, table_mark_since(t, sw->refresh_ps, now),
		    table_mark_since(t, t->max_age, now), &value)))
		value = sw_fdb_look_up(sw, in, h, now);
	return (struct sw_way){sw_fdb_out(sw, value, h, in->index), sw_header_class(in, h), 0};
}

// Looks up the ways of frames one after the other, because each look-up may change the FDB.
ASIDE void ways_in_order(struct sw *sw, const struct sw_port *in, struct pkt *const *burst,
	unsigned n, struct sw_way *way, tstamp now)
{
	for (unsigned i = 0; i < n; i++)
		sw_way_put(&way[i], sw_way(sw, in, burst[i]->hdr, now));
}

// The places of a burst.
struct places {
	unsigned n;
	uint32_t ids;         // 0 if the ids of all headers are
	uint8_t of[SW_BURST]; // frames
	struct place at[SW_BURST];
};

// Slots by a hash of leads: each has the last place with that hash, or the first place of all.
struct slots {
	uint8_t place[SW_BURST];
	struct lead lead[SW_BURST]; // of places
};

_Static_assert(SW_BURST == 64, "a slot has the upper six bits of a hash");

// The hash covers both addresses: either may be the same in all frames, and the bits that tell
// hosts apart may be the same in both.
static inline unsigned slot_of(struct lead l)
{
	return ((l.word[0] ^ (l.word[1] << 29 | l.word[1] >> 35)) * 0x9e3779b97f4a7c15) >> 58;
}

// A header begins a place, and takes this slot.
ASIDE unsigned begin_place(
	const struct sw *sw, struct places *x, struct slots *s, unsigned slot, const struct hdr *h)
{
	unsigned k = x->n++;

	s->place[slot] = (uint8_t)k;
	s->lead[k] = lead_of(h);
	put_place(&sw->fdb, &x->at[k], h);
	return k;
}

// Finds the places of the frames from i to n. A place that has lost its slot to another is found
// once more, so n places are enough.
INLINE void find_by_slot(const struct sw *sw, struct places *x, struct slots *s,
	struct pkt *const *burst, unsigned i, unsigned n)
{
	uint32_t ids = 0;

	for (; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		const struct lead l = lead_of(h);
		unsigned slot = slot_of(l), k = s->place[slot];

		ids |= h->id;
		if (differ(l, s->lead[k]))
			k = begin_place(sw, x, s, slot, h);
		x->of[i] = (uint8_t)k;
	}
	x->ids |= ids;
}

// Gives each remaining frame a look-up of its own. The sets of a frame are prefetched while the
// header of the next frame is on its way from memory.
INLINE void put_each(
	const struct sw *sw, struct places *x, struct pkt *const *burst, unsigned i, unsigned n)
{
	const struct table t = sw->fdb; // a copy, which no store below can change
	uint32_t ids = 0;
	unsigned k = x->n;

	for (; i < n; i++, k++) {
		ids |= burst[i]->hdr->id;
		x->of[i] = (uint8_t)k;
		put_place(&t, &x->at[k], burst[i]->hdr);
	}
	x->ids |= ids;
	x->n = k;
}

#define SAMPLE 8 // frames that say what is to be expected of the others
#define SHARE  2 // of these, where it is worth looking for more

// Prepares the look-ups of the frames from i on. Frame i is the first whose look-up differs from
// those before it.
ASIDE void find_more(
	const struct sw *sw, struct places *x, struct pkt *const *burst, unsigned i, unsigned n)
{
	unsigned sample = n - i < SAMPLE ? n : i + SAMPLE;
	struct slots s;

	clear_small(x->of, sizeof(x->of));
	clear_small(s.place, sizeof(s.place));
	s.lead[0] = lead_of(burst[0]->hdr);
	find_by_slot(sw, x, &s, burst, i, sample);
	if (x->n - 1 + SHARE <= sample - i)
		find_by_slot(sw, x, &s, burst, sample, n);
	else
		put_each(sw, x, burst, sample, n);
}

// Sixteen bytes, which are compared at once.
typedef uint64_t half_line __attribute__((vector_size(16)));

INLINE half_line half_line_of(const struct hdr *h, unsigned from)
{
	half_line bytes;

	memcpy(&bytes, (const uint8_t *)h + from, sizeof(bytes));
	return bytes;
}

#define END 48 // where the last sixteen bytes of a header begin

_Static_assert(sizeof(struct hdr) == END + sizeof(half_line) && offsetof(struct hdr, flags) > END,
	"flags and id are in the last sixteen bytes");

// The bits that differ in the leads and ids of two headers.
INLINE half_line difference(const struct hdr *a, const struct hdr *b)
{
	static const struct hdr counts = {
		.dst = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		.src = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		.vlan_tci = 0xffff,
		.flags = 0xff,
		.id = UINT32_MAX,
	};

	return ((half_line_of(a, 0) ^ half_line_of(b, 0)) & half_line_of(&counts, 0)) |
	       ((half_line_of(a, END) ^ half_line_of(b, END)) & half_line_of(&counts, END));
}

// How many of n frames are surely like the first one in lead and id, counted by eights.
INLINE unsigned count_alike(struct pkt *const *burst, unsigned n)
{
	unsigned i = 0;

	for (; i + 8 <= n; i += 8) {
		half_line differs = {0};

		for (unsigned k = i; k < i + 8; k++)
			differs |= difference(burst[0]->hdr, burst[k]->hdr);
		if (differs[0] | differs[1])
			break;
	}
	return i ? i : 1;
}

INLINE void find_places(const struct sw *sw, struct places *x, struct pkt *const *burst, unsigned n)
{
	const struct lead first = lead_of(burst[0]->hdr);
	unsigned i = count_alike(burst, n);

	put_place(&sw->fdb, &x->at[0], burst[0]->hdr);
	x->n = 1;
	x->ids = burst[0]->hdr->id;
	for (; i < n && !differ(first, lead_of(burst[i]->hdr)); i++)
		x->ids |= burst[i]->hdr->id;
	if (i < n)
		find_more(sw, x, burst, i, n);
}

static inline bool is_ecmp(uint32_t value)
{
	return value >= SW_ECMP && value < SW_OUT_ODD;
}

// Whether both addresses of IP agree.
INLINE bool same_pair(const struct hdr *a, const struct hdr *b)
{
	return !memcmp(a->saddr, b->saddr, sizeof(a->saddr)) &&
	       !memcmp(a->daddr, b->daddr, sizeof(a->daddr));
}

// Writes the ways of frames, some of which have several equal ways. `to`: the result of each
// look-up. Consecutive frames with the same addresses share one hash.
ASIDE void spread_flows(const struct sw *sw, const struct sw_port *in, struct places *x,
	const struct sw_way *to, struct pkt *const *burst, unsigned n, struct sw_way *way)
{
	if (x->n == 1)
		clear_small(x->of, sizeof(x->of));
	for (unsigned i = 0, k; i < n;) {
		const struct place *at = &x->at[k = x->of[i]];
		const struct hdr *h = burst[i]->hdr, *pair = h;
		const unsigned set = to[k].out - SW_ECMP, port = in->index;
		const bool ip = h->flags & HDR_IP;
		struct sw_way w = to[k];
		uint64_t of_pair;

		if (!is_ecmp(w.out)) {
			sw_way_put(&way[i++], w);
			continue;
		}
		of_pair = sw_ecmp_of_place(sw->ecmp_salt, at->dst, at->src);
		of_pair = sw_ecmp_of_addresses(of_pair, pair);
		do {
			unsigned out = sw_ecmp_way(
				sw, set, sw_ecmp_of_flow(of_pair, ip, sw_ecmp_ports(h)));

			w.out = out == port ? SW_OUT_SAME : (uint16_t)out;
			sw_way_put(&way[i], w);
		} while (++i < n && x->of[i] == k && same_pair(h = burst[i]->hdr, pair));
	}
}

_Static_assert(!(SW_ECMP & (SW_ECMP - 1)), "it is one bit, which no port has");

// The ways of all places, joined by OR.
struct common {
	uint32_t values; // of the FDB; SW_ECMP at least if one is a set of equal ways
	uint32_t others; // 0 if all ways are the same
	uint32_t fixed;  // 0 if all classes follow from DSCP
};

// Tries to find the way of each look-up from its table sets alone. True: all are found, and the FDB
// does not change during the burst. False: at least one needs a full look-up.
INLINE bool settle_places(const struct sw *sw, const struct sw_port *in, const struct places *x,
	struct sw_way *to, struct common *c, tstamp now)
{
	const struct table *t = &sw->fdb;
	int32_t known = table_mark_since(t, sw->refresh_ps, now);
	int32_t live = table_mark_since(t, t->max_age, now);
	uint32_t value, port = in->index;

	*c = (struct common){0};
	for (unsigned k = 0, n = x->n; k < n; k++) {
		const struct place *at = &x->at[k];
		uint8_t cls = sw_header_class(in, at->hdr);

		if (UNLIKELY(!is_settled(at, port, known, live, &value)))
			return false;
		sw_way_put(&to[k],
			(struct sw_way){value == port ? SW_OUT_SAME : (uint16_t)value, cls, 0});
		c->values |= value;
		c->others |= sw_way_word(to[k]) ^ sw_way_word(to[0]);
		c->fixed |= cls ^ SW_CLS_BY_DSCP;
	}
	return true;
}

unsigned sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now)
{
	struct sw_way to[SW_BURST]; // by place; a set of equal ways stands in it as in the FDB
	struct places x;
	struct common c;
	bool ecmp;

	if (UNLIKELY(!n))
		return 0;
	find_places(sw, &x, burst, n);
	if (UNLIKELY(x.ids || !settle_places(sw, in, &x, to, &c, now))) {
		ways_in_order(sw, in, burst, n, way, now);
		return 0;
	}
	ecmp = c.values >= SW_ECMP;
	if (UNLIKELY(ecmp))
		spread_flows(sw, in, &x, to, burst, n, way);
	else if (!c.others)
		sw_way_put(way, to[0]);
	else
		for (unsigned i = 0; i < n; i++)
			sw_way_put(&way[i], to[x.of[i]]);
	return (c.others || ecmp ? 0 : SW_WAYS_SAME) | (c.fixed ? 0 : SW_WAYS_BY_DSCP);
}
