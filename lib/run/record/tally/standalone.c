// SPDX-License-Identifier: BSD-3-Clause
// Ideal completion times of the messages of flows. Flows whose ways are alike share what these
// follow from.
#include <errno.h>

#include "int.h"

static rate_t slowest_of(const struct scene *s, const struct route *way)
{
	rate_t rate = route_port(s, &way->hop[0])->rate;

	for (unsigned i = 1; i < way->n; i++)
		if (route_port(s, &way->hop[i])->rate < rate)
			rate = route_port(s, &way->hop[i])->rate;
	return rate;
}

int record_standalone_build(struct record *r, struct rec_flow *f)
{
	const struct scene_flow *s = f->scene;
	struct ideal d;

	if (!f->route.n || !f->back.n)
		return 0;
	ideal_init(&d, r->scene, s, &f->route, &f->back);
	f->travel_ps = ideal_travel(r->scene, &f->route) + ideal_travel(r->scene, &f->back);
	f->ideal = ideal_share(&r->ideals, &d);
	if (!f->ideal)
		return -ENOMEM;
	f->standalone_ps = ideal_completion(f->ideal, f->travel_ps, s->req.message_bytes);
	f->packet_ps = ideal_completion(f->ideal, f->travel_ps, s->rc->p.mtu);
	f->slowest = slowest_of(r->scene, &f->route);
	return 0;
}

void record_standalone_free(struct record *r)
{
	ideals_fini(&r->ideals);
}

tstamp record_standalone(const struct rec_flow *f, uint64_t bytes)
{
	if (!f->standalone_ps || bytes == f->scene->req.message_bytes)
		return f->standalone_ps;
	return ideal_completion(f->ideal, f->travel_ps, bytes);
}
