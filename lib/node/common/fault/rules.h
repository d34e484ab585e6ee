// SPDX-License-Identifier: BSD-3-Clause
// A set of records, made for finding those that name a frame.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "fault.h"

#pragma GCC visibility push(hidden)

struct sighting;

// A record of a range of PSNs. Ranges form a balanced tree by their beginnings: the middle one of a
// part of the array is the root of that part.
struct rules_range {
	uint64_t from, to;
	uint64_t most; // the last PSN of all ranges below it and of itself
	uint32_t record;
};

struct rules {
	const struct fault_record *record; // of the injector
	uint8_t counts;                    // kinds whose transmissions are counted
	bool needs_pair;                   // what is known of a queue pair decides
	struct index exact;                // of one PSN: places in `single`, by that PSN
	uint32_t *single;                  // records of one PSN
	struct rules_range *range;
	uint32_t *rest; // records that are asked for each frame
	uint32_t n_single, n_ranges, n_rest;
};

// Of these records of the injector. 0 or -ENOMEM.
int rules_init(
	struct rules *s, const struct fault_record *record, const uint32_t *which, uint32_t n);
void rules_fini(struct rules *s);

// A frame as records see it.
struct facts {
	tstamp now;
	uint8_t kind;     // FAULT_*
	uint8_t cls;      //
	bool last;        // of its message
	bool has_psn;     //
	uint64_t psn;     // from the first of its queue pair
	uint32_t nth;     // 0: not counted
	uint32_t pass;    // 0: it has none
	uint32_t *found;  // indices of the records that name it, rising
	uint32_t n_found; //
};

// Adds the records that name the frame to `found`. Chance is not asked.
void rules_find(const struct rules *s, struct facts *a);

#pragma GCC visibility pop
