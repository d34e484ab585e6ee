// SPDX-License-Identifier: BSD-3-Clause
// Open-loop source: frames of given sizes at a given rate, in bursts, or of a list, with sequence
// numbers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "base/rate.h"
#include "wire/pkt.h"

// IMIX in the simple form: of 12 frames 7 have 64 bytes with FCS, 4 have 594, 1 has 1518. A source
// repeats one order of them, as RFC 6985 does.
#define GEN_IMIX     12
#define GEN_IMIX_MIN 60 // without FCS
#define GEN_IMIX_MAX 1514

// RoCEv2 requests that nobody answers: each is a whole message, in the order of its PSN.
struct gen_roce {
	uint8_t opcode; // BTH_RC_SEND_ONLY or BTH_RC_WRITE_ONLY; 0: the frames are no RoCEv2
	uint8_t head;   // bytes of the frame besides payload and pad, without FCS
	uint32_t qpn;   // destination QPN
	uint32_t psn;   // of the first frame; 24 bits
};

// Some frames of a list.
struct gen_item {
	uint64_t count;            // from 1
	tstamp gap;                // from first bit to first bit; 0: as the wire takes them
	tstamp after;              // from the last bit of the frame before to the first bit
	uint16_t min_len, max_len; // without FCS, uniform between; 0: the source's sizes
};

struct gen_params {
	uint32_t source;       // its number in the scene: u.gen.source, and the receiver's index
	const struct hdr *hdr; // shared header: addresses, VLAN, UDP ports, DSCP
	uint8_t tos;           // DSCP and ECN codepoint
	uint8_t cls;           // class in the sending NIC
	uint16_t min_len, max_len; // frame without FCS, 60..PKT_MAX_LEN; uniform between
	bool imix;   // instead: frames of GEN_IMIX in turn, between GEN_IMIX_MIN and _MAX
	rate_t rate; // bit/s on the wire (len + 24); with frames_per_s the mean that it makes
	uint64_t frames_per_s; // 0: the rate counts bytes
	uint32_t burst;        // frames sent back to back, 1..65535; the mean rate holds
	bool stamped;          // frames say in their bytes when they left
	tstamp start, stop;    // TSTAMP_NEVER: open end
	uint64_t count;        // frames; 0: no limit
	uint64_t seed;
	const char *name;
	struct gen_roce roce; // frames may be up to 3 bytes shorter: a payload is padded to words
	// A list, lent for the source's life, which it sends again and again until `count` frames
	// have left. `rate` is that of its link, and burst is 1. NULL: frames at the rate.
	const struct gen_item *item;
	uint32_t n_items;
	// Frames have these in turn instead of `tos`, lent as the list is; NULL: all have `tos`.
	const uint8_t *tos_turn;
	uint32_t n_tos;
};

struct gen {
	struct gen_params p;
	byte_ps ps;      // of a byte at the mean rate
	byte_ps unit_ps; // of a byte on the wire or of a frame, whichever the rate counts
	struct prng rng;
	tstamp next;      // instant of the next frame; TSTAMP_NEVER when done or held
	tstamp until;     // no frame is due from here on; at most p.stop
	tstamp held;      // instant of the frame that `until` holds; TSTAMP_NEVER: it holds none
	bool special;     // IMIX, a list, or tos_turn
	uint32_t item;    // of the list: the next frame's
	uint64_t of_item; // frames of it that have left
	uint32_t in_burst;
	uint64_t owed;                // wire bytes of the running burst, or its frames
	uint64_t tx_frames, tx_bytes; // bytes: len + FCS
	uint32_t frac;                // of `next`, ps in Q0.20: the mean rate does not drift
	bool stopped;                 // by gen_stop; gen_start goes on
	uint64_t slipped_ps;          // schedule given up because the port could not follow
	// Bytes on the wire that it owed in that time. Its NIC, which knows of pauses, writes
	// them.
	uint64_t lost_bytes;
};

// -EINVAL: no header, a length outside 60..PKT_MAX_LEN or min over max, rate or burst 0, more than
// GEN_PPS_MAX frames per second, class over 7, or IMIX with other lengths than its own. Of a list:
// an item without frames, with a length outside these limits, or with a gap under the time of its
// longest frame; a rate in frames, or a burst.
int gen_init(struct gen *g, const struct gen_params *params);

#define GEN_PPS_MAX 10000000000ull

// Returns the mean rate on the wire, bit/s, of `frames_per_s` with these lengths.
rate_t gen_rate_of(const struct gen_params *params, uint64_t frames_per_s);

// Returns the longest frame, without FCS.
uint16_t gen_longest(const struct gen_params *params);

// Returns the instant at which the last bit of the source's last frame leaves, with the gap behind
// it, by a link of `line` bit/s that has no other frames; TSTAMP_NEVER: it has no end, or one
// behind more than GEN_FORESEEN frames.
tstamp gen_end(const struct gen_params *params, rate_t line);

#define GEN_FORESEEN (1u << 22)

// Returns the shortest time between two frames that are not of one burst.
tstamp gen_period(const struct gen_params *params);

// Returns the bytes on the wire of 12 mean frames.
uint32_t gen_dozen(const struct gen_params *params);

// Returns the most frames that can leave within `span`: frames of the least length at the source's
// rate, and a burst.
uint64_t gen_frames_within(const struct gen_params *params, tstamp span);

// Fills p with the next frame (hdr, len, tos, cls, u.gen, born) and moves g->next. Frames of a
// burst share one instant. The next burst follows after the time that its bytes take at the mean
// rate, counted from the schedule and not from `now`.
void gen_next(struct gen *g, struct pkt *p, tstamp now);

// The source could not send in time, and the missed frames are given up. Between two bursts the
// schedule moves to `now`; within a burst it stays, and the burst is sent whole. A list gives up no
// frame: all that is left of it comes later.
void gen_slip(struct gen *g, tstamp now);

// Takes over rate, sizes and burst at `now`; they are as gen_init() wants them. The next burst of a
// source that sends comes sooner or later in proportion to the gap; a burst that has begun has the
// new rate and sizes from its next frame on.
void gen_adopt(struct gen *g, const struct gen_params *to, tstamp now);

// Makes a source that has sent nothing wait for gen_start().
void gen_wait(struct gen *g);

// Whether no frame is to come any more, as the count or the stop has it.
bool gen_has_ended(const struct gen *g);

// Whether a frame of the source is the last that gen_next() has given.
bool gen_is_last(const struct gen *g, const struct pkt *p);

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
