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

// -ENOMEM: no rings. What the two ports are is set before.
int macswap_init(struct macswap *s);
// A burst of either port, or with two lcores what that of `port` has to do: receive, and send what
// the other one has received. Returns how many frames were received; ends the program where a port
// refuses some.
unsigned macswap_turn(struct macswap *s, unsigned port);
// With two lcores: sends what has crossed. No other lcore runs.
void macswap_empty(struct macswap *s);
