// SPDX-License-Identifier: BSD-3-Clause
// XON at the end of a run: which classes a real port has stopped at its peer, and the frames that
// let them go on, ready before the first XOFF leaves.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/pkt.h"

struct dev;

enum { DEV_XON_PFC, DEV_XON_PAUSE, DEV_XON_FRAMES };

struct dev_xon {
	// Written by the lcore of the port; read by whoever ends the run.
	_Atomic uint8_t classes; // stopped by PFC
	atomic_bool whole;       // stopped by PAUSE
	int fd;                  // raw socket on the interface; -1: there is none
	struct rte_mbuf *m[DEV_XON_FRAMES];
	uint8_t bytes[DEV_XON_FRAMES][PKT_MIN_LEN]; // XON for every class, for the raw socket
};

// Whether the peer is stopped by what was sent, as far as the last frame for each class says.
static inline bool dev_xon_owed(const struct dev_xon *x)
{
	return atomic_load_explicit(&x->classes, memory_order_relaxed) ||
	       atomic_load_explicit(&x->whole, memory_order_relaxed);
}

// A frame that was rendered does not leave: what it would have let go is owed all the same. From
// any thread, or in a handler of a signal.
void dev_xon_unsent(struct dev_xon *x, const struct pkt *p);

// Sends what is owed, for a port whose lcore stands still. Returns how many frames left. What the
// device does not take in 100 ms stays owed.
unsigned dev_xon_send(struct dev *d);

// The same in a handler of a signal, while the port's lcore may be anywhere: at an interface of the
// kernel by a socket of its own, else by a last burst.
void dev_xon_send_now(struct dev *d);

// Gives the frames back to the pool: nothing is sent any more.
void dev_xon_drop(struct dev *d);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// A PFC or PAUSE frame leaves.
void dev_xon_note(struct dev_xon *x, const struct pkt *p);

// Has the frames made and the socket opened. `kernel`: the number of the interface that sends what
// the device sends; 0: there is none.
void dev_xon_make(struct dev *d, unsigned kernel);

#pragma GCC visibility pop
