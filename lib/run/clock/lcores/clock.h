// SPDX-License-Identifier: BSD-3-Clause
// Scene time from the TSC.
#pragma once

#include <stdint.h>

#include "base/fixed.h"
#include "base/tstamp.h"

struct rt_instant {
	uint64_t tsc, raw_ns; // CLOCK_MONOTONIC_RAW
};

struct rt_clock {
	uint64_t tsc0;       // scene time 0
	uint64_t ps_per_tsc; // Q32, of scene time: divided by the dilation
	unsigned dilate;
};

// The two clocks read as close together as a few tries allow.
struct rt_instant rt_instant_get(void);

// Sets the scene clock from two instants that are at least some ms apart. -EINVAL: the TSC stands
// still.
int rt_clock_init(struct rt_clock *c, const struct rt_instant *a, const struct rt_instant *b,
	unsigned dilate);

static inline tstamp rt_clock_ps(const struct rt_clock *c, uint64_t tsc)
{
	return fixed_mul(tsc - c->tsc0, c->ps_per_tsc, 32);
}

// Wall time of a span of TSC ticks, ps.
static inline tstamp rt_clock_wall(const struct rt_clock *c, uint64_t ticks)
{
	return fixed_mul(ticks, c->ps_per_tsc, 32) * c->dilate;
}

// The clock that a process has for others: wall time from one second before the TSC was `from`, so
// that it is never 0. Scene time 0 is at its instant of tsc0.
static inline tstamp rt_clock_shared(const struct rt_clock *c, uint64_t from, uint64_t tsc)
{
	return PS_PER_S + rt_clock_wall(c, tsc - from);
}

// How far the TSC has run from the calibration between two instants, parts per million.
double rt_clock_error_ppm(
	const struct rt_clock *c, const struct rt_instant *a, const struct rt_instant *b);
