// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: each takes the command line from its own name on and gives the exit status.
#pragma once

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_replay(int argc, char **argv);
