// SPDX-License-Identifier: BSD-3-Clause
// Thresholds of a marker that follow the rate of the egress link; internal.
#pragma once

#include "hardware.h"

#pragma GCC visibility push(hidden)

// Sets *to to the wred of a port's class: by_rate's row for the rate of the link is put in, and
// sizes for each Gbit/s are bytes, rounded down. A probability that `ports` gives goes before those
// of the switch's rows. -EINVAL and a line if a row is wrong, the rate has no row, or a threshold
// gets too large.
int speed_wred(struct draft *b, struct spec_wred *to, const struct draft_port *p, unsigned cls);

#pragma GCC visibility pop
