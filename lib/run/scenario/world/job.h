// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a scene in the built world: their ranks beside NICs, and how they stand.
#pragma once

#include <stdio.h>

#include "net.h"

// A job that waits for ever: its number; -1: none does. Of a job with ranks in other processes it
// is not known. Only while nothing runs.
int net_job_stuck(const struct net *net);
struct net_job_say {
	void (*line)(void *arg, const char *line); // NULL: nobody listens
	void *arg;
};

// At the end of a run: says what is wrong with its jobs. `stuck`: a job that is known to wait for
// ever; -1: none is. If one does, `crash` says so, unless it has a text already.
void net_jobs_end(
	const struct net *net, int stuck, const struct net_job_say *say, char *crash, size_t size);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// How a job stands, over all nodes of this process.
struct net_job {
	uint32_t ranks, over;
	bool goes_on; // false: nothing is on its way, and nobody works. Unless over, it never is
};

struct net_job net_job(const struct net *net, unsigned job);

// Prints why a job does not go on, in lines, and messages that no rank has taken; nothing of a job
// that is over and has none. -ENOMEM.
int net_job_why(const struct net *net, unsigned job, FILE *to);

// Makes the jobs, once all flows and loads are there.
int jobs_add(struct net *net, struct err *err);
void jobs_free(struct net_jobs *jobs);

#pragma GCC visibility pop
