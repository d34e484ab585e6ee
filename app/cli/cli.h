// SPDX-License-Identifier: BSD-3-Clause
// Room cli: the words of a command line, what the user is told and shown, signals, exit statuses.
#pragma once

enum { EXIT_DONE = 0, EXIT_VERDICT = 1, EXIT_INPUT = 2, EXIT_TIMING = 3 };

#include "args.h"
#include "paint.h"
#include "stop.h"
#include "tell.h"
#include "term.h"
