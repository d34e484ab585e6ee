// SPDX-License-Identifier: BSD-3-Clause
// Values that a NIC takes over while it runs: limits, messages, transport and reaction points of
// its queue pairs, its notification point, its weights and shaper, its open-loop sources.
#pragma once

#include <stdbool.h>

#include "load/load.h"
#include "nic_terms/nic_terms.h"

struct nic;

// A list of new values for one NIC, which the thread that asks makes, and which the NIC takes over
// as a whole by CTL_ADOPT (`with`), once, in the thread that runs it: without allocation, and it
// cannot fail. All that it refers to is copied when it is made.
//
// The NIC keeps the copies while a queue pair has them. If a later list replaces them, the NIC puts
// them into that list. So call nic_adopt_free() for each list after nic_ctl() has returned, or when
// the list is not to be taken over any more. It may come before or after nic_fini().
//
// Calls that make a list read the NIC: no other list may be taken over meanwhile. Several lists may
// be made before the first is taken over; of two, the later one holds.
struct nic_adopt;

// -ENOMEM.
int nic_adopt_new(struct nic_adopt **out, const struct nic *nic);

// The queue pair of the NIC with this flow and side (requester, responder) takes over rate_limit,
// message_bytes, outstanding, catch_up_ps, and the values of `rc` and `rp`; a responder the values
// of `rc` alone, and message_bytes and outstanding of READs. The rest of `to` does not count.
// -ENOENT: there is no such queue pair. -ENOBUFS: its ring has no room for so many messages
// (nic_ring_room). -EINVAL: a value is out of range, or one differs that cannot change
// (rc_may_adopt, rp_may_adopt). -ENOMEM.
int nic_adopt_qp(struct nic_adopt *a, const struct nic_qp_params *to);

// The generator of an open-loop source takes over rate, sizes and burst. -ENOENT; -EINVAL as
// nic_add_gen(); -ENOMEM.
int nic_adopt_gen(struct nic_adopt *a, const struct gen_params *to);

// The notification point takes over everything but its key; `off` as np_off. -EINVAL: the key
// differs, a value is out of range, or the NIC has no notification point (cnflag, or a responder
// without a header for CNPs).
int nic_adopt_np(struct nic_adopt *a, const struct dcqcn_np_params *np, bool off);

// DWRR weights of the egress classes that are not strict. -EINVAL.
int nic_adopt_weights(struct nic_adopt *a, const uint16_t weight[PKT_CLASSES]);

// The rate of the port's shaper; 0: none. Its bucket still lacks the bytes that it lacked. -EINVAL.
int nic_adopt_max_rate(struct nic_adopt *a, rate_t max_rate);

void nic_adopt_free(struct nic_adopt *a);
