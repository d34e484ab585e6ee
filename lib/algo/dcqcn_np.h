// SPDX-License-Identifier: BSD-3-Clause
// DCQCN notification point: when a receiver that sees CE owes the sender a CNP.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

// standards.md 4.2. WINDOW: a CNP at the first CE, then at the end of each window in which CE came.
// NEXT_MARKED: with the first CE frame after the interval. PER_PACKET: for every CE frame.
enum np_mode { NP_WINDOW, NP_NEXT_MARKED, NP_PER_PACKET };

// The key by which one interval spaces CNPs (standards.md 3.2: NICs differ in it): one queue pair,
// one pair of addresses, one destination address, or the whole port.
enum np_key { NP_KEY_QP, NP_KEY_IP_PAIR, NP_KEY_DST_IP, NP_KEY_PORT };

struct dcqcn_np_params {
	enum np_mode mode;
	tstamp interval_ps; // N, 50 us in the paper; up to 100 ms; 0: PER_PACKET
	enum np_key key;
	uint32_t cnps_per_s; // most CNPs of the NIC, 0: as many as are due
	bool with_nak;       // a NAK for a gap in the sequence counts as a CE frame
};

struct dcqcn_np_cfg {
	tstamp interval_ps;
	enum np_mode mode;
	enum np_key key;
	bool with_nak;
	tstamp gap_ps; // between CNPs of the NIC
};

struct dcqcn_np {
	const struct dcqcn_np_cfg *cfg;
	tstamp window_end; // of the last window; 0: there was none
	bool seen;         // WINDOW: CE in the window, so its end needs a timer
};

int dcqcn_np_cfg_init(struct dcqcn_np_cfg *cfg, const struct dcqcn_np_params *params);
void dcqcn_np_init(struct dcqcn_np *np, const struct dcqcn_np_cfg *cfg);

// The configuration becomes another one at `now`, of the same key; `old` is the one before. A
// window that runs keeps its begin, and ends at `now` at the earliest. A CNP that is owed at its
// end comes then.
void dcqcn_np_adopt(struct dcqcn_np *np, const struct dcqcn_np_cfg *old, tstamp now);

// A CE frame came. True: send a CNP now. (Call expire first where deadline() has passed.)
bool dcqcn_np_ce(struct dcqcn_np *np, tstamp now);

// Handles the end of a window. True: send a CNP now; the next window starts at the nominal end of
// this one.
bool dcqcn_np_expire(struct dcqcn_np *np, tstamp now);

// Returns when the window ends, if a CE has arrived in it. A window without CE needs no timer.
static inline tstamp dcqcn_np_deadline(const struct dcqcn_np *np)
{
	return np->seen ? np->window_end : TSTAMP_NEVER;
}

// The cap of a whole NIC: a token bucket that holds one CNP.
struct dcqcn_np_cap {
	tstamp next;
};

// Like dcqcn_np_adopt(): from one configuration to another.
static inline void dcqcn_np_cap_adopt(struct dcqcn_np_cap *cap, const struct dcqcn_np_cfg *old,
	const struct dcqcn_np_cfg *cfg, tstamp now)
{
	if (cap->next > now)
		cap->next = cap->next - old->gap_ps + cfg->gap_ps;
}

// A CNP is due. False: the cap refuses it, and it is lost.
static inline bool dcqcn_np_take(
	struct dcqcn_np_cap *cap, const struct dcqcn_np_cfg *cfg, tstamp now)
{
	if (now < cap->next)
		return false;
	cap->next = now + cfg->gap_ps;
	return true;
}
