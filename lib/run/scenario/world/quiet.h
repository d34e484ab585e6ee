// SPDX-License-Identifier: BSD-3-Clause
// Whether a world has come to rest after a quiesce: senders have ended what they had begun, and no
// frame is queued.
#pragma once

#include "net.h"

// All nodes, where one thread runs them. Frames on links are the driver's.
bool net_is_quiet(const struct net *net);

#pragma GCC visibility push(hidden)

// Answers CTL_IS_QUIET for a node, or for a shard, which its own thread asks: -EBUSY, or a number
// that changes with each frame that comes or leaves.
int net_ask_quiet(const struct net_node *n);

#pragma GCC visibility pop
