// SPDX-License-Identifier: BSD-3-Clause
// DCQCN notification point: when a receiver that sees CE owes the sender a CNP.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

// STANDARDS 4.2. WINDOW: a CNP at the first CE, then at the end of each window in which CE came.
// NEXT_MARKED: with the first CE frame after the interval. PER_PACKET: for every CE frame.
enum np_mode { NP_WINDOW, NP_NEXT_MARKED, NP_PER_PACKET };

struct dcqcn_np_params {
	enum np_mode mode;
	tstamp interval_ps; // N, 50 us in the paper; 1 ps..100 ms unless PER_PACKET
};

struct dcqcn_np_cfg {
	tstamp interval_ps;
	enum np_mode mode;
};

struct dcqcn_np {
	const struct dcqcn_np_cfg *cfg;
	tstamp window_end; // 0: idle
	bool seen;         // CE in the running window
};

int dcqcn_np_cfg_init(struct dcqcn_np_cfg *cfg, const struct dcqcn_np_params *params);
void dcqcn_np_init(struct dcqcn_np *np, const struct dcqcn_np_cfg *cfg);

// A CE frame came. True: send a CNP now. (Call expire first where deadline() has passed.)
bool dcqcn_np_ce(struct dcqcn_np *np, tstamp now);

// The window's end has come. True: send a CNP now; the next window runs from the nominal end.
bool dcqcn_np_expire(struct dcqcn_np *np, tstamp now);

static inline tstamp dcqcn_np_deadline(const struct dcqcn_np *np)
{
	return np->window_end && np->cfg->mode == NP_WINDOW ? np->window_end : TSTAMP_NEVER;
}
