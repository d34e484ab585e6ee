// SPDX-License-Identifier: BSD-3-Clause
// A capture as it is to be sent: which of its frames, with which bytes, at which instants.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "conf/conf.h"
#include "frame/rewrite.h"
#include "load/load.h"
#include "split.h"

// How the instants of frames come about.
enum cap_pace {
	CAP_RECORDED, // as recorded, `speed` times as fast
	CAP_FRAMES,   // `frames_per_s`
	CAP_BITS,     // `rate` on the wire, with preamble, FCS and gap (len + 24)
	CAP_TOP,      // all at once: as fast as the port takes them
};

#define CAP_SPEED_ONE 1000000u // recorded speed, in millionths

struct cap_play_params {
	const char *const *path; // the captures, whose frames are merged by time
	unsigned n_paths;
	// Which of the frames are sent; NULL: all. Instants count from the first frame of both
	// sides.
	const struct cap_split *split;
	enum cap_side side;
	enum cap_pace pace;
	uint64_t speed; // of CAP_RECORDED, in millionths, 1..10^12
	uint64_t frames_per_s;
	rate_t rate;
	bool pad;       // frames that the capture cut are filled up with zeros; else left out
	uint32_t loops; // 1..2^32-1
	tstamp gap;     // from the last frame to the first of the next round, of CAP_RECORDED
	const struct rewrite_rule *rule;
	unsigned n_rules;
};

// Counts of a capture's frames, over all rounds: the frames to be sent, and the frames that are
// left out or changed.
struct cap_seen {
	uint64_t frames;          // to be sent
	uint64_t all_frames;      // with the frames of the other side
	uint64_t read;            // of the file
	uint64_t cut;             // by the capture
	uint64_t oversized;       // over PKT_MAX_LEN bytes: left out
	uint64_t backwards;       // instants that went back: taken as the one before
	uint64_t first_backwards; // number of the first such frame, from 1 as the file has them
	uint64_t wire_bytes;     // as sent on the wire: len (60 at least) + 24, of those to be sent
	uint64_t all_wire_bytes; // with the bytes of the other side
};

// Reads a pace as users write it into `p`: "1x", "2.5x" (as fast as recorded, up to 1000000x),
// "10Gbps", "1Mpps", "top". -EINVAL, and `p` stays as it is.
#define CAP_PACE_WANTED "1x (as recorded), 2.5x, 10Gbps, 1Mpps or top"
int cap_pace_parse(const char *text, struct cap_play_params *p);

// Says which paces there are, for a text that cap_pace_parse() refused: the bounds of its kind if
// the text is a number with the kind's unit, else CAP_PACE_WANTED.
const char *cap_pace_wanted(const char *text);

struct cap_play;

// A MAC address of the frames that are sent, in one VLAN: frames of a round.
struct cap_station {
	uint8_t mac[6];
	uint16_t vid;      // of the outer tag; 0: none
	uint64_t from, to; // sent with this source, with this destination
	uint64_t to_after; // of `to`, after the first of `from`
};

#define CAP_STATIONS (1u << 16) // the most that are kept of one capture

// The facts of a round before it is sent. cap_scan() reads the whole file once for them, frame by
// frame.
struct cap_scan {
	struct cap_seen seen; // no frame to be sent: the other side has them all
	uint64_t *hits;       // of each rule
	struct cap_station *station;
	uint32_t n_stations;
	uint64_t link_local;   // frames of a round that no bridge forwards (802.1Q table 8-1)
	tstamp took;           // from the first frame to the last, of both sides
	tstamp gap;            // from there to the first of the next round
	uint16_t longest;      // frame to be sent, bytes without FCS
	uint64_t first_macctl; // number of the first frame to be sent that is MAC control; 0: none
	tstamp *mark;          // struct player_params; none of CAP_TOP
	uint32_t n_marks, mark_step;
};

// Reads one round, and keeps at most 8 MB of memory. Returns as cap_play_open and cap_play_next do;
// there is nothing to free after a failure.
int cap_scan(struct cap_scan *s, const struct cap_play_params *params, struct err *err);
void cap_scan_free(struct cap_scan *s);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Opens the capture. -ENOENT, -EINVAL, -ENOMEM as cap_in_open: one line in err.
int cap_play_open(struct cap_play **p, const struct cap_play_params *params, struct err *err);
// 1: the next frame, whose bytes stay until the next call, and its instant since the first frame of
// the first round; 0: the last round has ended, or a later one than the first has come to 2^64 ps,
// which no run reaches. -EINVAL, -ERANGE: the file is broken here, or holds no frame to send, or a
// frame of the first round comes 2^64 ps or more after the first: one line in err.
int cap_play_next(struct cap_play *p, struct replay_frame *f, struct err *err);
const struct cap_seen *cap_play_seen(const struct cap_play *p);
// Returns the time from the first to the last frame of the first round, of both sides. It is known
// once that round was read.
tstamp cap_play_took(const struct cap_play *p);
// Returns how often a rule has matched.
uint64_t cap_play_hits(const struct cap_play *p, unsigned rule);
void cap_play_close(struct cap_play *p);

#pragma GCC visibility pop
