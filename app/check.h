// SPDX-License-Identifier: BSD-3-Clause
// What `quench check` prints behind the resolved scenario.
#pragma once

#include "run/scene.h"

// The notification points, a line for each host that queue pairs send to: what it answers CE with, and who listens.
void check_np(const struct scene *s);

// The flow tables of iQCN, a line a port of each switch that has one.
void check_iqcn(const struct scene *s);

// Firmware that a run would load, and devices that it would open, a line each.
void check_trust(const struct scene *s);
