// SPDX-License-Identifier: BSD-3-Clause
// A quiesce on the real clock: the main lcore tells all nodes, asks whether they are at rest, and
// ends it in time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lcores/lcores.h"

struct rt;

enum rt_quiesce_state {
	RT_QUIESCE_NONE,
	RT_QUIESCE_WANTED,  // nodes are to be told to begin nothing
	RT_QUIESCE_TELLS,   // they are being told
	RT_QUIESCE_LOOKS,   // they have been told
	RT_QUIESCE_GOES_ON, // they are told to go on
};

struct rt_quiesce {
	enum rt_quiesce_state state;
	bool goes_on;           // then; else the run ends
	bool ended;             // the scenario's quiesce has ended the run, which is its end
	uint64_t until_ns;      // wall time
	uint32_t told;          // commands to quiesce that lcores have carried out, as last looked
	struct rt_order *order; // under way; NULL: none
	bool asks;              // it is a question
	unsigned n;             // commands of it
	uint64_t passed;        // what the answers of the last look came to, with all nodes at rest
	tstamp passed_at;       // TSTAMP_NEVER: they were not
};

#pragma GCC visibility push(hidden)

// Tells all senders to begin nothing new; over after `within` (wall) at the latest.
void rt_quiesce_begin(struct rt *rt, bool goes_on, tstamp within);
// The main lcore's turn. True: the run ends.
bool rt_quiesce_turn(struct rt *rt);
// After all lcores have ended.
void rt_quiesce_end(struct rt *rt);

#pragma GCC visibility pop
