// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run so far. Counters have one writer each, which stores words of 64 bits that are
// read whole while it runs, as for samples: what one load sees was there, and two may be of two
// instants. Nodes' distributions, whose words must agree, are read by hist_look; the recorder's own
// are read by its own thread.
#include "figures.h"

#include <errno.h>
#include <time.h>

#define LOOK_NS 50000 // between two looks for the answer

bool telemetry_figures_wanted(struct telemetry_figures *f)
{
	if (!atomic_load_explicit(&f->wanted, memory_order_acquire))
		return false;
	atomic_store(&f->wanted, false);
	return true;
}

void telemetry_figures_give(struct telemetry_figures *f, struct live *made)
{
	atomic_store(&f->made, made);
	atomic_store_explicit(&f->answered, true, memory_order_release);
}

// Returns whether no lcore is left that could answer.
static bool is_over(const struct rt_world *w)
{
	for (unsigned i = 0; i < w->n_lcores; i++)
		if (!atomic_load(&w->lcore[i]->done))
			return false;
	return true;
}

int telemetry_figures_ask(const struct telemetry_run *run, struct live **out, unsigned timeout_ms)
{
	uint64_t looks = timeout_ms * 1000000ull / LOOK_NS;
	struct telemetry_figures *f = run->figures;

	// Figures that were made too late for the last question are freed.
	live_free(atomic_exchange(&f->made, NULL));
	atomic_store(&f->answered, false);
	atomic_store(&f->wanted, true);
	rt_bell_ring(run->bell);
	while (!atomic_load_explicit(&f->answered, memory_order_acquire) && looks-- &&
		!is_over(run->world))
		nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
	if (!atomic_load_explicit(&f->answered, memory_order_acquire))
		return is_over(run->world) ? -ESHUTDOWN : -ETIMEDOUT;
	*out = atomic_exchange(&f->made, NULL);
	return *out ? 0 : -ENOMEM;
}
