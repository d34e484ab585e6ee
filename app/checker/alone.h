// SPDX-License-Identifier: BSD-3-Clause
// A job in a network where no message is in the way of another.
#pragma once

#include <stdio.h>

#include "base/rate.h"
#include "goal/goal.h"

#pragma GCC visibility push(hidden)

// A message takes the latency and the time of its bytes at the rate. A send ends with its message.
struct alone_params {
	rate_t rate;
	tstamp latency;
};

struct alone_result {
	tstamp done; // the last end of a recv or calc
	struct job_split split;
	uint32_t slowest;
	uint64_t messages, bytes;
	bool over; // all ranks have ended
};

// Runs a job to its end, and prints to `why` what it waits for if it has none. -ENOMEM, or -ENOSPC:
// a rank has got more messages than it may keep.
int alone_run(
	const struct goal *g, const struct alone_params *p, struct alone_result *r, FILE *why);

#pragma GCC visibility pop
