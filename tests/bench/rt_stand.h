// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of rt_bench that stand at a length: the instants of the lane that has them, the
// pace of two lanes, and the wire to the other host.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

struct dev;
struct eport_q;
struct mixed;
struct sw;

#define STAND_FRAMES 128 // in each queue
#define STAND_MORE   24
#define STAND_CLASS  3 // the highest of `classes`
#define STAND_PORTS  5 // at most

// Of a lane that has some ports whose queues stand: from `first` on, each `step` ports.
struct stand {
	const struct sw *sw[STAND_PORTS]; // by port: the switch, or the shard that has it
	unsigned first, step, end;
	unsigned classes;
	// So many are to stand in a queue when a turn begins: STAND_FRAMES, and STAND_MORE more
	// where another lane receives what joins the queue. Those frames join when the queue has
	// sent what it sends in a turn, and not before. So about as many frames are marked.
	unsigned frames;
	tstamp turn; // wire time of a burst
	tstamp now;
	uint64_t came; // frames that have come into the queues
	// Summed up over the turns, by stand_next; the caller may reset them.
	uint64_t queued;  // frames in a queue
	uint64_t between; // turns in which these were within half of STAND_FRAMES of it
};

// The queue of a port and class, by the switch or the shard that has the port.
const struct eport_q *stand_queue(const struct sw *sw, unsigned port, unsigned cls);
// The next instant of the lane. The wires of its ports have then taken about what has come into the
// queues since the last one, so that these stand.
tstamp stand_next(struct stand *s);
// How far a lane is, of two that have a port each.
struct stand_pace {
	_Atomic uint64_t turns;  // that it has begun
	_Atomic uint64_t waited; // ticks of the time stamp counter; written by the lane alone
};

// Begins a turn of a lane. Hosts of both ports send alike, as fast as the slower lane takes their
// frames: a lane that is a turn ahead waits for the other one, until `apart`. Else the faster lane
// would have nothing to do at times, and the frames would stand at the slower one.
void stand_keep_pace(
	struct stand_pace *own, const struct stand_pace *other, const atomic_bool *apart);
// Puts the wires to the other hosts behind the drivers of `ports` devices, by which the switch or
// shards in `sw` send: frames that the switch made end there, and the others are again as their
// hosts sent them. Until stand_wires(true) they only go through. A port that refuses frames ends
// the program. Where frames are mixed they do not come to the driver, but stand in line.
void stand_open(
	const struct dev *dev, const struct sw *const *sw, unsigned ports, struct mixed *mixed);
// Where frames are mixed, the wire of port 0 gives it the next burst.
void stand_feed(void);
// Whether frames change on the wires. No lane runs.
void stand_wires(bool change);
// Ticks of the time stamp counter that the wire of a port has taken in all. The thread that sends
// by that port has spent them, and they are no work of a switch's.
uint64_t stand_wire_ticks(unsigned port);
