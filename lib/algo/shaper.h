// SPDX-License-Identifier: BSD-3-Clause
// Shapers of an egress port: a maximum for the port and each class, and a guaranteed rate for each
// class.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/tstamp.h"
#include "wire/pkt.h"

struct shaper_params {
	rate_t port;             // all classes together; 0: the link's
	rate_t max[PKT_CLASSES]; // 0: none
	rate_t min[PKT_CLASSES]; // 0: none
	uint32_t burst_bytes;    // depth of every bucket, or
	tstamp least_ps;         // what passes at its rate in this time, if that is more
	uint8_t wire_extra;      // bytes of a frame besides len: rates count what links do
};

// A token bucket by bytes, kept as the instant at which it is full again (GCRA): a frame adds its
// time at the bucket's rate; while it would be full later than now + burst, there are no tokens.
struct shaper_bucket {
	byte_ps ps; // 0: no bucket
	tstamp burst_ps;
};

struct shaper_cfg {
	struct shaper_bucket port, max[PKT_CLASSES], min[PKT_CLASSES];
	uint8_t wire_extra;
	bool on;
	uint8_t has_max, has_min; // bitmaps: classes with such a bucket
};

struct shaper {
	const struct shaper_cfg *cfg;
	tstamp port_full, max_full[PKT_CLASSES], min_full[PKT_CLASSES];
	// as of the last look
	uint8_t held; // bitmap: classes that have no tokens,
	uint8_t own;  // bitmap: classes whose own bucket has no tokens,
	bool all;     // and whether the port's has none
	// bitmap: classes below their guaranteed rate, to be served before the others
	uint8_t first;
	tstamp next; // instant at which a class that is held may go on; TSTAMP_NEVER: none is
	// bitmaps: classes with frames for which the port had no tokens, or the class itself had
	// none, when the port was last asked
	uint8_t wait_for_port, wait_for_own;
	tstamp lost_ps; // for which a bucket was full while frames waited for it
};

// cfg->on: whether there is any bucket. -EINVAL: a rate below RATE_MIN, or a burst under 64 bytes.
int shaper_cfg_init(struct shaper_cfg *cfg, const struct shaper_params *params);
void shaper_init(struct shaper *s, const struct shaper_cfg *cfg);

// From `now` on the buckets are those of `to`, which is copied to `cfg`, the shaper's own. A bucket
// that was there before still lacks as many bytes as it lacked; a new one is full.
void shaper_adopt(
	struct shaper *s, struct shaper_cfg *cfg, const struct shaper_cfg *to, tstamp now);

// Brings held, first and next up to `now`.
void shaper_look(struct shaper *s, tstamp now);

// A driver that asks a port for frames at `now` calls shaper_asked() before, with the classes that
// may send (bitmap), and shaper_left() afterwards, with the classes that may send and have frames
// left. If frames have waited for a bucket since then, and the bucket has been full for some time
// at the next call, that call came too late. The time since the bucket was full is lost to the rate
// (lost_ps), except for the time before both port and class had tokens.
void shaper_asked(struct shaper *s, uint8_t may, tstamp now);
void shaper_left(struct shaper *s, uint8_t have);

// A frame of `len` bytes without FCS of a class leaves at `now`, the instant of the last look.
// Afterwards held, first and next are valid for the next frame. The frame counts for the guaranteed
// rate if it was served for that: while the class was in `first`.
void shaper_sent(struct shaper *s, unsigned cls, uint32_t len, tstamp now);

// Prepares the token buckets for frames of `classes` (bitmap) that leave one after the other from
// one instant on. No class of these may be held. Each frame passes the port's bucket and the
// buckets of its class. A class in `first` also has the bucket of its guarantee. shaper_gates()
// returns the buckets as they are before the frames. shaper_passed() takes them back as they are
// afterwards, with the classes of the frames that left. The result is the same as calling
// shaper_sent() for each frame.
#define SHAPER_OWN_GATES 2 // of the class's rate, and of its guarantee
typedef struct rate_gate shaper_own_gates[SHAPER_OWN_GATES];
void shaper_gates(const struct shaper *s, unsigned classes, struct rate_gate *port,
	shaper_own_gates own[PKT_CLASSES], tstamp now);
void shaper_passed(struct shaper *s, unsigned classes, const struct rate_gate *port,
	shaper_own_gates own[PKT_CLASSES], tstamp now);
