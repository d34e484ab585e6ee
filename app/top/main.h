// SPDX-License-Identifier: BSD-3-Clause
// The command's way from its words to its end: with ncursesw, or without.
#pragma once

#include "top.h"

#pragma GCC visibility push(hidden)

// Shows the instance until the user leaves; returns the exit status. Of a build without ncursesw:
// says that there is none.
int top_watch(const char *instance, unsigned every_ms);

#pragma GCC visibility pop
