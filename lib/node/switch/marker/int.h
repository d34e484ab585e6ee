// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the files of room marker share.
#pragma once

#include "marker.h"

#pragma GCC visibility push(hidden)

// mark.c: sets CE in the frame, without a Fast CNP.
void sw_mark_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now);

#pragma GCC visibility pop
