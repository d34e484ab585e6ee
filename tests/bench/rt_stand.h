// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of rt_bench that stand at a length: the instants of the lane that has them, and the
// wire to the other host.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

struct dev;
struct eport_q;
struct sw;

#define STAND_FRAMES 128 // in each queue
#define STAND_CLASS  3

// Of a lane that has one of the two ports, `first`, or both.
struct stand {
	const struct sw *sw[2]; // by port: the switch, or the shard that has it
	unsigned first, ports;
	tstamp turn;      // wire time of a burst
	double held_most; // bytes of a group, at which the hosts of its port stop
	tstamp now;
	uint64_t came; // frames that have come into the queues
	// Summed up over the turns, by stand_next; the caller may reset them.
	uint64_t queued;  // frames in a queue
	uint64_t between; // turns in which these were within half of STAND_FRAMES of it
};

// The queue of a port, by the switch or the shard that has it.
const struct eport_q *stand_queue(const struct sw *sw, unsigned port);
// The bytes of a group at which hosts stop, where a frame holds so many of the buffer: four times
// what is to stand.
double stand_held_most(double frame_bytes);
// The next instant of the lane. The wires of its ports have then taken about what has come into the
// queues since the last one, so that these stand.
tstamp stand_next(struct stand *s);
// Whether the hosts of one of its ports have stopped, as hosts do that obey XOFF. So much waits
// only where another lane has stood still for a moment.
bool stand_hosts_stopped(const struct stand *s);
// Puts the wires to the other hosts behind the drivers of dev[0] and dev[1]: frames that the switch
// made end there, and the others are again as their hosts sent them. Until stand_wires(true) they
// only go through. A port that refuses frames ends the program.
void stand_open(const struct dev *dev);
// Whether frames change on the wires. No lane runs.
void stand_wires(bool change);
// Ticks of the time stamp counter that the wire of a port has taken in all. The thread that sends
// by that port has spent them, and they are no work of a switch's.
uint64_t stand_wire_ticks(unsigned port);
