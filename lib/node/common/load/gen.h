// SPDX-License-Identifier: BSD-3-Clause
// Open-loop source: frames of given sizes at a given rate, in bursts, with sequence numbers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "base/rate.h"
#include "wire/pkt.h"

struct gen_params {
	uint32_t source;       // its number in the scene: u.gen.source, and the receiver's index
	const struct hdr *hdr; // shared header: addresses, VLAN, UDP ports, DSCP
	uint8_t tos;           // DSCP and ECN codepoint
	uint8_t cls;           // class in the sending NIC
	uint16_t min_len, max_len; // frame without FCS, 60..PKT_MAX_LEN; uniform between
	rate_t rate;               // bit/s on the wire (len + 24)
	uint32_t burst;            // frames sent back to back, 1..65535; the mean rate holds
	bool stamped;              // frames say in their bytes when they left
	tstamp start, stop;        // TSTAMP_NEVER: open end
	uint64_t count;            // frames; 0: no limit
	uint64_t seed;
	const char *name;
};

struct gen {
	struct gen_params p;
	byte_ps ps;
	struct prng rng;
	tstamp next;  // instant of the next frame; TSTAMP_NEVER when done or held
	tstamp until; // no frame is due from here on; at most p.stop
	tstamp held;  // instant of the frame that `until` holds; TSTAMP_NEVER: it holds none
	uint32_t in_burst;
	uint64_t owed_bytes;          // wire bytes of the running burst
	uint64_t tx_frames, tx_bytes; // bytes: len + FCS
	uint32_t frac;                // of `next`, ps in Q0.20: the mean rate does not drift
	bool stopped;                 // by gen_stop; gen_start goes on
	uint64_t slipped_ps;          // schedule given up because the port could not follow
	// Bytes on the wire that it owed in that time. Its NIC, which knows of pauses, writes
	// them.
	uint64_t lost_bytes;
};

// -EINVAL: no header, a length outside 60..PKT_MAX_LEN or min over max, rate or burst 0, class over
// 7.
int gen_init(struct gen *g, const struct gen_params *params);

// Returns the most frames that can leave within `span`: frames of the least length at the source's
// rate, and a burst.
uint64_t gen_frames_within(const struct gen_params *params, tstamp span);

// Fills p with the next frame (hdr, len, tos, cls, u.gen, born) and moves g->next. Frames of a
// burst share one instant. The next burst follows after the time that its bytes take at the mean
// rate, counted from the schedule and not from `now`.
void gen_next(struct gen *g, struct pkt *p, tstamp now);

// The source could not send in time, and the missed frames are given up. Between two bursts the
// schedule moves to `now`; within a burst it stays, and the burst is sent whole.
void gen_slip(struct gen *g, tstamp now);

// Takes over rate, sizes and burst at `now`; they are as gen_init() wants them. The next burst of a
// source that sends comes sooner or later in proportion to the gap; a burst that has begun has the
// new rate and sizes from its next frame on.
void gen_adopt(struct gen *g, const struct gen_params *to, tstamp now);

// Starts a source now that waits for its start or was stopped; stops one. A stopped source keeps
// its sequence numbers. Starting one that runs, or is done, does nothing.
void gen_start(struct gen *g, tstamp now);
void gen_stop(struct gen *g);

// Sends no frame that is due at `until` or later. A frame that an earlier call has held is due now,
// or at its own later instant.
void gen_until(struct gen *g, tstamp until, tstamp now);

static inline tstamp gen_deadline(const struct gen *g)
{
	return g->next;
}
