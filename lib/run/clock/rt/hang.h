// SPDX-License-Identifier: BSD-3-Clause
// A loop that hangs: seen by the main lcore, named, and taken out of the run.
#pragma once

#include "lcores/lcores.h"

#pragma GCC visibility push(hidden)

struct rt;

// The main lcore calls it again and again, `awake_ns` after the last call. Returns NULL while all
// loops go on. Otherwise it returns an lcore whose loop has not come round for 5 s of its
// processor's time, or for 30 s in which its thread got none and the main lcore did. Time in which
// the whole process is stopped or starved does not count.
struct rt_lcore *rt_hang_look(struct rt *rt, uint64_t awake_ns);

// Ends a run in which a loop hangs: ends the other loops, stops this thread for good, sends XON to
// the peers, and writes the loop and its node into rt->run. The process then has a minute to end.
void rt_hang_end(struct rt *rt, struct rt_lcore *lc);

#pragma GCC visibility pop
