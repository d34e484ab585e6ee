// SPDX-License-Identifier: BSD-3-Clause
// The classes of the peer that are stopped by frames that have left.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/pkt.h"

// Written by the lcore of the port; read by whoever ends the run.
struct mbuf_told {
	_Atomic uint8_t classes; // stopped by PFC
	atomic_bool whole;       // stopped by PAUSE
};

// Whether the PFC and PAUSE frames that were sent still stop the peer. The last frame for each
// class decides.
static inline bool mbuf_told_owed(const struct mbuf_told *t)
{
	return atomic_load_explicit(&t->classes, memory_order_relaxed) ||
	       atomic_load_explicit(&t->whole, memory_order_relaxed);
}

// A rendered frame does not leave, so an XON in it must be sent in another way. Any thread and any
// signal handler may call it.
void mbuf_told_unsent(struct mbuf_told *t, const struct pkt *p);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// A PFC or PAUSE frame leaves.
void mbuf_told_note(struct mbuf_told *t, const struct pkt *p);

#pragma GCC visibility pop
