// SPDX-License-Identifier: BSD-3-Clause
// Storms on purpose: what a scene sends out of real ports to stop its peers.
#pragma once

#include "scene/scene.h"

// Whether events pfc_storm and mac_frames, and captures with PFC or PAUSE, may leave by the real
// ports of the scene: none of them lasts longer than `allowed` (0: none may leave). -EPERM and a
// line that names the port and what would allow it.
int rt_storm_check(const struct scene *s, tstamp allowed, struct err *err);
