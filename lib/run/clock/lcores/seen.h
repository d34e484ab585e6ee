// SPDX-License-Identifier: BSD-3-Clause
// Copies of captured frames on their way from an lcore to the recorder: a ring of places with room
// for a whole frame.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "algo/red.h"
#include "eal/eal.h"
#include "wire/pkt.h"

#define RT_SEEN 4096 // frames that a ring holds

// A frame that a port has received or sent.
struct rt_seen {
	tstamp t; // last bit in, or first bit out
	uint16_t node, port;
	uint16_t dir;         // 0: received, 1: sent
	bool has_queue;       // sent by a switch from a queue
	uint32_t queue_bytes; // that it left behind in its queue
	struct red_cfg red;   // of the marker of its queue, as it left; `on` 0: none
	_Alignas(uint64_t) struct pkt pkt;
	struct hdr hdr; // the packet's own, where it has one; its bytes follow
};

_Static_assert(offsetof(struct rt_seen, hdr) == offsetof(struct rt_seen, pkt) + sizeof(struct pkt),
	"a header of its own stands behind a descriptor (pkt_own_hdr)");

// Single producer, single consumer.
struct rt_seen_ring {
	uint32_t stride;                          // from place to place, bytes
	uint32_t room;                            // of a place, for the bytes of a frame
	_Alignas(EAL_LINE) uint32_t head;         // of the lcore: next to write
	_Atomic uint32_t given;                   // the recorder may read up to here
	_Alignas(EAL_LINE) _Atomic uint32_t tail; // the recorder writes it
	_Alignas(EAL_LINE) uint8_t place[];
};

static inline struct rt_seen *rt_seen_at(struct rt_seen_ring *r, uint32_t i)
{
	return (struct rt_seen *)(r->place + (size_t)(i % RT_SEEN) * r->stride);
}

// Frames that wait, of the lcore's side.
static inline uint32_t rt_seen_waiting(const struct rt_seen_ring *r)
{
	return r->head - atomic_load_explicit(&r->tail, memory_order_acquire);
}

#pragma GCC visibility push(hidden)

// All of its memory has been touched. `room`: bytes of a longest frame; 0: frames have no bytes.
// NULL: no memory.
struct rt_seen_ring *rt_seen_new(uint32_t room);

// A place with a copy of the frame, its other fields zero; rt_seen_put() hands it over later. NULL:
// there is no room.
struct rt_seen *rt_seen_copy(struct rt_seen_ring *r, const struct pkt *p);

static inline void rt_seen_put(struct rt_seen_ring *r)
{
	r->head++;
}

// Lets the recorder read all frames so far.
static inline void rt_seen_give(struct rt_seen_ring *r)
{
	atomic_store_explicit(&r->given, r->head, memory_order_release);
}

#pragma GCC visibility pop
