// SPDX-License-Identifier: BSD-3-Clause
// Keeps the standard error of libraries aside while a step runs.
#pragma once

#include <stdio.h>

#pragma GCC visibility push(hidden)

// The standard error goes aside from here on. Returns a stream that goes there, too; NULL: no
// memory, then nothing has changed. A crash or an exit meanwhile puts it back and shows all.
FILE *aside_begin(void);
// Puts it back. Returns what was written, for free(); NULL: nothing, or no memory.
char *aside_end(void);

#pragma GCC visibility pop
