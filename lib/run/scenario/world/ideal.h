// SPDX-License-Identifier: BSD-3-Clause
// The ideal completion time of a message: alone on its way, held back by nothing but its links.
#pragma once

#include "route.h"

// Returns the ideal completion time of a message of `bytes`, ps: from its first bit to its end at
// the host that posted it. The data goes by `there`, the answers go by `back`, and these routes
// carry nothing else. No rate, window, depth of READs or loss holds the message back. 0: a route
// has no hop.
//
// The frames leave one behind the other and are stored and forwarded on each hop, with the rounding
// of the serializers. The end is the ACK of the last frame, which may wait behind ACKs of the same
// message (`ack_every`). The requests of a READ go `back` first, and its end is the last response.
tstamp ideal_completion(const struct scene *s, const struct scene_flow *f,
	const struct route *there, const struct route *back, uint64_t bytes);
