// SPDX-License-Identifier: BSD-3-Clause
// A player: takes the frames of a capture out of a ring as they become due, and counts the frames
// that were wanted and the frames that left.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hist.h"
#include "base/stat.h"
#include "ring.h"
#include "wire/pkt.h"

struct player_params {
	struct replay_ring
		*ring; // outlives it; the instants in it count from `start`. NULL: a sink
	tstamp start;
	uint64_t frames;  // of a round
	uint32_t loops;   // rounds, 1..2^32-1
	tstamp took;      // from the first frame of a round to its last
	tstamp gap;       // from there to the first of the next
	bool untimed;     // as fast as the port takes them: no frame is late
	uint16_t longest; // frame, bytes without FCS
	// Instants within a round: of every mark_step-th frame from the first on, and of the last.
	// They tell how many frames should have left if the ring does not reach that far.
	// Ascending; they must outlive the player.
	const tstamp *mark;
	uint32_t n_marks, mark_step;
};

struct replay_stats {
	// due before now; at this instant, too, once the port was asked for them
	uint64_t wanted_frames;
	uint64_t tx_frames, tx_bytes; // bytes with FCS
	uint64_t rx_frames, rx_bytes, rx_ce_frames;
	uint64_t late_frames; // left later than wanted
	uint64_t late_max_ps, late_sum_ps;
	uint64_t first_tx, last_tx; // instants, ps
	uint64_t no_desc;           // a frame waited for a descriptor
	uint64_t malformed_frames;  // of the capture: sent all the same
	uint64_t starved;           // the ring was empty, though other frames follow
};

extern const struct stat_table replay_stat_table;

struct player {
	struct player_params p;
	const struct replay_rec *rec; // the next one; NULL: there is none now
	tstamp at;                    // when it is due, or the ring is asked again; TSTAMP_NEVER
	_Atomic bool ended;
	uint64_t taken; // frames
	// The next mark to become due.
	uint32_t mark, loop;
	tstamp base, due; // of the mark's round; TSTAMP_NEVER past the last one
	// It is held: since when, and the instants that `at` and `due` had.
	bool held;
	tstamp held_since, held_at, held_due;
	tstamp now;
	struct replay_stats s;
	struct hist *late; // NULL: a sink
};

// Initialises the player. -EINVAL: it has no frames or no rounds, or is timed without marks.
// -ENOMEM.
int player_init(struct player *p, const struct player_params *params);
void player_fini(struct player *p);

// When the next frame is due, or else the ring has to be looked at again.
static inline tstamp player_deadline(const struct player *p)
{
	return p->at;
}

// Returns whether the last frame was taken. Any thread may call it.
static inline bool player_ended(const struct player *p)
{
	return atomic_load_explicit(&p->ended, memory_order_relaxed);
}

// The frame that is due at `now`; NULL: none.
const struct replay_rec *player_look(struct player *p, tstamp now);
// Makes `to`, which has room for its bytes at `data_off`, that frame, due when it was, and goes on
// to the next one.
void player_take(struct player *p, struct pkt *to, uint16_t data_off, tstamp now);
// Counts a frame that leaves `now` and was due at `due`.
void player_sent(struct player *p, uint32_t len, tstamp due, tstamp now);
// Gives the ring's room back: once for all frames of a call.
static inline void player_give(struct player *p)
{
	replay_ring_give(p->p.ring);
}

// Holds a player (`on`): from `now` on no frame is due. Lets it go on: all instants move by the
// time for which it was held. Holding it twice holds it once.
void player_hold(struct player *p, bool on, tstamp now);
// Counts the frames that are due before `until` as wanted.
void player_want(struct player *p, tstamp until);
// The frames that were wanted but not sent; 0 if the first of them has waited no longer than
// `busy`.
uint64_t player_unsent(const struct player *p, tstamp now, tstamp busy);
