// SPDX-License-Identifier: BSD-3-Clause
// Where a frame goes: the FDB, a cache of its look-ups, sets of equal ways.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ecmp/ecmp.h"
#include "port/port.h"

// The value of sw_fwd.cls if the class follows from each frame's DSCP.
#define SW_CLS_BY_DSCP PKT_CLASSES

// Values of sw_fwd.out that are not ports.
enum { SW_OUT_ODD = 0xff00, SW_OUT_FLOOD = SW_OUT_ODD, SW_OUT_RESERVED, SW_OUT_SAME };

// The FDB's value for an address is a port if it is below SW_ECMP, else SW_ECMP plus the number of
// a set of equal ways.
#define SW_ECMP NODE_PORTS

// The cached way of frames with one header from one port. It is valid until the result may differ.
// sw_fwd_fresh() compares gen and id as one word.
struct sw_fwd {
	tstamp valid; // until then neither look-up nor learning is due
	uint32_t gen; // of the FDB, when it was looked up
	uint32_t id;  // of the header
	uint16_t in_port;
	uint16_t out; // port or SW_OUT_*
	uint8_t cls;  // class or SW_CLS_BY_DSCP
};

// Ports of equal cost, in their order.
struct sw_ecmp_set {
	const uint16_t *port;
	unsigned n;
};

// The way of one frame, with the values of sw_fwd. It is compared as one word.
struct sw_way {
	_Alignas(uint32_t) uint16_t out;
	uint8_t cls;
	uint8_t resv; // 0
};

static inline uint32_t sw_way_word(struct sw_way w)
{
	uint32_t word;

	_Static_assert(sizeof(w) == sizeof(word), "it is one word");
	memcpy(&word, &w, sizeof(word));
	return word;
}

static inline void sw_way_put(struct sw_way *to, struct sw_way w)
{
	uint32_t word = sw_way_word(w);

	memcpy(to, &word, sizeof(word));
}

static inline bool sw_same_way(struct sw_way a, struct sw_way b)
{
	return sw_way_word(a) == sw_way_word(b);
}

// The class that a header gives, or SW_CLS_BY_DSCP: DSCP stands in each packet's tos.
static inline uint8_t sw_header_class(const struct sw_port *in, const struct hdr *h)
{
	bool ip = h->flags & HDR_IP, vlan = h->flags & HDR_VLAN;

	if (ip && (!vlan || !(in->flags & SW_PORT_TRUSTS_PCP)))
		return SW_CLS_BY_DSCP;
	return vlan ? in->set->pcp_to_class[h->vlan_tci >> 13] : in->default_class;
}

// init.c Puts the static entries into the FDB, and the sets of equal ways that they name. 0,
// -EINVAL, -ENOMEM, or -ENOSPC if the FDB has no room for the entries.
int sw_fdb_init(struct sw *sw, const struct sw_params *p);
void sw_fdb_fini(struct sw *sw);

// fdb.c
void sw_fwd_fill(struct sw *sw, struct sw_fwd *f, const struct hdr *h, unsigned port, tstamp now);
void sw_fdb_flush(struct sw *sw, unsigned port);
// The way of a frame that was received at `in`; its source is learned. sw_way_by_fdb always asks
// the FDB; sw_way also uses the cache, for headers with an id.
struct sw_way sw_way_by_fdb(
	struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now);
// Common properties of the frames of a burst, returned by sw_ways.
enum {
	SW_WAYS_BY_DSCP = 1 << 0, // the class of each follows from its DSCP
	SW_WAYS_SAME = 1 << 1,    // all have the way that way[0] says, and no other one is written
};

// The ways of n frames, at most SW_BURST, in their order. Returns SW_WAYS_*.
unsigned sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now);

// Gives one way to n frames, at least one.
static inline void sw_ways_spread(struct sw_way *way, unsigned n, struct sw_way w)
{
	sw_way_put(way, w);
	for (unsigned i = 1; i < n; i++)
		sw_way_put(&way[i], w);
}

// Frames of a burst as a bitmap. sw_frames_before: the frames before frame n, 0 to SW_BURST.
// sw_in_a_row: whether these frames, at least one, are adjacent.
static inline uint64_t sw_frames_before(unsigned n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

static inline bool sw_in_a_row(uint64_t frames)
{
	return !(frames & (frames + (frames & -frames)));
}

// Whether the source of a frame lives at `port`: its FDB entry, static or learned, leads there or
// to a set of equal ways that has the port, and did not move within the last `settle_ps`.
bool sw_fdb_lives(
	const struct sw *sw, const struct hdr *h, unsigned port, tstamp settle_ps, tstamp now);
// Returns the port by which a frame to the source of this frame leaves; PKT_NO_PORT: it is not
// known. If several ways are equal, this is the port for a frame with the same UDP ports. Data of
// RoCEv2 and the CNPs and ACKs that answer them have the same UDP ports.
unsigned sw_fdb_way_back(const struct sw *sw, const struct hdr *h, tstamp now);
// Learns an address from another shard, which saw it at `seen` by its own clock.
void sw_fdb_told(struct sw *sw, uint64_t key, unsigned port, tstamp seen, tstamp now);

// The place of the cached way of a header with this id. Headers whose ids are a multiple of the
// number of places apart share it.
static inline struct sw_fwd *sw_fwd_place(const struct sw *sw, uint32_t id)
{
	return &sw->fwd[id & sw->fwd_mask];
}

// The cached way of a frame that was received on `port`. Its header has an id.
static inline const struct sw_fwd *sw_fwd_fresh(
	struct sw *sw, const struct hdr *h, unsigned port, tstamp now)
{
	struct sw_fwd *f = sw_fwd_place(sw, h->id);
	uint64_t is;

	_Static_assert(offsetof(struct sw_fwd, id) == offsetof(struct sw_fwd, gen) + sizeof(f->gen),
		"gen and id are one word");
	memcpy(&is, &f->gen, sizeof(is));
	if (UNLIKELY(now >= f->valid || is != ((uint64_t)h->id << 32 | sw->gen) ||
		     f->in_port != port))
		sw_fwd_fill(sw, f, h, port, now);
	return f;
}

static inline struct sw_way sw_way(
	struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now)
{
	const struct sw_fwd *f;

	if (UNLIKELY(h->id - 1 >= sw->n_ids))
		return sw_way_by_fdb(sw, in, h, now);
	f = sw_fwd_fresh(sw, h, in->index, now);
	return (struct sw_way){f->out, f->cls, 0};
}

// The port of a set that a hash selects, as sw_ecmp_port does. It uses the list of the set, and
// searches another port only if the link is down.
static inline unsigned sw_ecmp_way(const struct sw *sw, unsigned set, uint64_t hash)
{
	const struct sw_ecmp_set *list = &sw->ecmp_set[set];
	unsigned port = list->port[(unsigned __int128)hash * list->n >> 64];

	if (LIKELY(sw->up[port / 64] >> port % 64 & 1))
		return port;
	return sw_ecmp_port(&sw->ecmp[set], sw->up, hash);
}
