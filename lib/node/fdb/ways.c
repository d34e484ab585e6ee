// SPDX-License-Identifier: BSD-3-Clause
// The ways of a burst. Frames behind each other that are looked up alike are a run, and are looked
// up once. Where frames take turns, runs that are looked up alike are looked up once, too.
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "int.h"

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

#define SLOT_BITS 7
_Static_assert(1 << SLOT_BITS >= 2 * SW_BURST, "there are slots for twice as many leads");

// Where the frames of a burst are looked up.
struct places {
	uint64_t src[SW_BURST], dst[SW_BURST]; // eth_key
	const struct table_set *src_set[SW_BURST], *dst_set[SW_BURST];
	uint64_t lead[2][SW_BURST];
	struct sw_way way[SW_BURST];
	uint8_t cls[SW_BURST]; // sw_header_class
	unsigned n;

	uint8_t first[SW_BURST + 1]; // frame of the run
	uint8_t of[SW_BURST];        // place of the run
	uint8_t frame[SW_BURST + 1]; // of the place
	unsigned runs;

	uint8_t slot[1 << SLOT_BITS]; // by hash of a lead: the place that has it, if one has
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

// The place that a lead has, or else m, which gets it.
INLINE unsigned place_of(struct places *x, unsigned m, struct lead l)
{
	uint64_t turned = l.word[1] << 23 | l.word[1] >> (64 - 23);
	uint64_t hash = ((l.word[0] ^ turned) * 0x9e3779b97f4a7c15) >> (64 - SLOT_BITS);
	unsigned k = x->slot[hash];
	const struct lead there = {{x->lead[0][k], x->lead[1][k]}};

	k = differ(l, there) ? m : k;
	x->slot[hash] = (uint8_t)k;
	x->lead[0][m] = l.word[0];
	x->lead[1][m] = l.word[1];
	return k;
}

#define SAMPLE 8 // that many frames, or runs, say what is to be expected of the others

// Finds the runs of n frames, where those before frame `at` are known. Whether a frame begins one
// makes no branch, for where frames differ nobody could foresee it. Returns a word that is 0 if all
// of their headers' ids are.
INLINE uint32_t find_runs(struct places *x, struct pkt *const *burst, unsigned at, unsigned n)
{
	struct lead before = lead_of(burst[at - 1]->hdr);
	uint32_t ids = burst[at - 1]->hdr->id;
	unsigned runs = x->runs;

	for (unsigned i = at; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		struct lead l = lead_of(h);

		x->first[runs] = (uint8_t)i;
		runs += differ(l, before);
		ids |= h->id;
		before = l;
	}
	x->runs = runs;
	return ids;
}

// The places of runs from run `at` on, by their leads. Returns how many places there are then.
INLINE unsigned share_places(
	struct places *x, struct pkt *const *burst, unsigned m, unsigned at, unsigned runs)
{
	for (unsigned r = at; r < runs; r++) {
		unsigned first = x->first[r], k = place_of(x, m, lead_of(burst[first]->hdr));

		x->of[r] = (uint8_t)k;
		x->frame[m] = (uint8_t)first;
		m += k == m;
	}
	return m;
}

// Each of SAMPLE + 1 frames begins a run: whether one of them is looked up like the first.
INLINE bool comes_again(struct pkt *const *burst)
{
	const struct lead first = lead_of(burst[0]->hdr);
	bool again = false;

	for (unsigned i = 2; i <= SAMPLE; i++)
		again |= !differ(first, lead_of(burst[i]->hdr));
	return again;
}

// The places of the first runs. Whether some of them share one.
ASIDE bool begin_to_share(struct places *x, struct pkt *const *burst)
{
	clear_small(x->slot, sizeof(x->slot));
	x->lead[0][0] = x->lead[1][0] = 0;
	x->n = share_places(x, burst, 0, 0, SAMPLE);
	return x->n != SAMPLE;
}

INLINE void put_place_at(const struct sw *sw, const struct sw_port *in, struct places *x,
	unsigned k, const struct hdr *h)
{
	put_place(&sw->fdb, x, k, h);
	x->cls[k] = sw_header_class(in, h);
}

// Places of runs that have one each.
INLINE void put_each(
	const struct sw *sw, const struct sw_port *in, struct places *x, struct pkt *const *burst)
{
	const unsigned n = x->runs;

	for (unsigned r = 0; r < n; r++)
		put_place_at(sw, in, x, r, burst[x->first[r]]->hdr);
	x->n = n;
}

ASIDE void put_shared(
	const struct sw *sw, const struct sw_port *in, struct places *x, struct pkt *const *burst)
{
	const unsigned n = share_places(x, burst, x->n, SAMPLE, x->runs);

	for (unsigned k = 0; k < n; k++)
		put_place_at(sw, in, x, k, burst[x->frame[k]]->hdr);
	x->n = n;
}

// Each of the frames from `at` on gets a run and a place of its own. Those before are the first
// run.
ASIDE uint32_t put_frames(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	unsigned m = 0;
	uint32_t ids = 0;

	for (unsigned i = at - 1; i < n; i++, m++) {
		const struct hdr *h = burst[i]->hdr;

		ids |= h->id;
		x->first[m] = (uint8_t)i;
		put_place_at(sw, in, x, m, h);
	}
	x->first[0] = 0;
	x->n = x->runs = m;
	return ids;
}

// Finds the places of n frames, of which frame `at` is the first one to begin a run. Returns a word
// that is 0 if the ids of all headers from there on are.
ASIDE uint32_t find_more(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned at, unsigned n)
{
	unsigned sample = n - at > 2 * SAMPLE ? at + SAMPLE : n;
	uint32_t ids;

	x->runs = 1;
	ids = find_runs(x, burst, at, sample);
	if (sample < n) {
		if (x->runs > SAMPLE && !comes_again(burst + at - 1))
			return ids | put_frames(sw, in, x, burst, at, n);
		ids |= find_runs(x, burst, sample, n);
	}
	if (x->runs > SAMPLE && x->runs * 5 > (n - at) * 2 && begin_to_share(x, burst))
		put_shared(sw, in, x, burst);
	else
		put_each(sw, in, x, burst);
	return ids;
}

// Finds the places of n frames. False: a header has an id.
INLINE bool find_places(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned n)
{
	const struct lead first = lead_of(burst[0]->hdr);
	uint32_t ids = burst[0]->hdr->id;
	unsigned i = 1;

	x->first[0] = 0;
	for (; i < n && !differ(first, lead_of(burst[i]->hdr)); i++)
		ids |= burst[i]->hdr->id;
	if (i < n) {
		ids |= find_more(sw, in, x, burst, i, n);
	} else {
		put_place_at(sw, in, x, 0, burst[0]->hdr);
		x->n = x->runs = 1;
	}
	x->first[x->runs] = (uint8_t)n;
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

// Gives one way to n frames, one at least.
static inline void spread(struct sw_way *way, unsigned n, struct sw_way w)
{
	uint32_t word = sw_way_word(w);

	memcpy(way, &word, sizeof(word));
	for (unsigned i = 1; i < n; i++)
		memcpy(&way[i], &word, sizeof(word));
}

// The ways of a run to a set of equal ways.
static void spread_flows(const struct sw *sw, const struct sw_port *in, struct pkt *const *burst,
	unsigned n, unsigned set, struct sw_way *way)
{
	const struct sw_ecmp_set list = sw->ecmp_set[set];
	const struct hdr *last = NULL;
	unsigned port = in->index;
	uint64_t of_place = sw_ecmp_of_place(sw->ecmp_salt, burst[0]->hdr);
	struct sw_way w = {0, sw_header_class(in, burst[0]->hdr), 0};

	for (unsigned i = 0; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;

		if (!last || !same_flow(h, last)) {
			unsigned out = sw_ecmp_in(sw, set, list, sw_ecmp_of_flow(of_place, h));

			w.out = out == port ? SW_OUT_SAME : (uint16_t)out;
			last = h;
		}
		way[i] = w;
	}
}

// The ways of n frames that have one place, to whose destination the FDB leads by `value`.
INLINE void put_run(const struct sw *sw, const struct sw_port *in, unsigned cls,
	struct pkt *const *burst, unsigned n, uint32_t value, struct sw_way *way)
{
	if (UNLIKELY(value >= SW_ECMP && value < SW_OUT_ODD)) {
		spread_flows(sw, in, burst, n, value - SW_ECMP, way);
		return;
	}
	value = value == in->index ? SW_OUT_SAME : value;
	spread(way, n, (struct sw_way){(uint16_t)value, (uint8_t)cls, 0});
}

// The ways of runs one after the other, each of which may change the FDB. `own`: each has a place
// of its own.
INLINE void put_runs(struct sw *sw, const struct sw_port *in, const struct places *x,
	const bool own, struct pkt *const *burst, struct sw_way *way, tstamp now)
{
	const struct table *t = &sw->fdb;
	int32_t known = table_mark_since(t, sw->refresh_ps, now);
	int32_t live = table_mark_since(t, t->max_age, now);

	for (unsigned r = 0; r < x->runs; r++) {
		unsigned i = x->first[r], n = x->first[r + 1] - i, k = own ? r : x->of[r];
		uint32_t value;

		if (UNLIKELY(!is_settled(x, k, in->index, known, live, &value)))
			value = sw_fdb_look_up(sw, in, burst[i]->hdr, now);
		put_run(sw, in, x->cls[k], burst + i, n, value, way + i);
	}
}

// Finds the ways of places. False: some place is not settled, or leads to a set of equal ways. Else
// the FDB stays as it is, and they hold for the whole burst.
INLINE bool settle_places(
	const struct sw *sw, const struct sw_port *in, struct places *x, tstamp now)
{
	const struct table *t = &sw->fdb;
	int32_t known = table_mark_since(t, sw->refresh_ps, now);
	int32_t live = table_mark_since(t, t->max_age, now);
	uint32_t port = in->index, value, most = 0;

	for (unsigned k = 0; k < x->n; k++) {
		if (UNLIKELY(!is_settled(x, k, port, known, live, &value)))
			return false;
		most = value > most ? value : most;
		value = value == port ? SW_OUT_SAME : value;
		spread(&x->way[k], 1, (struct sw_way){(uint16_t)value, x->cls[k], 0});
	}
	return most < SW_ECMP;
}

// The ways of runs that share places.
ASIDE void put_shared_runs(struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, struct sw_way *way, tstamp now)
{
	if (LIKELY(settle_places(sw, in, x, now)))
		for (unsigned r = 0; r < x->runs; r++)
			spread(way + x->first[r], x->first[r + 1] - x->first[r], x->way[x->of[r]]);
	else
		put_runs(sw, in, x, false, burst, way, now);
}

void sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now)
{
	struct places x;

	if (UNLIKELY(!n))
		return;
	if (UNLIKELY(!find_places(sw, in, &x, burst, n)))
		ways_by_header(sw, in, burst, n, way, now);
	else if (x.n == x.runs)
		put_runs(sw, in, &x, true, burst, way, now);
	else
		put_shared_runs(sw, in, &x, burst, way, now);
}
