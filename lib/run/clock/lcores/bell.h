// SPDX-License-Identifier: BSD-3-Clause
// A bell that wakes the main lcore where it sleeps: workers and DPDK's telemetry ring it.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rt_bell {
	int fd;           // of eventfd(2); -1: none
	atomic_bool rung; // and not yet heard
};

// -errno, where the bell has no descriptor.
int rt_bell_open(struct rt_bell *b);
void rt_bell_close(struct rt_bell *b);

// Any thread may call it; `b` may be NULL, or a bell without a descriptor. Only the first of
// several calls before the next rt_bell_wait() makes a system call. A write that the caller made
// before the ring is seen after rt_bell_wait() if it was made with the order seq_cst. Otherwise the
// caller rings again for as long as its reason lasts.
void rt_bell_ring(struct rt_bell *b);

// One thread calls it: sleeps until the bell rings, `other` can be read, a signal comes, or `ns`
// have passed. A ring since the last call ends it at once. `other`: -1: none. True: the bell has
// rung.
bool rt_bell_wait(struct rt_bell *b, int other, uint64_t ns);
