// SPDX-License-Identifier: BSD-3-Clause
// A host that sends recorded frames at their recorded instants and counts received frames.
#pragma once

#include <stdint.h>

#include "algo/pause.h"
#include "base/rate.h"
#include "contract/contract.h"
#include "player.h"

struct eport;

struct replay_params {
	const char *name;
	rate_t rate;               // of the port
	struct player_params play; // without a ring: only a sink
	uint8_t pfc_obey;          // bitmap of priorities; a pause delays every frame (one queue)
	bool pause_honour;         // so does 802.3x PAUSE
	tstamp tolerance_ps;       // of the serializer: 0 in virtual time
};

struct replay;

// -EINVAL where the longest frame does not fit the stack's room, marks are not by time, or a rate
// or the number of loops is out of range.
int replay_init(struct replay **r, const struct replay_params *params, struct pkt_stack *stack,
	struct ev_ring *events);
void replay_fini(struct replay *r);
void replay_rx(struct replay *r, unsigned port, struct pkt **burst, unsigned n, tstamp now);
unsigned replay_tx(struct replay *r, unsigned port, struct pkt **burst, unsigned max, tstamp now);
tstamp replay_deadline(const struct replay *r, unsigned port);
// Like sw_pauses(). A pause of any priority stops all frames, because the capture keeps its order.
uint8_t replay_pauses(const struct replay *r, unsigned port, tstamp now);
int replay_ctl(struct replay *r, const struct ctl *ctl, tstamp now);
struct node_touched *replay_touched(struct replay *r);
const struct replay_stats *replay_stats(const struct replay *r);
const struct eport *replay_eport(const struct replay *r);
const struct pause_rx *replay_pause_rx(const struct replay *r);
// Pauses that the capture asks the peer for, as its timers run.
const struct pause_tx *replay_pause_tx(const struct replay *r);
// Counter of 802.3x PAUSE frames.
const uint64_t *replay_pause_frames(const struct replay *r, bool sent);
const struct player *replay_player(const struct replay *r);
// How late frames left, ps: 0 for those in time. NULL: only a sink.
const struct hist *replay_lateness(const struct replay *r);
// Frames wanted but not sent; 0 where the first of them has waited no longer than another of the
// capture takes the wire.
uint64_t replay_unsent(const struct replay *r);
// Brings wanted_frames and pause times up to `now`.
void replay_account(struct replay *r, tstamp now);
