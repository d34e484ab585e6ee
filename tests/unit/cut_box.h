// SPDX-License-Identifier: BSD-3-Clause
// A switch on the bench that is cut into shards, and short ways to feed it.
#pragma once

#include "sw_box.h"

#define CUT_HOP (200 * PS_PER_NS)

// Ports 0 and 2 are shard 0's, 1 and 3 are shard 1's.
static inline int cut_try(struct box *b, unsigned shards)
{
	struct pkt_stack *stack[SW_SHARDS];
	struct ev_ring *events[SW_SHARDS];
	int rc = box_try(b);

	assert_int_equal(rc, 0);
	sw_fini(b->sw);
	for (unsigned k = 0; k < SW_SHARDS; k++) {
		stack[k] = &b->stack;
		events[k] = &b->events;
	}
	b->params.shards = shards;
	b->params.hop_ps = CUT_HOP;
	return sw_cut_init(&b->sw, &b->params, stack, events);
}

// The fabric's messages until `end`.
static inline void cut_cross(struct box *b, tstamp end)
{
	for (bool any = true; any;) {
		any = false;
		for (unsigned k = 0; k < sw_shards(b->sw); k++) {
			unsigned port = b->params.n_ports + k;
			tstamp at = sw_cut_deadline(b->sw, port);

			if (at > end)
				continue;
			any = true;
			assert_int_equal(sw_cut_tx(b->sw, port, NULL, 0, at), 0);
			assert_true(sw_cut_deadline(b->sw, port) > at);
		}
	}
}

static inline struct pkt *cut_tx(struct box *b, unsigned port, tstamp now)
{
	struct pkt *p;

	return sw_cut_tx(b->sw, port, &p, 1, now) ? p : NULL;
}

static inline unsigned cut_drain(struct box *b, unsigned port, tstamp end)
{
	unsigned n = 0;

	while (sw_cut_deadline(b->sw, port) <= end) {
		struct pkt *p = cut_tx(b, port, sw_cut_deadline(b->sw, port));

		if (p) {
			pkt_put(&b->stack, p);
			n++;
		}
	}
	return n;
}

static inline void cut_send(
	struct box *b, unsigned from, unsigned to, unsigned cls, unsigned len, tstamp now)
{
	struct pkt *p = box_pkt(b, from, to, cls, len);

	sw_cut_rx(b->sw, from, &p, 1, now);
}

static inline unsigned cut_drain_all(struct box *b, tstamp end)
{
	unsigned n = 0;

	cut_cross(b, end);
	for (unsigned i = 0; i < b->params.n_ports; i++)
		n += cut_drain(b, i, end);
	cut_cross(b, end + CUT_HOP);
	return n;
}

static inline void cut_conserves(const struct box *b)
{
	char why[200];

	if (sw_conserve(b->sw, why, sizeof(why)))
		fail_msg("%s", why);
}
