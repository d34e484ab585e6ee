// SPDX-License-Identifier: BSD-3-Clause
// Windows of 1024 cycles of the RDMA IP: bytes counted in one, and when the next frame may start.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

#define RDMA_IP_WINDOW_CYCLES   1024u
#define RDMA_IP_WINDOW_NO_LIMIT UINT32_MAX // a credit that lets everything pass

// Window k begins at floor(k 1024 10^12 / clock) ps and ends where window k + 1 begins. A frame may
// start while the count is below the credit. At the end of a window the count falls by the credit,
// to 0 at least: what the last frame took beyond the credit is carried into the next windows, what
// was left of the credit is not. Nothing has to be called as windows end: the count is brought up
// to date when it is needed.
struct rdma_ip_window {
	uint64_t clock_hz;
	uint64_t index; // number k of the window in which `bytes` were counted
	tstamp end;     // of this window
	uint32_t bytes; // the count, with bytes carried into this window
};

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The window at time 0, with nothing counted. clock_hz from 1 MHz to 2 GHz.
void rdma_ip_window_init(struct rdma_ip_window *w, uint64_t clock_hz);

// The rest of rdma_ip_window_roll.
void rdma_ip_window_turn(struct rdma_ip_window *w, uint32_t credit, tstamp now);

// Brings the count up to `now`; an earlier `now` than in the last call changes nothing. `credit`:
// bytes, at least 1, the same in all windows that have ended since the last call.
static inline void rdma_ip_window_roll(struct rdma_ip_window *w, uint32_t credit, tstamp now)
{
	if (now >= w->end)
		rdma_ip_window_turn(w, credit, now);
}

// Earliest instant of the next frame while the credit stays as it is; 0: at once.
tstamp rdma_ip_window_next(const struct rdma_ip_window *w, uint32_t credit);

#pragma GCC visibility pop
