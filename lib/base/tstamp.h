// SPDX-License-Identifier: BSD-3-Clause
// Time: unsigned picoseconds, handed in by the caller; nothing below floor 4 reads a clock.
#pragma once

#include <stdint.h>

typedef uint64_t tstamp; // ps since the start of the run; 213 days fit

#define TSTAMP_NEVER UINT64_MAX // later than every instant

#define PS_PER_NS 1000ull
#define PS_PER_US 1000000ull
#define PS_PER_MS 1000000000ull
#define PS_PER_S  1000000000000ull

// t + d, saturating at TSTAMP_NEVER.
static inline tstamp tstamp_add(tstamp t, tstamp d)
{
	return t > TSTAMP_NEVER - d ? TSTAMP_NEVER : t + d;
}

// now - then, 0 where then is later: clocks of two lcores may differ a little.
static inline tstamp tstamp_since(tstamp now, tstamp then)
{
	return now > then ? now - then : 0;
}

static inline tstamp tstamp_min(tstamp a, tstamp b)
{
	return a < b ? a : b;
}

static inline tstamp tstamp_max(tstamp a, tstamp b)
{
	return a > b ? a : b;
}
