// SPDX-License-Identifier: BSD-3-Clause
// Whether receivers of flows have more than their senders sent.
#pragma once

#include "net.h"

#pragma GCC visibility push(hidden)

// Checks each flow with both ends here, over the whole run: the receiver has no more data frames,
// messages and bytes of payload than the sender sent. Copies made for flooding and frames of
// captures do not count. 0, or -EPROTO with the line.
int conserve_flows(const struct net *net, struct err *err);

#pragma GCC visibility pop
