// SPDX-License-Identifier: BSD-3-Clause
// PFC and 802.3x PAUSE: which priorities a received frame stops, and when our own frames are sent
// and refreshed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/stat.h"
#include "base/tstamp.h"

#define PAUSE_PRIOS 8

// Counters of one priority and direction (measuring.md M1).
struct pause_stats {
	uint64_t xoff_frames;        // enabled, quanta > 0
	uint64_t xon_frames;         // enabled, quanta 0
	uint64_t refresh_frames;     // XOFF while already paused
	uint64_t transitions_on;     // 0 -> 1
	uint64_t transitions_off;    // 1 -> 0
	uint64_t expired;            // of those, by timer
	uint64_t pause_requested_ps; // sum of quanta asked for
	uint64_t pause_effective_ps; // time paused
	uint64_t longest_pause_ps;
};

extern const struct stat_table pause_stat_table;

// Receiver: one per egress port.
struct pause_rx {
	tstamp until[PAUSE_PRIOS]; // paused while now < until; after expire: the nominal end
	tstamp since[PAUSE_PRIOS]; // pause_effective_ps is counted up to here
	uint8_t paused;            // bitmap, as of the last call
	uint8_t obey;              // bitmap: priorities on which PFC is honoured
	uint8_t no_expiry;         // framing hpcc_sim: a pause lasts until XON
	tstamp quantum_ps;         // 512 bit times of the port
	tstamp next_expiry;        // min of until over paused, TSTAMP_NEVER if none
	struct pause_stats stats[PAUSE_PRIOS];
	tstamp began[PAUSE_PRIOS]; // of the running pause
	// Frames that took effect, and how much later than they were due: 0 in virtual time.
	uint64_t effects;
	tstamp late_ps, late_max_ps; // sum, longest
};

void pause_rx_init(struct pause_rx *r, rate_t rate, uint8_t obey, bool no_expiry);

// A PFC frame came: its counters, obeyed or not. 802.3x PAUSE is not counted here.
void pause_rx_count(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now);

// A PFC frame, or PAUSE, takes effect: for each bit of `enable`, the timer is overwritten (not
// added, not the maximum); quanta 0 resumes (802.1Q cl. 36). Returns the bitmap of priorities whose
// paused state changed. A priority that is not obeyed is never paused.
uint8_t pause_rx_set(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now);

// Counts a frame that takes effect at `now` and was due at `due`: its arrival, or its response time
// later.
static inline void pause_rx_late(struct pause_rx *r, tstamp due, tstamp now)
{
	r->effects++;
	r->late_ps += tstamp_since(now, due);
	r->late_max_ps = tstamp_max(r->late_max_ps, tstamp_since(now, due));
}

// Sets whether the port obeys frames of a priority. If it stops to obey them, a running pause ends.
// Returns true if a pause ended.
bool pause_rx_obey(struct pause_rx *r, unsigned prio, bool obey, tstamp now);

// Lets timers run out; returns the bitmap of priorities that resumed, at their nominal instant.
uint8_t pause_rx_expire(struct pause_rx *r, tstamp now);

// Bitmap of paused priorities at `now` (calls expire when due).
static inline uint8_t pause_rx_mask(struct pause_rx *r, tstamp now)
{
	if (now >= r->next_expiry)
		pause_rx_expire(r, now);
	return r->paused;
}

// The priorities that are paused at `now`, without changing anything.
static inline uint8_t pause_rx_at(const struct pause_rx *r, tstamp now)
{
	uint8_t paused = r->paused;

	for (unsigned left = now < r->next_expiry ? 0 : paused; left; left &= left - 1)
		if (now >= r->until[__builtin_ctz(left)])
			paused &= (uint8_t) ~(left & -left);
	return paused;
}

// Returns whether all eight priorities have changed in the same way, so that the link as a whole
// has stopped or started. `changed`: from pause_rx_set() or pause_rx_expire().
static inline bool pause_rx_whole(const struct pause_rx *r, uint8_t changed)
{
	return changed == 0xff && (r->paused == 0xff || !r->paused);
}

// Adds the time of running pauses to pause_effective_ps up to `now`, for a report.
void pause_rx_account(struct pause_rx *r, tstamp now);

struct pause_response_frame {
	tstamp at;
	uint8_t enable;
	uint16_t quanta[PAUSE_PRIOS];
};

// A receiver that is slow to react: its frames take effect a number of quanta after they came, in
// their order. There is room for as many as a link at `rate` can bring in that time; of more, which
// only a clock that jumps can bring, the newest two become one.
struct pause_response {
	tstamp delay_ps;
	tstamp due; // of the oldest; TSTAMP_NEVER: none
	uint32_t first, n, size;
	struct pause_response_frame *frame;
};

// -ENOMEM. Without quanta it takes no memory, and nothing may be put.
int pause_response_init(struct pause_response *l, rate_t rate, uint16_t quanta);
void pause_response_fini(struct pause_response *l);
// A frame that arrived at `came`.
void pause_response_put(
	struct pause_response *l, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp came);
// Forgets all.
void pause_response_clear(struct pause_response *l);
// The oldest frame that is due by `now`, valid until the next put; NULL: none.
const struct pause_response_frame *pause_response_get(struct pause_response *l, tstamp now);

// Sender: one per ingress port. The owner says which priorities are in XOFF; this says which frame
// is due.
struct pause_tx {
	uint8_t xoff;    // bitmap: asked to be paused
	bool whole;      // 802.3x: the link is stopped as a whole (pause_tx_whole)
	uint8_t pending; // bitmap: an XOFF or XON to be sent now; only where xoff and told differ
	uint16_t quanta[PAUSE_PRIOS];
	tstamp refresh_ps[PAUSE_PRIOS]; // period of refresh: half the quanta; TSTAMP_NEVER: none
	tstamp refresh_at[PAUSE_PRIOS];
	tstamp since[PAUSE_PRIOS];
	tstamp next_refresh;
	tstamp quantum_ps;
	struct pause_stats stats[PAUSE_PRIOS]; // of sent frames, as the peer's timers run
	uint64_t pfc_frames;                   // PFC frames, whatever priorities they name
	uint8_t told;                          // bitmap: the last frame sent was an XOFF
	uint8_t paused;     // bitmap: of those, the time asked for has not run out
	uint8_t no_expiry;  // as pause_rx: the peer stays paused until XON
	tstamp next_expiry; // min of until over paused
	tstamp until[PAUSE_PRIOS];
	tstamp began[PAUSE_PRIOS];
};

// Every priority starts with 65535 quanta, sent again at half (standards.md 2.5).
void pause_tx_init(struct pause_tx *t, rate_t rate);

// Quanta of one priority; refresh_permille of the pause time after which XOFF is sent again (500 is
// half), 0: never.
void pause_tx_set(struct pause_tx *t, unsigned prio, uint16_t quanta, unsigned refresh_permille);

// The port sends PAUSE (802.3 Annex 31B) instead of PFC. PAUSE stops the whole link: if one
// priority reaches XOFF or XON, all of them do, and they share each frame. Pause times are counted
// for each priority as with PFC. Frames are not, because they belong to no priority. All priorities
// have the same quanta and refresh.
void pause_tx_whole(struct pause_tx *t);

// A pause of the peer lasts until XON and does not expire (framing hpcc_sim).
void pause_tx_no_expiry(struct pause_tx *t);

// The priority reaches XOFF or XON: a frame becomes pending. Twice the same state is no event. What
// overtakes a frame that has not left yet cancels it: the peer already is in the state asked for.
void pause_tx_xoff(struct pause_tx *t, unsigned prio, tstamp now);
void pause_tx_xon(struct pause_tx *t, unsigned prio, tstamp now);

// Returns whether a frame is due at `now`. If so, it fills the enable vector and quanta, and the
// frame is no longer pending. Priorities that are due together share one frame.
bool pause_tx_get(struct pause_tx *t, uint8_t *enable, uint16_t quanta[PAUSE_PRIOS], tstamp now);

// Counts a PFC frame that the port sends although no priority asked for it, for example a storm by
// command. The peer cannot tell it from the others.
void pause_tx_count(
	struct pause_tx *t, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now);

// Like pause_tx_count() for a PAUSE frame: `quanta` has its time for each priority.
void pause_tx_count_whole(struct pause_tx *t, const uint16_t quanta[PAUSE_PRIOS], tstamp now);

// Returns the earliest instant at which pause_tx_get() would give a frame; 0: one is pending,
// TSTAMP_NEVER: none.
static inline tstamp pause_tx_deadline(const struct pause_tx *t)
{
	return t->pending ? 0 : t->next_refresh;
}

// Like pause_rx_account(), for the pauses that this side has sent.
void pause_tx_account(struct pause_tx *t, tstamp now);
