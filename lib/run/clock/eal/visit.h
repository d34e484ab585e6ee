// SPDX-License-Identifier: BSD-3-Clause
// Calls of a driver into which its own handlers must not come. DPDK's interrupt thread runs those
// at any moment: when the peer of a net_memif leaves, its handler takes away the memory that a
// burst of another thread is reading.
#pragma once

#include <stdbool.h>

// From this call until EAL ends, the interrupt thread runs no handler during a visit. A second call
// does nothing. -ETIMEDOUT: the thread does not answer.
int eal_visit_open(void);
// A visit begins, in which handlers do not run. False: handlers run now, so there is no visit, and
// the caller comes back later. A visit may begin within another one, and in a signal's handler.
bool eal_visit_begin(void);
// Like eal_visit_begin(), but waits until handlers have run. Not within another visit.
void eal_visit_wait(void);
void eal_visit_end(void);
