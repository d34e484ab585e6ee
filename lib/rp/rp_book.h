// SPDX-License-Identifier: BSD-3-Clause
// Sums over the reactions of a reaction point: its rate and stages over time, and how soon its cuts
// take effect (measuring.md M5).
#pragma once

#include "rp_step.h"

#include "base/hist.h"
#include "base/rate.h"
#include "base/tstamp.h"

// The stage of a reaction point after its last event.
enum rp_stage {
	RP_STAGE_LINE_RATE,
	RP_STAGE_FAST_RECOVERY,
	RP_STAGE_ADDITIVE_INCREASE,
	RP_STAGE_HYPER_INCREASE,
	RP_STAGES
};

struct rp_book {
	const tstamp *window; // from when on times and events count; it may yet move
	rate_t line;          // at which there is no limit
	tstamp since;         // the rate and the stage hold since then
	rate_t rate;
	unsigned __int128 rate_ps; // sum of rate * ps, in the window
	tstamp stage_ps[RP_STAGES];
	uint64_t events[RP_EVENTS];
	tstamp cnp_first, cnp_last; // CNPs or CNMs that no cut has answered; TSTAMP_NEVER: none
	struct hist *cut;           // the results of rp_book_cut(), counted by the caller
	enum rp_stage stage;
};

// The book of a reaction point that is at `rate` from instant 0 on.
void rp_book_init(struct rp_book *b, const tstamp *window, rate_t rate, rate_t line);

// The stage of the reaction point after an event; events that are not named change nothing.
enum rp_stage rp_book_stage(const struct rp_book *b, enum rp_event e, rate_t rc, rate_t rt);

// The rate and the stage that held until t, as far as they held in the window.
static inline void rp_book_upto(struct rp_book *b, tstamp t)
{
	tstamp held = tstamp_since(t, tstamp_max(b->since, *b->window));

	b->rate_ps += (unsigned __int128)b->rate * held;
	b->stage_ps[b->stage] += held;
	b->since = tstamp_max(b->since, t);
}

// The reaction point did `e` at t, and has these rates now. Calls come in order of time.
static inline void rp_book_add(struct rp_book *b, enum rp_event e, rate_t rc, rate_t rt, tstamp t)
{
	rp_book_upto(b, t);
	if (e == RP_START)
		b->cnp_first = TSTAMP_NEVER; // it does not cut
	b->rate = rc;
	b->stage = rp_book_stage(b, e, rc, rt);
	if (t >= *b->window && e < RP_EVENTS)
		b->events[e]++;
}

// A CNP or CNM was received that it may answer by a cut.
static inline void rp_book_notified(struct rp_book *b, tstamp t)
{
	if (b->cnp_first == TSTAMP_NEVER)
		b->cnp_first = t;
	b->cnp_last = t;
}

// Notes that the reaction point cut its rate at t and that the next frame may leave at `next`.
// Returns the time from the CNP to that frame, which the cut delays; TSTAMP_NEVER: there is nothing
// to report.
tstamp rp_book_cut(struct rp_book *b, tstamp next, tstamp t);
