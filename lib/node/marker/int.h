// SPDX-License-Identifier: BSD-3-Clause
// Calls between the files of room marker.
#pragma once

#include "marker.h"

#pragma GCC visibility push(hidden)

// mark.c: the frame gets CE, and nothing else comes of that.
void sw_mark_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now);

#pragma GCC visibility pop
