// SPDX-License-Identifier: BSD-3-Clause
// Ranks of jobs in a trace: a track for each with its iterations, and below it its calcs and its
// messages, with an arrow from each send to the message's arrival.
#pragma once

#include "int.h"

#pragma GCC visibility push(hidden)

struct jobs;

// NULL: no memory.
struct jobs *job_tracks_new(struct timeline *t);
// Shows an event of a job. False: it is none.
bool job_tracks_take(struct jobs *j, const struct saved_ev *ev);
// Shows the last iterations, whose parts may not all have come.
void job_tracks_end(struct jobs *j);
void job_tracks_free(struct jobs *j);

#pragma GCC visibility pop
