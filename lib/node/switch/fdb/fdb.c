// SPDX-License-Identifier: BSD-3-Clause
// The FDB: learning, look-up, reserved addresses, flush.
#include "int.h"

#include <string.h>

#include "base/hint.h"
#include "shards/shards.h"

// 802.1Q Table 8-1: a bridge never forwards 01-80-C2-00-00-00 to -0F.
static bool is_reserved(const uint8_t mac[6])
{
	return eth_key(mac, 0) >> 4 == 0x0180c2000000 >> 4;
}

// The static entry of an address among those that switches share; NULL: there is none.
static const struct sw_fdb_params *fixed_of(const struct sw *sw, uint64_t key)
{
	uint32_t at = sw->fixed ? table_get(&sw->fixed->at, key, 0) : TABLE_NONE;

	return at == TABLE_NONE ? NULL : &sw->fixed_fdb[table_value(&sw->fixed->at, at)];
}

// The value for an address; SW_OUT_FLOOD: it is not known. *slot: of the FDB, or TABLE_NONE.
static uint32_t value_of(const struct sw *sw, uint64_t key, uint32_t *slot, tstamp now)
{
	const struct sw_fdb_params *f = fixed_of(sw, key);

	*slot = f ? TABLE_NONE : table_get(&sw->fdb, key, now);
	if (f)
		return sw_fdb_value(f);
	return *slot != TABLE_NONE ? table_value(&sw->fdb, *slot) : SW_OUT_FLOOD;
}

// Puts an address into the FDB. If its set has no room for one more, the shard that owns the port
// counts that.
static bool put_address(struct sw *sw, uint64_t key, unsigned port, tstamp seen)
{
	struct table *t = &sw->fdb;
	uint64_t without = t->stats.evictions + t->stats.full;
	bool is_there = table_put(t, key, port, false, seen) != TABLE_NONE;

	if (!sw->port[port].away)
		sw->port[port].rare->stats.fdb_full += t->stats.evictions + t->stats.full - without;
	return is_there;
}

// Reports that an address is new at a port, or has moved there. The shard that owns the port
// reports it, even if another shard has received the frame.
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
static bool learn_address(
	struct sw *sw, const struct hdr *h, uint64_t key, unsigned port, tstamp now)
{
	struct table *t = &sw->fdb;
	uint32_t slot;

	if (h->src[0] & 1 || !eth_key(h->src, 0) || fixed_of(sw, key))
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
	if (!put_address(sw, key, port, now))
		return true;
	sw->gen++;
	tell_new(sw, key, port, moved, now);
	return true;
}

// If two shards have learned an address, the later one is right; if both saw it at the same
// instant, the higher port is.
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
	if (!(sw->up[port / 64] >> port % 64 & 1) || fixed_of(sw, key) ||
		(!is_new && table_is_fixed(t, slot)))
		return;
	if (!is_new && moves && (seen < last || (seen == last && port < is)))
		return;
	if (!moves) {
		table_touch(t, slot, tstamp_max(last, seen));
	} else if (put_address(sw, key, port, seen)) {
		sw->gen++;
		tell_new(sw, key, port, !is_new, now);
	}
}

// Writes a source to the FDB if it is not there, has moved, or was written at least refresh_ps ago.
// So an entry may age out early, by up to a sixteenth of the ageing time.
static void learn_if_new(
	struct sw *sw, const struct hdr *h, uint64_t key, unsigned port, tstamp now)
{
	const struct table *t = &sw->fdb;
	uint32_t slot = table_get(t, key, now);

	if (slot == TABLE_NONE ||
		(!table_is_fixed(t, slot) &&
			(table_value(t, slot) != port ||
				tstamp_since(now, t->times[slot].seen) >= sw->refresh_ps)))
		learn_address(sw, h, key, port, now);
}

// Writes the way of a header that was received on `port` into the cache, and learns its source.
void sw_fwd_fill(struct sw *sw, struct sw_fwd *f, const struct hdr *h, unsigned port, tstamp now)
{
	uint16_t vid = sw_fdb_vid(h);

	f->id = h->id;
	f->in_port = (uint16_t)port;
	f->cls = sw_header_class(&sw->port[port], h);
	f->valid = tstamp_add(now, sw->refresh_ps);
	if (is_reserved(h->dst)) {
		f->out = SW_OUT_RESERVED;
		f->gen = sw->gen;
		return;
	}
	if (!learn_address(sw, h, eth_key(h->src, vid), port, now))
		f->valid = now;
	f->gen = sw->gen;
	f->out = SW_OUT_FLOOD;
	if (h->dst[0] & 1)
		return;

	const struct table *t = &sw->fdb;
	uint32_t slot, value = value_of(sw, eth_key(h->dst, vid), &slot, now);

	if (value == SW_OUT_FLOOD)
		return;
	f->out = sw_fdb_out(sw, value, h, port);
	if (slot != TABLE_NONE && !table_is_fixed(t, slot))
		f->valid = tstamp_min(f->valid, tstamp_add(t->times[slot].seen, t->max_age));
}

__attribute__((cold)) uint32_t sw_fdb_look_up(
	struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now)
{
	uint16_t vid = sw_fdb_vid(h);
	uint32_t slot;

	if (is_reserved(h->dst))
		return SW_OUT_RESERVED;
	learn_if_new(sw, h, eth_key(h->src, vid), in->index, now);
	if (h->dst[0] & 1)
		return SW_OUT_FLOOD;
	return value_of(sw, eth_key(h->dst, vid), &slot, now);
}

bool sw_fdb_lives(
	const struct sw *sw, const struct hdr *h, unsigned port, tstamp settle_ps, tstamp now)
{
	uint32_t slot, value = value_of(sw, eth_key(h->src, sw_fdb_vid(h)), &slot, now);
	tstamp moved = slot != TABLE_NONE ? sw->fdb.times[slot].moved : 0;

	if (value == SW_OUT_FLOOD || (moved && tstamp_since(now, moved) < settle_ps))
		return false;
	if (value < SW_ECMP)
		return value == port;
	return sw->ecmp[value - SW_ECMP].port[port / 64] >> port % 64 & 1;
}

unsigned sw_fdb_way_back(const struct sw *sw, const struct hdr *h, tstamp now)
{
	uint32_t slot, value = value_of(sw, eth_key(h->src, sw_fdb_vid(h)), &slot, now);
	struct hdr back = *h;

	if (value == SW_OUT_FLOOD)
		return PKT_NO_PORT;
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
