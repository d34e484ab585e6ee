// SPDX-License-Identifier: BSD-3-Clause
// How well many limiters keep their gaps on the real clock: one loop, as fast as it goes, without
// a device.
#include "gen_gap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hist.h"
#include "gen_crowd.h"

#define LINE       (100 * RATE_GBPS)
#define OCTETS     1082
#define PER_S      800000 // frames of all queue pairs: few, but of 64 Ki none below the least limit
#define TOLERANCE  (20 * PS_PER_US)
#define SLIP       (20 * PS_PER_US) // what is longer has been taken from us by the machine
#define MOST_SLIPS 2                // of the time asked for
#define REFUSED    3

struct last {
	tstamp at; // its last frame; 0: none yet
	uint16_t len;
};

// Times between two turns of the loop: `each` counts a time once, `time` counts it by its length.
// Times above SLIP are left out, and the clock stands still for them, as the clock of a scene in
// memory does.
struct gaps {
	struct hist each, time;
	tstamp slipped;
};

static tstamp clock_ps(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (tstamp)t.tv_sec * PS_PER_S + (tstamp)t.tv_nsec * PS_PER_NS;
}

// Counts the difference between the gap before a frame and the gap that the rate limit asks for.
static void measure(
	struct hist *error, struct last *last, const struct pkt *p, tstamp now, rate_t limit)
{
	if (last->at) {
		tstamp ideal = (tstamp)((double)(last->len + PKT_WIRE) * 8e12 / (double)limit);
		tstamp gap = now - last->at;

		hist_add(error, gap > ideal ? gap - ideal : ideal - gap, 1);
	}
	*last = (struct last){now, p->len};
}

// One loop until `seconds` have passed, and at most that and MOST_SLIPS times as much.
static void loop(
	struct crowd *c, struct last *last, double seconds, struct hist *error, struct gaps *gap)
{
	tstamp begin = clock_ps(), before = 0, now = 0;
	tstamp end = (tstamp)(seconds * (double)PS_PER_S);

	while (now < end && gap->slipped < MOST_SLIPS * end) {
		struct pkt *burst[CROWD_BURST];
		unsigned n = 0;

		now = clock_ps() - begin - gap->slipped + PS_PER_US;
		if (before && now - before > SLIP) {
			gap->slipped += now - before;
			now = before;
		} else if (before) {
			hist_add(&gap->each, now - before, 1);
			hist_add(&gap->time, now - before, now - before);
		}
		before = now;
		c->now = now;
		if (nic_deadline(c->from, 0) <= now)
			n = nic_tx(c->from, 0, burst, CROWD_BURST, now);
		crowd_acknowledge(c, burst, n);
		for (unsigned i = 0; i < n; i++)
			measure(error, &last[burst[i]->u.rc.qpn], burst[i], now, c->p.limit);
		while (n)
			pkt_put(c->stack, burst[--n]);
	}
}

static void put_quantile(const char *name, const struct hist *h, unsigned permille)
{
	printf("%s %.1f\n", name, (double)hist_quantile(h, permille) / PS_PER_NS);
}

int gen_gap(char **arg, int n)
{
	struct crowd_params p = {.octets = OCTETS, .rate = LINE, .tolerance_ps = TOLERANCE};
	double seconds = strtod(arg[1], NULL);
	static struct hist error;
	static struct gaps gap;
	struct pkt_stack stack;
	struct last *last;
	struct crowd c;
	int rc;

	(void)n;
	p.qps = (unsigned)atoi(arg[0]);
	p.limit = (rate_t)PER_S * (OCTETS + PKT_WIRE) * 8 / p.qps;
	last = calloc(p.qps + 1ul, sizeof(*last));
	if (!last || !crowd_stack(&stack, 512, 0))
		return 1;
	rc = crowd_init(&c, &p, &stack);
	if (rc) {
		printf("refused %u queue pairs: %s\n", p.qps, strerror(-rc));
		return REFUSED;
	}
	hist_init(&error);
	hist_init(&gap.each);
	hist_init(&gap.time);
	loop(&c, last, seconds, &error, &gap);
	put_quantile("error_p50", &error, 500);
	put_quantile("error_p99", &error, 990);
	put_quantile("loop_p50", &gap.each, 500);
	put_quantile("loop_p99", &gap.each, 990);
	put_quantile("loop_time_p99", &gap.time, 990);
	printf("slipped_ms %.1f\ngaps %llu\n", (double)gap.slipped / PS_PER_MS,
		(unsigned long long)error.n);
	crowd_fini(&c);
	free(last);
	return 0;
}
