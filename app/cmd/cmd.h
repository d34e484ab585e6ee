// SPDX-License-Identifier: BSD-3-Clause
// Room cmd has quench itself: the list of its commands, help, completion, and what figures mean. It
// needs the rooms that have the commands.
#pragma once

#include "cli/cli.h"

// quench itself, with all of its commands.
extern const struct args_command cmd_quench;
