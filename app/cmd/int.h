// SPDX-License-Identifier: BSD-3-Clause
// The tables of this room's own commands.
#pragma once

#include "cli/cli.h"
#include "cmd.h"

#pragma GCC visibility push(hidden)

extern const struct args_command cmd_figures, cmd_help;

#pragma GCC visibility pop
