// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run so far. Counters have one writer each and are read whole while it runs, as for
// samples; the recorder's own distributions are read by its own thread.
#include "live.h"

#include <errno.h>
#include <time.h>

#include "run.h"

#define LOOK_NS 50000 // between two looks for the answer

void rt_live_answer(struct rt *rt, tstamp now)
{
	struct live *made;
	struct record_run run;

	if (!atomic_load_explicit(&rt->live.wanted, memory_order_acquire))
		return;
	atomic_store(&rt->live.wanted, false);
	rt_verdict_so_far(rt, &run, now);
	if (live_make(&made, rt->recorder.rec, &run))
		made = NULL;
	atomic_store(&rt->live.made, made);
	atomic_store_explicit(&rt->live.answered, true, memory_order_release);
}

// Whether nobody is there any more who would answer.
static bool is_over(const struct rt *rt)
{
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		if (!atomic_load(&rt->world.lcore[i]->done))
			return false;
	return true;
}

int rt_live_ask(struct rt *rt, struct live **out, unsigned timeout_ms)
{
	uint64_t looks = timeout_ms * 1000000ull / LOOK_NS;

	// One that came too late for who asked is nobody's.
	live_free(atomic_exchange(&rt->live.made, NULL));
	atomic_store(&rt->live.answered, false);
	atomic_store_explicit(&rt->live.wanted, true, memory_order_release);
	while (!atomic_load_explicit(&rt->live.answered, memory_order_acquire) && looks-- &&
		!is_over(rt))
		nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
	if (!atomic_load_explicit(&rt->live.answered, memory_order_acquire))
		return is_over(rt) ? -ESHUTDOWN : -ETIMEDOUT;
	*out = atomic_exchange(&rt->live.made, NULL);
	return *out ? 0 : -ENOMEM;
}
