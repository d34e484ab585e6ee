// SPDX-License-Identifier: BSD-3-Clause
// The way of a flow through the scene: its egress ports in order.
#pragma once

#include <stdint.h>

#include "scene/scene.h"

#define ROUTE_HOPS 16

struct route_hop {
	uint16_t node;
	uint16_t port; // egress port of the node
};

struct route {
	unsigned n;
	struct route_hop hop[ROUTE_HOPS];
};

// Data for finding paths through a scene: distances, computed once for each target, and static
// entries by address.
struct routes;

// NULL if memory is out. The scene must not change while the routes exist.
struct routes *routes_new(const struct scene *s);
void routes_free(struct routes *routes);

// Finds the path from node `from` to node `to` for frames with header `h`: a switch's static
// entries decide (of equal ways its hash, as if every link were up), else the fewest hops (lowest
// port first). -EHOSTUNREACH if there is none; r then has the hops that were found.
int route_find(
	struct route *r, struct routes *routes, unsigned from, unsigned to, const struct hdr *h);

static inline const struct scene_port *route_port(const struct scene *s, const struct route_hop *h)
{
	return &s->node[h->node].port[h->port];
}

// Bytes of a flow's frame without FCS besides its payload; of its ACK, or READ request, in all.
unsigned route_overhead(const struct scene_flow *f);
unsigned route_ack_len(const struct scene_flow *f);
// The bytes of the overhead that a port at or before `hop` has stripped: the CN-TAG.
unsigned route_stripped(
	const struct scene *s, const struct scene_flow *f, const struct route *r, unsigned hop);
// Bytes in the frames of a message besides the overhead: RETH in the first, immediate data in the
// last; for a READ the AETH of both.
unsigned route_ext(const struct scene_flow *f);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The slowest rate on the way; 0 for a way without hops.
rate_t route_rate(const struct scene *s, const struct route *r);

#pragma GCC visibility pop
