// SPDX-License-Identifier: BSD-3-Clause
// Room load: traffic that is not RoCE: open-loop sources, their round trips, replay of captures.
#pragma once

#include "departures.h"
#include "gen.h"
#include "mac.h"
#include "player.h"
#include "replay.h"
#include "ring.h"
#include "trip.h"
