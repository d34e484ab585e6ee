// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: their tables, and the exit statuses.
#pragma once

#include "args.h"

enum { EXIT_DONE = 0, EXIT_VERDICT = 1, EXIT_INPUT = 2, EXIT_TIMING = 3 };

extern const struct args_command cmd_run, cmd_check, cmd_decode, cmd_replay, cmd_sweep, cmd_import,
	cmd_reg, cmd_iqcn, cmd_help;

// quench itself, with all of them.
extern const struct args_command cmd_quench;

// --instance, of a command whose struct has a member of that name.
#define CMD_INSTANCE(type)                                                                        \
	ARGS_ROW(.name = "instance", .value = "NAME", .kind = ARGS_TEXT, ARGS_AT(type, instance), \
		.help = "Asks this instance: the name that `quench run --instance` gave it, its " \
			"scenario's name, or a pid.")
