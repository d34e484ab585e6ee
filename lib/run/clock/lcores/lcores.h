// SPDX-License-Identifier: BSD-3-Clause
// A scene's nodes and links, spread over DPDK's lcores.
#pragma once

#include "ahead.h"
#include "bell.h"
#include "clock.h"
#include "lcore.h"
#include "limits.h"
#include "link.h"
#include "order.h"
#include "query.h"
#include "seen.h"
#include "world.h"
