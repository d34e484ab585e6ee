// SPDX-License-Identifier: BSD-3-Clause
// Room contract has the common part of all nodes: their verbs, their events, the faults of a frame.
#pragma once

#include "drop.h"
#include "ev.h"
#include "malformed.h"
#include "node.h"
