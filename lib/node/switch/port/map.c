// SPDX-License-Identifier: BSD-3-Clause
// Maps of the switch's ports: class to egress queue and to priority group, and the priorities that
// PFC then stops.
#include <errno.h>
#include <string.h>

#include "port.h"

// Classes are compiled; PFC is the priority's, which has the class's number.
int sw_map_set(struct sw *sw, struct sw_set *to, const struct sw_set_params *p)
{
	for (unsigned i = 0; i < sizeof(p->dscp_to_class); i++)
		if (p->dscp_to_class[i] >= PKT_CLASSES)
			return -EINVAL;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		unsigned queue = p->queue_map[c], pg = p->pg_map[c];

		if (queue >= PKT_CLASSES || pg >= MMU_PGS || p->pcp_to_class[c] >= PKT_CLASSES)
			return -EINVAL;
		to->queue_of[c] = (uint8_t)queue;
		to->pg_of[c] = (uint8_t)pg;
		sw->mapped |= queue != c || pg != c;
		to->prios_of[pg] |= (uint8_t)(to->cls[c].pfc << c);
	}
	memcpy(to->dscp_to_class, p->dscp_to_class, sizeof(to->dscp_to_class));
	memcpy(to->pcp_to_class, p->pcp_to_class, sizeof(to->pcp_to_class));
	to->own_pg = to->pg_of[0] ^ 1;
	return 0;
}

// Bitmap of the queues of a set `out` whose frames from a port of set `in` may be of several
// groups.
static uint8_t several_groups(const struct sw_set *in, const struct sw_set *out)
{
	uint8_t pgs[PKT_CLASSES] = {0}, several = 0; // by queue: bitmap of the groups

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		pgs[out->queue_of[c]] |= (uint8_t)(1u << in->pg_of[c]);
	for (unsigned q = 0; q < PKT_CLASSES; q++)
		several |= (uint8_t)((pgs[q] & (pgs[q] - 1)) != 0) << q;
	return several;
}

// PAUSE gives frames that the switch makes a group of their own (own_pg).
void sw_map_groups(struct sw *sw)
{
	for (unsigned i = 0; i < sw->n_sets; i++) {
		struct sw_set *out = &sw->set[i];

		out->several_groups = sw->pause ? 0xff : 0;
		for (unsigned k = 0; sw->mapped && k < sw->n_sets; k++)
			out->several_groups |= several_groups(&sw->set[k], out);
	}
}
