// SPDX-License-Identifier: BSD-3-Clause
// The end of a run: what the user is told, and the exit status.
#pragma once

#include "session.h"

#pragma GCC visibility push(hidden)

// Prints the table and the lines of a run that has ended. `rec`: NULL if there is none. `why`: the
// line about the error that ended it; NULL: none did. A run of session.alone that found nobody gets
// that line alone. Returns the exit status.
int outcome_tell(const struct session *s, const struct report *rec, const char *why);

#pragma GCC visibility pop
