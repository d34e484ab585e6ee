// SPDX-License-Identifier: BSD-3-Clause
// Room estimate has the arithmetic of measurements: a marker's line by maximum likelihood, the grid
// of a clock, repeats, the threshold of a group. It knows no ports and no frames.
#pragma once

#include "fit.h"
#include "grid.h"
#include "repeats.h"
#include "threshold.h"
