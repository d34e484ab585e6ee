// SPDX-License-Identifier: BSD-3-Clause
// Room world: the scene as running nodes, the routes through it, queries about it, firmware of its
// NICs.
#pragma once

#include "change.h"
#include "deadlock.h"
#include "firmware.h"
#include "ideal.h"
#include "injector.h"
#include "job.h"
#include "net.h"
#include "query.h"
#include "quiet.h"
#include "route.h"
