// SPDX-License-Identifier: BSD-3-Clause
// PFC watchdog of one queue: a storm detected and got over by polled counters, as SONiC does it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

enum pfcwd_rule { PFCWD_MELLANOX, PFCWD_BROADCOM };
enum pfcwd_action { PFCWD_DROP, PFCWD_FORWARD, PFCWD_ALERT };

struct pfcwd_params {
	tstamp poll;        // period of pfcwd_poll
	tstamp detection;   // a queue stands still for this time before it is a storm
	tstamp restoration; // time without a PFC frame that ends it
	enum pfcwd_rule rule;
	enum pfcwd_action action;
};

struct pfcwd_cfg {
	tstamp poll, detection, restoration;
	uint8_t rule;
	uint8_t action;
};

// The state of a queue at a poll; counters only grow.
struct pfcwd_sample {
	uint64_t queue_bytes;  // occupancy
	uint64_t tx_frames;    // sent from the queue
	uint64_t pfc_rx;       // PFC frames received for its priority
	uint64_t on2off;       // of these, those that ended a pause
	tstamp pause_duration; // time the priority was paused by them
	bool paused;           // it is now
};

struct pfcwd {
	struct pfcwd_sample last;
	bool known; // last was read
	bool storm;
	tstamp time; // of consecutive polls that speak for the change of state
};

enum pfcwd_event { PFCWD_NONE, PFCWD_STORM, PFCWD_RESTORE };

// -EINVAL: a period 0, or detection or restoration shorter than a poll.
int pfcwd_cfg_init(struct pfcwd_cfg *cfg, const struct pfcwd_params *params);

// Evaluates one poll. The first poll only reads. Source: SONiC's pfc_detect_mellanox.lua,
// pfc_detect_broadcom.lua and pfc_restore.lua (standards.md 2.6). With the action alert the storm
// ends at the first poll without its sign.
enum pfcwd_event pfcwd_poll(
	struct pfcwd *w, const struct pfcwd_cfg *cfg, const struct pfcwd_sample *s);
