// SPDX-License-Identifier: BSD-3-Clause
// Pacer: the limiter of one flow. Each frame has an ideal instant; the flow makes up for frames
// that leave late.
#pragma once

#include <stdint.h>

#include "base/rate.h"
#include "base/tstamp.h"

// a bound of PACER_AUTO_GAPS gaps, but at least PACER_AUTO_LEAST
#define PACER_AUTO       TSTAMP_NEVER
#define PACER_AUTO_GAPS  4
#define PACER_AUTO_LEAST (20 * PS_PER_US)

// The ideal instants of a flow are a frame's wire time at its rate apart. A frame that waited for
// the wire, or behind other flows, leaves late. The next ideal instant follows from the ideal one,
// not from the actual one, so that the flow keeps its rate. `catch_up` bounds, as a time, how far
// the ideal instant may be in the past.
struct pacer {
	byte_ps ps;     // at the current rate; 0: unpaced
	tstamp next;    // ideal instant of the next frame; it may leave from then on
	uint32_t frac;  // of next, ps in Q0.20: the mean rate does not drift
	uint32_t bytes; // of the last frame on the wire: its wire time at the rate is one gap
};

// rate in bit/s, RATE_MIN and up; 0: no pacing.
static inline void pacer_init(struct pacer *p, rate_t rate)
{
	*p = (struct pacer){.ps = rate ? rate_byte_ps(rate) : 0};
}

// The flow could not send until `at` for a reason that is not made up for (nothing to send, a
// pause): its schedule begins anew there. A gap that is still running stays.
static inline void pacer_restart(struct pacer *p, tstamp at)
{
	if (p->next >= at)
		return;
	p->next = at;
	p->frac = 0;
}

// Returns by how much time (ps) a frame that leaves at `now` misses its ideal instant; 0 if it is
// not late.
static inline tstamp pacer_late(const struct pacer *p, tstamp now)
{
	return tstamp_since(now, p->next);
}

// Returns how many whole bytes pass in `time` ps, at `ps` for each byte; 0: there is no pacing.
uint64_t pacer_bytes(byte_ps ps, tstamp time);

// Gives up `late` ps of the schedule. Returns the bytes that the rate allowed in that time, which
// the flow has lost.
uint64_t pacer_give_up(struct pacer *p, tstamp late);

// Counts a frame of `wire_bytes` (len + 24) that leaves at `now`, `late` ps (more than 0) after its
// ideal instant. The flow makes up for lateness up to `catch_up` (ps, or PACER_AUTO) and loses the
// rest. Returns the bytes that are lost in this way.
uint64_t pacer_bound(struct pacer *p, uint32_t wire_bytes, tstamp late, tstamp catch_up);

// The gap of a frame of `wire_bytes` (len + 24) that leaves now: the next ideal instant is its
// wire time after its own.
static inline void pacer_sent(struct pacer *p, uint32_t wire_bytes)
{
	uint64_t gap = wire_bytes * p->ps + p->frac;

	p->bytes = wire_bytes;
	p->next += gap >> 20;
	p->frac = gap & ((1u << 20) - 1);
}

// The rate changes at `at`, bit/s, 0: no pacing. The bytes that the flow has sent ahead of the
// instant (next is later) or is behind by (next is earlier) stay as many: next = at +- |next - at|
// * old rate / new rate. At a lower rate, what it is behind by is cut to one gap at that rate.
// Returns the bytes that are lost by it.
uint64_t pacer_set_rate(struct pacer *p, rate_t rate, tstamp at);

// The rate changes from the next gap on; one that is running stays (the reference simulator's
// rule).
static inline void pacer_set_next_rate(struct pacer *p, rate_t rate)
{
	p->ps = rate ? rate_byte_ps(rate) : 0;
}
