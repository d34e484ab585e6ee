// SPDX-License-Identifier: BSD-3-Clause
// Room summary has the figures of a run, computed once at its end, or so far while it goes on: a
// file for each kind of thing that is reported, and the paths of its figures. It needs the record,
// and gives what verdicts, the table, summary.json and a running instance's answers read.
#pragma once

#include <math.h>

#include "record/record.h"
#include "kind.h"
#include "page.h"
#include "path.h"

// Distribution of times or ratios; n 0: nothing was seen and the rest means nothing.
struct summary_dist {
	const struct hist *from; // NULL: it is gone
	double unit;             // of the histogram's values, in the figures' own
	uint64_t n;
	double mean, min, p1, p50, p90, p95, p99, p999, max;
};

// Messages acknowledged in the window. `fct` counts from when a message could be sent: posted, and
// its flow's last one gone; `fct_posted` from posting; `slowdown` is fct over the time that it
// would have taken alone.
struct summary_messages {
	struct summary_dist fct_us, fct_posted_us, slowdown;
};

// Values of several flows: 1 %, half and 99 % of them are no larger. NAN: there is none.
struct summary_among {
	double p1, p50, p99;
};

// What a limiter sent against what it allowed while it could send, on the wire in the window. NAN:
// there is no limiter.
struct summary_pace {
	double percent; // of what it allowed
	double frames;  // of the mean length sent
};
#define PACE_OFF_PERCENT 0.5 // from here on the table says so

// Whether a limiter sent so much off what it allowed that the table says so: more than a frame,
// too, for no limiter can send a part of one.
static inline bool summary_off_pace(double percent, double frames)
{
	return fabs(percent) >= PACE_OFF_PERCENT && fabs(frames) > 1; // NAN: neither
}

// What other kinds read of a flow.
struct summary_flow {
	const struct rec_flow *rec;
	struct nic_qp_stats tx, rx;      // in the window; instants and extremes of the whole run
	double goodput_gbps;             // payload that arrived in order
	double rc_mean_gbps;             // over time
	double stage_percent[RP_STAGES]; // of the window
	struct summary_pace pace;
	struct rp_look look; // at the end; all zero: no reaction point
};

// What other kinds read of an egress queue.
struct summary_queue {
	const struct rec_queue *rec;
	struct sw_class_stats w; // switches only
	bool lossless;           // the class is, at every port
	bool held; // it has held a frame; else it stands for what came in by its port and class
	const struct red_cfg *red; // NULL: no marker
	struct red_cfg own_red;
	double mean_bytes, std_bytes; // NAN: not monitored
	double p50, p90, p95, p99, p999;
	uint64_t max;
	double above_kmin_percent, above_kmax_percent, empty_percent; // NAN: not monitored
	bool two_sided; // the switch's buffer has two sides
	uint64_t limit; // with two sides: at the end
};

// What other kinds read of an open-loop source.
struct summary_source {
	const struct rec_source *rec;
	struct nic_gen_stats rx; // in the window; extremes of the whole run
	struct trip_stats trips; // the same, of what comes back
};

// What other kinds read of a real port.
struct summary_device {
	struct record_device is;
	uint64_t lost_rx, lost_tx; // frames before and behind the node
	uint64_t own;              // of lost_rx, those that the instrument lost
	uint64_t lossless;         // of lost_rx, those that may have been of a lossless class
	double received;           // by the node's counter; NAN: it has none
};

// Refers to the record and the scene, not to the nodes: these may be gone when it is read.
struct summary {
	const struct record *rec; // that it is of
	struct record_run run;
	tstamp from, to; // window
	bool live;       // of a run that goes on: nothing of it is changed
	struct set set[KINDS];
	bool no_memory;
	// Of all devices: frames that the instrument lost itself; that may have been lossless, of
	// all and of those.
	uint64_t lost_own, lost_lossless, lost_lossless_own;
	unsigned main_group; // the largest; lowest number where several are
	int bottleneck;      // link; -1: none carried a frame
};

// -ENOMEM.
int summary_make(struct summary **out, const struct record *r, const struct record_run *run);
// The same of a run that goes on, so far; of what it is made from nothing changes. run->end is now.
int summary_so_far(struct summary **out, const struct record *r, const struct record_run *run);
void summary_free(struct summary *s);

// Figure `name` of object i of a kind; NAN: there is none.
double summary_at(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// The same as a whole number; 0 where there is none.
unsigned long long summary_count(
	const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// A text of object i ("port"), or its name in a path where `name` is NULL. Returns buf, or a text
// that stays; "" where there is none.
const char *summary_label(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	char buf[static SUMMARY_NAME]);
// A number that tells which object i is ("class"); NAN: there is none.
double summary_id(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// Whether a member of object i is true.
bool summary_is(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// Figure `name` of all objects of a kind together; those that do not have it count nothing.
double summary_sum(const struct summary *s, enum kind_id kind, const char *name);
// A figure by its path; NAN: there is none.
double summary_value(const struct summary *s, const char *path);

// Gb/s of bytes in a time.
double summary_gbps(uint64_t bytes, tstamp ps);

// Whether summary.json has each group, or only those at the top.
bool summary_groups_listed(const struct summary *s);

// The number of the queue of a port that was longest; -1: none was in use.
int summary_deepest(const struct summary *s, const struct rec_port *p);
// The port of the busiest link that leaves a switch; NULL: nothing was sent.
const struct rec_port *summary_bottleneck(const struct summary *s);
// Whether frames of an ingress group go to a queue of this number, by the switch's maps.
bool summary_queue_of(const struct scene_node *n, unsigned pg, unsigned queue);
// Whether an ingress group of a switch's port is lossless.
bool summary_is_lossless(const struct scene_node *n, unsigned port, unsigned pg);

// Real port i.
const struct summary_device *summary_device(const struct summary *s, unsigned i);

// The port and the number of ingress group i.
const struct rec_port *summary_pg_port(const struct summary *s, unsigned i);
unsigned summary_pg_number(const struct summary *s, unsigned i);

// The keys that agree with what notification point i sent: " qp ip_pair". Returns buf.
const char *summary_paced_by(const struct summary *s, unsigned i, char buf[static SUMMARY_NAME]);

// Whether frames discarded for a reason are lost. What a bridge or a host filters as it should is
// no loss.
bool summary_sw_loss(enum sw_drop reason);
bool summary_nic_loss(enum nic_drop reason);
// Frames that a port lost so; 0: it is not a switch's.
uint64_t summary_port_losses(const struct rec_port *p);

// Writes marking.csv.
int summary_marking_write(const struct summary *s, struct err *err);
