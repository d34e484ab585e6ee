// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of lazy timers: an object and a model that lives through every instant,
// driven side by side.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/prng.h"
#include "base/tstamp.h"

#define US    PS_PER_US
#define NEVER TSTAMP_NEVER
#define STEPS 400 // of a run

// The state after an event.
struct lazy_entry {
	tstamp at;
	int event;
	uint64_t rc, rt, alpha;
};

struct lazy {
	struct prng g;
	void *rp, *model;
	int none;  // the event that is none
	int quiet; // one that no deadline announces, as it changes no rate; or `none`
	// The model's next instant up to `now`, whether anything happens at it or not; false: there
	// is none.
	bool (*step)(void *model, tstamp now, struct lazy_entry *e);
	// The object's next event up to `now`, and the state after it.
	void (*expire)(void *rp, tstamp now, struct lazy_entry *e);
	tstamp (*deadline)(const void *rp);
	void (*same)(const void *rp, const void *model);
	// Something happens to both: a notification comes, bytes are sent. Their answers must be
	// the same.
	void (*act)(struct lazy *l, tstamp now);
	tstamp longest; // gap between two such things
};

static inline uint64_t lazy_pick(struct prng *g, const uint64_t *of, unsigned n)
{
	return of[prng_below(g, n)];
}

#define PICK(g, ...)                                  \
	lazy_pick(g, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

// The phase that stages give by the three conventions of fast recovery (standards.md 4.3), in their
// own words: 0 fast recovery, 1 additive, 2 hyper increase, the i-th.
static inline int lazy_phase(
	char convention, uint64_t f, uint64_t most, uint64_t least, uint64_t *i)
{
	switch (convention) {
	case 'P':
		*i = least - f;
		return most <= f ? 0 : least > f ? 2 : 1;
	case 'N':
		*i = least - f + 1;
		return most < f ? 0 : least >= f ? 2 : 1;
	default:
		*i = least - f;
		return most < f ? 0 : least > f ? 2 : 1;
	}
}

// Lets both come to `now`. Every event must be the same, and each that changes the rate must be
// where the deadline was. Returns the number of events.
static inline unsigned lazy_advance(struct lazy *l, tstamp now)
{
	unsigned events = 0;
	struct lazy_entry want, got;

	while (l->step(l->model, now, &want)) {
		if (want.event == l->none)
			continue;
		if (want.event != l->quiet)
			assert_true(l->deadline(l->rp) == want.at);
		l->expire(l->rp, now, &got);
		assert_int_equal(got.event, want.event);
		assert_true(got.at == want.at);
		assert_int_equal(got.rc, want.rc);
		assert_int_equal(got.rt, want.rt);
		assert_int_equal(got.alpha, want.alpha);
		events++;
	}
	l->expire(l->rp, now, &got);
	assert_int_equal(got.event, l->none);
	assert_true(l->deadline(l->rp) > now);
	l->same(l->rp, l->model);
	return events;
}

static inline tstamp lazy_gap(struct lazy *l, tstamp now)
{
	tstamp d = l->deadline(l->rp);

	switch (prng_below(&l->g, 8)) {
	case 0:
		return prng_below(&l->g, 20) * US; // often just at a timer's instant
	case 1:
		return d == NEVER ? 0 : d - now;
	case 2:
		return prng_below(&l->g, prng_below(&l->g, 50) ? 300 * US : l->longest);
	case 3:
		return 0;
	default:
		return prng_below(&l->g, 3 * US);
	}
}

// One random history of both; returns the number of timer events in it.
static inline unsigned lazy_run(struct lazy *l)
{
	unsigned events = 0;
	tstamp now = 0;

	for (unsigned step = 0; step < STEPS; step++) {
		now += lazy_gap(l, now);
		events += lazy_advance(l, now);
		l->act(l, now);
		l->same(l->rp, l->model);
	}
	return events;
}

// Runs with seeds from 1, which must have `least` events each on average.
static inline void lazy_runs(unsigned (*run)(uint64_t seed), unsigned runs, unsigned least)
{
	unsigned events = 0;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		events += run(seed);
	}
	assert_true(events > least * runs);
}
