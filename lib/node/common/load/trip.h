// SPDX-License-Identifier: BSD-3-Clause
// Round trips of an open-loop source whose receiver sends its frames back: when each frame left,
// which of them have come back, and how long that took. Memory is bounded: the instants of the last
// frames are kept, a power of two of them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hist.h"
#include "base/stat.h"
#include "base/tstamp.h"
#include "departures.h"
#include "wire/pkt.h"

struct trip_stats {
	uint64_t echo_rx_frames, echo_rx_bytes; // that came back, each once; bytes: len + FCS
	uint64_t echo_lost;         // sent before one that came back, and not back by now
	uint64_t echo_out_of_order; // came back after a later one
	uint64_t echo_duplicates;   // came back again; not among the others
	uint64_t echo_late;         // came back when its instant was kept no more: not timed
	uint64_t echo_ce_rx;        // came back with CE
	uint64_t rtt_min, rtt_max, rtt_sum; // ps, first bit out to last bit in, of frames in time
};

extern const struct stat_table trip_stat_table;

struct trips {
	struct trip_stats s;
	uint64_t back;          // behind the highest number that came back
	struct departures left; // of frames that have not come back
	struct hist *rtt;       // lent, hist_count; NULL: none
};

// Keeps the instants of the last `frames` frames at least, 1..DEPARTURES_MOST. -EINVAL, -ENOMEM.
int trips_init(struct trips *t, uint32_t frames);
void trips_fini(struct trips *t);

// A frame leaves (departures_add).
static inline void trips_left(struct trips *t, uint32_t seq, tstamp now)
{
	departures_add(&t->left, seq, now);
}

// Takes a frame of ours that came back, by its number. False: no such frame has left, so it does
// not belong to this source.
bool trips_came(struct trips *t, const struct pkt *p, tstamp now);
