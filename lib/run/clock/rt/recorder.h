// SPDX-License-Identifier: BSD-3-Clause
// The recorder's side: one thread at a time calls it.
#pragma once

#include "lcores/lcores.h"
#include "record/record.h"
#include "tap.h"

#pragma GCC visibility push(hidden)

// Captured frames of an lcore that the recorder takes in one turn.
struct rt_seen_span {
	struct rt_seen_ring *ring; // NULL: there is none
	uint32_t at, end;
};

struct rt_recorder {
	struct record *rec;
	struct rt_world *world;
	struct rt_seen_span *seen; // of each lcore
	struct net net; // a copy for the recorder: the same nodes, with event rings of its own
	tstamp next_sample, period, warmup;
	bool warm;
	struct rt_taps taps;
};

// Initialises the recorder. `waits`: the scene's clock waits for the recorder, so that any sampling
// period is possible.
int rt_recorder_init(struct rt_recorder *r, struct rt_world *world, const struct record_opts *opts,
	unsigned dilate, bool waits, struct err *err);
// Next instant at which the recorder wants to look.
tstamp rt_recorder_next(const struct rt_recorder *r);
// Takes what has been handed over; events before `safe` are complete. Samples and ends the warm-up
// where that is due at `now`.
void rt_recorder_turn(struct rt_recorder *r, tstamp safe, tstamp now);
// Writes frames that are on their way into the record, while all lcores stand still.
void rt_recorder_in_flight(struct rt_recorder *r);
// Events that found no room, and frames of captures.
uint64_t rt_recorder_lost(const struct rt_recorder *r);
uint64_t rt_recorder_unseen(const struct rt_recorder *r);
void rt_recorder_fini(struct rt_recorder *r);

#pragma GCC visibility pop
