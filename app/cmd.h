// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: argv[0] is the subcommand's name, the value is the exit status.
#pragma once

enum { EXIT_DONE = 0, EXIT_VERDICT = 1, EXIT_INPUT = 2, EXIT_TIMING = 3 };

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_reg(int argc, char **argv);
int cmd_iqcn(int argc, char **argv);
