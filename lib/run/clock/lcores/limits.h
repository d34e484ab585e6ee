// SPDX-License-Identifier: BSD-3-Clause
// Sizes that several files of the real clock share.
#pragma once

#include <stdint.h>

#define RT_NONE    UINT16_MAX
#define RT_SWEEP   16 // loops between two looks at events, the main lcore's word and captures
#define RT_CROWDED 4  // a ring that is full to so great a part wakes the recorder
#define RT_YIELD   (50 * PS_PER_US) // longest sleep of a loop that yields, by the wall
