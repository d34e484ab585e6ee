// SPDX-License-Identifier: BSD-3-Clause
// Cyclic buffer dependency: which paused egress queues wait for each other, and since when.
#pragma once

#include "net.h"

// An egress queue of a switch.
struct deadlock_queue {
	uint16_t node, port;
};

// A cycle: each queue is paused by the switch at the other end of its link, because all frames that
// came in there stand in queues that wait in turn; the last queue waits for the first.
struct deadlock {
	uint8_t cls;
	unsigned n; // queues of the cycle
	struct deadlock_queue *queue;
	tstamp since;   // begin of the pause that closed it
	tstamp seen;    // first look that found it
	tstamp until;   // first look that did not; TSTAMP_NEVER: it lasts
	unsigned stuck; // queues that cannot go on, those that only wait for a cycle too, when seen
	bool changed;   // found or gone by the last look
};

struct deadlock_vertex;

struct deadlocks {
	unsigned n;
	struct deadlock *d;
	const struct net *net;
	// of a look
	unsigned *first_port; // by node
	unsigned n_ports;
	struct deadlock_vertex *v;
	int32_t *at; // vertex of (port, class); -1: none
	unsigned n_v;
};

// Prepares the search for deadlocks. The net must outlive it as long as it is used. -ENOMEM.
int deadlock_init(struct deadlocks *w, const struct net *net);
void deadlock_fini(struct deadlocks *w);

// Looks at all switches at `now`. New cycles are added with seen = now, cycles that are gone get
// until = now; both are marked `changed`. -ENOMEM.
int deadlock_look(struct deadlocks *w, tstamp now);
