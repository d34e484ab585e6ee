// SPDX-License-Identifier: BSD-3-Clause
// The packet memory of a switch: frames are charged to it and released from it; and drops.
#pragma once

#include "pause/pause.h"
#include "port/port.h"
#include "shards/shards.h"

// buffer.c
// 0, -EINVAL or -ENOMEM.
int sw_buffer_init(struct sw *sw, const struct sw_params *p);
// Charges a frame of port `in` to the buffer, for the queue of port `out`; and releases it.
// SW_REFUSED: the watchdog has shut the queue of the class at one of the ports.
#define SW_REFUSED (MMU_DROP_QUEUE + 1)
unsigned sw_buffer_admit(struct sw *sw, struct sw_port *in, struct sw_port *out,
	const struct pkt *p, uint32_t bytes);
bool sw_buffer_release(struct sw *sw, const struct pkt *p, unsigned out, uint32_t bytes);
// Returns whether the buffer has room, without headroom, for a frame that the switch makes itself.
// The frame counts for port `in`.
bool sw_buffer_has_room(struct sw *sw, const struct sw_port *in, const struct pkt *p);
// The groups get the thresholds of another switch. Groups that are above XOFF by them send it, and
// groups in XOFF that are below XON send XON.
void sw_buffer_adopt(struct sw *sw, const struct sw *to, tstamp now);
// Cut switch: sets the pools that this shard leases from, once it is made.
void sw_buffer_pools(struct sw *sw);
// Charges a frame that another shard has admitted to the egress side of a buffer with two sides.
bool sw_buffer_takes_crossed(struct sw *sw, const struct sw_port *out, const struct pkt *p);
// Releases frames that this shard has admitted and that have left another shard; `bytes`: as the
// buffer counts them. True: their group has come back to XON.
bool sw_buffer_credited(struct sw *sw, unsigned port, unsigned pg, uint32_t bytes);
// A frame that another shard has admitted leaves the queue of port `out`.
void sw_buffer_credit(struct sw *sw, const struct pkt *p, unsigned out, tstamp now);

// Returns how many bytes of a burst that arrives at `in` a group can take without reaching a
// threshold, wherever the other frames go (mmu_group_room). `most`: bytes of all frames. `least`:
// bytes of the smallest frame. In a cut switch sw_buffer_settle() must follow.
INLINE int64_t sw_buffer_room(
	struct sw *sw, const struct sw_port *in, unsigned pg, uint32_t least, uint32_t most)
{
	if (UNLIKELY(sw->two_sided))
		return (int64_t)mmu_group_room(&sw->pools, in->index, pg, least, most);
	if (UNLIKELY(sw->fabric))
		mmu_lease_ahead(&sw->lease, &sw->mmu, most);
	return (int64_t)mmu_burst_room(&sw->mmu, in->index, pg, least, most);
}

// Charges frames to a group that has room for them.
INLINE void sw_buffer_take(struct sw *sw, const struct sw_port *in, unsigned pg, uint32_t bytes)
{
	if (UNLIKELY(sw->two_sided))
		mmu_take_group(&sw->pools, in->index, pg, bytes);
	else
		mmu_take_burst(&sw->mmu, in->index, pg, bytes);
}

// Cut switch: called once all frames of a burst have been taken.
void sw_buffer_settle(struct sw *sw);

// Releases the buffer of frames that leave queue l->cls of port `out`. `asks`: the last of them may
// bring their group back to XON; false: the caller knows that it does not.
void sw_buffer_left(struct sw *sw, unsigned out, const struct sw_left *l, bool asks, tstamp now);

INLINE unsigned sw_admit(struct sw *sw, struct sw_port *in, struct sw_port *out,
	const struct pkt *p, unsigned cls, uint32_t bytes)
{
	if (UNLIKELY(sw->admit_slow >> cls & 1))
		return sw_buffer_admit(sw, in, out, p, bytes);
	return mmu_admit(&sw->mmu, in->index, cls, bytes);
}

// Gives back the buffer of a frame that leaves queue `cls` of port `out`; its group may come to
// XON.
INLINE void sw_release(
	struct sw *sw, const struct pkt *p, unsigned out, unsigned cls, uint32_t bytes, tstamp now)
{
	if (UNLIKELY(!sw->mmu_alone)) {
		if (sw->port[p->in_port].away)
			sw_buffer_credit(sw, p, out, now);
		else if (sw_buffer_release(sw, p, out, bytes))
			sw_xon(sw, &sw->port[p->in_port], sw_pg(sw, p), now);
	} else if (mmu_release(&sw->mmu, p->in_port, cls, bytes)) {
		sw_xon(sw, &sw->port[p->in_port], cls, now);
	}
}

// drop.c Counts a drop at the frame's ingress port and class. If another shard owns that port, it
// gets a message, counts the drop and releases the buffer. `held_bytes`: bytes in the queue or
// buffer that refused the frame. sw_drop gives the descriptor back, too.
void sw_count_drop(struct sw *sw, const struct pkt *p, enum sw_drop why, unsigned out,
	uint64_t held_bytes, tstamp now);
void sw_drop(struct sw *sw, struct pkt *p, enum sw_drop why, unsigned out, uint64_t held_bytes,
	tstamp now);
// Drops a frame that the switch made and for which its group has only headroom. It does not count
// as a frame that the group has lost.
void sw_drop_own(struct sw *sw, struct pkt *p, unsigned out, tstamp now);

// Frames of `len` octets in all that came in at `in` were dropped.
void sw_count_lost(
	struct sw_port *in, unsigned cls, unsigned pg, unsigned why, unsigned frames, uint64_t len);
