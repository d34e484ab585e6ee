// SPDX-License-Identifier: BSD-3-Clause
// Room cmd: what quench does, a file for each command.
#pragma once

#include "cli/cli.h"

// quench itself, with all of its commands.
extern const struct args_command cmd_quench;
