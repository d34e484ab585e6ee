// SPDX-License-Identifier: BSD-3-Clause
// The tables of the commands, and what several of them have.
#pragma once

#include "cli/cli.h"
#include "cmd.h"

#pragma GCC visibility push(hidden)

extern const struct args_command cmd_run, cmd_check, cmd_ports, cmd_events, cmd_trace, cmd_decode,
	cmd_replay, cmd_sweep, cmd_import, cmd_reg, cmd_iqcn, cmd_stats, cmd_rp, cmd_figures,
	cmd_report, cmd_merge, cmd_help;

#pragma GCC visibility pop

// --instance, of a command whose struct has a member of that name.
#define CMD_INSTANCE(type)                                                                        \
	ARGS_ROW(.name = "instance", .value = "NAME", .kind = ARGS_TEXT, ARGS_AT(type, instance), \
		.help = "Asks this instance: the name that `quench run --instance` gave it, its " \
			"scenario's name, or a pid.")
