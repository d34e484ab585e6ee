// SPDX-License-Identifier: BSD-3-Clause
// The place where an injector changes the bytes of a frame.
#pragma once

#include "frame/frame.h"
#include "wire/pkt.h"

#pragma GCC visibility push(hidden)

struct work {
	struct pkt pkt;
	struct hdr hdr;
	uint8_t bytes[PKT_MAX_LEN];
	_Alignas(struct pkt) uint8_t shown[FRAME_SHOWN];
};

_Static_assert(offsetof(struct work, hdr) == sizeof(struct pkt), "a header of its own");

#pragma GCC visibility pop
