// SPDX-License-Identifier: BSD-3-Clause
// Scene time from the processor's time stamp counter, calibrated against CLOCK_MONOTONIC_RAW.
#include "clock.h"

#include <errno.h>
#include <time.h>

#include <rte_cycles.h>

#define TRIES 32

static uint64_t raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct rt_instant rt_instant_get(void)
{
	struct rt_instant best = {0};
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = rte_rdtsc_precise();
		uint64_t raw = raw_ns();
		uint64_t after = rte_rdtsc_precise();

		if (after - before < least) {
			least = after - before;
			best = (struct rt_instant){before + (after - before) / 2, raw};
		}
	}
	return best;
}

// ps per tick, Q32: 1000 * ns * 2^32 / ticks
static uint64_t rate_q32(const struct rt_instant *a, const struct rt_instant *b)
{
	unsigned __int128 ps = (unsigned __int128)(b->raw_ns - a->raw_ns) * PS_PER_NS;

	return (uint64_t)((ps << 32) / (b->tsc - a->tsc));
}

int rt_clock_init(
	struct rt_clock *c, const struct rt_instant *a, const struct rt_instant *b, unsigned dilate)
{
	if (b->tsc <= a->tsc || b->raw_ns <= a->raw_ns || !dilate)
		return -EINVAL;
	c->ps_per_tsc = rate_q32(a, b) / dilate;
	c->dilate = dilate;
	c->tsc0 = b->tsc;
	return 0;
}

double rt_clock_error_ppm(
	const struct rt_clock *c, const struct rt_instant *a, const struct rt_instant *b)
{
	double ratio;

	if (b->tsc <= a->tsc)
		return 0;
	ratio = (double)rate_q32(a, b) / ((double)c->ps_per_tsc * c->dilate);
	return (ratio - 1.0) * 1e6;
}
