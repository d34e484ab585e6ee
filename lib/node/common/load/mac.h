// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames that leave a port although its own pauses do not ask for them: from a capture,
// or by command. The peer cannot tell them from the port's own, so both are counted and reported
// alike.
#pragma once

#include "algo/pause.h"
#include "contract/contract.h"

// EV_XOFF_TX and EV_XON_TX of a PFC frame that leaves: an event for each pause time that it has,
// then one for the priorities that go on. `whole`: it is PAUSE.
void mac_told(struct ev_ring *events, const struct pkt_pfc *f, bool whole, tstamp now);

// Counts and tells a frame that leaves, if it is PFC or PAUSE. `pauses` counts PAUSE frames.
void mac_left(struct pause_tx *t, struct ev_ring *events, uint64_t *pauses, const struct pkt *p,
	tstamp now);
