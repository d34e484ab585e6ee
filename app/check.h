// SPDX-License-Identifier: BSD-3-Clause
// What `quench check` prints behind the resolved scenario.
#pragma once

#include "run/scene.h"

// The flow tables of iQCN, a line a port of each switch that has one.
void check_iqcn(const struct scene *s);

// Firmware that a run would load, and devices that it would open, a line each.
void check_trust(const struct scene *s);
