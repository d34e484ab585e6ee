// SPDX-License-Identifier: BSD-3-Clause
// A bare macswap between two ports, on one lcore or on two: what devices and mbufs alone take. It
// swaps and does nothing else, so that it waits for mbufs and bytes that are in no near cache;
// unless it is told to fetch them ahead.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rte_ring;

struct macswap {
	uint16_t port[2];          // DPDK's numbers
	bool crosses;              // a port on each of two lcores, and each frame goes to the other
	bool fetches;              // mbufs and bytes ahead
	struct rte_ring *cross[2]; // frames to be sent by this port
};

// The caller has set the two ports. -ENOMEM: no memory for the rings.
int macswap_init(struct macswap *s);
// One lcore: handles a burst of each port. Two lcores: receives at `port`, and sends the frames
// that the other lcore has received. Returns how many frames were received; ends the program if a
// port refuses frames.
unsigned macswap_turn(struct macswap *s, unsigned port);
// With two lcores: sends what has crossed. No other lcore runs.
void macswap_empty(struct macswap *s);
