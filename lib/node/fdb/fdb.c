// SPDX-License-Identifier: BSD-3-Clause
// Where a frame goes: learning, look-up, reserved addresses, flush.
#include "fdb.h"

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
	struct table_entry *e;

	if (h->src[0] & 1 || !eth_key(h->src, 0))
		return true;
	e = table_get(&sw->fdb, key, now);
	if (e && (e->fixed || e->value == port)) {
		bool told = !sw->fabric || e->fixed ||
			    (tstamp_since(now, e->seen) >= sw->refresh_ps &&
				    sw_fabric_learn(sw, key, port, now));

		if (told)
			e->seen = now;
		return true;
	}

	bool moved = e != NULL;

	if (sw->fabric && !sw_fabric_learn(sw, key, port, now)) {
		table_del(&sw->fdb, key); // it is not where it was
		sw->gen += moved;
		return false;
	}
	if (!table_put(&sw->fdb, key, port, false, now))
		return true;
	sw->gen++;
	tell_new(sw, key, port, moved, now);
	return true;
}

// Of two shards that have learned an address the one that saw it last is right; at one instant,
// that with the higher port.
void sw_fdb_told(struct sw *sw, uint64_t key, unsigned port, tstamp seen, tstamp now)
{
	struct table_entry *e = table_get(&sw->fdb, key, now);
	bool is_new = !e, moves = is_new || e->value != port;

	if (!(sw->up[port / 64] >> port % 64 & 1) || (e && e->fixed))
		return;
	if (e && moves && (seen < e->seen || (seen == e->seen && port < e->value)))
		return;
	if (!moves) {
		e->seen = tstamp_max(e->seen, seen);
	} else if (table_put(&sw->fdb, key, port, false, seen)) {
		sw->gen++;
		tell_new(sw, key, port, !is_new, now);
	}
}

// A source is written to the FDB where it is not there, has moved, or was written a refresh_ps ago;
// so it ages out up to a sixteenth early.
static inline void learn_if_new(struct sw *sw, const struct hdr *h, struct table_entry *set,
	uint64_t key, unsigned port, tstamp now)
{
	const struct table_entry *e = table_find(&sw->fdb, set, key, now);

	if (UNLIKELY(!e || (!e->fixed && (e->value != port ||
						 tstamp_since(now, e->seen) >= sw->refresh_ps))))
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

	const struct table_entry *e = table_get(&sw->fdb, eth_key(h->dst, vid), now);

	if (!e)
		return;
	f->out = out_of(sw, e->value, h, port);
	if (!e->fixed)
		f->valid = tstamp_min(f->valid, tstamp_add(e->seen, sw->fdb.max_age));
}

// Where the addresses of a header stand in the FDB.
struct place {
	const struct hdr *h;
	uint64_t src, dst; // eth_key
	struct table_entry *src_set, *dst_set;
};

static inline struct place place_of(const struct sw *sw, const struct hdr *h)
{
	uint16_t vid = vid_of(h);
	uint64_t src = eth_key(h->src, vid), dst = eth_key(h->dst, vid);

	return (struct place){
		h, src, dst, table_set_of(&sw->fdb, src), table_set_of(&sw->fdb, dst)};
}

// Learns the source; what the FDB has for the destination, or SW_OUT_*.
static inline uint32_t look_up(
	struct sw *sw, const struct sw_port *in, const struct place *x, tstamp now)
{
	const struct table_entry *e;

	if (UNLIKELY(is_reserved(x->h->dst)))
		return SW_OUT_RESERVED;
	learn_if_new(sw, x->h, x->src_set, x->src, in->index, now);
	if (UNLIKELY(x->h->dst[0] & 1))
		return SW_OUT_FLOOD;
	e = table_find(&sw->fdb, x->dst_set, x->dst, now);
	return e ? e->value : SW_OUT_FLOOD;
}

struct sw_way sw_way(struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now)
{
	if (h->id - 1 < sw->n_ids) {
		const struct sw_fwd *f = sw_fwd_fresh(sw, &sw->fwd[h->id], h, in->index, now);

		return (struct sw_way){f->out, f->cls, 0};
	}

	struct place x = place_of(sw, h);

	return (struct sw_way){
		out_of(sw, look_up(sw, in, &x, now), h, in->index), sw_header_class(in, h), 0};
}

_Static_assert(offsetof(struct hdr, ethertype) == 14, "what leads a frame is 16 bytes on end");

#define FLOW_BYTES 36 // both addresses, both ports
_Static_assert(offsetof(struct hdr, flags) == offsetof(struct hdr, saddr) + FLOW_BYTES,
	"what tells flows apart is 36 bytes on end");

// Whether two headers of one port are looked up alike: addresses, VLAN and EtherType are the same.
static inline bool same_place(const struct hdr *a, const struct hdr *b)
{
	uint64_t x[2], y[2];

	if (a == b)
		return true;
	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (uint64_t)(a->flags ^ b->flags) | a->id | b->id);
}

// Whether equal ways cannot part the two either: nothing differs that sw_ecmp_hash looks at.
static inline bool same_flow(const struct hdr *a, const struct hdr *b)
{
	return a == b || (a->proto == b->proto && !memcmp(a->saddr, b->saddr, FLOW_BYTES));
}

// The ways of frames that are looked up alike, from burst[0] on, of which the FDB says `value`.
static inline void spread(const struct sw_port *in, struct pkt **burst, unsigned n, uint32_t value,
	struct sw_way *way)
{
	const struct hdr *h = burst[0]->hdr;
	uint16_t out = value == in->index ? SW_OUT_SAME : (uint16_t)value;
	struct sw_way w = {out, sw_header_class(in, h), 0};

	for (unsigned i = 0; i < n; i++)
		way[i] = w;
}

// The same where the FDB has a set of equal ways.
static void spread_flows(const struct sw *sw, const struct sw_port *in, struct pkt **burst,
	unsigned n, unsigned set, struct sw_way *way)
{
	const struct hdr *last = NULL;
	uint64_t of_place = sw_ecmp_of_place(sw->ecmp_salt, burst[0]->hdr);
	struct sw_way w = {0, sw_header_class(in, burst[0]->hdr), 0};

	for (unsigned i = 0; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;

		if (!last || !same_flow(h, last)) {
			unsigned out = sw_ecmp_way(sw, set, sw_ecmp_of_flow(of_place, h));

			w.out = out == in->index ? SW_OUT_SAME : (uint16_t)out;
			last = h;
		}
		way[i] = w;
	}
}

void sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now)
{
	struct place x[SW_BURST];
	uint8_t first[SW_BURST + 1]; // frame of a place
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct hdr *h = burst[i]->hdr;

		if (m && same_place(h, x[m - 1].h))
			continue;
		if (LIKELY(h->id - 1 >= sw->n_ids)) {
			x[m] = place_of(sw, h);
			table_fetch(x[m].src_set);
			table_fetch(x[m].dst_set);
		} else {
			x[m].h = h;
			__builtin_prefetch(&sw->fwd[h->id]);
		}
		first[m++] = (uint8_t)i;
	}
	first[m] = (uint8_t)n;
	for (unsigned k = 0; k < m; k++) {
		const struct hdr *h = x[k].h;
		unsigned i = first[k], count = first[k + 1] - i;
		struct sw_way w;
		uint32_t value;

		if (LIKELY(h->id - 1 >= sw->n_ids)) {
			value = look_up(sw, in, &x[k], now);
			if (UNLIKELY(value >= SW_ECMP && value < SW_OUT_ODD))
				spread_flows(sw, in, burst + i, count, value - SW_ECMP, way + i);
			else
				spread(in, burst + i, count, value, way + i);
			continue;
		}
		w = sw_way(sw, in, h, now);
		for (; count; count--)
			way[i++] = w;
	}
}

bool sw_fdb_lives(
	const struct sw *sw, const struct hdr *h, unsigned port, tstamp settle_ps, tstamp now)
{
	const struct table_entry *e = table_get(&sw->fdb, eth_key(h->src, vid_of(h)), now);

	if (!e || (e->moved && tstamp_since(now, e->moved) < settle_ps))
		return false;
	if (e->value < SW_ECMP)
		return e->value == port;
	return sw->ecmp[e->value - SW_ECMP].port[port / 64] >> port % 64 & 1;
}

unsigned sw_fdb_way_back(const struct sw *sw, const struct hdr *h, tstamp now)
{
	const struct table_entry *e = table_get(&sw->fdb, eth_key(h->src, vid_of(h)), now);
	struct hdr back = *h;

	if (!e)
		return PKT_NO_PORT;
	if (e->value < SW_ECMP)
		return e->value;
	memcpy(back.src, h->dst, sizeof(back.src));
	memcpy(back.dst, h->src, sizeof(back.dst));
	memcpy(back.saddr, h->daddr, sizeof(back.saddr));
	memcpy(back.daddr, h->saddr, sizeof(back.daddr));
	return sw_ecmp_way(sw, e->value - SW_ECMP, sw_ecmp_hash(sw->ecmp_salt, &back));
}

static bool other_port(const struct table_entry *e, void *port)
{
	return e->value != *(const unsigned *)port;
}

static bool none(const struct table_entry *e, void *arg)
{
	(void)e;
	(void)arg;
	return false;
}

// Forgets what was learned on `port`, or everything learned (PKT_NO_PORT).
void sw_fdb_flush(struct sw *sw, unsigned port)
{
	table_flush(&sw->fdb, port == PKT_NO_PORT ? none : other_port, &port);
	sw->gen++;
}
