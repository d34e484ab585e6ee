// SPDX-License-Identifier: BSD-3-Clause
// Functions that several kinds of hosts share.
#pragma once

#include "host.h"

#pragma GCC visibility push(hidden)

// Bytes sent on the wire in `frames` frames against those allowed, 0: no limiter.
struct host_pace host_pace(uint64_t sent, uint64_t owed, uint64_t frames);
// Counters of a NIC over the window.
struct nic_stats host_nic_window(const struct record *r, unsigned node);

#pragma GCC visibility pop
