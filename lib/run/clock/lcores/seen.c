// SPDX-License-Identifier: BSD-3-Clause
// Copies of captured frames: made by the lcore, read by the recorder.
#include "seen.h"

#include <stdlib.h>
#include <string.h>

struct rt_seen_ring *rt_seen_new(uint32_t room)
{
	size_t stride = (sizeof(struct rt_seen) + room + EAL_LINE - 1) / EAL_LINE * EAL_LINE;
	size_t size = sizeof(struct rt_seen_ring) + RT_SEEN * stride;
	struct rt_seen_ring *r = aligned_alloc(EAL_LINE, size);

	if (!r)
		return NULL;
	memset(r, 0, size);
	r->stride = (uint32_t)stride;
	r->room = room;
	return r;
}

// The header of a received frame may stand in an array of the lcore (struct hdr): it is copied,
// too.
struct rt_seen *rt_seen_copy(struct rt_seen_ring *r, const struct pkt *p)
{
	struct rt_seen *s = rt_seen_at(r, r->head);

	if (rt_seen_waiting(r) >= RT_SEEN || (p->data_off && p->len > r->room))
		return NULL;
	*s = (struct rt_seen){.t = 0};
	pkt_clone(&s->pkt, p, sizeof(struct pkt) + sizeof(struct hdr));
	if (s->pkt.hdr && s->pkt.hdr != &s->hdr && !s->pkt.hdr->id) {
		s->hdr = *s->pkt.hdr;
		s->pkt.hdr = &s->hdr;
	}
	return s;
}
