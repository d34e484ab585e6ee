// SPDX-License-Identifier: BSD-3-Clause
// The functions that the files of the tally share.
#pragma once

#include "base/hint.h"
#include "tally.h"

#pragma GCC visibility push(hidden)

// group.c, share.c
int record_groups_build(struct record *r); // after the flows
int record_share_build(struct record *r);  // after the flows and groups
void record_share_free(struct record *r);
// Adds a value, in units of 1; the spread is made when it is first needed.
void record_spread_add(struct record *r, struct rec_spread **s, double part);
void record_spread_free(struct rec_spread *s);

// rate.c: samples of rates. A sample waits until the reaction point has reported a later reaction,
// because it may report a rate late.
int record_rate_build(struct record *r); // after the flows and groups
void record_rate_free(struct record *r);
// The oldest sample that waits, if it is of t or before, until the next is taken; it waits no more.
static inline const struct rec_sample *record_rate_next(struct rec_flow *f, tstamp t)
{
	struct rec_samples *s = f->samples;

	if (!s || s->first == s->end || s->at[s->first % REC_SAMPLES].t > t)
		return NULL;
	return &s->at[s->first++ % REC_SAMPLES];
}

// The rate is integrated up to the sample.
void record_rate_sampled(struct record *r, struct rec_flow *f, const struct rec_sample *s);

// bin.c
int record_bins_build(struct record *r); // after the groups
void record_bins_free(struct record *r);
// A message has ended. `ideal`: its ideal completion time; 0: it is not known.
void record_bins_done(struct record *r, const struct rec_flow *f, const struct ev *e, tstamp ideal);
// A message will not end in this run.
void record_bins_unfinished(struct record *r, uint32_t flow, uint32_t bytes, tstamp posted);
void record_bins_finish(
	struct record *r); // the run is over: looks for messages that have not ended

// standalone.c
int record_standalone_build(struct record *r, struct rec_flow *f); // once it has its ways
void record_standalone_free(struct record *r);

// job.c
int record_jobs_build(struct record *r);
void record_jobs_free(struct record *r);
// A rank has ended an iteration; a part of its time.
void record_job_step(struct record *r, const struct ev *e);
void record_job_part(struct record *r, const struct ev *e);
// The run is over: no part comes any more.
void record_jobs_finish(struct record *r);

// limiter.c
int record_limiters_build(struct record *r); // after what samples rates
void record_limiters_free(struct record *r);
// Settles the samples of the flows that share the limiter, up to t.
void record_limiter_settle(struct record *r, struct rec_limiter *l, tstamp t);

// dists.c
void record_dists_free(struct record *r); // all that record_hist_make has made

// pause.c: a priority (received: 0..7, sent: 8..15) goes into or out of pause; going in twice is a
// refresh.
void record_pause(struct record *r, struct rec_port *p, unsigned i, bool on, tstamp t);
// Counts XOFF and XON as they leave: as pauses of each priority, and as requests to the peer.
void record_pauses_sent(struct record *r, struct rec_port *p, const struct ev *e);
// The run is over: pauses that were sent and whose time has run out by `end` are over, too.
void record_pauses_finish(struct record *r, tstamp end);
// The link goes down or is up again: the peer has forgotten what it was asked.
void record_link_changed(struct rec_port *p);

// cnp.c
int record_cnp_build(struct record *r); // after the flows
// CE that came for a flow, its CNPs at the notification point and at the sender.
void record_cnp_ce(struct record *r, const struct rec_flow *f, const struct ev *e);
void record_cnp_sent(struct record *r, const struct rec_flow *f, const struct ev *e);
void record_cnp_came(struct record *r, const struct rec_flow *f, const struct ev *e);
// A CNP or CNM that a switch made, for the flow of a shared header.
void record_cnp_made(struct record *r, uint32_t hdr, const struct ev *e);
void record_cnp_finish(struct record *r, tstamp end);

// latency.c
int record_latency_build(struct record *r); // after the flows, groups and sources
void record_latency_lend(struct record *r); // the window starts
void record_latency_free(struct record *r);

static inline void record_hist_add(struct record *r, struct hist **h, uint64_t v)
{
	if (*h || record_hist_make(r, h))
		hist_add(*h, v, 1);
}

// sum.c
// Makes room for another point. Returns whether there is memory.
bool record_sum_more(struct record *r, struct rec_sum *s);
// Adds the value from t on, which is at or after the last point. Two points at one instant are a
// step.
static inline void record_sum_add(struct record *r, struct rec_sum *s, tstamp t, double sum)
{
	if (LIKELY(s->n < s->room) || record_sum_more(r, s))
		s->point[s->n++] = (struct rec_sum_point){t, sum};
}
// The value at t, behind a step there; before the first point that of it.
double record_sum_at(const struct rec_sum *s, tstamp t);
double record_sum_last(const struct rec_sum *s);
// Nobody asks for a value before t any more.
void record_sum_forget(struct rec_sum *s, tstamp t);
void record_sum_free(struct rec_sum *s);

// split.c
// A frame of the flow was sent again; its timeout has expired; its reaction point has changed its
// rate at t, in the window, and the flow's book has it.
void record_split_resent(struct record *r, struct rec_flow *f, const struct ev *e);
void record_split_timeout(struct record *r, struct rec_flow *f, const struct ev *e);
void record_split_reacted(struct record *r, struct rec_flow *f, tstamp t);
// A message was acknowledged in the window. `ideal`: its ideal completion time; 0: not known.
void record_split_done(struct record *r, struct rec_flow *f, const struct ev *e, tstamp ideal);
void record_split_free(struct record *r);

// size.c
void record_size_done(struct record *r, struct rec_size *z, const struct rec_times *t);
void record_sizes_free(struct record *r);

// stat.c
// Its reaction point did nothing more up to t: samples that wait until then wait no more.
void record_stat_settle(struct record *r, struct rec_flow *f, tstamp t);

int record_steady_build(struct record *r); // after the groups; 0 or -ENOMEM
void record_steady_free(struct record *r);

#pragma GCC visibility pop
