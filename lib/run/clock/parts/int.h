// SPDX-License-Identifier: BSD-3-Clause
// The clocks of other parts that send open-loop frames to us, from the main lcore to the lcores
// whose NICs compute latencies with them.
#pragma once

#include "parts.h"

#pragma GCC visibility push(hidden)

// Once the world is built: NICs are lent the clocks, of which nothing is known yet. -ENOMEM.
int parts_ahead_init(struct parts *t);
// The main lcore publishes its estimate at `now` for other lcores, valid for `holds`.
void parts_ahead_tell(struct parts *t, tstamp now, tstamp holds, bool window);

#pragma GCC visibility pop
