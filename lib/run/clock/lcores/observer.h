// SPDX-License-Identifier: BSD-3-Clause
// Ports with an observer, which is told of the frames that arrive and leave.
#pragma once

#include "lcore.h"

#pragma GCC visibility push(hidden)

// The frames of a port are told to its observer, if its node has one for it.
void rt_observer_join(struct rt_end *e);
// Frames that arrived at a port, before its node or injector gets them.
void rt_observer_came(const struct rt_end *e, struct pkt *const *burst, unsigned n);
// Frames that leave it.
void rt_observer_left(const struct rt_end *e, struct pkt *const *burst, unsigned n, tstamp now);

#pragma GCC visibility pop
