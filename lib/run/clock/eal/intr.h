// SPDX-License-Identifier: BSD-3-Clause
// DPDK's interrupt thread, and handlers of our own in it.
#pragma once

#include <semaphore.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

// Has it call the handler whenever the eventfd is not 0. False: it will not.
bool intr_event(int fd, void (*handler)(void *arg), void *arg);
// Waits until a handler has posted there. False: it does not come.
bool intr_met(sem_t *met);
// Lets the interrupt thread sleep until the process ends. rte_eal_cleanup() frees the memory of
// handles that this thread reads at each event, and does not end the thread. A later event, such as
// the end of net_memif's peer, would crash the program. Visits are no longer possible.
void intr_park(void);

#pragma GCC visibility pop
