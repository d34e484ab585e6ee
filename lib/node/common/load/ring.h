// SPDX-License-Identifier: BSD-3-Clause
// A ring of recorded frames: whoever reads a capture ahead puts them in, a player takes them out.
//
// One thread puts and one takes; they may be the same. A frame stands in the ring as a whole, with
// its instant before it, so that it is copied twice in all: into the ring and into a packet.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tstamp.h"

struct replay_frame {
	tstamp at; // since the first frame
	const uint8_t *bytes;
	uint16_t len; // without FCS
};

// The record before the bytes of each frame in the ring.
struct replay_rec {
	tstamp at;
	uint32_t len; // 0: a gap, the next frame stands at the ring's start
	uint32_t pad;
	uint8_t bytes[];
};

#define REPLAY_RING_LINE 64

struct replay_ring {
	// of who puts
	_Alignas(REPLAY_RING_LINE) _Atomic uint64_t head; // bytes put since the beginning
	_Atomic bool ended;                               // head will not move any more
	uint64_t next, tail_seen; // next: head with slots that are not shown yet
	// of who takes
	// Bytes whose room was given back, since the beginning.
	_Alignas(REPLAY_RING_LINE) _Atomic uint64_t tail;
	// at: bytes taken since the beginning, whether given back or not. head_seen: `head` as last
	// read.
	uint64_t at, head_seen;
	// of both, constant
	_Alignas(REPLAY_RING_LINE) uint64_t mask;
	uint8_t *bytes;
	// Asked by who takes, where the ring is empty and has not ended; NULL: another thread puts.
	void (*refill)(void *arg, struct replay_ring *r);
	void *arg;
};

// A ring of at least `size` bytes, and of at least four of the longest frames. -ENOMEM.
int replay_ring_init(struct replay_ring *r, size_t size);
void replay_ring_fini(struct replay_ring *r);

// Puts a frame in, which who takes does not see before the next replay_ring_show. False: there is
// no room now.
bool replay_ring_put(struct replay_ring *r, const struct replay_frame *f);
void replay_ring_show(struct replay_ring *r);
// Ends the ring: no other frame will come. The reader sees all frames that were put.
void replay_ring_end(struct replay_ring *r);

// Gives the room of dropped frames back to who puts.
static inline void replay_ring_give(struct replay_ring *r)
{
	atomic_store_explicit(&r->tail, r->at, memory_order_release);
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Bytes that are free, as who puts sees it.
uint64_t replay_ring_free(struct replay_ring *r);

// The first frame, which stays there until replay_ring_drop; NULL: there is none at present, and
// replay_ring_ended says whether there will be.
const struct replay_rec *replay_ring_look(struct replay_ring *r);
void replay_ring_drop(struct replay_ring *r, const struct replay_rec *rec);
// Returns whether every frame was taken and no more will come.
bool replay_ring_ended(struct replay_ring *r);

#pragma GCC visibility pop
