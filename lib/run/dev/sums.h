// SPDX-License-Identifier: BSD-3-Clause
// A sample of the TCP and UDP checksums of frames that came.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "wire/pkt.h"

#pragma GCC visibility push(hidden)

#define DEV_SUMS_FIRST 32   // frames that are looked at one after the other
#define DEV_SUMS_EVERY 1024 // afterwards
#define DEV_SUMS_MOST  256  // frames that are looked at in all

// One thread looks at frames, others may read what it has found.
struct dev_sums {
	uint32_t skip; // frames until the next one that is looked at, less one
	_Atomic uint32_t seen, wrong;
};

// Looks at a foreign frame that has just been parsed. Those without a checksum do not count.
void dev_sums_look(struct dev_sums *s, const struct pkt *p);

#pragma GCC visibility pop
