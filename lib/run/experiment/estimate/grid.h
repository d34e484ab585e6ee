// SPDX-License-Identifier: BSD-3-Clause
// Instants that lie on a grid: the period of the clock that made them.
#pragma once

#include "base/tstamp.h"

// The longest period of which all differences of n instants are multiples, each within `error`, and
// which is at least `least`. 0: there is none, or n < 3. The instants are sorted.
tstamp grid_period(tstamp *at, unsigned n, tstamp least, tstamp error);
