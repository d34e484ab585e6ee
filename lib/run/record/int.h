// SPDX-License-Identifier: BSD-3-Clause
// The inside of the record: what its files do for each other.
#pragma once

#include "record.h"

#pragma GCC visibility push(hidden)

// Notes a failure; the first one is told when the record is closed.
__attribute__((format(printf, 3, 4))) void record_fail(
	struct record *r, int code, const char *fmt, ...);

// files.c: the files of the run folder
int record_files_open(struct record *r, struct err *err);
void record_files_look(struct record *r); // says which one has failed since it was asked last
void record_files_free(struct record *r);

// object.c
int record_obj_build(struct record *r);
void record_obj_free(struct record *r);
void record_obj_mark(struct record *r, tstamp now); // the window starts

// group.c, share.c
int record_groups_build(struct record *r); // after the flows
int record_share_build(struct record *r);  // after the flows and groups
void record_share_free(struct record *r);
void record_share_take(
	struct record *r, tstamp now); // judges the time since it did so last, from 1 ms on
// One more value, in the units of 1; made when it is first needed.
void record_spread_add(struct record *r, struct rec_spread **s, double part);

// rate.c: what is sent beside what reaction points allow. A sample waits until the reaction point
// has told of a reaction behind it, as a rate may be told late.
int record_rate_build(struct record *r); // after the flows and groups
void record_rate_free(struct record *r); // before the flows
void record_rate_take(struct record *r, tstamp now);
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

// limiter.c: reaction points that flows share
// The one that an event tells of; NULL: it is of its flow alone.
const struct rec_limiter *record_limiter_of(const struct record *r, const struct ev *e);
// The same event of another flow that shares it.
struct ev record_limiter_event(const struct ev *e, unsigned flow);
int record_limiters_build(struct record *r); // after what samples rates
void record_limiters_free(struct record *r);
// Samples of those that share it are settled up to t.
void record_limiter_settle(struct record *r, struct rec_limiter *l, tstamp t);

// pause.c: a priority (received: 0..7, sent: 8..15) goes into or out of pause; going in twice is a
// refresh.
void record_pause(struct record *r, struct rec_port *p, unsigned i, bool on, tstamp t);
// XOFF and XON as they leave, as pauses of each priority and as what the peer is asked.
void record_pauses_sent(struct record *r, struct rec_port *p, const struct ev *e);

// timeseries.c
int record_ts_open(struct record *r, struct err *err);
void record_ts_write(struct record *r, tstamp now);
int record_qlen_write(const struct record *r, tstamp end, struct err *err);

// Writes `sources`: by path where each value of the configuration comes from that is no default.
// `doc` is what `text` reads as.
struct yamldoc_node;
void record_origins(struct jw *w, const struct yamldoc_node *doc, const char *text);

// want.c: what goes into the files
// What a flow does as long as it runs: its lines are those of the flow. Messages and faults are
// not among them.
#define REC_OF_FLOWS                                                                      \
	(1ull << EV_CNP_TX | 1ull << EV_CNP_RX | 1ull << EV_CNP_INT | 1ull << EV_CNM_RX | \
		1ull << EV_RP | 1ull << EV_RP_ALPHA | 1ull << EV_RTT)

void record_want_open(struct record *r);
// Whether the event, of a type of r->held, may have a line, by its flow.
bool record_want_flow(const struct record *r, const struct ev *e);
static inline bool record_want_held(const struct record *r, const struct ev *e)
{
	return !(REC_OF_FLOWS >> e->type & 1) || record_want_flow(r, e);
}
// Whether one that may has it: by how many of its type its second has, beyond which it is counted.
bool record_want_one_more(struct record *r, const struct ev *e); // of a type that has a limit
static inline bool record_want_line(struct record *r, const struct ev *e)
{
	return !r->scene->record.rate[e->type] || record_want_one_more(r, e);
}
void record_want_stop(struct record *r, tstamp now); // the files have no more room
void record_want_put(struct jw *w, const struct record *r);
// Room for n bytes; where there is none, recording stops.
static inline bool record_want_take(struct record *r, size_t n, tstamp now)
{
	if (n > r->room) {
		record_want_stop(r, now);
		return false;
	}
	r->room -= n;
	return true;
}

// A line that ends at `end`, written where out_room told: whole, or where there is no room for it
// not at all, and then recording stops.
static inline void record_want_commit(struct record *r, struct out *o, const char *end, tstamp now)
{
	if (record_want_take(r, (size_t)(end - (o->buf + o->n)), now))
		out_upto(o, end);
}

// event.c
int record_ev_open(struct record *r, struct err *err);
void record_ev_finish(struct record *r); // writes all that is held
void record_ev_own(struct record *r, const struct ev *e, unsigned node);

// dfx.c: where the RDMA IP's debugging windows have recorded something
int record_dfx_write(struct record *r, struct err *err);

// iqcn.c: where switches run iQCN, the flows that they know at `end`
int record_iqcn_write(struct record *r, tstamp end, struct err *err);

// cnp.c
int record_cnp_build(struct record *r); // after the flows
void record_cnp_free(struct record *r);
// CE that came for a flow, its CNPs at the notification point and at the sender.
void record_cnp_ce(struct record *r, const struct rec_flow *f, const struct ev *e);
void record_cnp_sent(struct record *r, const struct rec_flow *f, const struct ev *e);
void record_cnp_came(struct record *r, const struct rec_flow *f, const struct ev *e);
// A CNP or CNM that a switch made, for the flow of a shared header.
void record_cnp_made(struct record *r, uint32_t hdr, const struct ev *e);
void record_cnp_finish(struct record *r, tstamp end);

// latency.c
int record_latency_build(struct record *r);   // after the flows, groups and sources
void record_latency_lend(struct record *r);   // the window starts
void record_latency_finish(struct record *r); // nothing is received any more
void record_latency_free(struct record *r);

// A histogram that is made when it is first needed. Making it fails where memory is out.
bool record_hist_make(struct record *r, struct hist **h);
static inline void record_hist_add(struct record *r, struct hist **h, uint64_t v)
{
	if (*h || record_hist_make(r, h))
		hist_add(*h, v, 1);
}

// stat.c: what is learnt from events, handed in node by node; those of one flow or port come by
// order of time, but for a cut behind the CNP by which its timer was caught up with
void record_stat_init(struct record *r); // r->take, which they are handed to by their type
void record_stat_finish(struct record *r, tstamp end);
// Its reaction point did nothing more up to t: samples that wait until then wait no more.
void record_stat_settle(struct record *r, struct rec_flow *f, tstamp t);
// Ideal completion time of a message of a flow, ps.
tstamp record_standalone(const struct record *r, const struct rec_flow *f, uint64_t bytes);

// manifest.c: its room on the disk is taken when the run begins
int manifest_open(struct record *r, struct err *err);
// record_manifest is the end of it.

#pragma GCC visibility pop
