// SPDX-License-Identifier: BSD-3-Clause
// The tester's own state, which the files of this room share.
#pragma once

#include "eport/eport.h"
#include "list.h"

#pragma GCC visibility push(hidden)

#define TESTER_HOLDS 16

// A hold that goes on until it is released.
struct tester_hold {
	struct tester_item item;
	tstamp next;
};

struct tester {
	struct tester_params p;
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct node_touched touched;
	struct eport_cfg ecfg;
	struct eport e; // the serializer; nothing is queued in it
	struct pause_rx pr;
	struct pause_tx pt;
	struct tester_stats s;
	struct tester_step *step; // NULL: none
	struct tester_list list;
	uint32_t *seq; // of the step, by source
	struct tester_hold hold[TESTER_HOLDS];
	unsigned n_holds;
	struct hdr control[TESTER_CONTROLS]; // headers of MAC control frames
	unsigned n_controls;
	tstamp now, deadline, desc_at;
	bool up, quiet, paused;
};

// Makes the entry of a frame that left or arrived, if a step is under way.
void tester_see(struct tester *t, const struct pkt *p, bool sent, tstamp at);

#pragma GCC visibility pop
