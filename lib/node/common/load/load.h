// SPDX-License-Identifier: BSD-3-Clause
// Room load: what traffic is offered: streams of messages, open-loop sources and their round trips,
// replay of captures.
#pragma once

#include "arrivals.h"
#include "departures.h"
#include "gen.h"
#include "mac.h"
#include "player.h"
#include "replay.h"
#include "ring.h"
#include "trip.h"
