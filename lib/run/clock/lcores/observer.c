// SPDX-License-Identifier: BSD-3-Clause
// Ports with an observer, which is told of the frames that arrive and leave.
#include "observer.h"

void rt_observer_join(struct rt_end *e)
{
	if (net_outside(e->node->net, e->port))
		atomic_fetch_or(&e->captures, RT_OBSERVER);
}

void rt_observer_came(const struct rt_end *e, struct pkt *const *burst, unsigned n)
{
	struct outside *o = net_outside(e->node->net, e->port);

	for (unsigned i = 0; o && i < n; i++)
		outside_came(o, burst[i], burst[i]->when);
}

void rt_observer_left(const struct rt_end *e, struct pkt *const *burst, unsigned n, tstamp now)
{
	struct outside *o = net_outside(e->node->net, e->port);

	for (unsigned i = 0; o && i < n; i++)
		outside_left(o, burst[i], now);
}
