// SPDX-License-Identifier: BSD-3-Clause
// Stamps that a device gives to received frames, mapped to the scene's time. Pure: no clock, no
// device.
//
// A loop reads a frame some time after the device stamped it, never before. So in the plane of
// stamp and reading all frames lie on or above the true line, and the frames that were read soonest
// lie next to it. The map is an edge of the lower convex hull of these points: the edge at the
// middle of the last seconds has the least sum of distances from all points (S. Moon, P. Skelly, D.
// Towsley, Estimation and removal of clock skew from network delay measurements, INFOCOM 1999).
// The least delay itself remains in it, since a stamp and a reading cannot tell it from an offset.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

#define STAMP_HULL 64

struct stamp_point {
	uint64_t ticks; // of the device's clock
	tstamp at;      // reading of the loop that took the frame
};

// The lower hull of some seconds, oldest point first.
struct stamp_hull {
	struct stamp_point p[STAMP_HULL];
	unsigned n;
};

struct stamp_map {
	struct stamp_hull now, before;  // of this span of 5 s, and of the span before it
	tstamp turn;                    // when the next span begins
	bool known;                     // the map holds
	struct stamp_point base;        // a point of it
	double tick_ps;                 // its slope: scene time of one tick
	tstamp next;                    // when it is fitted again
	uint64_t frames, frames_before; // learnt from, in both spans
	double over, over_before;       // the sum of their heights above the line, ps
	tstamp bound;                   // how far the map may be off, the least delay left out
	uint64_t resets;                // times that the device's clock was set
};

#pragma GCC visibility push(hidden)
// Learns from a frame that was stamped with `ticks` and read at `now`. Of a burst the last frame
// tells most.
void stamp_learn(struct stamp_map *m, uint64_t ticks, tstamp now);
// The scene time of a stamp, at most `now`, the reading of its frame. The map must be known.
tstamp stamp_time(const struct stamp_map *m, uint64_t ticks, tstamp now);
#pragma GCC visibility pop
// By how much the device's clock is faster than the scene's time, in parts per million, if it
// counts in ns or us; NAN: it counts in another unit, or the map is not known.
double stamp_drift_ppm(const struct stamp_map *m);
