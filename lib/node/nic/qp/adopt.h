// SPDX-License-Identifier: BSD-3-Clause
// Configurations of queue pairs that a NIC takes over while it runs, and their memory.
#pragma once

#include "pair.h"

// Properties that an adoption gives to queue pairs.
struct nic_brought_kind {
	struct nic_kind k;
	struct nic_brought *of;
	uint32_t pairs;  // queue pairs that have it
	uint32_t number; // in nic.kind, while queue pairs have it
};

// All that queue pairs refer to once they have adopted it. The NIC keeps it while one of them does.
struct nic_brought {
	struct nic_brought *next, **link; // nic.brought; of a list of others: `next` alone
	uint32_t pairs;                   // queue pairs that have one of the kinds
	struct nic_brought_kind **kind;
	struct rc_cfg **rc;
	struct rp_cfg **rp;
	unsigned n_kinds, n_rcs, n_rps;
};

// Room for the numbers of kinds beside the NIC's own: one for each queue pair, and one more.
struct nic_kind_room {
	struct nic_kind **kind; // as nic.kind, with more room
	uint32_t *free;         // numbers that queue pairs had and have no more
};

// A queue pair that adopts.
struct nic_pair_order {
	uint32_t i; // its index
	struct nic_brought_kind *kind;
};
