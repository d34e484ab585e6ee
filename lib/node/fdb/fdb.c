// SPDX-License-Identifier: BSD-3-Clause
// Where a frame goes: learning, look-up, reserved addresses, flush.
#include "fdb.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "base/hint.h"
#include "shards/shards.h"

// 802.1Q Table 8-1: a bridge never forwards 01-80-C2-00-00-00 to -0F.
static bool is_reserved(const uint8_t mac[6])
{
	return eth_key(mac, 0) >> 4 == 0x0180c2000000 >> 4;
}

static uint16_t vid_of(const struct hdr *h)
{
	return h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;
}

// An address is new at a port, or has moved there: its shard tells, whoever has received it.
static void tell_new(struct sw *sw, uint64_t key, unsigned port, bool moved, tstamp now)
{
	struct sw_port *o = &sw->port[port];
	struct ev *ev;

	if (o->away)
		return;
	o->rare->stats.fdb_moved += moved;
	o->rare->stats.fdb_learned += !moved;
	ev = ev_put(sw->events, EV_FDB, now);
	if (ev) {
		ev->port = (uint16_t)port;
		ev->fdb.key = key;
	}
}

// Learns nothing from a group address (802.1Q cl. 8.7) or from the zero address. In a cut switch an
// address is learned when the other shards can be told of it, and they are told once per
// refresh_ps. False: a ring to one of them has no room, and the next frame is to try again.
static bool learn(struct sw *sw, const struct hdr *h, uint64_t key, unsigned port, tstamp now)
{
	struct table *t = &sw->fdb;
	uint32_t slot;

	if (h->src[0] & 1 || !eth_key(h->src, 0))
		return true;
	slot = table_get(t, key, now);
	if (slot != TABLE_NONE && (table_is_fixed(t, slot) || table_value(t, slot) == port)) {
		bool told = !sw->fabric || table_is_fixed(t, slot) ||
			    (tstamp_since(now, t->times[slot].seen) >= sw->refresh_ps &&
				    sw_fabric_learn(sw, key, port, now));

		if (told)
			table_touch(t, slot, now);
		return true;
	}

	bool moved = slot != TABLE_NONE;

	if (sw->fabric && !sw_fabric_learn(sw, key, port, now)) {
		table_del(t, key); // it is not where it was
		sw->gen += moved;
		return false;
	}
	if (table_put(t, key, port, false, now) == TABLE_NONE)
		return true;
	sw->gen++;
	tell_new(sw, key, port, moved, now);
	return true;
}

// Of two shards that have learned an address the one that saw it last is right; at one instant,
// that with the higher port.
void sw_fdb_told(struct sw *sw, uint64_t key, unsigned port, tstamp seen, tstamp now)
{
	struct table *t = &sw->fdb;
	uint32_t slot = table_get(t, key, now), is = 0;
	bool is_new = slot == TABLE_NONE, moves = true;
	tstamp last = 0;

	if (!is_new) {
		is = table_value(t, slot);
		last = t->times[slot].seen;
		moves = is != port;
	}
	if (!(sw->up[port / 64] >> port % 64 & 1) || (!is_new && table_is_fixed(t, slot)))
		return;
	if (!is_new && moves && (seen < last || (seen == last && port < is)))
		return;
	if (!moves) {
		table_touch(t, slot, tstamp_max(last, seen));
	} else if (table_put(t, key, port, false, seen) != TABLE_NONE) {
		sw->gen++;
		tell_new(sw, key, port, !is_new, now);
	}
}

// A source is written to the FDB where it is not there, has moved, or was written a refresh_ps ago;
// so it ages out up to a sixteenth early.
static void learn_if_new(
	struct sw *sw, const struct hdr *h, uint64_t key, unsigned port, tstamp now)
{
	const struct table *t = &sw->fdb;
	uint32_t slot = table_get(t, key, now);

	if (slot == TABLE_NONE ||
		(!table_is_fixed(t, slot) &&
			(table_value(t, slot) != port ||
				tstamp_since(now, t->times[slot].seen) >= sw->refresh_ps)))
		learn(sw, h, key, port, now);
}

// The way of a frame to whom the FDB has `value` for.
static inline uint16_t out_of(
	const struct sw *sw, uint32_t value, const struct hdr *h, unsigned port)
{
	if (UNLIKELY(value >= SW_ECMP && value < SW_OUT_ODD))
		value = sw_ecmp_way(sw, value - SW_ECMP, sw_ecmp_hash(sw->ecmp_salt, h));
	return value == port ? SW_OUT_SAME : (uint16_t)value;
}

// Looks a header up that came in on `port`, and learns its source.
void sw_fwd_fill(struct sw *sw, struct sw_fwd *f, const struct hdr *h, unsigned port, tstamp now)
{
	uint16_t vid = vid_of(h);

	f->in_port = (uint16_t)port;
	f->cls = sw_header_class(&sw->port[port], h);
	f->valid = tstamp_add(now, sw->refresh_ps);
	if (is_reserved(h->dst)) {
		f->out = SW_OUT_RESERVED;
		f->gen = sw->gen;
		return;
	}
	if (!learn(sw, h, eth_key(h->src, vid), port, now))
		f->valid = now;
	f->gen = sw->gen;
	f->out = SW_OUT_FLOOD;
	if (h->dst[0] & 1)
		return;

	const struct table *t = &sw->fdb;
	uint32_t slot = table_get(t, eth_key(h->dst, vid), now);

	if (slot == TABLE_NONE)
		return;
	f->out = out_of(sw, table_value(t, slot), h, port);
	if (!table_is_fixed(t, slot))
		f->valid = tstamp_min(f->valid, tstamp_add(t->times[slot].seen, t->max_age));
}

// Learns the source; what the FDB has for the destination, or SW_OUT_*. Each step is exact.
ASIDE uint32_t look_up(struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now)
{
	uint16_t vid = vid_of(h);
	uint32_t slot;

	if (is_reserved(h->dst))
		return SW_OUT_RESERVED;
	learn_if_new(sw, h, eth_key(h->src, vid), in->index, now);
	if (h->dst[0] & 1)
		return SW_OUT_FLOOD;
	slot = table_get(&sw->fdb, eth_key(h->dst, vid), now);
	return slot != TABLE_NONE ? table_value(&sw->fdb, slot) : SW_OUT_FLOOD;
}

#define FLOW_BYTES 36 // both addresses, both ports
_Static_assert(offsetof(struct hdr, flags) == offsetof(struct hdr, saddr) + FLOW_BYTES,
	"what tells flows apart is 36 bytes on end");

// Whether equal ways cannot part the two either: nothing differs that sw_ecmp_hash looks at.
static inline bool same_flow(const struct hdr *a, const struct hdr *b)
{
	return a == b || (a->proto == b->proto && !memcmp(a->saddr, b->saddr, FLOW_BYTES));
}

// Gives one way to n frames, one at least, that are looked up alike.
static inline void spread(struct sw_way *way, unsigned n, struct sw_way w)
{
	uint32_t word = sw_way_word(w);

	memcpy(way, &word, sizeof(word));
	for (unsigned i = 1; i < n; i++)
		memcpy(&way[i], &word, sizeof(word));
}

// The ways of frames that are looked up alike, from burst[0] on, to a set of equal ways.
static void spread_flows(const struct sw *sw, const struct sw_port *in, struct pkt **burst,
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

// Where the frames of a burst are looked up. Frames behind each other that are looked up alike have
// one place.
struct places {
	uint64_t src[SW_BURST], dst[SW_BURST]; // eth_key
	const struct table_set *src_set[SW_BURST], *dst_set[SW_BURST];
	uint8_t first[SW_BURST + 1]; // frame of the place
	uint8_t cls[SW_BURST];       // sw_header_class
	unsigned n;
};

// Stands in for a set of the FDB. Nothing is found in it, so the frame is looked up by itself.
static const struct table_set nowhere;

// What leads a header, both addresses, VLAN and EtherType, as it is compared.
struct lead {
	uint64_t word[2];
};

_Static_assert(offsetof(struct hdr, ethertype) + 2 == sizeof(struct lead), "it is 16 bytes on end");

static inline struct lead lead_of(const struct hdr *h)
{
	struct lead l;

	memcpy(&l, h, sizeof(l));
	return l;
}

#define SRC_WORD 4 // of a header's bytes, the eight that the source ends
_Static_assert(offsetof(struct hdr, dst) == 0 && offsetof(struct hdr, src) == SRC_WORD + 2,
	"addresses stand at the end and at the begin of words");

// eth_key of both addresses, by fewer loads.
static inline uint64_t dst_key(struct lead l, uint64_t vid)
{
	return be64toh(l.word[0]) >> 16 | vid << 48;
}

static inline uint64_t src_key(const struct hdr *h, uint64_t vid)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)h + SRC_WORD, sizeof(word));
	return be64toh(word) << 16 >> 16 | vid << 48;
}

// Whether two headers of one port whose leads agree are looked up alike.
static inline bool same_place(const struct hdr *a, const struct hdr *b)
{
	return a == b || !((unsigned)(a->flags ^ b->flags) | a->id | b->id);
}

// Makes place m that of a header, whose first 16 bytes are `l`.
INLINE void put_place(
	const struct table *t, struct places *x, unsigned m, const struct hdr *h, struct lead l)
{
	uint16_t vid = vid_of(h);
	uint64_t src = src_key(h, vid), dst = dst_key(l, vid);
	const struct table_set *src_set = table_set_of(t, src), *dst_set = &nowhere;

	if (LIKELY(!(h->dst[0] & 1)))
		dst_set = table_set_of(t, dst);
	table_fetch(src_set);
	table_fetch(dst_set);
	x->src[m] = src;
	x->dst[m] = dst;
	x->src_set[m] = src_set;
	x->dst_set[m] = dst_set;
}

// Finds the places of n frames, and has them fetched.
static inline void find_places(const struct sw *sw, const struct sw_port *in, struct places *x,
	struct pkt *const *burst, unsigned n)
{
	static const struct hdr other = {.id = HDR_ID_NODE};
	const struct hdr *last = &other;
	struct lead before = {{0, 0}};
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;
		struct lead l = lead_of(h);

		if (!((l.word[0] ^ before.word[0]) | (l.word[1] ^ before.word[1])) &&
			same_place(h, last))
			continue;
		last = h;
		before = l;
		x->first[m] = (uint8_t)i;
		x->cls[m] = sw_header_class(in, h);
		if (UNLIKELY(h->id) && h->id - 1 < sw->n_ids) {
			__builtin_prefetch(&sw->fwd[h->id]);
			x->src[m] = x->dst[m] = 0;
			x->src_set[m] = x->dst_set[m] = &nowhere;
		} else {
			put_place(&sw->fdb, x, m, h, l);
		}
		m++;
	}
	x->first[m] = (uint8_t)n;
	x->n = m;
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
	put_place(t, &x, 0, h, lead_of(h));
	if (UNLIKELY(!is_settled(&x, 0, in->index, table_mark_since(t, sw->refresh_ps, now),
		    table_mark_since(t, t->max_age, now), &value)))
		value = look_up(sw, in, h, now);
	return (struct sw_way){out_of(sw, value, h, in->index), sw_header_class(in, h), 0};
}

void sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now)
{
	const struct table *t = &sw->fdb;
	int32_t known = table_mark_since(t, sw->refresh_ps, now);
	int32_t live = table_mark_since(t, t->max_age, now);
	uint32_t port = in->index, value;
	struct places x;

	find_places(sw, in, &x, burst, n);
	for (unsigned k = 0; k < x.n; k++) {
		unsigned i = x.first[k], count = x.first[k + 1] - i;

		if (UNLIKELY(!is_settled(&x, k, port, known, live, &value))) {
			const struct hdr *h = burst[i]->hdr;

			if (h->id - 1 < sw->n_ids) {
				spread(way + i, count, sw_way(sw, in, h, now));
				continue;
			}
			value = look_up(sw, in, h, now);
		}
		if (UNLIKELY(value >= SW_ECMP && value < SW_OUT_ODD)) {
			spread_flows(sw, in, burst + i, count, value - SW_ECMP, way + i);
			continue;
		}
		value = value == port ? SW_OUT_SAME : value;
		spread(way + i, count, (struct sw_way){(uint16_t)value, x.cls[k], 0});
	}
}

bool sw_fdb_lives(
	const struct sw *sw, const struct hdr *h, unsigned port, tstamp settle_ps, tstamp now)
{
	const struct table *t = &sw->fdb;
	uint32_t slot = table_get(t, eth_key(h->src, vid_of(h)), now), value;
	tstamp moved;

	if (slot == TABLE_NONE)
		return false;
	moved = t->times[slot].moved;
	if (moved && tstamp_since(now, moved) < settle_ps)
		return false;
	value = table_value(t, slot);
	if (value < SW_ECMP)
		return value == port;
	return sw->ecmp[value - SW_ECMP].port[port / 64] >> port % 64 & 1;
}

unsigned sw_fdb_way_back(const struct sw *sw, const struct hdr *h, tstamp now)
{
	uint32_t slot = table_get(&sw->fdb, eth_key(h->src, vid_of(h)), now), value;
	struct hdr back = *h;

	if (slot == TABLE_NONE)
		return PKT_NO_PORT;
	value = table_value(&sw->fdb, slot);
	if (value < SW_ECMP)
		return value;
	memcpy(back.src, h->dst, sizeof(back.src));
	memcpy(back.dst, h->src, sizeof(back.dst));
	memcpy(back.saddr, h->daddr, sizeof(back.saddr));
	memcpy(back.daddr, h->saddr, sizeof(back.daddr));
	return sw_ecmp_way(sw, value - SW_ECMP, sw_ecmp_hash(sw->ecmp_salt, &back));
}

static bool other_port(uint32_t value, void *port)
{
	return value != *(const unsigned *)port;
}

static bool none(uint32_t value, void *arg)
{
	(void)value;
	(void)arg;
	return false;
}

// Forgets what was learned on `port`, or everything learned (PKT_NO_PORT).
void sw_fdb_flush(struct sw *sw, unsigned port)
{
	table_flush(&sw->fdb, port == PKT_NO_PORT ? none : other_port, &port);
	sw->gen++;
}
