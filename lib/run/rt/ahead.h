// SPDX-License-Identifier: BSD-3-Clause
// The clocks of other parts whose open loop comes here, as the main lcore tells them to those whose
// NICs date frames by them.
#pragma once

#include "lcores/lcores.h"

#pragma GCC visibility push(hidden)

struct rt;

// Once the world is built: NICs are lent the clocks, of which nothing is known yet. -ENOMEM.
int rt_ahead_init(struct rt *rt);
// The main lcore tells what is known at `now` by its clock for others, and holds for so long.
void rt_ahead_tell(struct rt *rt, tstamp now, tstamp holds);
// Tells the record how far latencies may be off.
void rt_ahead_bounds(const struct rt *rt);

#pragma GCC visibility pop
