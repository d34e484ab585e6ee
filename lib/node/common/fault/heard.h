// SPDX-License-Identifier: BSD-3-Clause
// The connections of which the injectors of a network have heard: the REQs and REPs of the
// communication manager that passed them. A message has its sender's queue pair and the first PSN
// of the frames to that queue pair. Those frames pass other injectors than the message. So all
// injectors share the table; any thread may write or read.
#pragma once

#include "pair.h"

#pragma GCC visibility push(hidden)

// A frame that is no frame of a queue pair's has passed.
void heard_take(struct fault_heard *h, const struct pkt *p);

// The first PSN of requests to a queue pair, or of the answers to it. FAULT_PSN_SEEN: nobody has
// heard of it.
uint32_t heard_first(const struct fault_heard *h, const struct pair_key *key, bool answers);

#pragma GCC visibility pop
