// SPDX-License-Identifier: BSD-3-Clause
// Room live has what can be told of a run that goes on: its figures so far, page by page or as
// Prometheus reads them, and a line about its progress. It needs the summary.
#pragma once

#include "summary/summary.h"

// Figures of a run that goes on, so far, of the kinds and rows as at its end; those of events
// follow the events that have been taken from the nodes. -ENOMEM. It is made by the thread that has
// the record; any other may read it then, while record and scene are there.
struct live;
int live_make(struct live **out, const struct record *rec, const struct record_run *run);
void live_free(struct live *l);
// The instant that they are of.
tstamp live_at(const struct live *l);
// Words for a timing that loops have broken so far, as the report would have them; "": it is held.
const char *live_timing(const struct live *l);
// Hands out each figure that is known, by its path, beginning with number `from`, where the path
// fits the patterns (live_path_fits), until `take` returns false. Returns the number of the one
// that it refused; 0: there are no more.
typedef bool live_take(void *arg, const char *path, double value, unsigned decimals);
unsigned live_each(
	const struct live *l, const char *patterns, unsigned from, live_take *take, void *arg);

// Whether a path is one of the patterns, which commas part: the same text, or as fnmatch says.
// "": each path is.
bool live_path_fits(const char *patterns, const char *path);

#include "progress.h"
#include "prometheus.h"
