// SPDX-License-Identifier: BSD-3-Clause
// Room estimate has the arithmetic of measurements: a marker's line by maximum likelihood, a clock's
// grid, a group's threshold. It knows no ports and no frames.
#pragma once

#include "fit.h"
#include "grid.h"
#include "threshold.h"
