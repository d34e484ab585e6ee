// SPDX-License-Identifier: BSD-3-Clause
// XON at the end of a run: the frames that let the classes of a peer go on which a real port has
// stopped, ready before the first XOFF leaves.
#pragma once

#include <stdint.h>

#include "wire/pkt.h"

struct dev;

enum { DEV_XON_PFC, DEV_XON_PAUSE, DEV_XON_FRAMES };

struct dev_xon {
	int fd; // raw socket on the interface; -1: there is none
	struct rte_mbuf *m[DEV_XON_FRAMES];
	uint8_t bytes[DEV_XON_FRAMES][PKT_MIN_LEN]; // XON for every class, for the raw socket
};

// Sends the XONs that the peer still needs, for a port whose lcore stands still. Returns how many
// frames left. A frame that the device does not take within 100 ms stays unsent.
unsigned dev_xon_send(struct dev *d);

// Sends the XONs from a signal handler, wherever the port's lcore may be. At an interface of the
// kernel it uses a socket of its own, otherwise a last burst.
void dev_xon_send_now(struct dev *d);

// Gives the frames back to the pool: nothing is sent any more.
void dev_xon_drop(struct dev *d);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Has the frames made and the socket opened. `kernel`: the number of the interface that sends what
// the device sends; 0: there is none.
void dev_xon_make(struct dev *d, unsigned kernel);

#pragma GCC visibility pop
