// SPDX-License-Identifier: BSD-3-Clause
// Whether a world has come to rest after a quiesce: senders have ended what they had begun, and no
// frame is queued.
#pragma once

#include "net.h"

// How far the answers of before went: zero before the first question of a quiesce. A sender at rest
// stays so, so each question begins where the one before it found an answer.
struct net_quiet {
	unsigned node, at;
};

// A node, or a shard, which its own thread asks. *at: of its struct net_quiet.
bool net_node_is_quiet(const struct net_node *n, unsigned *at);
// All nodes, where one thread runs them. Frames on links are the driver's.
bool net_is_quiet(const struct net *net, struct net_quiet *q);
