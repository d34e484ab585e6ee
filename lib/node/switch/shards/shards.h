// SPDX-License-Identifier: BSD-3-Clause
// A switch cut by port into shards: the owner of a port, and the messages from one shard to another
// (docs/algo/shards.md).
#pragma once

#include "port/port.h"
#include "ring.h"

#define SW_LEARN_ROOM 64 // free entries of a ring that are left to frames and credits

// State common to all shards of a switch. Only the rings and the pools change.
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
// Makes the switch shard k, and gives it its peers.
void sw_fabric_join(struct sw *sw, struct sw_fabric *f, unsigned k);

// The shard that owns a port.
static inline const struct sw *sw_of(const struct sw *sw, unsigned port)
{
	return sw->fabric ? sw->fabric->shard[port % sw->fabric->n] : sw;
}

// The ring from this shard to the owner of a port of another shard.
static inline struct sw_ring *sw_ring_to(const struct sw *sw, unsigned port)
{
	return sw->port[port].ring;
}

// The instant at which a message sent at `now` arrives at another shard.
static inline tstamp sw_fabric_at(const struct sw *sw, tstamp now)
{
	return now + sw->fabric->hop_ps;
}

// Sends an admitted frame to port `o` of another shard.
void sw_fabric_frame(
	struct sw *sw, const struct sw_port *o, struct pkt *p, bool untagged, tstamp now);
// Sends n frames that were received at `in` (sw_msg_frame) in one message: SW_MSG_BURST to the
// shard of their egress ports, SW_MSG_RX to the shard of `in`.
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

// Tells the shard that admitted frames that they have left this shard (SW_FORWARDED) or were
// dropped, and for which reason.
void sw_fabric_credit(struct sw *sw, const struct sw_left *l, unsigned reason, tstamp now);
// Tells the other shards that an address was learned, or was seen again, at a port of this shard.
// False: a ring had no room, so some shards do not know it yet.
bool sw_fabric_learn(struct sw *sw, uint64_t key, unsigned port, tstamp now);
// Sends a CNP or an ACK that this shard has received (SW_MSG_CNP, SW_MSG_ACK) to the shard of
// `port`, by which the data of its flow leaves. False: the ring has no room, and nothing was sent.
bool sw_fabric_flow(
	struct sw *sw, enum sw_msg_kind kind, unsigned port, const struct pkt *p, tstamp now);

// Calls `fn` for every message under way. No thread runs the switch. A message with several frames
// is given as one message for each frame, SW_MSG_FRAME or SW_MSG_RX.
void sw_fabric_each(const struct sw *sw, void (*fn)(void *arg, const struct sw_msg *m), void *arg);
