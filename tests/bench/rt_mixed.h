// SPDX-License-Identifier: BSD-3-Clause
// Bursts of rt_bench for several egress ports and classes. Frames that leave wait in line for their
// next turn, and a burst takes them out of the lines in turns, or in an order that is drawn.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

#define MIXED_WAYS_MOST    4
#define MIXED_CLASSES_MOST 3
#define MIXED_LINES_MOST   (MIXED_WAYS_MOST * MIXED_CLASSES_MOST)

struct mixed_line {
	struct rte_mbuf **slot;
	unsigned head, tail;
};

struct mixed {
	unsigned lines; // egress queues that frames are for; 0: nothing is mixed
	bool drawn;
	unsigned mask; // slots of a line - 1
	struct mixed_line line[MIXED_LINES_MOST];
	unsigned next;       // line
	struct rte_ring *to; // bursts come in from it
	uint32_t lcg;
};

// Lines have room for `frames` each. -ENOMEM
int mixed_init(struct mixed *m, unsigned frames);
// Says the line of a frame, which it keeps.
void mixed_tag(struct rte_mbuf *f, unsigned line);
// n frames have left: those with a line stand at its end, and the others are freed.
void mixed_take(struct mixed *m, struct rte_mbuf **f, unsigned n);
// Puts the next burst into the ring, unless a burst is in it.
void mixed_feed(struct mixed *m);
// Frames in all lines.
unsigned mixed_waiting(const struct mixed *m);
