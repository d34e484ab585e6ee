// SPDX-License-Identifier: BSD-3-Clause
// A loop that hangs: seen by the main lcore, named, and taken out of the run.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

#pragma GCC visibility push(hidden)

struct rt;
struct rt_lcore;

// What the main lcore has seen of a worker.
struct rt_hang {
	tstamp now;       // the worker's, as it last moved
	uint64_t cpu_ns;  // that the worker's thread had used then
	uint64_t idle_ns; // that the main lcore was awake since, the thread having used nothing
	uint64_t seen_ns; // that it had used at the last look
};

// By the worker, before its loop: which thread it is.
void rt_hang_enlist(struct rt_lcore *lc);

// By the main lcore, again and again, `awake_ns` after the last time. NULL: all loops go on. Else
// one that has not come round for 5 s of its processor's time, or for 30 s in which it got none
// and the main lcore did. What stops the whole process, or starves it, is no such time.
struct rt_lcore *rt_hang_look(struct rt *rt, uint64_t awake_ns);

// Ends the other loops, has the thread stand still for good, releases the peers, and writes into
// rt->run which loop and node it was. The process has a minute to come to its end.
void rt_hang_end(struct rt *rt, struct rt_lcore *lc);

#pragma GCC visibility pop
