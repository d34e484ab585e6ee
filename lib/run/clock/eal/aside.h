// SPDX-License-Identifier: BSD-3-Clause
// Redirects the standard error of libraries while a step runs.
#pragma once

#include <stdio.h>

#pragma GCC visibility push(hidden)

// Redirects the standard error into memory. Returns a stream that goes there, too; NULL: no memory,
// and nothing has changed. A crash or an exit restores the standard error and prints everything.
FILE *aside_begin(void);
// Puts it back. Returns what was written, for free(); NULL: nothing, or no memory.
char *aside_end(void);

#pragma GCC visibility pop
