// SPDX-License-Identifier: BSD-3-Clause
// Colours for the things that a reader must not miss: verdicts, warnings, errors.
#pragma once

#include <stddef.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

// Writes lines that go to a terminal, with colours: green where a verdict passed, red where one
// failed, yellow for warnings.
void look_put(const char *text, size_t n, FILE *f);

// Like look_put() for an error or warning: the text before its first colon, the place or the
// command, is red or yellow.
void look_put_message(const char *text, size_t n, FILE *f);

#pragma GCC visibility pop
