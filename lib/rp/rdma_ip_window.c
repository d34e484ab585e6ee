// SPDX-License-Identifier: BSD-3-Clause
// Windows of 1024 cycles without an event at their ends: where one lies, and when a debt is paid.
#include "rdma_ip_window.h"

#define SPAN \
	((unsigned __int128)RDMA_IP_WINDOW_CYCLES * PS_PER_S) // ps of a window, times the clock

// floor(k SPAN / clock), so that no fraction of a picosecond adds up.
static tstamp window_begins(uint64_t k, uint64_t clock_hz)
{
	unsigned __int128 at = k * SPAN / clock_hz;

	return at < TSTAMP_NEVER ? (tstamp)at : TSTAMP_NEVER;
}

// The largest k with floor(k SPAN / clock) <= at, which is k SPAN < (at + 1) clock.
static uint64_t window_of(tstamp at, uint64_t clock_hz)
{
	return (uint64_t)((((unsigned __int128)at + 1) * clock_hz - 1) / SPAN);
}

void rdma_ip_window_init(struct rdma_ip_window *w, uint64_t clock_hz)
{
	*w = (struct rdma_ip_window){.clock_hz = clock_hz, .end = window_begins(1, clock_hz)};
}

void rdma_ip_window_turn(struct rdma_ip_window *w, uint32_t credit, tstamp now)
{
	uint64_t index = window_of(now, w->clock_hz), ended = index - w->index;

	w->bytes = ended > w->bytes / credit ? 0 : w->bytes - (uint32_t)ended * credit;
	w->index = index;
	w->end = window_begins(index + 1, w->clock_hz);
}

// bytes - n credit < credit from n = floor(bytes / credit) windows on.
tstamp rdma_ip_window_next(const struct rdma_ip_window *w, uint32_t credit)
{
	uint32_t wait;

	if (w->bytes < credit || credit == RDMA_IP_WINDOW_NO_LIMIT)
		return 0;
	wait = w->bytes / credit;
	return wait == 1 ? w->end : window_begins(w->index + wait, w->clock_hz);
}
