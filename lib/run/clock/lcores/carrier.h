// SPDX-License-Identifier: BSD-3-Clause
// Links of real ports that go down and come up, as the lcore that has the port sees them.
#pragma once

#include "lcore.h"

#pragma GCC visibility push(hidden)

// Does to the nodes of the lcore what the main lcore has told of links.
void rt_carrier_take(struct rt_lcore *lc, tstamp now);
// A command of the scenario. Where a port's link is down, link_up waits for it, and where link_down
// has been told, the link's coming up changes nothing.
void rt_carrier_ctl(struct rt_lcore *lc, const struct rt_cmd *c, tstamp now);

#pragma GCC visibility pop
