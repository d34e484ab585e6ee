// SPDX-License-Identifier: BSD-3-Clause
// A sample of the TCP and UDP checksums of frames that came.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "wire/pkt.h"

#define MBUF_SUMS_FIRST 32   // frames that are looked at one after the other
#define MBUF_SUMS_EVERY 1024 // afterwards: frames between two
#define MBUF_SUMS_NONE  63   // the same, after a frame that has no checksum
#define MBUF_SUMS_MOST  64   // frames that are looked at in all

// One thread looks at frames, others may read its counts.
struct mbuf_sums {
	uint32_t skip; // frames that are passed by until one is looked at; the caller counts down
	_Atomic uint32_t seen, wrong;
};

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Checks those of n just parsed frames whose turn it is. Frames without a checksum, for example
// RoCEv2, do not count.
void mbuf_sums_look(struct mbuf_sums *s, struct pkt *const *burst, unsigned n);

#pragma GCC visibility pop
