// SPDX-License-Identifier: BSD-3-Clause
// The counters of a device that is judged from outside, in two files: before and after a run.
#pragma once

#include "verdict.h"

#pragma GCC visibility push(hidden)

struct counters {
	void *file[2]; // JSON; NULL: there are no counters
	const char *path[2];
	char error[ERR_TEXT]; // the first line about a counter that cannot be taken; "": none
};

// Reads the files that a scene names, if it names some. An error stands in `error`.
void counters_read(struct counters *c, const struct scene *s);
void counters_free(struct counters *c);

// Returns the growth of a counter in the run; `level`: its value after the run. `port` is the
// scenario's name of a port of the device, `cls` the number of the queue or priority group; -1: the
// counter is the port's.
// NAN: a file has no such counter, or there is an error.
double counters_value(
	struct counters *c, const char *port, int cls, const char *counter, bool level);

#pragma GCC visibility pop
