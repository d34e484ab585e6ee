// SPDX-License-Identifier: BSD-3-Clause
// A loop that hangs: seen by the main lcore, named, and taken out of the run.
#pragma once

#include "lcores/lcores.h"

#pragma GCC visibility push(hidden)

struct rt;

// By the main lcore, again and again, `awake_ns` after the last time. NULL: all loops go on. Else
// one that has not come round for 5 s of its processor's time, or for 30 s in which it got none
// and the main lcore did. What stops the whole process, or starves it, is no such time.
struct rt_lcore *rt_hang_look(struct rt *rt, uint64_t awake_ns);

// Ends the other loops, has the thread stand still for good, releases the peers, and writes into
// rt->run which loop and node it was. The process has a minute to come to its end.
void rt_hang_end(struct rt *rt, struct rt_lcore *lc);

#pragma GCC visibility pop
