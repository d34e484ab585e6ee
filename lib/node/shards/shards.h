// SPDX-License-Identifier: BSD-3-Clause
// A switch cut by port into shards: who owns a port, and what crosses from one shard to another
// (docs/algo/shards.md).
#pragma once

#include "port/port.h"
#include "ring.h"

#define SW_LEARN_ROOM 64 // free entries of a ring that are left to frames and credits

// What all shards of a switch know; but for the rings and the pool it does not change.
struct sw_fabric {
	unsigned n;
	tstamp hop_ps;
	struct sw *shard[SW_SHARDS];
	const struct iqcn *iqcn[SW_SHARDS];         // of each shard; NULL: the switch has none
	struct sw_ring *ring[SW_SHARDS][SW_SHARDS]; // from, to
	struct mmu_lease_pool pool;                 // shared
	struct mmu_lease_pool lossy; // of a buffer with two sides: egress pool of lossy queues
};

struct sw_fabric *sw_fabric_new(const struct sw_params *p);
void sw_fabric_free(struct sw_fabric *f);
// The switch is shard k, and knows the others.
void sw_fabric_join(struct sw *sw, struct sw_fabric *f, unsigned k);

// The shard that owns a port.
static inline const struct sw *sw_of(const struct sw *sw, unsigned port)
{
	return sw->fabric ? sw->fabric->shard[port % sw->fabric->n] : sw;
}

// The ring to it from this one, of a port that is away.
static inline struct sw_ring *sw_ring_to(const struct sw *sw, unsigned port)
{
	return sw->port[port].ring;
}

// The instant at which what a shard sends at `now` is at another one.
static inline tstamp sw_fabric_at(const struct sw *sw, tstamp now)
{
	return now + sw->fabric->hop_ps;
}

// A frame that `in` admitted goes to port `o` of another shard.
void sw_fabric_frame(
	struct sw *sw, const struct sw_port *o, struct pkt *p, bool untagged, tstamp now);
// n frames that came in at `in` (sw_msg_frame) cross together: SW_MSG_BURST to the shard of the
// ports by which they leave, SW_MSG_RX to that of `in`.
void sw_fabric_frames(struct sw *sw, enum sw_msg_kind kind, const struct sw_port *in,
	const uint64_t *word, unsigned n, tstamp now);
// Frames of one ingress port, group and class.
struct sw_left {
	uint16_t in_port;
	uint8_t pg, cls;
	uint32_t frames;
	uint32_t bytes; // of the queue
	uint32_t held;  // of the buffer, which may count whole cells
};

static inline struct sw_left sw_left_one(const struct sw *sw, const struct pkt *p)
{
	uint32_t bytes = p->len + sw->queue_extra;

	return (struct sw_left){p->in_port, (uint8_t)sw_pg(sw, p), p->cls, 1, bytes,
		sw->two_sided ? mmu_cells(&sw->pools_cfg, bytes) : bytes};
}

// Frames that another shard has admitted leave this one or are dropped, for a reason or
// SW_FORWARDED.
void sw_fabric_credit(struct sw *sw, const struct sw_left *l, unsigned reason, tstamp now);
// An address was learned or seen again at a port of this shard. False: not all have been told.
bool sw_fabric_learn(struct sw *sw, uint64_t key, unsigned port, tstamp now);
// SW_MSG_CNP, SW_MSG_ACK: the frame came in here, and the data of its flow leaves by `port`. False:
// there is no room, and nothing was told.
bool sw_fabric_flow(
	struct sw *sw, enum sw_msg_kind kind, unsigned port, const struct pkt *p, tstamp now);

// Every message that is under way, of a switch that stands still; one that has several frames as a
// message for each of them, SW_MSG_FRAME or SW_MSG_RX.
void sw_fabric_each(const struct sw *sw, void (*fn)(void *arg, const struct sw_msg *m), void *arg);
