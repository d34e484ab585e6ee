// SPDX-License-Identifier: BSD-3-Clause
// Links of real ports that go down and come up, as the lcore that has the port sees them.
#pragma once

#include "lcore.h"

#pragma GCC visibility push(hidden)

// Tells the nodes of this lcore about links that went down or came up, as the main lcore has seen
// it.
void rt_carrier_take(struct rt_lcore *lc, tstamp now);
// Executes a command of the scenario about a link. If the port's link is down, link_up waits until
// it is up. After link_down, the port stays down even if its link comes up. Returns what the node
// says of the command.
int rt_carrier_ctl(struct rt_lcore *lc, const struct rt_cmd *c, tstamp now);

#pragma GCC visibility pop
