// SPDX-License-Identifier: BSD-3-Clause
// Pairs of events that begin and end a state of a queue: a pause, a storm, a deadlock.
#pragma once

#include "found.h"
#include "saved/saved.h"

#pragma GCC visibility push(hidden)

enum span_kind { SPAN_PAUSE, SPAN_STORM, SPAN_DEADLOCK, SPAN_KINDS };

// Whether an event of that type begins or ends a span, and of which kind.
bool span_begins(enum ev_type type, enum span_kind *kind);
bool span_ends(enum ev_type type, enum span_kind *kind);

// A span that is open, by object, class and kind.
struct span {
	bool open;
	uint64_t event; // that began it
	tstamp t;
};

struct spans { // {0}: none
	struct span *span;
	unsigned objects;
};

// The span of an event's port and class; NULL: it has no class, or no memory.
struct span *spans_of(struct spans *s, unsigned object, int cls, enum span_kind kind);

// Takes the next event of the first reading. FOUND_LATE marks spans that begin before `from` and
// end later.
void spans_take(
	struct spans *s, struct found *f, const struct saved_ev *ev, uint64_t event, tstamp from);
// The record has ended: the spans that are still open get FOUND_LATE and FOUND_NO_END.
void spans_end(struct spans *s, struct found *f);
void spans_fini(struct spans *s);

#pragma GCC visibility pop
