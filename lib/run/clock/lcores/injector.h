// SPDX-License-Identifier: BSD-3-Clause
// Ports with an injector: their frames go through it, and on to the node when it lets them.
#pragma once

#include "lcore.h"

#pragma GCC visibility push(hidden)

// A port has an injector from now on, if its node has one for it.
void rt_injector_join(struct rt_lcore *lc, struct rt_end *e);
// Frames that have arrived at such a port.
void rt_injector_put(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now);
// Gives nodes the frames that injectors of the lcore held until now, or forge.
void rt_injectors_run(struct rt_lcore *lc, tstamp now);
// The earliest instant at which there are some; TSTAMP_NEVER: none.
tstamp rt_injectors_deadline(const struct rt_lcore *lc);

#pragma GCC visibility pop
