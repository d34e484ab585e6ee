// SPDX-License-Identifier: BSD-3-Clause
// Room outside has the observer: it measures the nodes behind a link by the frames that one port
// of ours sends and receives there.
//
// A driver gives the observer each frame that has arrived (outside_came) and each frame that
// leaves (outside_left), in order of time. The node of the port knows nothing of it. All of its
// memory is taken by outside_new() and is bounded. Its counters cover the time since then. Another
// thread may read them while the driver goes on.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hist.h"
#include "base/rate.h"
#include "base/tstamp.h"
#include "wire/pkt.h"
#include "np_due.h"

// Rows of pauses: a class each, and behind them 802.3x PAUSE, which stops the whole link.
#define OUTSIDE_LINK    PKT_CLASSES
#define OUTSIDE_ROWS    (PKT_CLASSES + 1)
#define OUTSIDE_SOURCES 8 // addresses of a row that are told apart
#define OUTSIDE_STREAMS 256
#define OUTSIDE_KEYS    1024 // rows of CNPs of all keys together
#define OUTSIDE_NP_KEYS (NP_KEY_PORT + 1)
#define OUTSIDE_NONE    UINT64_MAX

struct outside_params {
	rate_t rate;         // of the link, bit/s
	tstamp delay;        // of the cable, one way
	uint8_t wire_extra;  // bytes that a frame takes on the wire beside pkt.len
	uint8_t queue_extra; // bytes with which queues count a frame beside pkt.len
	uint8_t dscp_to_class[64], pcp_to_class[8];
	bool by_pcp;        // the class of a tagged frame that comes follows from its PCP
	tstamp np_interval; // T by which CNPs of the notification points outside are judged
	tstamp clock_error; // by which the instants of two frames may be off; 0: they are exact
};

// PFC frames of a class that came, or PAUSE frames, and the port's own frames of the class. "In
// XOFF" is the time from the arrival of an XOFF until XON, or until the quanta have run out.
struct outside_asked {
	uint64_t xoff_frames, xon_frames;
	uint64_t refresh_frames;              // XOFF that came in XOFF
	uint64_t quanta_least, quanta_most;   // of XOFF
	uint64_t sources;                     // addresses; OUTSIDE_SOURCES: so many or more
	uint64_t before_frames, before_bytes; // sent before the first XOFF; bytes as queues count
	uint64_t paused_frames, paused_bytes; // that left in XOFF
	struct hist refresh;                  // ps from the XOFF before, of refresh_frames
};

// The answers to XOFF that the port sent. An answer begins with an XOFF that is no refresh. It ends
// with XON, or when the quanta have run out. `a` is the last bit of the last frame of the class
// before the silence, `b` the first bit of the first frame behind it, `x` the last bit of XOFF.
struct outside_answer {
	uint64_t xoffs;    // that began an answer
	uint64_t ignored;  // answers whose silence is shorter than half of the pause time
	uint64_t idle;     // answers before which the class did not send, so that no time is known
	struct hist after; // bytes on the wire of the class that came after XOFF (M2), to XON or a
	struct hist stop;  // ps from x to a, less the cable there and back
	struct hist silence; // ps from a to b
	struct hist resume;  // ps from the last bit of XON to b, less the cable there and back
	// Of an XOFF that ran out without refresh: silence, and half a frame, less the quanta, ps.
	uint64_t holds;
	int64_t hold_sum, hold_least, hold_most;
};

// CNPs that came, against CE that left, by one key. The notification point is outside.
struct outside_cnp {
	uint64_t ce, cnps;
	uint64_t greedy, window;         // CNPs that CE asks for by the rules of np_due_ce()
	uint64_t greedy_off, window_off; // sum over the key's values of the difference to that
	uint64_t values;                 // of the key, that had CE or CNPs; queue pairs: CE
	uint64_t close_gaps;             // under 95 % of T
};

// RoCEv2 frames of one queue pair that came, or frames of one open-loop source. A burst is a row of
// frames with less than the time of a shortest frame between two.
struct outside_stream {
	bool open_loop;
	bool ipv6;
	uint8_t saddr[16], daddr[16];
	uint32_t number; // QPN that they go to, or number of the open-loop source
	uint64_t frames, bytes;
	uint64_t ce_frames, bursts, ce_bursts;
	// Indices of CE frames in bursts, from 0. 0, 0 without CE.
	uint64_t first_ce_least, first_ce_most, last_ce_most;
	// Numbers of an open-loop source. OUTSIDE_NONE: none is missing, or the first that was has
	// come late.
	uint64_t first_missing, missing;
};

// Acknowledgements that came and left, and the latencies of repairs, by the instants at which the
// last bits of frames pass the port.
struct outside_repair {
	uint64_t acks, naks, rnr_naks; // that came
	uint64_t sent_naks;
	uint64_t unpaired;      // NAKs whose queue pair of data is not known
	struct hist ack_step;   // PSNs from one ACK of a queue pair to the next that is higher
	struct hist generation; // ps from the frame behind the lost one, which left, to the NAK
	struct hist reaction;   // ps from our NAK to the frame that is sent again
};

struct outside_totals {
	uint64_t came_frames, left_frames, ce_came, ce_left;
	uint64_t unknown; // frames for whose queue pair, source or key there was no room
};

struct outside;

// Makes an observer. -ENOMEM.
int outside_new(struct outside **out, const struct outside_params *p);
void outside_free(struct outside *o);

// The last bit of a frame arrived at `now`. Call it before the node or an injector gets the frame.
void outside_came(struct outside *o, const struct pkt *p, tstamp now);
// The first bit of a frame leaves at `now`, or when the frame before it has left.
void outside_left(struct outside *o, const struct pkt *p, tstamp now);

const struct outside_totals *outside_totals(const struct outside *o);
const struct outside_asked *outside_asked(const struct outside *o, unsigned row);
const struct outside_answer *outside_answer(const struct outside *o, unsigned row);
const struct outside_repair *outside_repair(const struct outside *o);
// Counts up to `now`, at which windows with CE may have ended.
struct outside_cnp outside_cnp(const struct outside *o, enum np_key key, tstamp now);
const struct hist *outside_cnp_gap(const struct outside *o, enum np_key key);
// From the CE that asked for a CNP to the CNP, less the cable there and back. Of NP_KEY_QP it is
// empty: the numbers of the two directions of a queue pair are not known to belong together.
const struct hist *outside_cnp_delay(const struct outside *o, enum np_key key);
// Streams in the order in which they began; NULL: there are no more.
const struct outside_stream *outside_stream(const struct outside *o, unsigned i);
