// SPDX-License-Identifier: BSD-3-Clause
// Room contract: what all nodes share: the verbs that they answer, their events, the faults of a
// frame.
#pragma once

#include "drop.h"
#include "ev.h"
#include "malformed.h"
#include "node.h"
