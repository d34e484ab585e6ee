// SPDX-License-Identifier: BSD-3-Clause
// The words that a word being typed can become.
#pragma once

#include <stdio.h>

#include "cli/cli.h"

#pragma GCC visibility push(hidden)

// Lists on `f` what the last of the words of a command line behind `quench` can become. The first
// line says what else: "files", "folders" or "none"; a candidate follows a line. One that ends with
// ".", "=" or "," goes on.
void complete(const struct args_command *quench, int argc, char **argv, FILE *f);

// The text of completion for bash, which asks `quench help --complete`.
extern const char complete_bash[];

#pragma GCC visibility pop
