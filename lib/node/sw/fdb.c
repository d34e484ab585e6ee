// SPDX-License-Identifier: BSD-3-Clause
// Where a frame goes: learning, look-up, reserved addresses, flush.
#include "int.h"

// 802.1Q Table 8-1: a bridge never forwards 01-80-C2-00-00-00 to -0F.
static bool is_reserved(const uint8_t mac[6])
{
	return eth_key(mac, 0) >> 4 == 0x0180c2000000 >> 4;
}

// Learns nothing from a group address (802.1Q cl. 8.7) or from the zero address.
static void learn(struct sw *sw, const struct hdr *h, uint16_t vid, unsigned port, tstamp now)
{
	uint64_t key = eth_key(h->src, vid);
	struct table_entry *e;

	if (h->src[0] & 1 || !eth_key(h->src, 0))
		return;
	e = table_get(&sw->fdb, key, now);
	if (e && (e->fixed || e->value == port)) {
		// Of a cut switch the other shards are told, once per refresh_ps.
		if (!sw->fabric || e->fixed ||
			(tstamp_since(now, e->seen) >= sw->refresh_ps &&
				sw_fabric_learn(sw, key, port, now)))
			e->seen = now;
		return;
	}

	struct sw_port_stats *s = &sw->port[port].stats;
	uint64_t *counter = e ? &s->fdb_moved : &s->fdb_learned;

	if (!table_put(&sw->fdb, key, port, false, now))
		return;
	++*counter;
	sw->gen++;
	if (sw->fabric && !sw_fabric_learn(sw, key, port, now))
		table_get(&sw->fdb, key, now)->seen = tstamp_since(now, sw->refresh_ps);

	struct ev *ev = ev_put(sw->events, EV_FDB, now);

	if (ev) {
		ev->port = (uint16_t)port;
		ev->fdb.key = key;
	}
}

// Of two shards that have learned an address the one that saw it last is right; at one instant,
// that with the higher port.
void sw_fdb_told(struct sw *sw, uint64_t key, unsigned port, tstamp seen, tstamp now)
{
	struct table_entry *e = table_get(&sw->fdb, key, now);
	bool moves = !e || e->value != port;

	if (!(sw->up[port / 64] >> port % 64 & 1) || (e && e->fixed))
		return;
	if (e && moves && (seen < e->seen || (seen == e->seen && port < e->value)))
		return;
	if (!moves)
		e->seen = tstamp_max(e->seen, seen);
	else if (table_put(&sw->fdb, key, port, false, seen))
		sw->gen++;
}

// Looks a header up that came in on `port`, and learns its source. The source's time in the FDB is
// written once per refresh_ps, so it ages out up to a sixteenth early.
void sw_fwd_fill(struct sw *sw, struct sw_fwd *f, const struct hdr *h, unsigned port, tstamp now)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;

	f->in_port = (uint16_t)port;
	f->cls = sw_header_class(&sw->port[port], h);
	f->valid = tstamp_add(now, sw->refresh_ps);
	if (is_reserved(h->dst)) {
		f->out = SW_OUT_RESERVED;
		f->gen = sw->gen;
		return;
	}
	learn(sw, h, vid, port, now);
	f->gen = sw->gen;
	f->out = SW_OUT_FLOOD;
	if (h->dst[0] & 1)
		return;

	const struct table_entry *e = table_get(&sw->fdb, eth_key(h->dst, vid), now);

	if (!e)
		return;

	unsigned out = e->value;

	if (out >= SW_ECMP)
		out = sw_ecmp_port(
			&sw->ecmp[out - SW_ECMP], sw->up, sw_ecmp_hash(sw->ecmp_salt, h));
	f->out = out == port ? SW_OUT_SAME : (uint16_t)out;
	if (!e->fixed)
		f->valid = tstamp_min(f->valid, tstamp_add(e->seen, sw->fdb.max_age));
}

// The port of a frame whose header is its own: a small direct-mapped cache before the FDB.
const struct sw_fwd *sw_fwd_by_address(
	struct sw *sw, const struct hdr *h, unsigned port, tstamp now, uint8_t *cls)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;
	uint64_t dst = eth_key(h->dst, vid), src = eth_key(h->src, vid);
	uint64_t flow = sw->n_ecmp ? sw_ecmp_hash(sw->ecmp_salt, h) : 0;
	uint64_t hash = (dst ^ src * 3 ^ flow) * 0x9e3779b97f4a7c15;
	struct sw_flow_cache *cached = &sw->flow_cache[hash >> (64 - SW_FLOW_CACHE_BITS)];

	if (cached->dst != dst || cached->src != src || cached->fwd.flow != flow) {
		cached->dst = dst;
		cached->src = src;
		cached->fwd.flow = flow;
		cached->fwd.gen = 0;
	}
	*cls = sw_header_class(&sw->port[port], h);
	return sw_fwd_fresh(sw, &cached->fwd, h, port, now);
}

bool sw_fdb_lives(
	const struct sw *sw, const struct hdr *h, unsigned port, tstamp settle_ps, tstamp now)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;
	const struct table_entry *e = table_get(&sw->fdb, eth_key(h->src, vid), now);

	if (!e || (e->moved && tstamp_since(now, e->moved) < settle_ps))
		return false;
	if (e->value < SW_ECMP)
		return e->value == port;
	return sw->ecmp[e->value - SW_ECMP].port[port / 64] >> port % 64 & 1;
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
