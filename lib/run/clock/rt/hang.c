// SPDX-License-Identifier: BSD-3-Clause
// A loop that hangs: how it differs from a loop without processor time, and how its thread is
// stopped so that its data can be read.
#include "hang.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "release.h"

#define SPINS_NS  (5 * 1000000000ull)
#define SLEEPS_NS (30 * 1000000000ull)
#define AWAKE_NS  10000000u // counted at most of the time between two looks
#define ENDS_MS   1000      // for the other loops
#define CLOSES_S  60        // for all that is written and closed
#define PARK      (SIGRTMAX - 1)

static uint64_t used_ns(const struct rt_lcore *lc)
{
	struct timespec ts = {0};
	clockid_t clock;

	if (pthread_getcpuclockid(lc->thread, &clock) == 0)
		clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

// Returns whether a loop waits for the main lcore, and so does not hang.
static bool is_waiting(const struct rt *rt, const struct rt_lcore *lc)
{
	return atomic_load(&lc->done) || !atomic_load(&lc->enlisted) ||
	       atomic_load(&lc->held) > atomic_load(&rt->released);
}

static bool hangs(const struct rt *rt, struct rt_lcore *lc, uint64_t awake_ns)
{
	struct rt_hang *h = &lc->hang;
	tstamp now = atomic_load_explicit(&lc->now, memory_order_relaxed);
	uint64_t used;

	if (is_waiting(rt, lc))
		return false;
	used = used_ns(lc);
	if (now != h->now || !h->cpu_ns) {
		*h = (struct rt_hang){.now = now, .cpu_ns = used};
		return false;
	}
	if (used - h->cpu_ns > SPINS_NS)
		return true;
	if (used == h->seen_ns)
		h->idle_ns += awake_ns < AWAKE_NS ? awake_ns : AWAKE_NS;
	h->seen_ns = used;
	return h->idle_ns > SLEEPS_NS;
}

struct rt_lcore *rt_hang_look(struct rt *rt, uint64_t awake_ns)
{
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		if (hangs(rt, rt->world.lcore[i], awake_ns))
			return rt->world.lcore[i];
	return NULL;
}

// The thread stays here until the process ends.
static void stand(int sig)
{
	(void)sig;
	for (;;)
		pause();
}

static void park(struct rt_lcore *lc)
{
	struct sigaction sa = {.sa_handler = stand, .sa_flags = SA_ONSTACK};

	sigfillset(&sa.sa_mask);
	sigaction(PARK, &sa, NULL);
	pthread_kill(lc->thread, PARK);
}

void rt_hang_end(struct rt *rt, struct rt_lcore *lc)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	signal(SIGALRM, SIG_DFL); // which ends the process
	alarm(CLOSES_S);          // where the thread holds what the end needs
	snprintf(rt->run.crash, sizeof(rt->run.crash),
		"the loop of lcore %u hangs at %s: it has not come round since %.3f us", lc->id,
		rt->scene->node[lc->busy].name, (double)atomic_load(&lc->now) / (double)PS_PER_US);
	park(lc);
	atomic_store(&rt->quit, true);
	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		struct rt_lcore *other = rt->world.lcore[i];

		for (unsigned n = 0; n < ENDS_MS && other != lc && !atomic_load(&other->done); n++)
			nanosleep(&ms, NULL);
		if (other != lc && !atomic_load(&other->done))
			park(other);
	}
	nanosleep(&ms, NULL);
	rt_release_now(rt);
	rt->hung = true;
}
