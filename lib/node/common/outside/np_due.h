// SPDX-License-Identifier: BSD-3-Clause
// How many CNPs a sequence of CE frames asks for, by the rule of a notification point's mode, as
// far as an observer can tell who sees the CE frames and knows the interval.
#pragma once

#include "algo/dcqcn_np.h"

// The count for one key. {0} is a key without CE so far.
struct np_due {
	tstamp end; // of the interval that the last due CNP began; 0: none runs
	bool seen;  // CE came in the interval that runs
	uint64_t n; // CNPs due from the instant `from` on
};

// Windows that have ended by `now`: a window in which CE came asks for a CNP, and another follows.
static inline void np_due_end(struct np_due *d, tstamp interval, tstamp from, tstamp now)
{
	while (d->end && d->end <= now) {
		d->n += d->seen && d->end >= from;
		d->end = d->seen ? d->end + interval : 0;
		d->seen = false;
	}
}

// A CE frame comes at `now`. Returns whether a CNP is due at once. standards.md 4.2 has the rules:
// NP_NEXT_MARKED is Lumina's, a CNP for each CE frame that comes `interval` or more after the last
// one that asked for one; NP_WINDOW asks for one at the first CE frame, and for one at the end of
// each interval with CE; NP_PER_PACKET, or an interval of 0, for one each.
static inline bool np_due_ce(
	struct np_due *d, enum np_mode mode, tstamp interval, tstamp from, tstamp now)
{
	if (now < d->end) {
		d->seen = true;
		return false;
	}
	if (mode == NP_PER_PACKET || !interval) {
		d->n += now >= from;
		return true;
	}
	if (mode == NP_WINDOW)
		np_due_end(d, interval, from, now);
	else
		d->end = 0;
	if (d->end) {
		d->seen = true;
		return false;
	}
	d->n += now >= from;
	d->end = now + interval;
	d->seen = false;
	return true;
}
