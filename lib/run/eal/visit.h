// SPDX-License-Identifier: BSD-3-Clause
// Calls of a driver into which its own handlers must not come. DPDK's interrupt thread runs those
// at any moment: when the peer of a net_memif leaves, its handler takes away the memory that a
// burst of another thread is reading.
#pragma once

#include <stdbool.h>

// From here on until EAL ends, the thread runs no handler while anybody is in a visit. A second
// call does nothing. -ETIMEDOUT: the thread does not come.
int eal_visit_open(void);
// A visit begins. False: it does not, since handlers run now; a call that may come later comes
// later. It may be in another visit, and in the handler of a signal.
bool eal_visit_begin(void);
// The same, which waits for the handlers; not in another visit.
void eal_visit_wait(void);
void eal_visit_end(void);
