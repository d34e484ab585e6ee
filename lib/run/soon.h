// SPDX-License-Identifier: BSD-3-Clause
// The soonest of a few instants: setting one is O(1) unless the soonest itself is put off.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

// Made for the ports of a node: most changes concern the port that was just served, and a scan of so few
// keys is cheaper than any tree.
struct soon {
	tstamp min;    // key[slot]
	uint32_t slot; // the lowest of those with that key
	uint32_t n;
	tstamp *key;
};

// n slots, all TSTAMP_NEVER; -EINVAL (n 0), -ENOMEM.
int soon_init(struct soon *s, uint32_t n);
void soon_fini(struct soon *s);

static inline void soon_scan(struct soon *s)
{
	tstamp min = s->key[0];
	uint32_t slot = 0;

	for (uint32_t i = 1; i < s->n; i++) {
		int less = s->key[i] < min;

		min = less ? s->key[i] : min;
		slot = less ? i : slot;
	}
	s->min = min;
	s->slot = slot;
}

static inline void soon_set(struct soon *s, uint32_t slot, tstamp key)
{
	s->key[slot] = key;
	if (slot == s->slot) {
		if (key > s->min)
			soon_scan(s);
		else
			s->min = key;
	} else if (key < s->min || (key == s->min && slot < s->slot)) {
		s->min = key;
		s->slot = slot;
	}
}
