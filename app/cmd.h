// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: their tables, and the exit statuses.
#pragma once

#include "args.h"

enum { EXIT_DONE = 0, EXIT_VERDICT = 1, EXIT_INPUT = 2, EXIT_TIMING = 3 };

extern const struct args_command cmd_run, cmd_check, cmd_decode, cmd_replay, cmd_sweep, cmd_import,
	cmd_reg, cmd_iqcn, cmd_help;

// quench itself, with all of them.
extern const struct args_command cmd_quench;
