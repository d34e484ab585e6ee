// SPDX-License-Identifier: BSD-3-Clause
// What `quench check` prints behind the resolved scenario.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

// A part by its printer. One of many lines is cut unless all of it is wanted.
void check_part(const struct scene *s, bool full, void (*print)(const struct scene *s, FILE *f));

// Thresholds of the ports' groups that flows use or that are lossless, a line each.
void check_thresholds(const struct scene *s, FILE *f);

// Egress queues that have a limit or bytes of their own, a line each.
void check_queues(const struct scene *s, FILE *f);

// The flow tables of iQCN, a line a port of each switch that has one.
void check_iqcn(const struct scene *s, FILE *f);

// The notification points, a line for each host that queue pairs send to: what it answers CE with,
// and who listens.
void check_np(const struct scene *s, FILE *f);

// Firmware that a run would load, and devices that it would open, a line each.
void check_trust(const struct scene *s);
