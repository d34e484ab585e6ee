// SPDX-License-Identifier: BSD-3-Clause
// DPDK's interrupt thread, at the end of EAL.
#pragma once

// Has it sleep until the process ends. rte_eal_cleanup takes memory away in which the handles lie
// that this thread goes through at each event, and does not end the thread: an event after that,
// such as the end of net_memif's peer, would crash the program.
#pragma GCC visibility push(hidden)
void intr_park(void);
#pragma GCC visibility pop
