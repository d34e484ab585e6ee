// SPDX-License-Identifier: BSD-3-Clause
// How long the main lcore may sleep between two looks at a run.
#pragma once

#include "run.h"

#pragma GCC visibility push(hidden)

#define RT_LOOK_MS 10 // between two looks at loops and devices

// ns, of wall time, at scene time `now`. 0 shortly before the end of warm-up.
uint64_t rt_nap_ns(const struct rt *rt, tstamp now);

#pragma GCC visibility pop
