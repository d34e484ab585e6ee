// SPDX-License-Identifier: BSD-3-Clause
// Room host has the kinds of what hosts do: flows and their groups, messages by size, jobs, open-
// loop sources, streams, CNPs, plug-ins, and the counters of NICs. Each is in the file of its noun,
// and nobody else knows its struct. It needs the language of kinds (room kind), and gives what the
// fabric's kinds and the totals read of flows and sources.
#pragma once

#include <math.h>

#include "kind/kind.h"
#include "message.h"

extern const struct kind kind_flow, kind_group, kind_size, kind_slowdown, kind_source, kind_replay,
	kind_stream, kind_np, kind_cnp, kind_plugin, kind_nic, kind_rxbuf, kind_job, kind_job_step;

// The bytes that a limiter sent against the bytes that it allowed while it could send, on the wire
// in the window. NAN: there is no limiter, or the flow has no rate.
struct host_pace {
	double percent; // of the allowed bytes
	double frames;  // of the mean length sent
};
#define HOST_OFF_PACE_PERCENT 0.5 // from here on the table says so

// Returns whether the table warns that a limiter missed its rate. The difference must also be more
// than one frame, because no limiter can send a part of a frame.
static inline bool host_off_pace(double percent, double frames)
{
	return fabs(percent) >= HOST_OFF_PACE_PERCENT && fabs(frames) > 1; // NAN: neither
}

// The part of a flow that other kinds read.
struct host_flow {
	const struct rec_flow *rec;
	struct nic_qp_stats tx, rx;      // in the window; instants and extremes of the whole run
	double goodput_gbps;             // payload that arrived in order
	double rate_gbps;                // the same; NAN: the flow has no rate (measuring.md)
	double rc_mean_gbps;             // over time
	double stage_percent[RP_STAGES]; // of the window
	struct host_pace pace;
	struct rp_look look; // at the end; all zero: no reaction point
};

// The part of an open-loop source that other kinds read.
struct host_source {
	const struct rec_source *rec;
	struct nic_gen_stats rx; // in the window; extremes of the whole run
	struct trip_stats trips; // the same for returning frames
};

// Gb/s of bytes in a time.
double host_gbps(uint64_t bytes, tstamp ps);

// Returns whether summary.json lists each group. False: it lists only those at the top.
bool host_groups_listed(const struct summary *s);

// The keys that agree with what notification point i sent: " qp ip_pair". Returns buf.
const char *host_paced_by(const struct summary *s, unsigned i, char buf[static KIND_NAME]);

// Returns whether CNPs keep their interval: at most one gap in a thousand is `close`, shorter than
// 95 % of it.
bool host_is_spaced(uint64_t cnps, uint64_t close);
