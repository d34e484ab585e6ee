// SPDX-License-Identifier: BSD-3-Clause
// When the last frames of an open-loop source left, by sequence number: a ring of instants. The
// NIC that sends is the only writer; a NIC on another lcore may read at the same time.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/tstamp.h"

#define DEPARTURES_MOST (1u << 21) // instants of one ring, at most

struct departures {
	_Atomic uint64_t next; // behind the number of the last frame that left
	uint32_t mask;         // instants in the ring, less 1
	_Atomic tstamp *at;    // by number; TSTAMP_NEVER: no frame, or its instant was cleared
};

// Keeps the instants of the last `frames` frames at least, 1..DEPARTURES_MOST; it rounds up to a
// power of two. -EINVAL, -ENOMEM.
int departures_init(struct departures *d, uint32_t frames);
void departures_fini(struct departures *d);

// A frame with this number, modulo 2^32, leaves; numbers go up. The numbers between two frames that
// leave never do.
void departures_add(struct departures *d, uint32_t seq, tstamp now);

// Returns the number nearest to the last departure that has the low 24 bits of `low`, which is a
// PSN, counted from the first one.
static inline uint32_t departures_near(const struct departures *d, uint32_t low)
{
	uint32_t next = (uint32_t)atomic_load_explicit(&d->next, memory_order_relaxed);

	return next + (uint32_t)((int32_t)((low - next) << 8) >> 8);
}

// How many frames have left since number `seq` did, that one included; 0: `seq` never left. More
// than mask + 1: its instant is kept no longer.
static inline uint64_t departures_age(const struct departures *d, uint32_t seq)
{
	uint64_t next = atomic_load_explicit(&d->next, memory_order_relaxed);
	uint32_t age = (uint32_t)next - seq;

	return age <= next ? age : 0;
}

// When the last frame with number `seq` left; TSTAMP_NEVER: nobody knows. The frame itself must
// have come to the caller: then the instant is in the ring, or newer frames have overwritten it.
// The writer raises `next` before it overwrites an instant, so a reader that finds the newer
// instant finds the frame too old as well.
static inline tstamp departures_find(const struct departures *d, uint32_t seq)
{
	tstamp at = atomic_load_explicit(&d->at[seq & d->mask], memory_order_acquire);
	uint64_t age = departures_age(d, seq);

	return age && age <= d->mask + 1ull ? at : TSTAMP_NEVER;
}

// The writer's: forgets the instant of number `seq`.
static inline void departures_clear(struct departures *d, uint32_t seq)
{
	atomic_store_explicit(&d->at[seq & d->mask], TSTAMP_NEVER, memory_order_relaxed);
}
