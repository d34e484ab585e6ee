// SPDX-License-Identifier: BSD-3-Clause
// Ports with an injector: their frames go through it, and on to the node when it lets them.
#include "injector.h"

static struct fault *injector_of(const struct rt_end *e)
{
	return net_fault(e->node->net, e->port);
}

void rt_injector_join(struct rt_lcore *lc, struct rt_end *e)
{
	if (!injector_of(e) || atomic_load(&e->captures) & RT_INJECTOR)
		return;
	lc->injector[lc->n_injectors++] = (uint16_t)(e - lc->end);
	atomic_fetch_or(&e->captures, RT_INJECTOR);
}

static void give_on(struct rt_lcore *lc, struct rt_end *e, tstamp now)
{
	struct fault *f = injector_of(e);
	struct pkt *burst[EAL_BURST], *p;
	unsigned n;

	do {
		for (n = 0; n < EAL_BURST && (p = fault_get(f, now)); n++) {
			p->when = now;
			burst[n] = p;
		}
		rt_lcore_give(lc, e, burst, n, now);
	} while (n == EAL_BURST);
}

void rt_injector_put(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	rt_lcore_level(lc);
	for (unsigned i = 0; i < n; i++)
		fault_put(injector_of(e), burst[i], now);
	give_on(lc, e, now);
}

void rt_injectors_run(struct rt_lcore *lc, tstamp now)
{
	for (unsigned i = 0; i < lc->n_injectors; i++) {
		struct rt_end *e = &lc->end[lc->injector[i]];

		if (fault_deadline(injector_of(e)) > now)
			continue;
		rt_lcore_level(lc);
		give_on(lc, e, now);
	}
}

tstamp rt_injectors_deadline(const struct rt_lcore *lc)
{
	tstamp next = TSTAMP_NEVER;

	for (unsigned i = 0; i < lc->n_injectors; i++)
		next = tstamp_min(next, fault_deadline(injector_of(&lc->end[lc->injector[i]])));
	return next;
}
