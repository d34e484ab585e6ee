// SPDX-License-Identifier: BSD-3-Clause
// The release of peers: whichever way the run ends, each class that its real ports have stopped is
// let go by an XON.
#pragma once

#include "run.h"

#pragma GCC visibility push(hidden)

// From this call on, a crash or a signal that ends the process at once first sends XON to the
// peers.
void rt_release_open(struct rt *rt);
void rt_release_close(const struct rt *rt);

// Sends the XONs that are owed, when the loops stand still, and counts them in rt->run.
void rt_release(struct rt *rt);

// Like rt_release(), while a loop may still be anywhere: ends the loops that can be ended, waits
// some milliseconds for them, and sends by dev_xon_send_now(). As async-signal-safe as the devices'
// drivers.
void rt_release_now(void *rt);

#pragma GCC visibility pop
