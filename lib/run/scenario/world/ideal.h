// SPDX-License-Identifier: BSD-3-Clause
// The ideal completion time of a message: alone on its way, held back by nothing but its links.
#pragma once

#include "route.h"

// Time from the first bit of a message of `bytes` to its end at who posted it, ps, where the ways
// `there` (of the data) and `back` carry nothing else and neither a rate, a window, the depth of
// READs nor a loss holds the message back. 0 where a way has no hop.
//
// The frames leave one behind the other and are stored and forwarded on each hop, with the rounding
// of the serializers. The end is the ACK of the last frame, which may wait behind ACKs of the same
// message (`ack_every`). The requests of a READ go `back` first, and its end is the last response.
tstamp ideal_completion(const struct scene *s, const struct scene_flow *f,
	const struct route *there, const struct route *back, uint64_t bytes);
