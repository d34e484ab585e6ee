// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of rt_bench that stand at a length: the instants of the lane that has them, and the
// wire to the other host.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

struct eport_q;
struct rte_mbuf;
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
// The wire to the other host, as a callback of DPDK behind a port's receiving: frames that the
// switch made are taken out, since they would come in again at the other port, and the others are
// again as they were sent.
uint16_t stand_wire(
	uint16_t port, uint16_t queue, struct rte_mbuf **m, uint16_t n, uint16_t most, void *arg);
