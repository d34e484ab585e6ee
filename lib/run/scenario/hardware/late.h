// SPDX-License-Identifier: BSD-3-Clause
// Headroom for late loops: the part that the real clock needs in addition to the wire's part.
#pragma once

#include "hardware/hardware.h"

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Notes at each port of a switch how late a loop its headroom is to hold, and gives that to the
// groups with `headroom: auto` where the clock is real. `port` is p->port; all else is filled.
int late_loops(struct draft *b, const struct draft_node *n, struct sw_params *p,
	struct sw_port_params *port);

#pragma GCC visibility pop
