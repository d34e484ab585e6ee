// SPDX-License-Identifier: BSD-3-Clause
// The tally of a run: the run that it is about, and the figures that are added up while it goes on.
#pragma once

#include "data.h"

// Notes a failure. The first one is reported when the record is closed.
__attribute__((format(printf, 3, 4))) void record_fail(
	struct record *r, int code, const char *fmt, ...);

// object.c
int record_obj_build(struct record *r);
void record_obj_free(struct record *r);
void record_obj_mark(struct record *r, tstamp now); // the window starts

// share.c
// Judges the time since it did so last, from 1 ms on.
void record_share_take(struct record *r, tstamp now);

// steady.c: the values of intervals that show whether the run has settled
// The end of the next interval; TSTAMP_NEVER: all have ended.
tstamp record_steady_due(const struct record *r);
// Takes the values of the intervals that have ended since the last look.
void record_steady_take(struct record *r, tstamp now);

// rate.c: what is sent beside what reaction points allow
void record_rate_take(struct record *r, tstamp now);

// limiter.c: reaction points that flows share
// The limiter that an event is about; NULL: the reaction point belongs to the event's flow alone.
const struct rec_limiter *record_limiter_of(const struct record *r, const struct ev *e);
// A copy of an event of a shared limiter, for another flow that shares it.
struct ev record_limiter_event(const struct ev *e, unsigned flow);

// pause.c
// Returns how many bytes of a priority (with preamble and gap) have arrived since an XOFF of a
// switch's port, if neither XON, its time nor the link has ended it; else 0.
uint64_t record_still_comes(const struct rec_port *p, unsigned prio, tstamp now);

// size.c
uint64_t record_size_messages(const struct rec_size *z);
// Adds its messages to three histograms: from the first frame, from posting, slowdown.
void record_size_merge(const struct rec_size *z, struct hist *h[3]);

// latency.c
void record_latency_finish(struct record *r); // nothing is received any more

// Makes a histogram when it is first needed. False: memory is out.
bool record_hist_make(struct record *r, struct hist **h);

// stat.c: figures from events, which are handed in node by node. Events of one flow or port come in
// order of time, except for a cut behind the CNP that made its timer catch up
void record_stat_init(struct record *r); // r->take, which they are handed to by their type
void record_stat_finish(struct record *r, tstamp end);

// standalone.c
// Ideal completion time of a message of a flow, ps; 0: no path is known.
tstamp record_standalone(const struct rec_flow *f, uint64_t bytes);

// source.c
// How far the latencies of source i may be off, whose sender has another clock; 0: not known.
void record_source_bound(struct record *r, unsigned i, tstamp bound);

// Tell the record which frames are on their way and so not lost. A driver that can stop the whole
// world calls them before record_warm() and record_finish(): first record_in_flight_begin(), which
// counts frames in queues, then record_in_flight() for each frame on a link.
void record_in_flight_begin(struct record *r);
void record_in_flight(struct record *r, const struct pkt *p);
