// SPDX-License-Identifier: BSD-3-Clause
// Functions that several kinds of hosts share.
#pragma once

#include "host.h"

#pragma GCC visibility push(hidden)

// Bytes sent on the wire in `frames` frames against those allowed, 0: no limiter.
struct host_pace host_pace(uint64_t sent, uint64_t owed, uint64_t frames);
// Counters of a NIC over the window.
struct nic_stats host_nic_window(const struct record *r, unsigned node);
// What dates the frames that come to a host by its device, "stamp", "loop" or "both"; NULL: it has
// none, or the host is not ours.
const char *host_arrival_by(const struct record *r, unsigned node);

// Tells the name that each group of a scene has, with one of its flows; one name may come twice.
typedef void host_tell_group(struct kind_look *l, const struct scene_flow *f, const char *name);
void host_look_groups(struct kind_look *l, host_tell_group *tell);

#pragma GCC visibility pop
