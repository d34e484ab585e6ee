// SPDX-License-Identifier: BSD-3-Clause
// Shared by the two halves of a trace: events and counters.
#pragma once

#include "found.h"
#include "pftrace.h"
#include "spans.h"
#include "timeline.h"
#include "tracks.h"

#pragma GCC visibility push(hidden)

// A line of the series: a queue, a receive buffer or a flow.
struct timeline_line {
	enum saved_kind kind;
	int port, cls, flow;     // -1: none
	tstamp reacts;           // of a flow, as in struct timeline
	double last[SAVED_COLS]; // that was shown; NAN: nothing was
};

struct timeline {
	struct saved *saved;
	struct pftrace *trace;
	struct tracks *tracks;
	struct found found;
	tstamp from, to, end;
	int *port; // by number of saved_object()
	int *flow; // by number of saved_flow()
	// by number of saved_flow(): the first event of its reaction point, TSTAMP_NEVER: there is
	// none, or some have no line
	tstamp *reacts;
	unsigned n_reacts;
	struct timeline_line *line; // by number of saved_line()
	unsigned lines;
	uint32_t arrows, arrows_shown;
	uint64_t shown;    // events
	bool miss_holders; // of struct timeline_told
};

static inline bool timeline_shows(const struct timeline *t, tstamp at)
{
	return at >= t->from && at < t->to;
}

// Counters of all samples of the series.
void timeline_counters(struct timeline *t);
// All events. -ENOMEM.
int timeline_events(struct timeline *t);

#pragma GCC visibility pop
