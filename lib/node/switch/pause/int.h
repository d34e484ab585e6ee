// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the files of room pause share.
#pragma once

#include "pause.h"

#pragma GCC visibility push(hidden)

// holder.c: after an XOFF for some classes of a port, writes an event for each egress queue that
// holds bytes of their ingress group, largest first; the number of events per group is limited. It
// walks the queues, so it does nothing unless these events are asked for.
#define SW_HOLDERS 4
void sw_holders(struct sw *sw, const struct sw_port *in, uint8_t classes, tstamp now);

#pragma GCC visibility pop
