// SPDX-License-Identifier: BSD-3-Clause
// Which faults hit a frame: a frame is known by its length, its PSN and its destination QPN among
// the events of its port.
#include "hit.h"

#include <stdio.h>
#include <stdlib.h>

#include "fault/fault.h"

#define HITS 1024 // of a port, whose frames have not been looked at yet

struct hit {
	tstamp t;
	struct ev_fault fault;
	bool done;
};

struct tap_hits {
	struct hit hit[HITS];
	uint32_t from, to;
};

struct tap_hits *tap_hits_new(void)
{
	return calloc(1, sizeof(struct tap_hits));
}

void tap_hits_free(struct tap_hits *h)
{
	free(h);
}

void tap_hits_take(struct tap_hits *h, const struct ev *e)
{
	h->hit[h->to++ % HITS] = (struct hit){.t = e->t, .fault = e->fault};
	if (h->to - h->from > HITS)
		h->from++;
}

static bool is_of(const struct hit *h, const struct pkt *p)
{
	bool roce = pkt_is_roce(p->kind);

	return !h->done && h->fault.bytes == p->len && h->fault.action != FAULT_FORGE &&
	       h->fault.psn == (roce ? p->u.rc.psn : 0) && h->fault.qpn == (roce ? p->u.rc.qpn : 0);
}

static size_t say_hit(const struct hit *h, char *buf, size_t size)
{
	static const char *const done[FAULT_ACTIONS] = {
		[FAULT_ECN] = "marked with CE",
		[FAULT_DROP] = "dropped",
		[FAULT_CORRUPT] = "corrupted",
		[FAULT_DELAY] = "delayed",
		[FAULT_REORDER] = "reordered",
		[FAULT_DUPLICATE] = "duplicated",
		[FAULT_REWRITE] = "rewritten",
		[FAULT_WATCH] = "watched",
		[FAULT_FORGE] = "forged",
	};
	int n = snprintf(buf, size, "%s here by fault %u",
		h->fault.action < FAULT_ACTIONS ? done[h->fault.action] : "hit", h->fault.record);

	return n < (int)size ? (size_t)n : size - 1;
}

// Events before the frame are of earlier frames. The events of one frame are of one instant and
// stand together.
size_t tap_hits_say(struct tap_hits *h, const struct pkt *p, tstamp t, char *buf, size_t size)
{
	const struct hit *first = NULL;
	size_t at = 0;

	*buf = '\0';
	while (h->from != h->to && (h->hit[h->from % HITS].done || h->hit[h->from % HITS].t < t))
		h->from++;
	for (uint32_t i = h->from; i != h->to; i++) {
		struct hit *x = &h->hit[i % HITS];

		if (first && (x->t != first->t || x->fault.record <= first->fault.record))
			break;
		if (!is_of(x, p)) {
			if (first)
				break;
			continue;
		}
		if (first && at + 2 < size)
			at += (size_t)snprintf(buf + at, size - at, "; ");
		at += say_hit(x, buf + at, size - at);
		x->done = true;
		first = x;
	}
	return at;
}
