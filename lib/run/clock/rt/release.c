// SPDX-License-Identifier: BSD-3-Clause
// The release of peers: by the loops' end, or in the handler of the signal that ends the process.
#include "release.h"

#include <time.h>

#include <rte_lcore.h>

#include "guest/guest.h"

#define WAIT_MS 500 // for loops that could stop a class again; they may wait for a processor

// The frames in a port's stash have not left. A signal handler may run after their number was
// written and before the frames were.
static void owe_stashed(const struct rt *rt)
{
	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		const struct rt_lcore *lc = rt->world.lcore[i];

		for (unsigned k = 0; k < lc->n_dev; k++) {
			const struct rt_end *e = &lc->end[lc->dev[k]];

			for (unsigned s = 0; s < e->n_stash && e->stash[s]; s++)
				mbuf_told_unsent(&e->dev->told, eal_pkt(e->stash[s]));
		}
	}
}

void rt_release(struct rt *rt)
{
	owe_stashed(rt);
	for (unsigned i = 0; i < rt->n_dev; i++) {
		struct dev *d = &rt->dev[i];

		if (!d->started)
			continue;
		rt->run.xon_at_end += dev_xon_send(d);
		if (mbuf_told_owed(&d->told))
			rt_say(rt,
				"port %s: the device does not take the XON that ends what it has "
				"paused; "
				"the peer goes on when the time of the last pause has run out",
				d->port->name);
		dev_xon_drop(d);
	}
}

static bool is_owed(const struct rt *rt)
{
	for (unsigned i = 0; i < rt->n_dev; i++)
		if (mbuf_told_owed(&rt->dev[i].told))
			return true;
	return false;
}

// Returns whether all loops have ended, except for the loop that the signal handler interrupted.
static bool all_stand(const struct rt *rt)
{
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		if (!atomic_load(&rt->world.lcore[i]->done) &&
			rt->world.lcore[i]->id != rte_lcore_id())
			return false;
	return true;
}

void rt_release_now(void *arg)
{
	struct rt *rt = arg;

	atomic_store(&rt->quit, true);
	if (!rt->n_dev)
		return;
	for (unsigned ms = 0; ms < WAIT_MS && !all_stand(rt); ms++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	owe_stashed(rt);
	for (unsigned i = 0; is_owed(rt) && i < rt->n_dev; i++)
		dev_xon_send_now(&rt->dev[i]);
}

void rt_release_open(struct rt *rt)
{
	guard_open();
	guard_last(rt_release_now, rt);
	if (rt->opts->at_kill)
		rt->opts->at_kill(rt_release_now, rt);
}

void rt_release_close(const struct rt *rt)
{
	if (rt->opts->at_kill)
		rt->opts->at_kill(NULL, NULL);
	guard_last(NULL, NULL);
	guard_close();
}
