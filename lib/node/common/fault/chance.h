// SPDX-License-Identifier: BSD-3-Clause
// The draws of a record by chance.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "fault.h"

#pragma GCC visibility push(hidden)

#define CHANCE_ALWAYS 1000000000000ull // a share of all frames

struct chance {
	struct prng prng;
	bool is_bad;         // the state of Gilbert and Elliott
	uint64_t gap_factor; // bits between two bit errors on average; 0: there are none
	uint64_t gap;        // good bits before the next bit error
};

// By the run's seed, the port's name and the record. -EINVAL: a share beyond all frames, a bit
// error rate outside 0..0.5.
int chance_init(struct chance *c, const struct fault_record *r, uint64_t seed, const char *port);

// Whether it hits a frame of this length (without FCS). Each rule of the record draws for each
// frame that is asked for.
bool chance_hits(struct chance *c, const struct fault_chance *rule, unsigned len);

#pragma GCC visibility pop
