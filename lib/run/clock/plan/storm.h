// SPDX-License-Identifier: BSD-3-Clause
// Storms on purpose: frames that a scene sends out of real ports to pause its peers.
#pragma once

#include "scene/scene.h"

// Checks the events pfc_storm and mac_frames, and captures with PFC or PAUSE, that leave by real
// ports of the scene. None may last longer than `allowed` (0: none may leave). -EPERM: `err` names
// the port and the option that would allow it.
int rt_storm_check(const struct scene *s, tstamp allowed, struct err *err);
