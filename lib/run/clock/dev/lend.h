// SPDX-License-Identifier: BSD-3-Clause
// Real-time signals for drivers: net_tap takes one to hear of frames, and only one that nobody
// handles.
#pragma once

#include <signal.h>

#define DEV_LEND_MOST 64

// The handlers as they were.
struct dev_lend {
	struct sigaction was[DEV_LEND_MOST];
};

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Removes the handlers of real-time signals, so that such a signal ends the process. No port has
// sent a frame yet, so no peer is paused.
void dev_lend_signals(struct dev_lend *l);

// Restores the handlers, except for a signal that a driver has taken meanwhile.
void dev_lend_end(const struct dev_lend *l);

#pragma GCC visibility pop
