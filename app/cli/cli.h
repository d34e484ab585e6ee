// SPDX-License-Identifier: BSD-3-Clause
// Room cli: the command line's words, messages and output for the user, signals, exit statuses.
#pragma once

enum { EXIT_DONE = 0, EXIT_VERDICT = 1, EXIT_INPUT = 2, EXIT_TIMING = 3 };

#include "args.h"
#include "paint.h"
#include "stop.h"
#include "tell.h"
#include "term.h"
