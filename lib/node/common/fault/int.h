// SPDX-License-Identifier: BSD-3-Clause
// The inside of an injector.
#pragma once

#include "chance.h"
#include "fault.h"
#include "held.h"
#include "pair.h"
#include "rules.h"

struct fault {
	struct fault_params p;
	struct fault_stats stats;
	struct fault_record_stats *record; // by record
	struct rules *rules;               // of each target, then those of all frames
	uint32_t n_rules;
	const struct rules *all;
	struct chance *chance; // by record
	bool *of_all;          // records of all frames of the port
	bool has_addresses;    // a target names all queue pairs of its address
	uint8_t seen_counts; // kinds that are counted for pairs that only `all` or an address names
	uint16_t *seen_times;
	struct pairs pairs;
	struct holds holds;
	struct line waits;        // frames that go on behind later ones of the port
	struct pkt *on, *on_last; // frames that go on now
	uint32_t n_on;
	uint64_t seq; // of the frame that came last
	uint32_t *found;
};

// The rules of the records that name all queue pairs of the key's address; NULL: there are none.
const struct rules *seen_address(const struct fault *f, const struct pair_key *key);

// Adds a queue pair that no target names; NULL: no record needs it, or there is no room.
struct pair *seen_add(struct fault *f, const struct pair_key *key, const struct rules *address);
