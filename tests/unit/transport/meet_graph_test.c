// SPDX-License-Identifier: BSD-3-Clause
// Random graphs of parts that meet over links which lose frames: all start together, with one
// number, or nobody does.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "transport/meet.h"
#include "base/prng.h"
#include "meet_lab.h"
#include "meet_terms.h"

#define PARTS  12
#define ROUNDS 300
#define FLIGHT 64 // hellos on their way, on one link in one direction

// A graph of parts: a tree, and some links more. End e of link k is link place[k][e] of part
// end[k][e].
struct net {
	unsigned n_parts, n_links;
	unsigned end[2 * PARTS][2], place[2 * PARTS][2];
	struct meet part[PARTS];
	struct meet_link link[PARTS][2 * PARTS];
	unsigned links[PARTS];
	struct {
		struct hello h;
		tstamp at;
	} flight[2 * PARTS][2][FLIGHT];
	unsigned flying[2 * PARTS][2];
	bool agreed[PARTS]; // has been at level 1 or more
	uint64_t loss;      // permille
};

static void join(struct net *net, unsigned a, unsigned b)
{
	unsigned k = net->n_links++;

	for (unsigned e = 0; e < 2; e++) {
		unsigned here = e ? b : a, there = e ? a : b;

		net->end[k][e] = here;
		net->place[k][e] = net->links[here];
		lab_name_link(&net->link[here][net->links[here]++], here, there, k);
	}
}

static void net_draw(struct net *net, struct prng *g, int odd)
{
	memset(net, 0, sizeof(*net));
	net->n_parts = 2 + (unsigned)prng_below(g, PARTS - 1);
	net->loss = prng_below(g, 5) * 150; // up to 60 %
	for (unsigned i = 1; i < net->n_parts; i++)
		join(net, i, (unsigned)prng_below(g, i));
	for (unsigned i = 0, more = (unsigned)prng_below(g, 4); i < more && net->n_parts > 2; i++) {
		unsigned a = (unsigned)prng_below(g, net->n_parts);

		join(net, a, (a + 1 + (unsigned)prng_below(g, net->n_parts - 1)) % net->n_parts);
	}
	for (unsigned i = 0; i < net->n_parts; i++) {
		struct meet_params p = params(1000 + i, (uint16_t)net->n_parts);

		p.numbers = 1 + prng_below(g, 1000);
		if ((int)i == odd)
			p.digest = other_digests;
		meet_init(&net->part[i], &p, net->link[i], net->links[i],
			prng_below(g, 100) * PS_PER_MS);
	}
}

// All that is due on one end of a link at `now`, and all that has come there.
static void net_step(struct net *net, struct prng *g, unsigned k, unsigned e, tstamp now)
{
	struct meet *m = &net->part[net->end[k][e]];
	struct hello h;

	for (unsigned i = 0; i < net->flying[k][e];) {
		if (net->flight[k][e][i].at > now) {
			i++;
			continue;
		}
		h = net->flight[k][e][i].h;
		net->flight[k][e][i] = net->flight[k][e][--net->flying[k][e]]; // out of order, too
		meet_heard(m, net->place[k][e], &h, now);
		net->agreed[net->end[k][e]] |= m->level > 0;
	}
	while (meet_say(m, net->place[k][e], &h, now)) {
		unsigned *n = &net->flying[k][!e];

		if (prng_below(g, 1000) < net->loss || *n == FLIGHT)
			continue;
		net->flight[k][!e][*n].h = h;
		net->flight[k][!e][(*n)++].at = now + prng_below(g, 30) * PS_PER_MS / 10;
	}
}

// Whether all have started; none has before all agreed with their peers.
static bool net_all_start(struct net *net, tstamp now)
{
	unsigned start = 0, agreed = 0;

	for (unsigned i = 0; i < net->n_parts; i++) {
		start += meet_state(&net->part[i], now) == MEET_STARTS;
		agreed += net->agreed[i];
	}
	assert_true(!start || agreed == net->n_parts);
	return start == net->n_parts;
}

static uint64_t seed_of(void)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	print_message("QUENCH_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

// Who starts, starts with the others, but for the time that telling them takes: 3 ms on each of
// the links between, which lose some.
static void net_starts_together(const struct net *net)
{
	tstamp first = TSTAMP_NEVER, last = 0;

	for (unsigned i = 0; i < net->n_parts; i++) {
		first = tstamp_min(first, net->part[i].start_at);
		last = tstamp_max(last, net->part[i].start_at);
	}
	if (!net->loss)
		assert_true(last - first <= 4 * PS_PER_MS * net->n_parts);
}

// All have the least of the numbers that they have drawn.
static void net_has_one_number(const struct net *net)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < net->n_parts; i++)
		least = net->part[i].p.numbers < least ? net->part[i].p.numbers : least;
	for (unsigned i = 0; i < net->n_parts; i++)
		assert_int_equal(net->part[i].numbers, least);
}

static bool net_run(struct net *net, struct prng *g, tstamp until)
{
	for (tstamp now = 0; now < until; now += PS_PER_MS) {
		for (unsigned k = 0; k < net->n_links; k++)
			for (unsigned e = 0; e < 2; e++)
				net_step(net, g, k, e, now);
		if (net_all_start(net, now))
			return true;
	}
	return false;
}

static void all_start_whatever_is_lost_and_none_too_early(void **state)
{
	static struct net net;
	uint64_t seed = seed_of();

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct prng g;

		prng_init(&g, seed + i, "meet");
		net_draw(&net, &g, -1);
		if (!net_run(&net, &g, DEADLINE))
			fail_msg("QUENCH_SEED=%llu: %u parts, %u links, loss %llu: not all start",
				(unsigned long long)(seed + i), net.n_parts, net.n_links,
				(unsigned long long)net.loss);
		net_starts_together(&net);
		net_has_one_number(&net);
	}
}

static void one_that_differs_lets_nobody_start(void **state)
{
	static struct net net;
	uint64_t seed = seed_of();

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct prng g;

		prng_init(&g, seed + i, "meet, and one differs");
		net_draw(&net, &g, (int)prng_below(&g, 2));
		net_run(&net, &g, DEADLINE);
		for (unsigned k = 0; k < net.n_parts; k++)
			if (meet_state(&net.part[k], DEADLINE) != MEET_REFUSES)
				fail_msg("QUENCH_SEED=%llu: part %u does not refuse",
					(unsigned long long)(seed + i), k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_start_whatever_is_lost_and_none_too_early),
		cmocka_unit_test(one_that_differs_lets_nobody_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
