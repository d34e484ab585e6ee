// SPDX-License-Identifier: BSD-3-Clause
// Maps of the switch: class to egress queue and to priority group, and the priorities that PFC then
// stops.
#include <errno.h>

#include "port.h"

// Classes are compiled; PFC is the priority's, which has the class's number.
int sw_map_init(struct sw *sw, const struct sw_params *p)
{
	uint8_t pgs[PKT_CLASSES] = {0}; // by queue: bitmap of the groups of its frames

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		unsigned queue = p->queue_map ? p->queue_map[c] : c;
		unsigned pg = p->pg_map ? p->pg_map[c] : c;

		if (queue >= PKT_CLASSES || pg >= MMU_PGS)
			return -EINVAL;
		sw->queue_of[c] = (uint8_t)queue;
		sw->pg_of[c] = (uint8_t)pg;
		sw->mapped |= queue != c || pg != c;
		sw->prios_of[pg] |= (uint8_t)(sw->cls[c].pfc << c);
		pgs[queue] |= (uint8_t)(1u << pg);
	}
	// PAUSE gives frames that the switch makes a group of their own (own_pg).
	for (unsigned q = 0; q < PKT_CLASSES; q++)
		if (p->pause || pgs[q] & (pgs[q] - 1))
			sw->several_groups |= (uint8_t)(1u << q);
	return 0;
}
